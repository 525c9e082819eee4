// One lobby: what became of it, and where it ran.
import { SearchX } from "lucide-preact";
import { request } from "../../core/api.js";
import { html, useEffect, useRef, useState } from "../../core/html.js";
import { Badge, CopyCurl, CopyText, Duration, Empty, Loading, Name, Problem, Section, Time }
  from "../../core/components.js";
import { plural } from "../../core/plural.js";
import { useQuery } from "../../core/query.js";
import { go, linkHere, linkTo } from "../../core/router.js";
import { ExportButton, ExportOutcome, useExporting } from "./exporting.js";
import { unfiltered } from "./filters.js";
import { lobbyPath } from "./paths.js";
import { spanAround, spanText } from "./span.js";
import { Timeline } from "./timeline.js";

const refresh_ms = 10_000;
const long_s = 86_400;
const games_limit = 100;

function Member({ title, name, id, links }) {
  return html`<div><dt>${title}</dt><dd>
    <strong><${Name} text=${name ?? id} /></strong>${name && id && name !== id
      && html` <code class="faint"><bdi>${id}</bdi></code>`}
    <span class="links">${links.map(([text, href]) => html`<a key=${text} href=${href}>${text}
      </a>`)}</span></dd></div>`;
}

function Members({ lobby, game, gameName }) {
  const same = (filter) => linkHere({ ...unfiltered, ...filter, lobby: null });
  const shown = (kind, id) => linkTo("catalog", { kind, id });
  return html`<dl class="members lobby-members">
    <${Member} title="Game" name=${gameName} id=${game}
      links=${[["In the catalog", shown("games", game)]]} />
    <${Member} title="Namespace" name=${lobby.namespace_name} id=${lobby.namespace_id}
      links=${[["In the catalog", shown("namespaces", lobby.namespace_id)]]} />
    <${Member} title="Region" name=${lobby.region_name} id=${lobby.region_id}
      links=${[["Lobbies in this region", same({ region: lobby.region_id })],
        ["In the catalog", shown("regions", lobby.region_id)]]} />
    <${Member} title="Version" name=${lobby.version_name} id=${lobby.version_id}
      links=${[["Lobbies of this version", same({ version: lobby.version_id })]]} />
    <${Member} title="Game mode" name=${lobby.game_mode}
      links=${[["Lobbies in this mode", same({ mode: lobby.game_mode })]]} />
    <${Member} title="Tier" name=${lobby.tier}
      links=${[["Lobbies on this tier", same({ tier: lobby.tier })]]} />
  </dl>`;
}

function Around({ game, span }) {
  const exporting = useExporting(game, span);
  return html`<${Section} title="At the same time">
    <p>All lobbies of the game from ${spanText(span)}:</p>
    <div class="actions"><a href=${linkTo("lobbies", { game, start: span.start, end: span.end })}>
        Show them as a chart</a> <${ExportButton} exporting=${exporting} /></div>
    <${ExportOutcome} exporting=${exporting} />
  </${Section}>`;
}

function Life({ lobby, game, games, path }) {
  const start = Date.parse(lobby.start_ts);
  const isRunning = lobby.stop_ts === null || lobby.stop_ts === undefined;
  const end = isRunning ? Math.max(start, Date.now()) : Date.parse(lobby.stop_ts);
  const seconds = (end - start) / 1_000;
  const gameName = games.find(({ game_id: id }) => id === game)?.display_name;
  return html`<${Section} title=${html`${isRunning ? "Running for" : "Ran for"} ${" "}
      <${Duration} seconds=${seconds} />`} actions=${html`<${Badge} tone=${isRunning
        ? "good" : "plain"}>${isRunning ? "running" : "ended"}</${Badge}>
      <${CopyCurl} path=${path} />`}>
      <p>Started <${Time} at=${lobby.start_ts} />, ${isRunning ? "no end reported yet"
        : html`ended <${Time} at=${lobby.stop_ts} />`} <span class="faint">(UTC)</span></p>
      <${Timeline} start=${start} end=${end} isRunning=${isRunning} />
      ${isRunning && seconds > long_s && html`<p class="faint">If its game server is gone, report
        the lobby once more with a <code>stop_ts</code>: <code>POST /v1/lobbies</code>.</p>`}
      <${Members} lobby=${lobby} game=${game} gameName=${gameName} />
    </${Section}>
    <${Around} key=${isRunning} game=${game} span=${spanAround(start, end)} />`;
}

/** Looks for a lobby in the other games, one after the other. */
function Elsewhere({ game, games, lobby }) {
  const [said, setSaid] = useState(null);
  const ending = useRef(new AbortController());
  useEffect(() => () => ending.current.abort(), []);
  const others = games.filter(({ game_id: id }) => id !== game).slice(0, games_limit);
  const look = async () => {
    setSaid("Looking …");
    try {
      for (const { game_id: id } of others) {
        const found = await request("GET", lobbyPath(id, lobby), { signal: ending.current.signal })
          .catch((error) => (error.status === 404 ? null : Promise.reject(error)));
        if (found) {
          go("lobbies", { game: id, lobby }, { replace: true });
          return;
        }
      }
      setSaid(`None of ${plural(others.length, "other game")} has it.`);
    } catch (error) {
      if (!ending.current.signal.aborted) setSaid(error.detail ?? String(error));
    }
  };
  if (!others.length) return null;
  return html`<button type="button" disabled=${said === "Looking …"} onClick=${look}>
      Look in all games</button><span role="status">${said}</span>`;
}

/** The page of the lobby with the id `lobby`. `games` are those of the catalog. */
export function LobbyPage({ game, games, lobby: id }) {
  const path = lobbyPath(game, id);
  // Requested again while the lobby runs, because it may end.
  const [isOver, setOver] = useState(false);
  const { value, error, reload } = useQuery(path, { every: isOver ? 0 : refresh_ms });
  useEffect(() => setOver(Boolean(value?.stop_ts)), [value]);
  const isUnknown = error?.code === "lobby_unknown" || error?.code === "id_malformed";
  return html`
    <p class="lobby-head"><a href=${linkHere({ lobby: null })}>All lobbies</a>${" / "}
      <code class="lobby-id"><bdi>${id}</bdi></code> <${CopyText} text=${id} label="Copy the id" />
    </p>
    ${isUnknown && html`<${Empty} icon=${SearchX} title="This game has no lobby with this id"
      action=${html`<${Elsewhere} game=${game} games=${games} lobby=${id} />`}>
      Choose the lobby's game above, or paste another id. Lobbies that have expired are gone for
      good.</${Empty}>`}
    ${!isUnknown && html`<${Problem} error=${error} onRetry=${reload} />`}
    ${!value && !error && html`<${Loading} what="Looking it up" />`}
    ${value && html`<${Life} lobby=${value} game=${game} games=${games} path=${path} />`}`;
}
