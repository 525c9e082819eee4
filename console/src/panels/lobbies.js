// Lobbies: a game's history over a span, running lobbies, exports, and a page for each lobby.
import { html, useEffect, useState } from "../core/html.js";
import { Loading, Panel as Frame, Picker, Problem } from "../core/components.js";
import { useGame } from "../core/games.js";
import { go, linkTo, turn, withParams } from "../core/router.js";
import { countAll } from "./live/running.js";
import { FindLobby } from "./lobbies/find.js";
import { Filters, filtersOf, unfiltered } from "./lobbies/filters.js";
import { NoGame } from "./lobbies/history.js";
import { LobbyPage } from "./lobbies/lobby_page.js";
import { Overview } from "./lobbies/overview.js";

const recent_s = 60;

/** Chooses the game with the most running lobbies, unless one of several is already chosen. */
function useBusiest(params, games) {
  const isOpen = !params.has("game") && games.length > 1;
  useEffect(() => {
    if (!isOpen) return undefined;
    const ending = new AbortController();
    countAll(games, recent_s, ending.signal).then(({ busiest }) => {
      if (!ending.signal.aborted) turn({ game: busiest });
    }, () => {});
    return () => ending.abort();
  }, [isOpen]);
  return isOpen;
}

function Panel({ route }) {
  const { params } = route;
  const { catalog, games, game: first } = useGame(params);
  const isOpen = useBusiest(params, games);
  const game = isOpen ? null : first;
  const lobby = params.get("lobby");
  const [counted, setCounted] = useState(null);
  const change = (changes) => go("lobbies", withParams(params, changes));
  const actions = html`<a href=${linkTo("catalog", { kind: "games" })}>All games, with their running
    lobbies</a>`;
  return html`<${Frame} title=${lobby ? "Lobby" : "Lobbies"} actions=${games.length > 1 && actions}>
    <${Problem} error=${catalog.error} onRetry=${catalog.reload} />
    ${catalog.value && games.length === 0 && html`<${NoGame} />`}
    ${isOpen && html`<${Loading} what="Looking for the game with the most running lobbies" />`}
    ${game && html`<div class="lobby-choices">
        <${Picker} label="Game" value=${game}
          onValue=${(id) => change({ ...unfiltered, game: id })}
          options=${games.map((one) => ({ value: one.game_id, label: one.display_name }))} />
        ${!lobby && html`<${Filters} key=${game} filters=${filtersOf(params)}
          counted=${counted?.game === game ? counted : null} onFilters=${change} />`}
        <${FindLobby} onLobby=${(id) => change({ game, lobby: id })} />
      </div>
      ${lobby ? html`<${LobbyPage} key=${lobby} game=${game} games=${games} lobby=${lobby} />`
        : html`<${Overview} key=${game} game=${game} games=${games} params=${params}
          onCounted=${(history) => setCounted({ game, ...history })} />`}`}
  </${Frame}>`;
}

export default { id: "lobbies", title: "Lobbies", Panel };
