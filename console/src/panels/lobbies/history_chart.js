// The history of lobbies: how many started in each bucket, and how many ran.
import uPlot from "uplot";
import { html, useEffect, useRef, useState } from "../../core/html.js";
import { countText } from "../../core/components/values.js";
import { colorOf, repaint } from "../../core/theme.js";

const height_px = 260;
const least_drag_px = 4;

const utc = (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC");

function selected(plot, onZoom) {
  const { left, width } = plot.select;
  if (width < least_drag_px) return;
  const [start, end] = [left, left + width]
    .map((at) => Math.round(1_000 * plot.posToVal(at, "x")));
  plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  onZoom({ start, end });
}

function optionsOf({ width, onZoom, onIndex }) {
  const grid = { stroke: colorOf("grid"), width: 1 };
  const axis = { stroke: colorOf("faint"), grid, ticks: grid, font: "12px system-ui, sans-serif" };
  const color = colorOf("series-1");
  const counts = (_, splits) => splits.map((n) => (Number.isInteger(n) ? countText(n) : ""));
  return {
    width, height: height_px, tzDate: utc, legend: { show: false },
    cursor: {
      drag: { x: true, y: false, setScale: false }, y: false,
      // What two clicks would reset is the hash's to say.
      bind: { dblclick: () => null },
    },
    scales: {
      x: { time: true },
      y: { range: (_, low, high) => [0, Math.max(1, high ?? 0) * 1.05] },
    },
    axes: [{ ...axis, space: 80 }, { ...axis, size: 64, values: counts }],
    series: [{},
      { label: "Started", stroke: color, fill: color, width: 0, alpha: 0.45,
        points: { show: false }, paths: uPlot.paths.bars({ align: 1, size: [0.9, Infinity] }) },
      { label: "Running", stroke: colorOf("series-2"), width: 2, points: { show: false },
        paths: uPlot.paths.stepped({ align: 1 }) }],
    hooks: {
      setCursor: [(plot) => onIndex(plot.cursor.idx ?? null)],
      setSelect: [(plot) => selected(plot, onZoom)],
    },
  };
}

/** The columns of a reply: s since 1970, started, running. The end has a bucket without counts. */
function columnsOf({ start, bucket_ms, started, running }) {
  const times = started.map((_, index) => (start + index * bucket_ms) / 1_000);
  const end = (start + started.length * bucket_ms) / 1_000;
  return [[...times, end], [...started, null], [...running, running.at(-1) ?? null]];
}

const timeText = (ms) => new Date(ms).toISOString().slice(0, 19).replace("T", " ");

function Legend({ history, index }) {
  const { started, running, start, bucket_ms } = history;
  const isOne = index !== null && index < started.length;
  const from = start + (isOne ? index * bucket_ms : 0);
  const sum = started.reduce((all, n) => all + n, 0);
  return html`<ul class="legend">
    <li><span class="swatch series-1" aria-hidden="true"></span>Started ${" "}
      <strong>${countText(isOne ? started[index] : sum)}</strong></li>
    <li><span class="swatch series-2" aria-hidden="true"></span>Running ${" "}
      <strong>${isOne ? countText(running[index])
        : `at most ${countText(Math.max(0, ...running))}`}</strong></li>
    <li class="faint">${isOne ? `${timeText(from)} to ${timeText(from + bucket_ms)} UTC`
      : "in all of it"}</li>
  </ul>`;
}

/**
 * The chart of a reply of GET /v1/games/ID/lobbies. Dragging over it calls `onZoom` with a span in
 * ms since 1970. The arrow keys move along it, + and - call `onScale` with 0.5 and 2.
 */
export function HistoryChart({ history, onZoom, onScale }) {
  const place = useRef(null);
  const plot = useRef(null);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const [index, setIndex] = useState(null);
  const painted = repaint.value;

  useEffect(() => {
    const options = optionsOf({ width: place.current.clientWidth || 300, onIndex: setIndex,
      onZoom: (span) => zoom.current(span) });
    const made = new uPlot(options, columnsOf(history), place.current);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      const width = place.current?.clientWidth;
      if (width && width !== made.width) made.setSize({ width, height: height_px });
    });
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [painted]);
  useEffect(() => {
    plot.current?.setData(columnsOf(history));
  }, [history]);

  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const factor = { "+": 0.5, "-": 2 }[event.key];
    if (!step && !factor) return;
    event.preventDefault();
    if (factor) {
      onScale(factor);
      return;
    }
    const last = history.started.length - 1;
    const from = index ?? (step < 0 ? last + 1 : -1);
    const next = Math.min(last, Math.max(0, from + step));
    const time = (history.start + (next + 0.25) * history.bucket_ms) / 1_000;
    plot.current.setCursor({ left: plot.current.valToPos(time, "x"), top: 10 });
  };
  const leave = () => plot.current?.setCursor({ left: -10, top: -10 });
  const label = "Lobbies over time: a chart. The arrow keys move along it, + and - zoom.";
  return html`<figure class="chart">
    <div ref=${place} class="plot history" tabindex="0" role="group" aria-label=${label}
      onKeyDown=${press} onBlur=${leave}></div>
    <figcaption><${Legend} history=${history} index=${index} /></figcaption>
  </figure>`;
}
