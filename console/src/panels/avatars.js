// The custom avatars of a game, with their images.
import { Gamepad2 } from "lucide-preact";
import { html, useEffect, useState } from "../core/html.js";
import {
  Count, CopyCurl, Empty, Field, Panel as Frame, Picker, Problem, ReadOnly, Section, Select,
} from "../core/components.js";
import { useGame } from "../core/games.js";
import { useQuery } from "../core/query.js";
import { go, linkTo, withParams } from "../core/router.js";
import { mayChange } from "../core/session.js";
import { AvatarGrid } from "./avatars/grid.js";
import { filtered, filters } from "./avatars/list.js";

const shown_limit = 120;

function Gallery({ game, wanted, onAll }) {
  const path = `/v1/games/${encodeURIComponent(game)}/avatars`;
  const query = useQuery(path);
  const { value, loading, reload } = query;
  const [limit, setLimit] = useState(shown_limit);
  useEffect(() => setLimit(shown_limit), [game, wanted.state, wanted.text]);
  const all = value?.custom_avatars ?? [];
  const found = filtered(all, wanted);
  const incomplete = all.filter(({ complete }) => !complete).length;
  return html`<${Section} title="Gallery" actions=${html`
    <a href=${linkTo("catalog", { game })}>Open the game</a>
    <button type="button" onClick=${reload}>Refresh</button><${CopyCurl} path=${path} />`}>
    ${all.length > 0 && html`<p role="status" aria-busy=${loading}><${Count} n=${found.length} />
      ${" "}of <${Count} n=${all.length} /> avatars. Incomplete in total: ${" "}<${Count}
      n=${incomplete} />.</p>`}
    <${AvatarGrid} game=${game} query=${query} avatars=${found.slice(0, limit)} none=${html`
      <p>No avatar matches. <button type="button" onClick=${onAll}>Show all</button></p>`} />
    ${found.length > limit && html`<button type="button"
      onClick=${() => setLimit(limit + shown_limit)}>Show more: ${limit} of ${found.length} are
      shown</button>`}
  </${Section}>`;
}

function Panel({ route }) {
  const { params } = route;
  const { catalog, games, game } = useGame(params);
  const wanted = { state: params.get("show") ?? "", text: params.get("text") ?? "" };
  const change = (changes, options) => go("avatars", withParams(params, changes), options);
  const options = games.map((one) => ({ value: one.game_id, label: one.display_name,
    note: one.game_id.slice(0, 8) }));
  return html`<${Frame} title="Avatars">
    <${Problem} error=${catalog.error} onRetry=${catalog.reload} />
    ${catalog.value && games.length === 0 && html`<${Empty} icon=${Gamepad2} title="No games yet"
      action=${html`<a class="button-like primary" href=${linkTo("catalog", { new:
        mayChange.value ? 1 : null })}>${mayChange.value ? "Add the first game" : "Catalog"}</a>`}>
      Avatars belong to a game.</${Empty}>`}
    ${game && html`<div class="choices">
        <${Picker} label="Game" value=${game} options=${options}
          onValue=${(id) => change({ game: id })} />
        <${Select} label="Show" value=${wanted.state} options=${filters}
          onValue=${(state) => change({ show: state })} />
        <${Field} label="Name or id" type="search" value=${wanted.text}
          onValue=${(text) => change({ text }, { replace: true })} />
      </div>
      <${ReadOnly} to="remove avatars" />
      <${Gallery} key=${game} game=${game} wanted=${wanted}
        onAll=${() => change({ show: "", text: "" })} />`}
  </${Frame}>`;
}

export default { id: "avatars", title: "Avatars", Panel };
