// The path of a request through the service, with the fault points on it, in words. The service's
// GET /faults has the same points; a test compares them.

const actor = (name, title, operations) => ({ name, title, operations, points: [
  [`${name}.receive`, "request", `${title}: request`], [`${name}.reply`, "answer",
    `${title}: answer`]] });

/**
 * The stages before actors, in the order of a request. Points are `[id, words in the stage, words
 * elsewhere]`.
 */
export const arriving = [
  { id: "connection", title: "Connection",
    points: [["accept", "Accept", "Accept a connection"],
      ["read", "Read", "Read from a connection"]] },
  { id: "framer", title: "Framer",
    points: [["frame", "Find requests", "Find requests in the bytes"]] },
  { id: "front", title: "Exchange, front",
    points: [["front.dispatch", "Dispatch", "Dispatch a request"]] },
];

/** The actors that answer requests, with the operations of the data plane that ask them. */
export const actors = [
  actor("validator", "Validator", ["validate_version", "validate_game", "validate_group"]),
  actor("region_ranking", "Region ranking", ["list_regions", "rank_group"]),
  actor("media", "Images", ["download_media"]),
  actor("avatar", "Avatar lists", ["list_avatars"]),
  actor("lobby_export", "Exports", ["export_lobby_history"]),
  actor("export_download", "Downloads of exports", ["download_export"]),
  actor("latency_map", "Latency map", ["report_latencies"]),
  actor("ingestion", "Ingestion of lobbies", ["ingest_lobbies"]),
  actor("administration", "Administration", ["catalog, tokens, audit log"]),
];

/** What actors wait for. */
export const resources = [
  { id: "store", title: "Store", points: [
    ["store.open", "Connect", "Connect to the store"], ["store.read", "Read", "Read the store"],
    ["store.write", "Begin a change", "Begin a change to the store"],
    ["store.commit", "Commit", "Commit a change to the store"]] },
  { id: "geoip", title: "GeoIP", points: [
    ["geoip.lookup", "Look up", "Look up an address"],
    ["geoip.reload", "Load a file", "Load a GeoIP file"]] },
  { id: "file", title: "Files of exports", points: [
    ["export.write", "Write", "Write an export"], ["export.sync", "Sync", "Sync an export"],
    ["export.rename", "Rename", "Rename a finished export"]] },
  { id: "bucket", title: "Bucket", points: [["bucket.request", "Request",
    "Send a request to the bucket"]] },
];

/** The way back, in the order of an answer. */
export const answering = { id: "answering", title: "Answer", points: [
  ["front.reply", "Pass on", "Pass on an answer"], ["write", "Write", "Write to a connection"]] };

const news = (name, title) => [
  [`${name}.receive`, `${title}: receives`, `${title}: receives a change`],
  [`${name}.reply`, `${title}: sends`, `${title}: sends a change`]];

/** What no request waits for. */
export const background = { id: "background", title: "Background", points: [
  ...news("catalog", "Catalog"), ...news("geoip_watch", "GeoIP watch"),
  ...news("supervisor", "Supervisor"), ["clock", "Clock", "Clock: the time of day is read"]] };

const all = [...arriving, ...actors, ...resources, answering, background];
const words = new Map(all.flatMap(({ points }) => points).map(([id, , alone]) => [id, alone]));

/** The ids of all points that are drawn. */
export const drawn = [...words.keys()];

/** A point in words; its id where it has none. */
export const wordsOf = (id) => words.get(id) ?? id;

/** The operations that pass a point of an actor, or null for other points. */
export function operationsAt(id) {
  return actors.find(({ points }) => points.some(([one]) => one === id))?.operations ?? null;
}

/** The operations of the data plane, and where each is answered: `[operation, point]`. */
export const answeredAt = actors.filter(({ name }) => !["ingestion", "administration"]
  .includes(name)).flatMap(({ name, operations }) =>
  operations.map((operation) => [operation, `${name}.reply`]));
