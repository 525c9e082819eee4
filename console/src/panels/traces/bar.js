import { microsText } from "../../core/components/values.js";
import { html } from "../../core/html.js";

const least_share = 0.004;

const names = { wait: "waiting", work: "work", fault: "injected fault", unknown: "not recorded" };

const percent = (share) => `${Math.max(0, Math.min(1, share)) * 100}%`;

/** One step as a bar in the lane of `whole_us`, at its place in time. Screen readers skip it. */
export function StepBar({ step: { kind, at_us: at, us }, whole_us: whole }) {
  const from = Math.min(at / Math.max(1, whole), 1 - least_share);
  const share = Math.min(1 - from, Math.max(least_share, us / Math.max(1, whole)));
  return html`<div class=${`bar ${kind}`} aria-hidden="true"
    style=${{ marginLeft: percent(from), width: percent(share) }}></div>`;
}

/** A request's times by kind, as a bar whose length is its share of `longest_us`. */
export function TimesBar({ times, longest_us: longest }) {
  const kinds = Object.keys(names).filter((kind) => times[kind] > 0);
  const title = kinds.map((kind) => `${names[kind]} ${microsText(times[kind])}`).join(", ");
  return html`<div class="bars" aria-hidden="true" title=${title}>
    ${kinds.map((kind) => html`<div key=${kind} class=${`bar ${kind}`}
      style=${{ width: percent(times[kind] / Math.max(1, longest)) }}></div>`)}</div>`;
}

/** What the bars mean. */
export function BarLegend() {
  return html`<ul class="bar-legend" aria-label="What the bars mean">${Object.entries(names)
    .map(([kind, text]) => html`<li key=${kind}><span class=${`bar ${kind}`}
      aria-hidden="true"></span>${text}</li>`)}</ul>`;
}
