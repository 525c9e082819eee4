// Avatars: the custom ones of a game, with their images.
import { html, useEffect, useState } from "../core/html.js";
import { Badge, Bytes, CopyCurl, Count, Field, Loading, Panel as Frame, Problem, Section, Select,
  Time } from "../core/components.js";
import { useGame } from "../core/games.js";
import { useQuery } from "../core/query.js";
import { go, withParams } from "../core/router.js";
import { AvatarImage } from "./avatars/avatar_image.js";
import { filtered, filters, imagePath } from "./avatars/list.js";

const shown_limit = 120;

function Avatar({ avatar }) {
  const path = imagePath(avatar);
  return html`<li class=${avatar.complete ? "avatar" : "avatar incomplete"}>
    <${AvatarImage} path=${path} name=${avatar.display_name} />
    <strong><bdi>${avatar.display_name}</bdi></strong>
    ${!avatar.complete && html`<${Badge} tone="warn">incomplete</${Badge}>`}
    <span class="faint"><${Bytes} n=${avatar.content_length} />${avatar.complete ? ""
      : " declared"}</span>
    <span class="faint"><${Time} at=${avatar.create_ts} /></span>
    <code class="faint">${avatar.upload_id}</code>
    ${path && html`<${CopyCurl} path=${path} />`}
  </li>`;
}

function Gallery({ game, wanted }) {
  const path = `/v1/games/${encodeURIComponent(game)}/avatars`;
  const { value, error, loading, reload } = useQuery(path);
  const [limit, setLimit] = useState(shown_limit);
  useEffect(() => setLimit(shown_limit), [game, wanted.state, wanted.text]);
  const all = value?.custom_avatars ?? [];
  const found = filtered(all, wanted);
  const incomplete = all.filter(({ complete }) => !complete).length;
  return html`<${Section} title="Gallery" actions=${html`
    <button type="button" onClick=${reload}>Refresh</button><${CopyCurl} path=${path} />`}>
    <${Problem} error=${error} onRetry=${reload} />
    ${!value && !error && html`<${Loading} />`}
    ${value && html`<p role="status" aria-busy=${loading}><${Count} n=${found.length} /> of${" "}
      <${Count} n=${all.length} /> avatars, ${" "}
      <${Count} n=${incomplete} /> of all are incomplete.</p>`}
    <ul class="gallery">${found.slice(0, limit).map((avatar) => html`<${Avatar}
      key=${avatar.upload_id} avatar=${avatar} />`)}</ul>
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
  return html`<${Frame} title="Avatars" actions=${html`
    <${CopyCurl} path="/v1/games" label="Copy curl of the games" />`}>
    <${Problem} error=${catalog.error} onRetry=${catalog.reload} />
    ${catalog.value && games.length === 0 && html`<p>There is no game yet.</p>`}
    ${game && html`<div class="choices">
        <${Select} label="Game" value=${game} onValue=${(id) => change({ game: id })}
          options=${games.map((one) => [one.game_id, one.display_name])} />
        <${Select} label="Show" value=${wanted.state} options=${filters}
          onValue=${(state) => change({ show: state })} />
        <${Field} label="Name or id" type="search" value=${wanted.text}
          onValue=${(text) => change({ text }, { replace: true })} />
      </div>
      <${Gallery} key=${game} game=${game} wanted=${wanted} />`}
  </${Frame}>`;
}

export default { id: "avatars", title: "Avatars", Panel };
