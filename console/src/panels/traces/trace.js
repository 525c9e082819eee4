// One kept request: where its time went, in a sentence and as a waterfall.
import {
  Badge, CopyText, Micros, Name, Section, Time,
} from "../../core/components.js";
import { microsText } from "../../core/components/values.js";
import { html } from "../../core/html.js";
import { linkHere, linkTo } from "../../core/router.js";
import { StepBar } from "./bar.js";
import { longestOf, shareText, stepsOf } from "./steps.js";

/** The tone of a status: good, a refusal or a failure. */
export const toneOf = (status) => (status >= 500 ? "bad" : status >= 400 ? "warn" : "good");

/** A fault point, as a link to its rule. */
export function FaultLink({ point }) {
  return html`<a href=${linkTo("faults", { point })}><code>${point}</code></a>`;
}

function Sentence({ trace }) {
  const longest = longestOf(trace);
  if (!longest) {
    return html`<p>No steps were recorded: the request stayed on its event loop, where steps are
      recorded for sampled requests only.</p>`;
  }
  const { kind, place, us } = longest;
  const spent = shareText(us, trace.total_us);
  const where = { fault: html`at the fault <${FaultLink} point=${place} />`,
    wait: html`waiting for <bdi>${place}</bdi>` }[kind] ?? html`in <bdi>${place}</bdi>`;
  return html`<p class="finding"><strong>${spent}</strong> were spent ${where}.</p>`;
}

const titles = { wait: "waits for ", fault: "fault at " };

function Step({ step, whole }) {
  const { place, kind, at_us: at, us } = step;
  return html`<tr class=${kind}>
    <th scope="row">${titles[kind]}${kind === "fault" ? html`<${FaultLink} point=${place} />`
      : html`<bdi>${place}</bdi>`}</th>
    <td class="numeric"><${Micros} us=${at} /></td>
    <td class="numeric"><${Micros} us=${us} /></td>
    <td class="lane"><${StepBar} step=${step} whole_us=${whole} /></td>
  </tr>`;
}

function Waterfall({ trace }) {
  const { until, sent_us: sent } = stepsOf(trace);
  const sending = sent > 0 && html`<p class="faint">The client had the whole answer ${
    microsText(sent)} later.</p>`;
  if (!until.length) return sending || null;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Steps of the request">
    <table class="waterfall"><caption class="unseen">Where the request was, and when</caption>
      <thead><tr><th scope="col">Step</th><th scope="col" class="numeric">From</th>
        <th scope="col" class="numeric">Took</th><th scope="col" class="lane">Until the answer</th>
      </tr></thead>
      <tbody>${until.map((step, index) => html`<${Step} key=${index} step=${step}
        whole=${trace.total_us} />`)}</tbody>
    </table></div>${sending}`;
}

/** The card of one trace. `gameName` is its game's, if it has one. */
export function Trace({ trace, gameName }) {
  const { request_id: id, trace_id: traceId, operation, status, began, game_id: game,
    total_us: total } = trace;
  const member = (name, value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<${Section} title=${`Trace of ${operation}`} className="trace">
    <${Sentence} trace=${trace} />
    <${Waterfall} trace=${trace} />
    <dl class="members">
      ${member("Began", html`<${Time} at=${began} /> UTC`)}
      ${member("Took", html`<${Micros} us=${total} />, answered with ${" "}
        <${Badge} tone=${toneOf(status)}>${status}</${Badge}>`)}
      ${game && member("Game", html`<${Name} text=${gameName} /> ${" "}
        <a href=${linkHere({ game })}>only this game</a>`)}
      ${member("Request", html`<code>${id}</code> ${" "}<${CopyText} text=${id}
        label="Copy the id" />`)}
      ${traceId && member("Trace id", html`<code>${traceId}</code> ${" "}<${CopyText}
        text=${traceId} label="Copy the trace id" />`)}
    </dl>
  </${Section}>`;
}
