// Lobbies that have been running for long: those that somebody should look at.
import { html } from "../../core/html.js";
import { CopyCurl, Duration, Loading, Problem, Section, Select, Table, Time }
  from "../../core/components.js";
import { useQuery } from "../../core/query.js";

const period_ms = 10_000;
const limit = 100;

const choices = [["3600000", "1 hour"], ["21600000", "6 hours"], ["86400000", "1 day"],
  ["604800000", "7 days"], ["2592000000", "30 days"]];

const secondsOf = (row) => (Date.now() - Date.parse(row.start_ts)) / 1_000;

const columns = [
  { id: "lobby", title: "Lobby", cell: (row) => html`<code class="whole"><bdi>${
    row.lobby_id}</bdi></code>` },
  { id: "mode", title: "Game mode", sort: (row) => row.game_mode,
    cell: (row) => html`<bdi>${row.game_mode}</bdi>` },
  { id: "version", title: "Version", sort: (row) => row.version_name,
    cell: (row) => html`<bdi title=${row.version_id}>${row.version_name}</bdi>` },
  { id: "region", title: "Region", sort: (row) => row.region_id,
    cell: (row) => html`<bdi title=${row.region_id}>${row.region_name ?? row.region_id}</bdi>` },
  { id: "namespace", title: "Namespace", sort: (row) => row.namespace_name ?? row.namespace_id,
    cell: (row) => html`<bdi title=${row.namespace_id}>${
      row.namespace_name ?? row.namespace_id}</bdi>` },
  { id: "tier", title: "Tier", sort: (row) => row.tier,
    cell: (row) => html`<bdi>${row.tier}</bdi>` },
  { id: "started", title: "Started", sort: (row) => row.start_ts,
    cell: (row) => html`<${Time} at=${row.start_ts} />` },
  { id: "for", title: "For", numeric: true, sort: secondsOf,
    cell: (row) => html`<${Duration} seconds=${secondsOf(row)} />` },
];

/** The oldest running lobbies of a game. `least` is a text of ms, `onLeast` gets another one. */
export function LongRunning({ game, least, onLeast }) {
  const longer = choices.some(([ms]) => ms === least) ? least : "86400000";
  const path = `/v1/games/${encodeURIComponent(game)}/lobbies/running?longer_than_ms=${longer}`
    + `&limit=${limit}`;
  const { value, error, reload } = useQuery(path, { every: period_ms });
  const actions = html`<${CopyCurl} path=${path} />`;
  return html`<${Section} title="Running for long" className="long-running" actions=${actions}>
    <${Select} label="Longer than" options=${choices} value=${longer} onValue=${onLeast}
      className="inline" />
    <${Problem} error=${error} onRetry=${reload} />
    ${!value && !error && html`<${Loading} />`}
    ${value && html`<${Table} columns=${columns} rows=${value.lobbies}
      keyOf=${(row) => row.lobby_id} caption="Lobbies that run for long, the oldest first"
      empty="No lobby runs for so long." />`}
    ${value?.more && html`<p class="faint">There are more: these are the ${limit} oldest.</p>`}
  </${Section}>`;
}
