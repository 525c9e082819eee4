// The requests that are worth looking at: those that took long or failed, and where their time
// went.
import { SearchX, Timer } from "lucide-preact";
import {
  CopyCurl, CopyText, Empty, Loading, Panel as Frame, Problem, Section,
} from "../core/components.js";
import { countText } from "../core/components/values.js";
import { html, useRef } from "../core/html.js";
import { useQuery } from "../core/query.js";
import { linkTo } from "../core/router.js";
import { BarLegend } from "./traces/bar.js";
import { Filters } from "./traces/filters.js";
import { TraceList } from "./traces/list.js";
import { chosenOf } from "./traces/steps.js";
import { Trace } from "./traces/trace.js";

const all = "/v1/traces";
const period_ms = 4_000;
const filters = ["operation", "status", "slower", "game", "place", "order"];

/** Which requests are kept, as a sentence. */
function keptText(oneIn) {
  const sample = oneIn > 0 ? `, and one in ${countText(oneIn)} of the data plane` : "";
  return "The service keeps, for each operation, the 8 slowest requests of the last ten "
    + `minutes and the last 8 that failed${sample}.`;
}

function pathOf({ operation, slower, game }) {
  const asked = Object.entries({ operation, slower_than_ms: slower, game_id: game })
    .filter(([, value]) => value);
  return asked.length ? `${all}?${new URLSearchParams(asked)}` : all;
}

/** Why a request has no trace, and where to look instead. */
function NotKept({ id, oneIn }) {
  return html`<${Section} title="No trace of this request" className="trace missing">
    <${Empty} icon=${SearchX} title="This process keeps no request with this id."
      action=${html`<${CopyText} text=${id} label="Copy the id" />
        <a class="button" href=${linkTo("configuration", { text: "trace-one-in" })}>
          See trace-one-in</a>
        <a class="button" href=${linkTo("traces")}>Show all traces</a>`}>
      <p><code><bdi>${id}</bdi></code></p>
      <p>${keptText(oneIn)} To keep more, restart with a lower <code>trace-one-in</code>.</p>
      <p>The service's log and access log have lines about this request: search them for its
        id. If there are several replicas, another one may have the trace.</p>
    </${Empty}></${Section}>`;
}

function None({ isFiltered }) {
  if (isFiltered) {
    return html`<${Empty} icon=${SearchX} title="No kept request matches."
      action=${html`<a class="button" href=${linkTo("traces")}>Show all</a>`} />`;
  }
  return html`<${Empty} icon=${Timer} title="No requests yet.">Send one to either plane, such as
    ${" "}<code>GET /matchmaker/regions</code>: the slowest of each operation appear
    here.</${Empty}>`;
}

/** The trace with this id: from the list, or else requested. It stays while it is shown. */
function useChosen(id, traces) {
  const kept = useRef(null);
  const listed = traces?.find((trace) => trace.request_id === id);
  const isKept = kept.current?.request_id === id;
  const { value, error } = useQuery(id && traces && !listed && !isKept
    ? `${all}?${new URLSearchParams({ request_id: id })}` : null);
  const found = listed ?? value?.traces.find((trace) => trace.request_id === id);
  if (found) kept.current = found;
  const trace = kept.current?.request_id === id ? kept.current : null;
  return { trace, isMissing: Boolean(id && !trace && value), error };
}

function Panel({ route: { params } }) {
  const filter = Object.fromEntries(filters.map((name) => [name, params.get(name) ?? ""]));
  const path = pathOf(filter);
  const { value, error, reload } = useQuery(path, { every: period_ms });
  const { games = [] } = useQuery("/v1/games").value ?? {};
  const names = (id) => id && (games.find((game) => game.game_id === id)?.display_name ?? id);
  const asked = params.get("request");
  const { trace, isMissing, error: unknown } = useChosen(asked, value?.traces);
  const listed = value && chosenOf(value.traces, filter);
  const shown = asked ? trace : listed?.[0];
  return html`<${Frame} title="Request traces" actions=${html`<${CopyCurl} path=${path} />`}>
    <${Filters} params=${params} games=${games} kept=${value?.traces ?? []} />
    <${Problem} error=${error ?? unknown} onRetry=${reload} />
    ${!value && !error && html`<${Loading} />`}
    ${value && html`<div class="traces">
      ${isMissing && html`<${NotKept} id=${asked} oneIn=${value.one_in} />`}
      <div class="card">
        ${listed.length ? html`<${TraceList} traces=${listed} params=${params} names=${names}
            chosen=${shown?.request_id} /><${BarLegend} />`
          : html`<${None} isFiltered=${filters.some((name) => filter[name])} />`}
        <p class="faint">${keptText(value.one_in)}</p>
      </div>
      ${shown && html`<${Trace} key=${shown.request_id} trace=${shown}
        gameName=${names(shown.game_id)} />`}
    </div>`}
  </${Frame}>`;
}

export default { id: "traces", title: "Request traces", Panel };
