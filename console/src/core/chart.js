// Lines over time. Import this only from panels, so that uPlot is not loaded before one is shown.
import uPlot from "uplot";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./html.js";
import { lastOf } from "./series.js";
import { colorOf, repaint } from "./theme.js";

// The possible distances between ticks, for units in which tenths or thousands would look odd.
const steps = {
  bytes: Array.from({ length: 48 }, (_, power) => 2 ** power),
  whole: Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat(),
};

function rangeOf(log, least) {
  if (!log) return (_, __, most) => [0, Math.max(least, (most ?? 0) * 1.1)];
  return (_, low, high) => {
    if (low === null || low === undefined || low <= 0) return [100, 10_000];
    return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high * 1.01))];
  };
}

const signs_height = 16;
const signs_width = 34;

// A mark is a moment that explains a change in the lines. Its line is below theirs, and its sign,
// which a list next to the chart explains, is above the plot. Marks of about the same moment share
// a sign, from the first to the last.
function drawMarks(plot, marks, color) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.fillStyle = color;
  ctx.textAlign = "right";
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  const groups = [];
  for (const { at, sign } of [...marks].sort((one, other) => one.at - other.at)) {
    const x = plot.valToPos(at / 1_000, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const near = groups.at(-1)?.x > x - signs_width * devicePixelRatio;
    const first = near ? groups.pop().first : sign;
    groups.push({ x, first, text: first === sign ? sign : `${first}–${sign}` });
  }
  for (const { x, text } of groups) ctx.fillText(text, x, bbox.top - 4 * devicePixelRatio);
  ctx.restore();
}

const day_s = 86_400;

function optionsOf({ width, height, series, format, log, unit, least, span, onIndex, marks, sync,
  seconds }) {
  const grid = { stroke: colorOf("grid"), width: 1 };
  const axis = { stroke: colorOf("faint"), grid, ticks: grid, font: "12px system-ui, sans-serif" };
  return {
    width, height,
    // Times are in UTC, as everywhere on the page and in logs.
    tzDate: (s) => uPlot.tzDate(new Date(s * 1_000), "Etc/UTC"),
    legend: { show: false },
    padding: [signs_height, null, 0, 0],
    cursor: { drag: { x: false, y: false }, y: false, ...(sync ? { sync: { key: sync } } : {}) },
    scales: {
      x: { time: true, range: () => span() },
      y: { distr: log ? 3 : 1, range: rangeOf(log, least) },
    },
    axes: [
      { ...axis, space: 70, size: 28, gap: 4,
        values: seconds < 3_600 ? "{HH}:{mm}:{ss}" : "{HH}:{mm}" },
      { ...axis, size: 66, ...(steps[unit] ? { incrs: steps[unit] } : {}), values: (_, splits) =>
        splits.map((value) => (typeof value === "number" ? format(value) : "")) },
    ],
    series: [{}, ...series.map(({ label, color, dash }) => ({
      label, stroke: colorOf(color), width: 1.5, dash, spanGaps: false,
      // Points are shown if there are too few for a line.
      points: { show: ({ data: [times] }) => times.length < 3, size: 5 },
    }))],
    hooks: {
      setCursor: [(plot) => onIndex(plot.cursor.idx ?? null)],
      drawAxes: [(plot) => drawMarks(plot, marks(), colorOf("warn"))],
    },
  };
}

function momentText(s, seconds) {
  const iso = new Date(s * 1_000).toISOString();
  return seconds < day_s ? iso.slice(11, 19) : iso.slice(5, 16).replace("T", " ");
}

// Without a cursor it shows the newest values, or with `known` the last known value of each line.
function Legend({ series, index, times, format, seconds, known }) {
  const moment = index === null ? null : times[index];
  const text = (values) => {
    const newest = known ? lastOf(values) : values.at(-1);
    const value = index === null ? newest : values[index];
    return value === null || value === undefined ? "–" : format(value);
  };
  return html`<ul class="legend">
    ${series.map(({ label, color, values, dash, href, title }) => html`<li key=${label}>
      <span class=${`swatch ${color} ${dash ? "dashed" : ""}`} aria-hidden="true"></span>
      ${href ? html`<a href=${href} title=${title}>${label}</a>` : label}${" "}
      <strong>${text(values)}</strong></li>`)}
    <li class="faint">${moment ? momentText(moment, seconds) : known ? "last known" : "now"}</li>
  </ul>`;
}

/**
 * A chart of lines. `times` are s since 1970. `series` are `{label, color, values, dash?, href?,
 * title?}`: `color` is a CSS variable without dashes (series-1 ..), unknown `values` are null, and
 * the label links to `href`. `format` returns the text of a value. `log` requires values above 0.
 * `unit` is "bytes", "whole" (numbers) or "any". The axis reaches at least to `least`. `seconds` is
 * the width, `marks` are `{at: ms, sign}`. The arrow keys move along the line; charts with the same
 * `sync` share a cursor. With `known`, the legend shows the last known values.
 */
export function Chart({ title, times, series, format, log = false, unit = "any", least = 1,
  seconds = 60, marks = [], sync = null, known = false }) {
  const place = useRef(null);
  const plot = useRef(null);
  const now = useRef({});
  const [index, setIndex] = useState(null);
  const painted = repaint.value;
  now.current = { times, marks, seconds };

  useEffect(() => {
    const span = () => {
      const end = now.current.times.at(-1) ?? Date.now() / 1_000;
      return [end - now.current.seconds, end];
    };
    const sizeNow = () => ({
      width: place.current?.clientWidth || 300, height: place.current?.clientHeight || 180 });
    const made = new uPlot(optionsOf({
      ...sizeNow(), series, format, log, unit, least, span, sync, seconds,
      onIndex: setIndex, marks: () => now.current.marks,
    }), [times, ...series.map(({ values }) => values)], place.current);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      const size = sizeNow();
      if (size.width !== made.width || size.height !== made.height) made.setSize(size);
    });
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [painted, log, seconds, series.map(({ label }) => label).join("\n")]);

  useEffect(() => {
    plot.current?.setData([times, ...series.map(({ values }) => values)]);
  }, [times, marks]);

  const keys = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !times.length) return;
    event.preventDefault();
    const next = Math.min(times.length - 1, Math.max(0, (index ?? times.length) + step));
    plot.current.setCursor({ left: plot.current.valToPos(times[next], "x"), top: 10 }, true, true);
  };
  const leave = () => plot.current?.setCursor({ left: -10, top: -10 }, true, true);
  return html`<figure class="chart">
    <div ref=${place} class="plot" tabindex="0" role="group" onKeyDown=${keys} onBlur=${leave}
      aria-label=${`${title}: a chart. The arrow keys move along it; the values are below.`}></div>
    <figcaption><${Legend} ...${{ series, index, times, format, seconds, known }} /></figcaption>
  </figure>`;
}
