// Avatars: the custom ones of a game, with their images.
import { html, useEffect, useState } from "../core/html.js";
import { send } from "../core/api.js";
import { Badge, Bytes, Confirm, CopyCurl, Count, Field, Loading, Panel as Frame, Problem, Section,
  Select, Time, announce } from "../core/components.js";
import { useGame } from "../core/games.js";
import { useQuery } from "../core/query.js";
import { go, withParams } from "../core/router.js";
import { mayChange } from "../core/session.js";
import { AvatarImage } from "./avatars/avatar_image.js";
import { filtered, filters, imagePath } from "./avatars/list.js";

const shown_limit = 120;

function Removal({ game, avatar, onDone, onClose }) {
  const path = `/v1/games/${encodeURIComponent(game)}/avatars/${avatar.upload_id}`;
  const remove = async () => {
    await send("DELETE", path);
    announce("The avatar is removed.");
    onDone();
  };
  return html`<${Confirm} title="Remove an avatar" expect=${avatar.display_name} action="Remove"
    onConfirm=${remove} onClose=${onClose}>
    <p>It leaves the game's list, and nobody gets its image from the service any more. There is no
      way back but another upload.</p>
    <${CopyCurl} method="DELETE" path=${path} />
  </${Confirm}>`;
}

function Avatar({ avatar, onRemove }) {
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
    ${mayChange.value && html`<button type="button" class="quiet" onClick=${onRemove}>Remove
      </button>`}
  </li>`;
}

function Gallery({ game, wanted }) {
  const path = `/v1/games/${encodeURIComponent(game)}/avatars`;
  const { value, error, loading, reload } = useQuery(path);
  const [limit, setLimit] = useState(shown_limit);
  const [removing, setRemoving] = useState(null);
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
      key=${avatar.upload_id} avatar=${avatar} onRemove=${() => setRemoving(avatar)} />`)}</ul>
    ${removing && html`<${Removal} game=${game} avatar=${removing}
      onDone=${() => { setRemoving(null); reload(); }} onClose=${() => setRemoving(null)} />`}
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
