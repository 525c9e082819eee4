// What the tables of the catalog show, by kind: names first.
import { Count, Name } from "../../core/components.js";
import { html } from "../../core/html.js";
import { plural } from "../../core/plural.js";
import { linkTo } from "../../core/router.js";
import { placeText } from "./checks.js";
import { IdText } from "./id_text.js";
import { kinds } from "./kinds.js";
import { found } from "./use_catalog.js";

/** How long a game's lobbies are kept, in a few words. */
export function keptText({ retention_days: days }) {
  if (days === undefined) return "as configured";
  return days === 0 ? "for ever" : plural(days, "day");
}

/** The address of an element: a game has a page, others are shown next to their list. */
export const elementLink = (kind, id, more = {}) => linkTo("catalog",
  kind === "games" ? { game: id } : { kind, ...more, id });

/** The name of a region, or its id if the catalog does not have it. */
export const regionName = (data, id) =>
  found(data.regions, "region_id", id)?.region_display_name ?? id;

/** The name of a game, or its id if the catalog does not have it. */
export const gameName = (data, id) => found(data.games, "game_id", id)?.display_name ?? id;

/** Which regions a namespace has, in a few words. */
export function regionsText({ regions }, data) {
  if (regions === undefined) return "All";
  if (regions.length === 0) return "None";
  const names = regions.slice(0, 3).map((id) => regionName(data, id)).join(", ");
  return regions.length > 3 ? `${names} and ${regions.length - 3} more` : names;
}

const plain = (id, title, textOf) => ({ id, title, sort: textOf,
  cell: (row) => html`<${Name} text=${textOf(row)} />` });

const number = (id, title, countOf) => ({ id, title, numeric: true, sort: countOf,
  cell: (row) => html`<${Count} n=${countOf(row)} />` });

/** A count of a game's, by which rows can be sorted once it is known for all games. */
function counted(id, title, { data, counts }) {
  const of = ({ game_id: game }) => counts.get(game)?.[id];
  return { id, title, numeric: true,
    sort: data.games.every(({ game_id: game }) => counts.get(game)) ? of : undefined,
    cell: (row) => (counts.get(row.game_id) ? html`<${Count} n=${of(row)} />`
      : html`<span class="faint">${counts.has(row.game_id) ? "not known" : "counting"}</span>`) };
}

function own(kind, context) {
  const { data } = context;
  if (kind === "games") {
    return [
      number("namespaces", "Namespaces", ({ game_id: id }) =>
        data.namespaces?.filter((space) => space.game_id === id).length),
      counted("running", "Running lobbies", context),
      counted("avatars", "Avatars", context),
      plain("kept", "Lobbies kept", keptText),
    ];
  }
  if (kind === "namespaces") {
    return [
      { id: "game", title: "Game", sort: ({ game_id: id }) => gameName(data, id),
        cell: ({ game_id: id }) => html`<a href=${elementLink("games", id)}>
          <${Name} text=${gameName(data, id)} /></a>` },
      plain("domains", "Domains", ({ domains }) => domains?.join(", ") || "–"),
      plain("regions", "Regions", (row) => regionsText(row, data)),
    ];
  }
  if (kind === "regions") {
    return [plain("provider", "Provider", ({ provider_display_name: name }) => name),
      plain("place", "Place", ({ datacenter_coord: place }) => placeText(place))];
  }
  return [];
}

/**
 * The columns of a kind's table. `context` is `{data, counts, chosen, without, more}`: the lists of
 * the catalog, counts by game, the id of the chosen element, the ids of columns to leave out, and
 * the params that links keep.
 */
export function columnsOf(kind, context) {
  const { id, name, isNameAlone, one } = kinds[kind];
  const { chosen, without = [], more } = context;
  const first = { id: "name", title: isNameAlone ? "Id" : "Name", sort: (row) => row[name],
    cell: (row) => html`<a class="element" href=${elementLink(kind, row[id], more)}
      aria-current=${row[id] === chosen ? "true" : undefined}><${Name} text=${row[name]} /></a>` };
  const ids = { id: "id", title: "Id", sort: (row) => row[id],
    cell: (row) => html`<${IdText} id=${row[id]} of=${`${one} ${row[name]}`} />` };
  return [first, ...own(kind, context), ...(isNameAlone ? [] : [ids])]
    .filter((column) => !without.includes(column.id));
}
