import { Plus } from "lucide-preact";
import { CopyCurl, Empty, Field, Loading, Name, Section, Table } from "../../core/components.js";
import { html, useState } from "../../core/html.js";
import { turn } from "../../core/router.js";
import { mayChange } from "../../core/session.js";
import { columnsOf, gameName } from "./columns.js";
import { useCounts } from "./counts.js";
import { Details } from "./details.js";
import { Erasures } from "./erasing.js";
import { kinds } from "./kinds.js";
import { found } from "./use_catalog.js";

// Why the first one is worth adding, and what comes next.
const firstSteps = {
  games: "A game has avatars, and namespaces, such as prod and staging, in which its lobbies run. "
    + "Add a game, then its first namespace, then a token for its build servers.",
  namespaces: "A namespace is a part of a game in which lobbies run, such as prod or staging. Its "
    + "domains and player tokens decide which regions players get.",
  regions: "Regions are the datacenters that players choose from. Until there is one, they get an "
    + "empty list.",
  tiers: "Tiers are the sizes of game servers that game versions name. A version that names a tier "
    + "missing from this list is refused.",
};

const search_from = 8;

function matches(kind, element, text, data) {
  const game = kind === "namespaces" ? gameName(data, element.game_id) : "";
  const all = `${JSON.stringify(element)} ${game}`.toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => all.includes(word));
}

function AddButton({ kind, first = false }) {
  const { one } = kinds[kind];
  return html`<button type="button" class="primary" onClick=${() => turn({ new: 1 })}>
    <${Plus} />${first ? `Add the first ${one}` : `Add ${one}`}</button>`;
}

function List({ kind, elements, data, chosen, search }) {
  const { id, title, icon, one } = kinds[kind];
  const [shown, setShown] = useState([]);
  const counts = useCounts(shown.map((game) => game.game_id));
  if (elements.length === 0) {
    return html`<${Empty} icon=${icon} title=${`No ${title.toLowerCase()} yet`}
      action=${mayChange.value && html`<${AddButton} kind=${kind} first />`}>
      ${firstSteps[kind]}</${Empty}>`;
  }
  // The chosen element, next to the list, shows the other columns.
  const without = chosen !== null && kind === "namespaces" ? ["id", "domains"] : [];
  const columns = columnsOf(kind, { data, counts, chosen, without, more: { search } });
  const rows = search ? elements.filter((row) => matches(kind, row, search, data)) : elements;
  return html`
    ${(elements.length > search_from || search) && html`<${Field} label=${`Search ${title
      .toLowerCase()}`} type="search" className="search" value=${search}
      onValue=${(text) => turn({ search: text })} />`}
    <${Table} key=${kind} caption=${title} columns=${columns} rows=${rows}
      onShown=${kind === "games" ? setShown : undefined}
      keyOf=${(row) => row[id]} empty=${`No ${one} matches this search.`}
      rowClass=${(row) => (row[id] === chosen ? "chosen" : "")} />`;
}

/**
 * The elements of one kind: a list, and the one that is chosen next to it. `onOpen(what, element)`
 * shows a form.
 */
export function Elements({ kind, data, params, onOpen }) {
  const { title, one, id } = kinds[kind];
  const elements = data[kind];
  const search = params.get("search") ?? "";
  const chosen = params.get("id");
  const element = chosen === null ? undefined : found(elements, id, chosen);
  const actions = html`${mayChange.value && elements?.length > 0
    && html`<${AddButton} kind=${kind} />`}<${CopyCurl} path=${`/v1/${kind}`} />`;
  return html`
    <div class=${element ? "list-and-chosen" : ""}>
      ${element && html`<${Details} ...${{ kind, element, data }}
        onOpen=${(what) => onOpen(what, element)} />`}
      ${chosen !== null && elements && !element && html`<p>There is no ${one} with the id <code>
        <${Name} text=${chosen} /></code>.</p>`}
      <${Section} title=${elements ? `${title}, ${elements.length}` : title} actions=${actions}>
        ${elements ? html`<${List} ...${{ kind, elements, data, chosen, search }} />`
          : html`<${Loading} />`}
      </${Section}>
    </div>
    ${kind === "games" && html`<${Erasures} />`}`;
}
