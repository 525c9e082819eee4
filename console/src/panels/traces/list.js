// The kept requests as a table.
import { Badge, Micros, Name, Time } from "../../core/components.js";
import { html } from "../../core/html.js";
import { go, linkHere, linkTo, turn, withParams } from "../../core/router.js";
import { TimesBar } from "./bar.js";
import { faultsOf, timesOf } from "./steps.js";
import { FaultLink, toneOf } from "./trace.js";

const shown_limit = 200;

function Faults({ trace }) {
  const points = faultsOf(trace);
  if (!points.length) return html`<span class="faint">–</span>`;
  return points.map((point) => html`<${FaultLink} key=${point} point=${point} />`);
}

// Most traces are from the last ten minutes, so only older days are shown with the date.
function Began({ at }) {
  const today = new Date().toISOString().slice(0, 10);
  if (!at.startsWith(today)) return html`<${Time} at=${at} />`;
  return html`<time datetime=${at} title=${at}>${at.slice(11, 19)}</time>`;
}

function Row({ trace, chosen, gameName, longest, params }) {
  const { request_id: id, operation, status, began, total_us: total } = trace;
  // A click anywhere in the row opens the trace, except on a link.
  const open = (event) => {
    if (!event.target.closest("a")) go("traces", withParams(params, { request: id }));
  };
  return html`<tr class=${chosen ? "chosen" : ""} onClick=${open}>
    <th scope="row"><a href=${linkHere({ request: id })}
      aria-current=${chosen ? "true" : undefined}><bdi>${operation}</bdi></a></th>
    <td><div class="duration"><span class="numeric"><${Micros} us=${total} /></span>
      <${TimesBar} times=${timesOf(trace)} longest_us=${longest} /></div></td>
    <td><${Badge} tone=${toneOf(status)}>${status}</${Badge}></td>
    <td class="game">${gameName ? html`<${Name} text=${gameName} />`
      : html`<span class="faint">–</span>`}</td>
    <td class="fault"><${Faults} trace=${trace} /></td>
    <td class="when"><${Began} at=${began} /></td>
    <td class="id"><a href=${linkTo("traces", { request: id })}><code>${id}</code></a></td>
  </tr>`;
}

/**
 * A table of `traces`; the headings of time and duration sort them. `names` maps games to names.
 */
export function TraceList({ traces, chosen, names, params }) {
  const order = params.get("order") === "time" ? "time" : "duration";
  const longest = Math.max(...traces.map(({ total_us: us }) => us));
  const head = (id, title) => html`<th scope="col" class=${id === "time" ? "when" : ""}
    aria-sort=${order === id ? "descending" : undefined}>
    <button type="button" class="sort" onClick=${() => turn({ order: id === "time" ? id : "" })}>
      ${title}${order === id && " ↓"}</button></th>`;
  return html`<div class="scroll trace-list" tabindex="0" role="group" aria-label="Kept requests">
    <table><caption class="unseen">Kept requests</caption>
      <thead><tr><th scope="col">Operation</th>${head("duration", "Duration")}
        <th scope="col">Status</th><th scope="col" class="game">Game</th>
        <th scope="col" class="fault">Fault</th>${head("time", "Began (UTC)")}
        <th scope="col" class="id">Request</th></tr></thead>
      <tbody>${traces.slice(0, shown_limit).map((trace) => html`
        <${Row} key=${trace.request_id} trace=${trace} longest=${longest} params=${params}
          chosen=${trace.request_id === chosen} gameName=${names(trace.game_id)} />`)}</tbody>
    </table></div>`;
}
