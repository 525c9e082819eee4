// The kinds of elements in the catalog. A kind has `id` and `name` (the members that name an
// element), the `fields` of its form, and functions that turn an element into a draft and back.
//
// A field has `at` (the path of its member, by which the service reports findings), `check(value,
// context)`, which returns what is wrong in a sentence, and `control` if it is not just a line of
// text.
import { Gamepad2, Globe, Layers, Server } from "lucide-preact";
import {
  daysProblem, domainsProblem, identifierProblem, linesOf, nameProblem, pingUrlProblem, placeOf,
  uuidProblem,
} from "./checks.js";

const text = (value) => (value === undefined || value === null ? "" : String(value));
const listed = (value) => (Array.isArray(value) ? value.map(String) : []);

function set(element, name, value) {
  const { [name]: _, ...rest } = element;
  return value === undefined ? rest : { ...rest, [name]: value };
}

/** What is wrong with a namespace's domains: their text, or that another namespace has them. */
function domainProblem(value, { id, data }) {
  const domains = linesOf(value).map((line) => line.toLowerCase());
  for (const other of data.namespaces ?? []) {
    const taken = other.namespace_id !== id && other.domains?.find((one) => domains.includes(one));
    if (taken) return `${taken} already belongs to the namespace ${other.name}.`;
  }
  return domainsProblem(value);
}

const games = {
  title: "Games", one: "game", id: "game_id", name: "display_name", isUuid: true, icon: Gamepad2,
  fields: [
    { name: "display_name", label: "Name", at: "/display_name", check: nameProblem,
      hint: "What people see. 1 to 128 characters." },
    { name: "retention_days", label: "Days that lobbies are kept", at: "/retention_days",
      check: daysProblem, inputmode: "numeric", placeholder: "as configured",
      hint: "After they stop, 0 to 36500. 0: for ever. Empty: as the service is configured." },
  ],
  draftOf: (element) => ({ display_name: text(element.display_name),
    retention_days: text(element.retention_days) }),
  elementOf: ({ display_name, retention_days: days }, element) => set({ ...element, display_name },
    "retention_days", days.trim() === "" ? undefined : Number(days)),
};

const namespaces = {
  title: "Namespaces", one: "namespace", id: "namespace_id", name: "name", isUuid: true,
  icon: Layers,
  fields: [
    { name: "game_id", label: "Game", control: "game", at: "/game_id", says: /^\S+ \S+: game /,
      check: (value) => (value ? undefined : "Choose a game.") },
    { name: "name", label: "Name", at: "/name", check: nameProblem,
      hint: "Such as prod or staging." },
    { name: "domains", label: "Domains", multiline: true, at: "/domains",
      says: /^\S+ \S+: domain /, check: domainProblem,
      hint: "Host names of the game's pages, one per line. Players there get this namespace's "
        + "regions." },
    { name: "regions", label: "Regions", control: "regions", at: "/regions",
      says: /^\S+ \S+: region / },
  ],
  draftOf: (element) => ({ game_id: text(element.game_id), name: text(element.name),
    domains: listed(element.domains).join("\n"),
    regions: element.regions === undefined ? null : listed(element.regions) }),
  elementOf: ({ game_id, name, domains, regions: chosen }, element) => {
    const lines = linesOf(domains);
    return set(set({ ...element, game_id, name }, "domains", lines.length ? lines : undefined),
      "regions", chosen ?? undefined);
  },
};

const regions = {
  title: "Regions", one: "region", id: "region_id", name: "region_display_name", icon: Globe,
  idHint: "1 to 32 of a-z, 0-9 and -. It cannot be changed later.",
  fields: [
    { name: "region_display_name", label: "Name", at: "/region_display_name", check: nameProblem,
      hint: "What people see, such as a city." },
    { name: "provider_display_name", label: "Provider", at: "/provider_display_name",
      check: nameProblem, control: "provider", hint: "The company that runs the datacenter." },
    { name: "place", label: "Place", control: "place", at: "/datacenter_coord",
      check: (value) => placeOf(value).problem, placeholder: "52.52, 13.405",
      hint: "Latitude and longitude of the datacenter, in degrees." },
    { name: "ping_url", label: "Ping URL (optional)", at: "/ping_url", check: pingUrlProblem,
      type: "url", placeholder: "https://", hint: "The Regions panel measures latency to it." },
  ],
  draftOf: (element) => {
    const { latitude, longitude } = element.datacenter_coord ?? {};
    return { region_display_name: text(element.region_display_name),
      provider_display_name: text(element.provider_display_name),
      place: [latitude, longitude].map(text).filter(Boolean).join(", "),
      ping_url: text(element.ping_url) };
  },
  elementOf: ({ place, ping_url: ping, ...names }, element) => {
    const { latitude, longitude } = placeOf(place);
    return set({ ...element, ...names,
      datacenter_coord: { ...element.datacenter_coord, latitude, longitude } },
    "ping_url", ping === "" ? undefined : ping);
  },
};

const tiers = {
  title: "Tiers", one: "tier", id: "tier", name: "tier", isNameAlone: true, icon: Server,
  idHint: "1 to 32 of a-z, 0-9 and -, such as basic-1d2. Game versions name it.",
  fields: [],
  draftOf: () => ({}),
  elementOf: () => ({}),
};

/** The kinds by their names in paths: /v1/games .. */
export const kinds = { games, namespaces, regions, tiers };

/** The elements of a listing: GET /v1/tiers lists texts, all other listings have objects. */
export function elementsOf(kind, listing) {
  return listing[kind].map((found) => (typeof found === "string" ? { tier: found } : found));
}

/** The path of an element. */
export const pathOf = (kind, id) => `/v1/${kind}/${encodeURIComponent(id)}`;

/**
 * What is wrong in a form, by field. `isNew` says that the id may be typed; `context` is `{id,
 * data}`, where `data` has the lists of the catalog.
 */
export function problemsOf(kind, draft, { id, isNew, data }) {
  const { fields, isUuid, id: idName, name: nameOf, one } = kinds[kind];
  const found = {};
  for (const { name, check } of fields) {
    const problem = check?.(draft[name], { id, data });
    if (problem) found[name] = problem;
  }
  if (!isNew) return found;
  const taken = data[kind]?.find((element) => element[idName] === id);
  const problem = taken
    ? `The ${one} ${taken[nameOf]} has this id. Use another one, or edit that ${one}.`
    : (isUuid ? uuidProblem : identifierProblem)(id);
  if (problem) found.id = problem;
  return found;
}
