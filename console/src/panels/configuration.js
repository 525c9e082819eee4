// The service's configuration: every key, its source, and what a change of it needs.
import {
  Badge, CopyCurl, CopyText, Field, Loading, Name, Panel as Frame, Problem, Section, Select, Table,
  Time,
} from "../core/components.js";
import { html } from "../core/html.js";
import { plural } from "../core/plural.js";
import { useQuery } from "../core/query.js";
import { linkHere, turn } from "../core/router.js";

const path = "/v1/config";
const period_ms = 10_000;
const shows = [["", "all"], ["given", "changed from the default"],
  ["waiting", "waiting for a restart"], ["reload", "applied by a reload"]];
const isGiven = ({ source }) => source !== "default";
const filters = {
  given: isGiven,
  waiting: ({ needs_restart: waits }) => waits,
  reload: ({ reloadable }) => reloadable,
};

function Value({ text, hidden }) {
  if (hidden) return html`<span class="faint">hidden</span>`;
  return text === null ? html`<span class="faint">none</span>` : html`<${Name} text=${text} />`;
}

function InForce({ of }) {
  return html`<${Value} text=${of.value} hidden=${of.hidden} />${of.needs_restart && html` <${Badge}
    tone="warn">${of.hidden ? "another value" : of.next_value ?? "none"} after a restart</${
    Badge}>`}`;
}

const columns = [
  { id: "name", title: "Key", cell: ({ name }) => html`<code>${name}</code>`,
    sort: ({ name }) => name },
  { id: "value", title: "In force", cell: (key) => html`<${InForce} of=${key} />` },
  { id: "source", title: "From", sort: ({ source }) => source,
    cell: (key) => html`${isGiven(key) ? key.source
      : html`<span class="faint">${key.source}</span>`}${key.place && html` <small
      class="faint"><${Name} text=${key.place} /></small>`}` },
  { id: "default", title: "Default",
    cell: (key) => html`<${Value} text=${key.default} />` },
  { id: "reload", title: "A change needs", sort: ({ reloadable }) => String(reloadable),
    cell: ({ reloadable }) => (reloadable ? "a reload" : "a restart") },
];

/** The keys that match the filter, those with other values than the default first. */
function foundOf(keys, params) {
  const words = (params.get("text") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const shown = filters[params.get("show")] ?? (() => true);
  const has = ({ name, value }) => words.every((word) =>
    `${name} ${value ?? ""}`.toLowerCase().includes(word));
  return keys.filter((key) => shown(key) && has(key))
    .sort((a, b) => Number(isGiven(b)) - Number(isGiven(a)));
}

function Reload({ config }) {
  const { file, keys } = config;
  const waiting = keys.filter(filters.waiting).length;
  const count = keys.filter(filters.reload).length;
  return html`${waiting > 0 && html`<p class="warning" role="status"><strong>${plural(waiting,
      "changed key")}</strong> ${waiting === 1 ? "waits" : "wait"} for a restart.${" "}
      <a href=${linkHere({ show: "waiting", text: "" })}>Show ${
        waiting === 1 ? "it" : "them"}</a></p>`}
    <p>${file ? html`<code>matchcloud reload</code> <${CopyText} text="matchcloud reload" /> reads${
        " "}<${Name} text=${file} /> again and applies ${count} of ${keys.length} keys.` : html`No
        configuration file is in use: the values are from flags, the environment and defaults. A
        reload can apply ${count} of ${keys.length} keys from a file given with
        ${" "}<code>--config</code>.`} All others need a restart.</p>`;
}

function Keys({ config, params }) {
  const found = foundOf(config.keys, params);
  return html`<p role="status" class="faint">${found.length} of ${config.keys.length} keys; read${
      " "}<${Time} at=${config.read} />${config.file && html` from${" "}
      <${Name} text=${config.file} />`}.</p>
    <${Table} caption="Configuration keys" columns=${columns} rows=${found}
      keyOf=${({ name }) => name} page=${Infinity} empty="No key matches."
      rowClass=${(key) => (isGiven(key) ? "given" : "")} />`;
}

function Panel({ route: { params } }) {
  const { value, error, reload } = useQuery(path, { every: period_ms });
  return html`<${Frame} title="Configuration">
    <${Section} title="Keys" actions=${html`<${CopyCurl} path=${path} />`}
      className="configuration">
      ${value && html`<${Reload} config=${value} />`}
      <div class="choices">
        <${Field} label="Search" type="search" placeholder="A key or a value"
          value=${params.get("text") ?? ""} onValue=${(text) => turn({ text })} />
        <${Select} label="Show" options=${shows} value=${params.get("show") ?? ""}
          onValue=${(show) => turn({ show })} />
      </div>
      <${Problem} error=${error} onRetry=${reload} />
      ${value ? html`<${Keys} config=${value} params=${params} />` : !error && html`<${Loading} />`}
    </${Section}>
  </${Frame}>`;
}

export default { id: "configuration", title: "Configuration", Panel };
