import { CircleCheck } from "lucide-preact";
import { Name, Panel as Frame, Problem, ReadOnly } from "../core/components.js";
import { html, useEffect, useState } from "../core/html.js";
import { go, linkTo, turn } from "../core/router.js";
import { mayChange } from "../core/session.js";
import { AuditEntry } from "./audit/entry.js";
import { rankLink } from "./catalog/details.js";
import { Editor } from "./catalog/editor.js";
import { Elements } from "./catalog/elements.js";
import { ErasingDialog } from "./catalog/erasing.js";
import { GamePage } from "./catalog/game.js";
import { kinds } from "./catalog/kinds.js";
import { Removal } from "./catalog/removal.js";
import { found, useCatalog } from "./catalog/use_catalog.js";

const pages = Object.entries(kinds).map(([id, { title }]) => [id, title]);

/** What has just been done, with its audit entry and where to go next. */
function Done({ done: { kind, element, requestId } }) {
  const { name, one } = kinds[kind];
  return html`<div class="done" role="status">
    <p><${CircleCheck} /><span>${element ? html`The ${one} <strong><${Name} text=${element[name]} />
      </strong> is saved.` : `The ${one} is removed.`}</span>
      ${element && kind === "regions" && html`<a class="button-like primary"
        href=${rankLink(element)}>See its rank</a>`}
      ${element && kind === "namespaces" && html`<a class="button-like" href=${linkTo("regions",
        { namespace: element.namespace_id })}>See its regions</a>`}</p>
    <${AuditEntry} key=${requestId} requestId=${requestId} />
  </div>`;
}

function Forms({ open, data, onDone, onClose }) {
  const { what, kind, element, preset } = open;
  if (what === "erase") return html`<${ErasingDialog} game=${element} ...${{ onDone, onClose }} />`;
  if (what === "remove") return html`<${Removal} ...${{ kind, element, onDone, onClose }} />`;
  return html`<${Editor} ...${{ kind, element, preset, data, onDone, onClose }} />`;
}

/** What is shown: `{kind, game}`; `game` is the id of the game whose page it is, or null. */
function viewOf(params) {
  const kind = Object.hasOwn(kinds, params.get("kind") ?? "") ? params.get("kind") : "games";
  return { kind, game: kind === "games" ? params.get("game") ?? params.get("id") : null };
}

function Panel({ route }) {
  const { params } = route;
  const { kind, game } = viewOf(params);
  const { data, error, reload } = useCatalog(kind);
  const [opened, setOpened] = useState(null);
  const [done, setDone] = useState(null);
  // A removed game: its page is left once the game is gone from the list.
  const [left, setLeft] = useState(null);
  const hasLeft = left !== null && data.games && !found(data.games, "game_id", left);
  useEffect(() => {
    if (!hasLeft) return;
    setLeft(null);
    go("catalog");
  }, [hasLeft]);
  const wanted = params.get("new") === "1"
    ? { what: "new", kind, element: null, preset: { game_id: params.get("game") } } : opened;
  // The form checks for taken ids and offers existing elements, so it waits for the lists.
  const open = mayChange.value && data[kind] ? wanted : null;
  const close = () => {
    setOpened(null);
    turn({ new: null });
  };
  const finish = (requestId, element = null) => {
    const { what, kind: changed } = open;
    close();
    reload();
    const isGame = changed === "games";
    if (!element && isGame) setLeft(game);
    else if (isGame) go("catalog", { game: element.game_id }, { replace: true });
    else if (!game) turn({ id: element?.[kinds[changed].id] ?? null });
    setDone(what === "erase" ? null : { kind: changed, element, requestId, at: [kind, isGame ?
      element?.game_id ?? null : game].join() });
  };
  const show = (what, element, { kind: other = kind, ...preset } = {}) =>
    setOpened({ what, kind: other, element, preset });
  return html`<${Frame} title="Catalog">
    <ul class="tabs" aria-label="What is shown">${pages.map(([id, title]) => html`
      <li key=${id}><a href=${linkTo("catalog", { kind: id })}
        aria-current=${id === kind ? (game ? "true" : "page") : undefined}>${title}</a></li>`)}</ul>
    <${ReadOnly} to="change the catalog" />
    ${done && done.at === [kind, game].join() && html`<${Done} done=${done} />`}
    <${Problem} error=${error} onRetry=${reload} />
    ${game ? html`<${GamePage} key=${game} id=${game} data=${data} onOpen=${show} />`
      : html`<${Elements} key=${kind} ...${{ kind, data, params }} onOpen=${show} />`}
    ${open && html`<${Forms} key=${open.what + open.kind} ...${{ open, data }} onDone=${finish}
      onClose=${close} />`}
  </${Frame}>`;
}

export default { id: "catalog", title: "Catalog", Panel };
