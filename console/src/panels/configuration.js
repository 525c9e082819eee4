// What the service is configured with: every key, where it is from, what waits for a restart.
import {
  Badge, CopyCurl, Field, Loading, Name, Panel as Frame, Problem, Section, Select, Table, Time,
} from "../core/components.js";
import { html } from "../core/html.js";
import { useQuery } from "../core/query.js";
import { turn } from "../core/router.js";

const path = "/v1/config";
const period_ms = 10_000;
const shows = [["", "all"], ["given", "given"], ["waiting", "waiting for a restart"]];
const filters = {
  given: ({ source }) => source !== "default",
  waiting: ({ needs_restart: waits }) => waits,
};

function Value({ text, hidden }) {
  if (hidden) return html`<span class="faint">hidden</span>`;
  return text === null ? html`<span class="faint">none</span>` : html`<${Name} text=${text} />`;
}

function InForce({ of }) {
  return html`<${Value} text=${of.value} hidden=${of.hidden} />${of.needs_restart && html` <${Badge}
    tone="warn">${of.hidden ? "another" : of.next_value ?? "none"} after a restart</${Badge}>`}`;
}

const columns = [
  { id: "name", title: "Key", cell: ({ name }) => html`<code>${name}</code>`,
    sort: ({ name }) => name },
  { id: "value", title: "In force", cell: (key) => html`<${InForce} of=${key} />` },
  { id: "source", title: "From", sort: ({ source }) => source,
    cell: ({ source, place }) => html`${source}${place && html` <small class="faint"><${Name}
      text=${place} /></small>`}` },
  { id: "default", title: "Default",
    cell: (key) => html`<${Value} text=${key.default} />` },
  { id: "reload", title: "A change needs", sort: ({ reloadable }) => String(reloadable),
    cell: ({ reloadable }) => (reloadable ? "a reload" : "a restart") },
];

function Keys({ config, params }) {
  const text = (params.get("text") ?? "").toLowerCase();
  const shown = filters[params.get("show")] ?? (() => true);
  const found = config.keys.filter((key) => shown(key) && key.name.includes(text));
  return html`<p role="status">${found.length} of ${config.keys.length} keys; read${" "}
      <${Time} at=${config.read} />${config.file && html` from${" "}
      <${Name} text=${config.file} />`}.</p>
    <${Table} caption="Keys of the configuration" columns=${columns} rows=${found}
      keyOf=${({ name }) => name} empty="No key is like that." />`;
}

function Panel({ route: { params } }) {
  const { value, error, reload } = useQuery(path, { every: period_ms });
  return html`<${Frame} title="Configuration">
    <${Section} title="Keys" actions=${html`<${CopyCurl} path=${path} />`}>
      <div class="choices">
        <${Select} label="Show" options=${shows} value=${params.get("show") ?? ""}
          onValue=${(show) => turn({ show })} />
        <${Field} label="Name" type="search" value=${params.get("text") ?? ""}
          onValue=${(text) => turn({ text })} />
      </div>
      <${Problem} error=${error} onRetry=${reload} />
      ${value ? html`<${Keys} config=${value} params=${params} />` : !error && html`<${Loading} />`}
    </${Section}>
  </${Frame}>`;
}

export default { id: "configuration", title: "Configuration", Panel };
