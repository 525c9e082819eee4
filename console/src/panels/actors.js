import {
  CopyCurl, Loading, Panel as Frame, Problem, Section, Select,
} from "../core/components.js";
import { html } from "../core/html.js";
import { useQuery } from "../core/query.js";
import { turn } from "../core/router.js";
import { TreeTable } from "./actors/tree_table.js";

const path = "/actors";
const period_ms = 1_000;
const shows = [["", "all"], ["troubled", "not running"], ["restarted", "started again"],
  ["busy", "with requests waiting"]];

function Panel({ route }) {
  const { value, error, reload } = useQuery(path, { every: period_ms });
  const { params } = route;
  const actions = html`<${Select} label="Show" className="inline" options=${shows}
      value=${params.get("show") ?? ""} onValue=${(show) => turn({ show })} />
    <${CopyCurl} path=${path} />`;
  return html`<${Frame} title="Actors">
    <${Section} title="Supervision tree" actions=${actions}>
      <${Problem} error=${error} onRetry=${reload} />
      ${value ? html`<${TreeTable} actors=${value.actors} route=${route} />`
        : !error && html`<${Loading} />`}
    </${Section}>
  </${Frame}>`;
}

export default { id: "actors", title: "Actors", Panel };
