// Fakes of the rows that regions, validate, lobbies, avatars and the page of the interface ask for;
// see fakes.mjs, which takes this file along when it goes. They forward to the data plane of the
// real service (MATCHCLOUD_DATA_URL) where it has the same, and make up the rest.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { sampleDocument } from "./openapi_sample.mjs";

const run = promisify(execFile);
const demo_game = "00000000-0000-4000-8000-000000000001";
const radians = Math.PI / 180;

function problem(status, code, detail) {
  return new Response(JSON.stringify({ type: `urn:matchcloud:problem:${code}`, title: code, status,
    detail, code, message: detail, request_id: "fa4e" }), { status,
    headers: { "Content-Type": "application/problem+json" } });
}

async function asked(base, path, options) {
  const response = await fetch(new URL(path, base), options);
  return response.json();
}

/** What the data plane answers, as it is. */
async function forwarded(base, path, options) {
  const found = await fetch(new URL(path, base), { redirect: "manual", ...options });
  const headers = { "Content-Type": found.headers.get("Content-Type") ?? "text/plain" };
  const disposition = found.headers.get("Content-Disposition");
  if (disposition) headers["Content-Disposition"] = disposition;
  return new Response(await found.arrayBuffer(), { status: found.status, headers });
}

// ---- regions

function kilometers(from, to) {
  const [a, b] = [from.latitude * radians, to.latitude * radians];
  const across = Math.sin(((to.longitude - from.longitude) * radians) / 2) ** 2;
  const h = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * across;
  return 2 * 6371.0088 * Math.asin(Math.sqrt(h));
}

/** A place for an address: London for that of the examples, none for private ones, else any. */
function placeOfAddress(address) {
  if (address === "81.2.69.142") return { latitude: 51.5142, longitude: -0.0931 };
  if (/^(?:10|127|192\.168)\.|^::1$|^f[cd]/.test(address)) return null;
  let state = 7;
  for (const letter of address) state = (state * 31 + letter.charCodeAt(0)) % 1_000_003;
  return { latitude: (state % 1200) / 10 - 60, longitude: (state % 3600) / 10 - 180 };
}

