// The page of one game, which leads to its namespaces, lobbies, avatars and tokens.
import { Eraser, Layers, Pencil, Plus, Trash2 } from "lucide-preact";
import {
  Count, CopyCurl, Empty, Loading, Name, Section, Table,
} from "../../core/components.js";
import { html, useEffect, useState } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkTo } from "../../core/router.js";
import { mayChange, tokenKind } from "../../core/session.js";
import { AvatarGrid } from "../avatars/grid.js";
import { columnsOf, keptText } from "./columns.js";
import { runningPath } from "./counts.js";
import { IdText } from "./id_text.js";
import { pathOf } from "./kinds.js";
import { found } from "./use_catalog.js";

const avatars_shown = 12;
const again_ms = 1_000;

function Fact({ title, href, children, note }) {
  return html`<li><a href=${href}><strong>${children}</strong><span>${title}</span></a>
    ${note && html`<small>${note}</small>`}</li>`;
}

function Facts({ game, spaces, avatars }) {
  const id = game.game_id;
  const [opened] = useState(Date.now);
  const { value: lobbies, error: unknown } = useQuery(runningPath(id, opened));
  // A viewer may not read tokens.
  const { value: tokens, error: unread } = useQuery(tokenKind.value === "viewer" ? null
    : "/v1/tokens");
  const own = new Set([id, ...(spaces ?? []).map((space) => space.namespace_id)]);
  const works = tokens?.tokens.filter((one) => one.state === "active"
    && (own.has(one.game_id) || own.has(one.namespace_id)));
  return html`<ul class="facts">
    <${Fact} title="running lobbies" href=${linkTo("lobbies", { game: id })}
      note=${unknown ? "not known" : lobbies?.is_partial && "at least"}>
      <${Count} n=${lobbies?.running_now} /></${Fact}>
    <${Fact} title=${spaces?.length === 1 ? "namespace" : "namespaces"}
      href=${linkTo("catalog", { kind: "namespaces", search: id })}>
      <${Count} n=${spaces?.length} /></${Fact}>
    <${Fact} title="avatars" href=${linkTo("avatars", { game: id })}>
      <${Count} n=${avatars?.length} /></${Fact}>
    ${tokenKind.value !== "viewer" && html`<${Fact} title="active tokens"
      note=${unread && "not known"} href=${linkTo("tokens", { game: id })}>
      <${Count} n=${works?.length} /></${Fact}>`}
    <li><div><strong>${keptText(game)}</strong><span>lobbies are kept</span></div></li>
  </ul>`;
}

function Namespaces({ game, spaces, data, onAdd }) {
  const add = (label) => mayChange.value && html`<button type="button" class=${spaces?.length ? ""
    : "primary"} onClick=${onAdd}><${Plus} />${label}</button>`;
  return html`<${Section} title="Namespaces" actions=${spaces?.length > 0 && add("Add namespace")}>
    ${!spaces && html`<${Loading} />`}
    ${spaces?.length === 0 && html`<${Empty} icon=${Layers} title="No namespaces yet"
      action=${add("Add the first namespace")}>Lobbies of ${" "}<${Name}
      text=${game.display_name} /> run in a namespace, such as prod or staging. Its domains decide
      which regions players get. Then create a <a href=${linkTo("tokens", {
        game: game.game_id })}>token</a> for the game's build servers.</${Empty}>`}
    ${spaces?.length > 0 && html`<${Table} caption="Namespaces" rows=${spaces}
      columns=${columnsOf("namespaces", { data, without: ["game"] })}
      keyOf=${(row) => row.namespace_id} />`}
  </${Section}>`;
}

function Ending({ name, hasSpaces, onOpen }) {
  return html`<${Section} title="Remove or erase" className="ending">
    <div><p><strong>Remove the game</strong> from the catalog. Its history is kept, and adding it
        again brings it back.${hasSpaces && " Remove its namespaces first."}</p>
      <button type="button" disabled=${hasSpaces} onClick=${() => onOpen("remove")}><${Trash2} />
        Remove</button></div>
    <div><p><strong>Erase everything</strong> of <${Name} text=${name} />: namespaces, tokens,
        avatars, exports and its whole lobby history. This cannot be undone.</p>
      <button type="button" class="danger" onClick=${() => onOpen("erase")}><${Eraser} />
        Erase everything</button></div>
  </${Section}>`;
}

/** A game's page. `onOpen(what, element, preset)` shows a form. */
export function GamePage({ id, data, onOpen }) {
  const avatarsPath = `${pathOf("games", id)}/avatars`;
  const game = found(data.games, "game_id", id);
  const avatars = useQuery(game ? avatarsPath : null);
  // A new game may not be known everywhere yet.
  const isEarly = avatars.error?.status === 404;
  useEffect(() => {
    if (!isEarly) return undefined;
    const timer = setInterval(avatars.reload, again_ms);
    return () => clearInterval(timer);
  }, [isEarly]);
  if (!data.games) return html`<${Loading} />`;
  if (!game) {
    return html`<p>There is no game with the id <code><${Name} text=${id} /></code>.${" "}
      <a href=${linkTo("catalog")}>All games</a></p>`;
  }
  const spaces = data.namespaces?.filter((space) => space.game_id === id);
  const shown = avatars.value?.custom_avatars;
  const open = (what) => onOpen(what, game);
  return html`
    <${Section} className="game" title=${html`<${Name} text=${game.display_name} />`}
      actions=${html`${mayChange.value && html`<button type="button"
        onClick=${() => open("edit")}><${Pencil} />Edit</button>`}
        <${CopyCurl} path=${pathOf("games", id)} />`}>
      <p><${IdText} id=${id} of=${game.display_name} /></p>
      <${Facts} key=${id} game=${game} spaces=${spaces} avatars=${shown} />
      <p class="leads"><a href=${linkTo("validate", { kind: "version" })}>Validate a version</a>
        <a href=${linkTo("audit", { subject: `games/${id}` })}>Its changes</a></p>
    </${Section}>
    <${Namespaces} game=${game} spaces=${spaces} data=${data}
      onAdd=${() => onOpen("new", null, { kind: "namespaces", game_id: id })} />
    <${Section} title="Avatars" actions=${shown?.length > avatars_shown
      && html`<a href=${linkTo("avatars", { game: id })}>All ${shown.length}</a>`}>
      <${AvatarGrid} game=${id} query=${avatars} avatars=${shown?.slice(0, avatars_shown)} />
    </${Section}>
    ${mayChange.value && html`<${Ending} name=${game.display_name} hasSpaces=${spaces?.length > 0}
      onOpen=${open} />`}`;
}
