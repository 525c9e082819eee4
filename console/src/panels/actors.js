import {
  Badge, CopyCurl, Loading, Panel as Frame, Problem, Section, Select,
} from "../core/components.js";
import { html } from "../core/html.js";
import { plural } from "../core/plural.js";
import { useQuery } from "../core/query.js";
import { turn } from "../core/router.js";
import { TreeTable } from "./actors/tree_table.js";

const path = "/actors";
const period_ms = 1_000;
const shows = [["", "all"], ["troubled", "not running"], ["restarted", "restarted"],
  ["busy", "with waiting messages"]];

function Summary({ actors }) {
  const sum = (member) => actors.reduce((all, actor) => all + actor[member], 0);
  const troubled = actors.filter(({ state }) => state !== "running").length;
  return html`<p class="summary"><${Badge} tone=${troubled ? "bad" : "good"}>${troubled
    ? `${troubled} of ${actors.length} actors are not running`
    : `All ${actors.length} actors are running`}</${Badge}>
    <span>${plural(sum("restarts"), "restart")} since the process started</span>
    <span>${plural(sum("depth"), "message")} waiting in mailboxes</span>
    <span class="faint">Each place links to the traces of its requests.</span></p>`;
}

function Panel({ route }) {
  const { value, error, reload } = useQuery(path, { every: period_ms });
  const { params } = route;
  const actions = html`<${Select} label="Show" className="inline" options=${shows}
      value=${params.get("show") ?? ""} onValue=${(show) => turn({ show })} />
    <${CopyCurl} path=${path} />`;
  return html`<${Frame} title="Actors">
    <${Section} title="Supervision tree" actions=${actions}>
      <${Problem} error=${error} onRetry=${reload} />
      ${value && html`<${Summary} actors=${value.actors} />`}
      ${value ? html`<${TreeTable} actors=${value.actors} route=${route} />`
        : !error && html`<${Loading} />`}
    </${Section}>
  </${Frame}>`;
}

export default { id: "actors", title: "Actors", Panel };
