// Requests that were kept, and the walk of one of them through actors.
import { useRef } from "preact/hooks";
import {
  Badge, CopyCurl, CopyText, Loading, Micros, Problem, Section, Select, Time,
} from "../../core/components.js";
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkHere, turn } from "../../core/router.js";

const all = "/v1/traces";
const period_ms = 3_000;
const shown_limit = 100;
const least_share = 0.002;

const toneOf = (status) => (status >= 500 ? "bad" : status >= 400 ? "warn" : "good");

const titles = { work: "", wait: "waits for ", fault: "fault at " };

function Step({ step: { place, kind, at_us: at, us }, total }) {
  const whole = Math.max(1, total);
  const from = Math.min(1, at / whole);
  const share = Math.min(1 - Math.min(from, 1 - least_share), Math.max(least_share, us / whole));
  const style = { marginLeft: `${from * 100}%`, width: `${share * 100}%` };
  return html`<tr>
    <th scope="row">${titles[kind] ?? ""}<bdi>${place}</bdi></th>
    <td class="numeric"><${Micros} us=${at} /></td>
    <td class="numeric"><${Micros} us=${us} /></td>
    <td class="lane"><div class=${`bar ${kind ?? "work"}`} style=${style}
      aria-hidden="true"></div></td>
  </tr>`;
}

function Walk({ trace }) {
  const { request_id: id, operation, status, began, total_us: total, steps } = trace;
  // Sending comes after the answer.
  const whole = Math.max(total, ...steps.map(({ at_us: at, us }) => at + us));
  return html`<div class="walk">
    <p><strong><bdi>${operation}</bdi></strong> ${" "}
      <${Badge} tone=${toneOf(status)}>${status}</${Badge}> ${" began "}
      <${Time} at=${began} />${" and took "}<${Micros} us=${total} /></p>
    <p class="faint">Request <code>${id}</code>
      <${CopyText} text=${id} label="Copy the id" /></p>
    ${steps.length === 0 && html`<p class="faint">It never left its event loop, whose steps are
      noted for sampled requests alone.</p>`}
    <div class="scroll" tabindex="0" role="group" aria-label="Walk of the request">
      <table class="waterfall"><caption class="unseen">Where the request was, and when</caption>
        <thead><tr><th scope="col">Actor</th><th scope="col" class="numeric">From</th>
          <th scope="col" class="numeric">Took</th><th scope="col">Of the whole</th></tr></thead>
        <tbody>${[...steps].sort((a, b) => a.at_us - b.at_us).map((step, index) => html`
          <${Step} key=${index} step=${step} total=${whole} />`)}</tbody>
      </table></div>
  </div>`;
}

function Choice({ trace, chosen }) {
  const { request_id: id, operation, status, total_us: total } = trace;
  return html`<li><a href=${linkHere({ request: id })} aria-current=${chosen ? "true" : undefined}>
    <span><bdi>${operation}</bdi></span>
    <${Badge} tone=${toneOf(status)}>${status}</${Badge}>
    <span class="numeric"><${Micros} us=${total} /></span></a></li>`;
}

// A step names what kind of actor it was at (avatar), a place may name one of them (avatar/1).
function isAt(step, place) {
  return step.place === place || step.place === place.split("/")[0];
}

function Walks({ value, route }) {
  const { params } = route;
  const place = params.get("place");
  const failed = params.get("walks") === "failed";
  const kept = useRef(null);
  const listed = value.traces.filter(({ status, steps }) => (!failed || status >= 500)
    && (!place || steps.some((step) => isAt(step, place)))).slice(0, shown_limit);
  const asked = params.get("request");
  // The service keeps the last ones alone: the one that somebody looks at stays here.
  const found = value.traces.find(({ request_id: id }) => id === asked);
  if (found) kept.current = found;
  const shown = kept.current?.request_id === asked ? kept.current : listed[0];
  if (!listed.length && !shown) {
    return html`<p class="faint">No request that was kept is like that.</p>`;
  }
  return html`<div class="walks">
    <ul class="walk-list" aria-label="Kept requests, the newest first">
      ${listed.map((trace) => html`<${Choice} key=${trace.request_id} trace=${trace}
        chosen=${trace === shown} />`)}</ul>
    ${shown && html`<${Walk} trace=${shown} />`}
  </div>`;
}

/** The card of kept requests; `route` chooses one (walk), which are listed (walks, place). */
export function WalksCard({ route }) {
  const { params } = route;
  const place = params.get("place");
  const operation = params.get("operation");
  const path = operation ? `${all}?operation=${operation}` : all;
  const { value, error, reload } = useQuery(path, { every: period_ms });
  const actions = html`<${Select} label="Show" className="inline"
      onValue=${(walks) => turn({ walks, request: "" })}
      options=${[["", "all"], ["failed", "5xx only"]]} value=${params.get("walks") ?? ""} />
    <${CopyCurl} path=${path} />`;
  return html`<${Section} title="Request traces" actions=${actions}>
    ${error?.status === 404
      ? html`<p>This service does not sample walks: it is older than this page.</p>`
      : html`<${Problem} error=${error} onRetry=${reload} />`}
    ${value && html`<p class="faint">The slowest requests of each operation, the last that failed,
      and one of ${value.one_in}.${place
      ? " Only those that went through an actor of the chosen kind are listed." : ""}${operation
      ? html` Only those of <bdi>${operation}</bdi>; <a href=${linkHere({ operation: "" })}>show
        all</a>.` : ""}</p>
      <${Walks} value=${value} route=${route} />`}
    ${!value && !error && html`<${Loading} />`}
  </${Section}>`;
}
