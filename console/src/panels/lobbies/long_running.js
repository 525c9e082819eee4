// Lobbies that have been running for a long time, which somebody should look at.
import { html } from "../../core/html.js";
import { CopyCurl, Duration, Loading, Name, Problem, Section, Select, Table }
  from "../../core/components.js";
import { useQuery } from "../../core/query.js";
import { linkHere } from "../../core/router.js";
import { queryOf } from "./filters.js";
import { gamePath } from "./paths.js";

const period_ms = 10_000;
const limit = 100;

const choices = [["3600000", "1 hour"], ["21600000", "6 hours"], ["86400000", "1 day"],
  ["604800000", "7 days"], ["2592000000", "30 days"]];

/** How long a lobby has been running, in seconds. */
export const secondsOf = (row) => (Date.now() - Date.parse(row.start_ts)) / 1_000;

const columns = [
  { id: "for", title: "Running for", sort: secondsOf, cell: (row) => html`<a
    href=${linkHere({ lobby: row.lobby_id })} title=${row.start_ts}><${Duration}
    seconds=${secondsOf(row)} /></a>` },
  { id: "region", title: "Region", sort: (row) => row.region_name ?? row.region_id,
    cell: (row) => html`<span title=${row.region_id}><${Name}
      text=${row.region_name ?? row.region_id} /></span>` },
  { id: "version", title: "Version", sort: (row) => row.version_name,
    cell: (row) => html`<span title=${row.version_id}><${Name}
      text=${row.version_name} /></span>` },
  { id: "mode", title: "Mode", sort: (row) => row.game_mode,
    cell: (row) => html`<${Name} text=${row.game_mode} />` },
  { id: "lobby", title: "Lobby", cell: (row) => html`<code class="lobby-id" title=${
    row.lobby_id}>${row.lobby_id}</code>` },
];

/**
 * The oldest running lobbies of a game: the query, with `longerText`, which says how long "long" is
 * now. `least` is ms as text.
 */
export function useLongRunning(game, filters, least) {
  const [longer, longerText] = choices.find(([ms]) => ms === least) ?? choices[2];
  const path = `${gamePath(game)}/lobbies/running?longer_than_ms=${longer}&limit=${limit}`
    + queryOf(filters);
  return { ...useQuery(path, { every: period_ms }), path, longer, longerText };
}

/** `long` is the result of useLongRunning; `onLeast` gets another length, in ms as text. */
export function LongRunning({ long, onLeast }) {
  const { value, error, reload, path, longer } = long;
  return html`<${Section} title="Long-running lobbies" className="long-running"
    actions=${html`<${CopyCurl} path=${path} />`}>
    <${Select} label="Running over" options=${choices} value=${longer} onValue=${onLeast}
      className="inline" />
    <${Problem} error=${error} onRetry=${reload} />
    ${!value && !error && html`<${Loading} />`}
    ${value && html`<${Table} columns=${columns} rows=${value.lobbies}
      keyOf=${(row) => row.lobby_id} caption="Long-running lobbies, the oldest first"
      empty="No lobby has been running for that long." />`}
    ${value?.more && html`<p class="faint">There are more: these are the ${limit} oldest.</p>`}
  </${Section}>`;
}
