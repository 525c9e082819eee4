// The history of lobbies: how many started in each bucket, and how many ran.
import uPlot from "uplot";
import { html, useEffect, useRef, useState } from "../../core/html.js";
import { countText } from "../../core/components/values.js";
import { colorOf, repaint } from "../../core/theme.js";
import { whyIncomplete } from "./incomplete.js";
import { timeText } from "./span.js";

const height_px = 260;
const least_drag_px = 4;

const utc = (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC");

const day_s = 86_400;
const date = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });

// Years or dates for long steps, otherwise hours, with the date at midnight.
const momentsOf = (_, splits, __, ___, step_s) => splits.map((s) => {
  if (step_s > 300 * day_s) return timeText(s * 1_000, 4);
  if (step_s >= day_s || s % day_s === 0) return date.format(s * 1_000);
  return timeText(s * 1_000, step_s < 60 ? 19 : 16).slice(11);
});

function selected(plot, onZoom) {
  const { left, width } = plot.select;
  if (width < least_drag_px) return;
  const [start, end] = [left, left + width]
    .map((at) => Math.round(1_000 * plot.posToVal(at, "x")));
  plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  onZoom({ start, end });
}

// Incomplete parts are covered by a veil with an edge.
function drawParts(plot, parts) {
  const { ctx, bbox } = plot;
  const { left, top, width, height } = bbox;
  const inside = (ms) => Math.min(left + width,
    Math.max(left, plot.valToPos(ms / 1_000, "x", true)));
  ctx.save();
  for (const { from, to, why } of parts) {
    const [begin, end] = [inside(from), inside(to)];
    ctx.globalAlpha = 0.7;
    ctx.fillStyle = colorOf("card");
    ctx.fillRect(begin, top, end - begin, height);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = colorOf("faint");
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    const edge = why === "expired" ? end : begin;
    ctx.beginPath();
    ctx.moveTo(edge, top);
    ctx.lineTo(edge, top + height);
    ctx.stroke();
  }
  ctx.restore();
}

// The peak of running lobbies, which is usually between the starts of two buckets.
function drawPeak(plot, peak) {
  if (!peak) return;
  const { ctx, bbox } = plot;
  const x = plot.valToPos(peak.at / 1_000, "x", true);
  const y = plot.valToPos(peak.running, "y", true);
  if (x < bbox.left || x > bbox.left + bbox.width) return;
  const isLeft = x < bbox.left + bbox.width / 2;
  ctx.save();
  ctx.fillStyle = colorOf("series-2");
  ctx.beginPath();
  ctx.arc(x, y, 3.5 * devicePixelRatio, 0, 2 * Math.PI);
  ctx.fill();
  ctx.fillStyle = colorOf("text");
  ctx.font = `600 ${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.textAlign = isLeft ? "left" : "right";
  ctx.textBaseline = "bottom";
  ctx.fillText(`peak ${countText(peak.running)}`, x + (isLeft ? 2 : -2) * devicePixelRatio,
    y - 5 * devicePixelRatio);
  ctx.restore();
}

function optionsOf({ width, onZoom, onIndex, now }) {
  const grid = { stroke: colorOf("grid"), width: 1 };
  const axis = { stroke: colorOf("faint"), grid, ticks: grid, font: "12px system-ui, sans-serif" };
  const color = colorOf("series-1");
  const counts = (_, splits) => splits.map((n) => (Number.isInteger(n) ? countText(n) : ""));
  return {
    width, height: height_px, tzDate: utc, legend: { show: false },
    cursor: {
      drag: { x: true, y: false, setScale: false }, y: false,
      // A double click would reset the zoom, but the span is kept in the hash.
      bind: { dblclick: () => null },
    },
    scales: {
      x: { time: true },
      y: { range: (_, low, high) =>
        [0, Math.max(1, high ?? 0, now().history.peak?.running ?? 0) * 1.12] },
    },
    axes: [{ ...axis, space: 80, values: momentsOf }, { ...axis, size: 64, values: counts }],
    series: [{},
      { label: "Started", stroke: color, fill: color, width: 0, alpha: 0.45,
        points: { show: false }, paths: uPlot.paths.bars({ align: 1, size: [0.9, Infinity] }) },
      { label: "Running", stroke: colorOf("series-2"), width: 2, points: { show: false },
        paths: uPlot.paths.stepped({ align: 1 }) }],
    hooks: {
      setCursor: [(plot) => onIndex(plot.cursor.idx ?? null)],
      setSelect: [(plot) => selected(plot, onZoom)],
      draw: [(plot) => {
        drawParts(plot, now().parts);
        drawPeak(plot, now().history.peak);
      }],
    },
  };
}

/** The columns of a reply: s since 1970, started, running. The end gets a bucket without counts. */
function columnsOf({ start, bucket_ms, started, running }) {
  const times = started.map((_, index) => (start + index * bucket_ms) / 1_000);
  const end = (start + started.length * bucket_ms) / 1_000;
  return [[...times, end], [...started, null], [...running, running.at(-1) ?? null]];
}

const whyTexts = { open: ", not over yet", expired: ", not all kept",
  uncounted: ", not all counted" };

function Legend({ history, parts, index }) {
  const { started, running, start, bucket_ms, peak } = history;
  const isOne = index !== null && index < started.length;
  const from = start + (isOne ? index * bucket_ms : 0);
  const why = isOne ? whyTexts[whyIncomplete(parts, from)] ?? "" : "";
  const sum = started.reduce((all, n) => all + n, 0);
  return html`<ul class="legend">
    <li><span class="swatch series-1" aria-hidden="true"></span>Started ${" "}
      <strong>${countText(isOne ? started[index] : sum)}</strong></li>
    <li><span class="swatch series-2" aria-hidden="true"></span>Running ${" "}
      <strong>${isOne ? countText(running[index])
        : peak ? `peak ${countText(peak.running)}` : "–"}</strong></li>
    <li class="faint">${isOne ? `${timeText(from)} to ${timeText(from + bucket_ms)} UTC${why}`
      : "in the whole span"}</li>
  </ul>`;
}

/**
 * The chart of a reply to GET /v1/games/ID/lobbies, with its incomplete `parts` faded. Dragging
 * over it calls `onZoom` with a span in ms since 1970. The arrow keys move along it, + and - call
 * `onScale` with 0.5 and 2.
 */
export function HistoryChart({ history, parts, onZoom, onScale }) {
  const place = useRef(null);
  const plot = useRef(null);
  const zoom = useRef(onZoom);
  zoom.current = onZoom;
  const drawn = useRef(null);
  drawn.current = { history, parts };
  const [index, setIndex] = useState(null);
  const painted = repaint.value;

  useEffect(() => {
    const options = optionsOf({ width: place.current.clientWidth || 300, onIndex: setIndex,
      onZoom: (span) => zoom.current(span), now: () => drawn.current });
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
  }, [history, parts.map(({ from }) => from).join()]);

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
  const label = "Lobbies over time: a chart. The arrow keys move along it; + and - zoom.";
  return html`<figure class="chart">
    <div ref=${place} class="plot history" tabindex="0" role="group" aria-label=${label}
      onKeyDown=${press} onBlur=${leave}></div>
    <figcaption><${Legend} ...${{ history, parts, index }} /></figcaption>
  </figure>`;
}
