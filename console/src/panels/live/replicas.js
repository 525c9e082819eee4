// The processes that serve from one store.
import {
  Badge, Count, Loading, Micros, Name, Problem, Section, Table, Time,
} from "../../core/components.js";
import { html } from "../../core/html.js";
import { shareText } from "./headline.js";

const silent_ms = 30_000;
const stateText = (state) => state.replaceAll("_", " ");

function State({ replica: { state, age_ms: age } }) {
  if (age >= silent_ms) {
    return html`<${Badge} tone="bad">silent for ${Math.round(age / 1_000)} s</${Badge}>`;
  }
  return html`<${Badge} tone=${state === "ready" ? "good" : "bad"}>${stateText(state)}</${Badge}>`;
}

const one = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const columns = [
  { id: "host", title: "Replica", sort: ({ host }) => host, cell: (replica) => html`
    <${Name} text=${replica.host} />${replica.is_this && html` <${Badge}>this one</${Badge}>`}` },
  { id: "state", title: "State", sort: ({ state }) => state,
    cell: (replica) => html`<${State} replica=${replica} />` },
  { id: "causes", title: "Findings", cell: ({ causes }) => html`<bdi>${
    causes.map(stateText).join(", ")}</bdi>` },
  { id: "rate", title: "Requests/s", numeric: true, sort: (row) => row.requests_per_second,
    cell: (row) => one.format(row.requests_per_second) },
  { id: "p99", title: "p99", numeric: true, sort: (row) => row.p99_us,
    cell: (row) => (row.requests ? html`<${Micros} us=${row.p99_us} />` : "–") },
  { id: "failed", title: "Failed", numeric: true, sort: (row) => row.failed_share,
    cell: (row) => shareText(row.failed_share) },
  { id: "busy", title: "Busy", numeric: true, sort: (row) => row.busy,
    cell: (row) => `${Math.round(row.busy * 100)} %` },
  { id: "version", title: "Version", cell: ({ version }) => html`<${Name} text=${version} />` },
  { id: "began", title: "Started", sort: (row) => row.began_ms,
    cell: (row) => html`<${Time} at=${row.began_ms} />` },
];

/**
 * All replicas in one table; only one line if there is one replica. An error that `isSaid`
 * elsewhere is not repeated.
 */
export function Replicas({ query: { value, error, reload }, isSaid }) {
  const rows = value?.replicas ?? [];
  const sum = rows.reduce((all, row) => all + row.requests_per_second, 0);
  const [only] = rows;
  return html`<${Section} title="Replicas">
    <${Problem} error=${isSaid ? null : error} onRetry=${reload} />
    ${!value && !error && html`<${Loading} />`}
    ${rows.length === 1 && html`<p>One process serves: <${Name} text=${only.host} />, ${" "}
      version <${Name} text=${only.version} />, <${State} replica=${only} /> since ${" "}
      <${Time} at=${only.began_ms} />.</p>`}
    ${rows.length > 1 && html`<p class="faint">Together they have <${Count} n=${sum} /> requests a
        second. The numbers cover the last 15 seconds.</p>
      <${Table} columns=${columns} rows=${rows} keyOf=${(row) => row.replica_id}
        caption="Replicas" />`}
  </${Section}>`;
}