async function ranking(match, url, body, { ops }) {
  const query = url.searchParams;
  const [latitude, longitude] = [Number(query.get("latitude")), Number(query.get("longitude"))];
  const address = query.get("address");
  if (address !== null && !/^[0-9a-f.:]+$/i.test(address)) {
    return problem(400, "query_invalid", "`address` is no IPv4 or IPv6 address.");
  }
  if (address === null && !(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) {
    return problem(400, "query_invalid", "`latitude` and `longitude` are degrees.");
  }
  const place = address === null ? { latitude, longitude } : placeOfAddress(address);
  let { regions } = await asked(ops, "/v1/regions");
  const wanted = query.get("namespace_id");
  if (wanted) {
    const { namespaces } = await asked(ops, "/v1/namespaces");
    const found = namespaces.find((one) => one.namespace_id === wanted);
    if (!found) return problem(404, "element_not_found", `There is no namespace ${wanted}.`);
    if (found.regions) regions = regions.filter((one) => found.regions.includes(one.region_id));
  }
  const rows = regions.map(({ ping_url, ...region }) => {
    const distance = place ? kilometers(place, region.datacenter_coord) : 0;
    const rounded = (n) => Math.round(n * 1000) / 1000;
    return { ...region, datacenter_distance_from_client: {
      kilometers: rounded(distance), miles: rounded(distance / 1.609344) } };
  });
  const far = (row) => row.datacenter_distance_from_client.kilometers;
  rows.sort((one, other) => far(one) - far(other) || (one.region_id < other.region_id ? -1 : 1));
  return { place, source: place ? (address === null ? "coordinates" : "address") : "unknown",
    listing: { regions: rows } };
}

function places() {
  const cells = [[52.5, 2.5, 840], [47.5, 12.5, 320], [37.5, -77.5, 610], [32.5, -117.5, 450],
    [-22.5, -47.5, 270], [37.5, 137.5, 380], [17.5, 72.5, 190], [-32.5, 152.5, 90],
    [7.5, 2.5, 60], [62.5, 22.5, 15]];
  return { enabled: true, window_s: 600, cell_degrees: 5, unknown: 42,
    cells: cells.map(([latitude, longitude, requests]) => ({ latitude, longitude, requests })) };
}

// ---- validate

const validated = {
  version: `/cloud/games/${demo_game}/versions/validate`,
  game: "/cloud/games/validate",
  group: "/cloud/groups/validate",
};

function validate([, kind], url, body, { data }) {
  return forwarded(data, validated[kind], { method: "POST", body,
    headers: { "Content-Type": "application/json" } });
}

const schemas = new Map();

async function schema([, kind]) {
  if (!schemas.has(kind)) {
    const program = process.env.MATCHCLOUD_BINARY ?? "build/release/matchcloud";
    const { stdout } = await run(program, ["schema", "--kind", kind], { maxBuffer: 1 << 24 });
    schemas.set(kind, JSON.parse(stdout));
  }
  return schemas.get(kind);
}

// ---- avatars

const avatars = ([, game], url, body, { data }) => forwarded(data, `/cloud/games/${game}/avatars`);
const image = ([, upload, file], url, body, { data }) =>
  forwarded(data, `/media/avatars/${upload}/${file}`);

// ---- lobbies: the rows of an export are the history that charts and tables are made from

const histories = new Map();

const exportPath = (game) => `/cloud/games/${game}/matchmaker/lobbies/export-history`;

function askForExport(data, game, query) {
  return fetch(new URL(exportPath(game), data), { method: "POST", body: JSON.stringify(query),
    headers: { "Content-Type": "application/json" } });
}

async function historyOf(game, data) {
  if (!histories.has(game)) {
    const found = await askForExport(data, game, { query_start: 0, query_end: 4102444800000 });
    if (!found.ok) return null;
    const csv = await (await fetch((await found.json()).url)).text();
    const [head, ...lines] = csv.trimEnd().split("\r\n").map((line) => line.split(","));
    histories.set(game, lines.map((cells) => {
      const row = Object.fromEntries(head.map((name, at) => [name, cells[at]]));
      return { ...row, start: Date.parse(row.start_ts),
        stop: row.stop_ts ? Date.parse(row.stop_ts) : Infinity };
    }));
  }
  return histories.get(game);
}

const noGame = (game) => problem(404, "game_not_found", `There is no game ${game}.`);

async function lobbies([, game], url, body, { data }) {
  const rows = await historyOf(game, data);
  if (!rows) return noGame(game);
  const [start, end, buckets] = ["start", "end", "buckets"]
    .map((name) => Number(url.searchParams.get(name)));
  if (!(end > start) || !(buckets >= 1 && buckets <= 500)) {
    return problem(400, "query_invalid", "`start` is before `end`, `buckets` 1 to 500.");
  }
  const bucket_ms = Math.ceil((end - start) / buckets);
  const count = Math.ceil((end - start) / bucket_ms);
  const begins = Array.from({ length: count }, (_, at) => start + at * bucket_ms);
  const within = (row, from, to) => row.start >= from && row.start < to;
  return {
    start, end, bucket_ms,
    started: begins.map((from) => rows.filter((row) => within(row, from,
      Math.min(end, from + bucket_ms))).length),
    running: begins.map((at) => rows.filter((row) => row.start <= at && row.stop > at).length),
    running_now: rows.filter((row) => row.stop === Infinity).length,
    is_partial: false,
  };
}

async function running([, game], url, body, { data }) {
  const rows = await historyOf(game, data);
  if (!rows) return noGame(game);
  const least = Number(url.searchParams.get("longer_than_ms"));
  const limit = Number(url.searchParams.get("limit") ?? 100);
  const found = rows.filter((row) => row.stop === Infinity && Date.now() - row.start > least);
  return { more: found.length > limit, lobbies: found.slice(0, limit).map((row) => ({
    lobby_id: row.lobby_id, namespace_id: row.namespace_id, region_id: row.region_id,
    tier: row.tier, version_id: row.version_id, version_name: row.version_name,
    game_mode: row.game_mode, start_ts: row.start_ts })) };
}

const exports_seen = [];
const export_ms = 2_500;

// The data plane's exports are done at once here: they are held back, so that there is progress.
async function makeExport([, game], url, body, { data }) {
  const query = JSON.parse(body);
  const entry = { game_id: game, ...query, state: "queued", rows: 0, bytes: 0 };
  const found = await askForExport(data, game, query);
  if (!found.ok) {
    return new Response(await found.text(), { status: found.status,
      headers: { "Content-Type": "application/problem+json" } });
  }
  const isSame = (one) => one.game_id === game && one.query_start === query.query_start
    && one.query_end === query.query_end;
  exports_seen.unshift(entry, ...exports_seen.splice(0).filter((one) => !isSame(one)).slice(0, 31));
  const began = Date.now();
  const rows = (await historyOf(game, data))
    .filter((row) => row.start < query.query_end && row.stop > query.query_start).length;
  await new Promise((done) => {
    const timer = setInterval(() => {
      const part = Math.min(1, (Date.now() - began) / export_ms);
      Object.assign(entry, { state: part < 1 ? "running" : "complete",
        rows: Math.round(rows * part), bytes: Math.round(rows * part * 220) });
      if (part < 1) return;
      clearInterval(timer);
      done();
    }, 100);
  });
  const signed = new URL((await found.json()).url);
  return { url: signed.pathname + signed.search };
}

const listExports = () => ({ exports: exports_seen });
const download = (match, url, body, { data }) => forwarded(data, url.pathname + url.search);

// ---- the interface

const document = (title) => () => sampleDocument(title);

const uuid = "([0-9a-f-]{36})";

/** As in fakes.mjs; an `answer` may also be a Response, which is sent as it is. */
export const panelFakes = [
  { method: "GET", path: /^\/v1\/ranking$/, answer: ranking },
  { method: "GET", path: /^\/v1\/places$/, answer: places },
  { method: "POST", path: /^\/v1\/validate\/(version|game|group)$/, answer: validate },
  { method: "GET", path: /^\/v1\/schema\/(version|game|group)$/, answer: schema },
  { method: "GET", path: new RegExp(`^/v1/games/${uuid}/avatars$`), answer: avatars },
  { method: "GET", path: new RegExp(`^/v1/images/${uuid}/([^/]+)$`), answer: image },
  { method: "GET", path: new RegExp(`^/v1/games/${uuid}/lobbies$`), answer: lobbies },
  { method: "GET", path: new RegExp(`^/v1/games/${uuid}/lobbies/running$`), answer: running },
  { method: "POST", path: new RegExp(`^/v1/games/${uuid}/exports$`), answer: makeExport },
  { method: "GET", path: /^\/v1\/exports$/, answer: listExports },
  { method: "GET", path: new RegExp(`^/exports/[^/]+/lobby-history.csv$`), answer: download },
  { method: "GET", path: /^\/openapi\.json$/, answer: document("ops plane") },
  { method: "GET", path: /^\/data\/openapi\.json$/, answer: document("data plane") },
];
