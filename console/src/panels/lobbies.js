// Lobbies: a game's history over a span, running lobbies, exports, and a page for each lobby.
import { html, useState } from "../core/html.js";
import { Panel as Frame, Picker, Problem } from "../core/components.js";
import { useGame } from "../core/games.js";
import { go, withParams } from "../core/router.js";
import { FindLobby } from "./lobbies/find.js";
import { Filters, filtersOf, unfiltered } from "./lobbies/filters.js";
import { NoGame } from "./lobbies/history.js";
import { LobbyPage } from "./lobbies/lobby_page.js";
import { Overview } from "./lobbies/overview.js";

function Panel({ route }) {
  const { params } = route;
  const { catalog, games, game } = useGame(params);
  const lobby = params.get("lobby");
  const [counted, setCounted] = useState(null);
  const change = (changes) => go("lobbies", withParams(params, changes));
  return html`<${Frame} title=${lobby ? "Lobby" : "Lobbies"}>
    <${Problem} error=${catalog.error} onRetry=${catalog.reload} />
    ${catalog.value && games.length === 0 && html`<${NoGame} />`}
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
