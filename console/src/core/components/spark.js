import { html } from "../html.js";

const [width, height] = [120, 28];

/** The points of each unbroken run of numbers, as texts for polylines. */
function runsOf(values, least = 1) {
  const most = Math.max(least, ...values.filter((value) => value !== null));
  const step = width / Math.max(1, values.length - 1);
  const runs = [[]];
  values.forEach((value, index) => {
    if (value === null || value === undefined) {
      if (runs.at(-1).length) runs.push([]);
      return;
    }
    const y = height - 1 - (value / most) * (height - 2);
    runs.at(-1).push(`${(index * step).toFixed(1)},${y.toFixed(1)}`);
  });
  return runs.filter((run) => run.length > 1).map((run) => run.join(" "));
}

/**
 * A small curve without axes, next to a number that says the same. It reaches from 0 to the largest
 * of `values`, or to `least` if that is larger. Null is a gap. Screen readers skip it.
 */
export function Spark({ values, least, color = "series-1" }) {
  return html`<svg class=${`spark ${color}`} viewBox=${`0 0 ${width} ${height}`} aria-hidden="true"
    preserveAspectRatio="none">
    ${runsOf(values, least).map((points) => html`<polyline key=${points} points=${points} />`)}
  </svg>`;
}
