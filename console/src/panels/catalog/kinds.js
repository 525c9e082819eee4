// What elements of the catalog are made of. A kind has `id` (the member that names an element),
// `columns`, `fields` of its form, and how an element becomes a draft of texts and back.

const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
const text = (value) => (value === undefined || value === null ? "" : String(value));

function set(element, name, value) {
  const { [name]: _, ...rest } = element;
  return value === undefined ? rest : { ...rest, [name]: value };
}

function number(typed) {
  const n = Number(typed);
  // What is no number goes as it was typed, so that the service says what is wrong with it.
  return typed.trim() === "" || Number.isNaN(n) ? typed : n;
}

const games = {
  title: "Games", one: "game", id: "game_id", makesId: true,
  columns: [["game_id", "Id"], ["display_name", "Name"], ["retention_days", "Days kept"]],
  fields: [{ name: "display_name", label: "Name" },
    { name: "retention_days", label: "Days that lobbies are kept", optional: true,
      hint: "From their stop; 0: for ever. Empty: as the service is configured." }],
  draftOf: (element) => ({ display_name: text(element.display_name),
    retention_days: text(element.retention_days) }),
  elementOf: (draft, element) => set({ ...element, display_name: draft.display_name },
    "retention_days", draft.retention_days.trim() === "" ? undefined
      : number(draft.retention_days)),
};

const namespaces = {
  title: "Namespaces", one: "namespace", id: "namespace_id", makesId: true,
  columns: [["namespace_id", "Id"], ["name", "Name"], ["game_id", "Game"], ["domains", "Domains"],
    ["regions", "Regions"]],
  fields: [
    { name: "game_id", label: "Game", choices: "games" },
    { name: "name", label: "Name" },
    { name: "domains", label: "Domains", multiline: true,
      hint: "Host names, one a line: a listing whose Origin has one is of this namespace." },
    { name: "regions", label: "Regions", multiline: true,
      hint: "Ids of regions, one a line. Empty: all." },
  ],
  draftOf: (element) => ({
    game_id: text(element.game_id), name: text(element.name),
    domains: (element.domains ?? []).join("\n"), regions: (element.regions ?? []).join("\n"),
  }),
  elementOf: (draft, element) => {
    const named = { ...element, game_id: draft.game_id, name: draft.name };
    const [domains, regions] = [lines(draft.domains), lines(draft.regions)];
    return set(set(named, "domains", domains.length ? domains : undefined), "regions",
      regions.length ? regions : undefined);
  },
};

const regions = {
  title: "Regions", one: "region", id: "region_id",
  columns: [["region_id", "Id"], ["region_display_name", "Name"],
    ["provider_display_name", "Provider"], ["datacenter_coord", "Place"]],
  idHint: "1 to 32 of a-z, 0-9 and -.",
  fields: [
    { name: "region_display_name", label: "Name" },
    { name: "provider_display_name", label: "Provider" },
    { name: "latitude", label: "Latitude", hint: "Degrees, -90 to 90." },
    { name: "longitude", label: "Longitude", hint: "Degrees, -180 to 180." },
    { name: "ping_url", label: "Ping URL", optional: true,
      hint: "https, may be empty: where the Regions panel measures latency." },
  ],
  draftOf: (element) => ({
    region_display_name: text(element.region_display_name),
    provider_display_name: text(element.provider_display_name),
    latitude: text(element.datacenter_coord?.latitude),
    longitude: text(element.datacenter_coord?.longitude), ping_url: text(element.ping_url),
  }),
  elementOf: (draft, element) => set({
    ...element, region_display_name: draft.region_display_name,
    provider_display_name: draft.provider_display_name,
    datacenter_coord: { ...element.datacenter_coord, latitude: number(draft.latitude),
      longitude: number(draft.longitude) },
  }, "ping_url", draft.ping_url === "" ? undefined : draft.ping_url),
};

const tiers = {
  title: "Tiers", one: "tier", id: "tier", fixed: true,
  columns: [["tier", "Id"]],
  fields: [],
  draftOf: () => ({}),
  elementOf: () => ({}),
};

/** By the name in paths: /v1/games .. */
export const kinds = { games, namespaces, regions, tiers };

/** The elements of a listing: GET /v1/tiers lists texts, all others objects. */
export function elementsOf(kind, listing) {
  return listing[kind].map((found) => (typeof found === "string" ? { tier: found } : found));
}

/** The path of an element. */
export const pathOf = (kind, id) => `/v1/${kind}/${encodeURIComponent(id)}`;
