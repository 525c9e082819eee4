// One lobby's life on a timeline.
import { html } from "../../core/html.js";
import { ticksOf, timeText } from "./span.js";

const day_ms = 86_400_000;

/** A bar from `start` to `end` (ms since 1970), which is now while the lobby runs. */
export function Timeline({ start, end, isRunning }) {
  const margin = Math.max(1_000, (end - start) * 0.08);
  const [from, to] = [start - margin, end + margin];
  const place = (ms) => `${(((ms - from) / (to - from)) * 100).toFixed(2)}%`;
  const { length, ticks } = ticksOf(from, to);
  const said = `From ${timeText(start)} to ${isRunning ? "now" : timeText(end)} UTC`;
  return html`<svg class="timeline" role="img" aria-label=${said}>
    ${ticks.map((at) => html`<g key=${at}>
      <line x1=${place(at)} x2=${place(at)} y1="0" y2="34" />
      <text x=${place(at)} y="50" text-anchor="middle">${length >= day_ms
        ? timeText(at, 10) : timeText(at, length < 60_000 ? 19 : 16).slice(11)}</text></g>`)}
    <rect class=${isRunning ? "running" : "ended"} x=${place(start)} y="8" height="18" rx="3"
      width=${`${(((end - start) / (to - from)) * 100).toFixed(2)}%`} />
    ${isRunning && html`<line class="now" x1=${place(end)} x2=${place(end)} y1="2" y2="32" />`}
  </svg>`;
}
