// Answers of rows that the service does not have yet, for serve.mjs alone: delete this file, and
// what serve.mjs imports from it, once it has them all. A fake is used only where the service
// answers 404 or leaves the members out.
import { Transform } from "node:stream";
import { panelFakes } from "./panel_fakes.mjs";

/** What is answered to `method` and `path`: the JSON of `answer(match, url, body, context)`. */
const fakes = [
  { method: "GET", path: /^\/v1\/traces$/, answer: traces },
  ...panelFakes,
];

const real = new Map();

// Whether the service has the row itself; asked once for each path.
async function isReal(path, { ops }) {
  if (!real.has(path)) {
    const { status } = await fetch(new URL(path, ops), { method: "OPTIONS" });
    real.set(path, status !== 404);
  }
  return real.get(path);
}

async function bodyOf(incoming) {
  const parts = [];
  for await (const part of incoming) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** Answers `incoming` where there is a fake for it; false where there is none. */
export async function fakeOf(incoming, answer, context) {
  const url = new URL(incoming.url, context.ops);
  for (const { method, path, answer: make } of fakes) {
    const match = path.exec(url.pathname);
    if (incoming.method !== method || !match) continue;
    if (await isReal(url.pathname, context)) return false;
    const body = await make(match, url, method === "GET" ? null : await bodyOf(incoming), context);
    if (body instanceof Response) {
      const headers = { ...Object.fromEntries(body.headers), "cache-control": "no-store" };
      answer.writeHead(body.status, headers);
      answer.end(Buffer.from(await body.arrayBuffer()));
      return true;
    }
    answer.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
    answer.end(JSON.stringify(body));
    return true;
  }
  return false;
}

function traces() {
  const now = Date.now();
  const step = (place, at_us, us) => ({ place, at_us, us });
  const one = (n, operation, status, total_us, steps) => ({
    request_id: `fa4e${String(n).padStart(28, "0")}`, operation, status,
    began: new Date(now - n * 1700).toISOString(), total_us, steps,
  });
  return { one_in: 100, traces: [
    one(1, "list_regions", 200, 180, [step("front", 0, 180), step("region_ranking/0", 40, 90)]),
    one(2, "list_avatars", 200, 2300, [step("front", 0, 2300), step("avatar/1", 120, 2050)]),
    one(3, "validate_version", 200, 640, [step("front", 0, 640), step("validator/0", 55, 510)]),
    one(4, "export_lobby_history", 503, 5200000,
      [step("front", 0, 5200000), step("lobby_export", 210, 5199000)]),
  ] };
}

const data_operations = new Set(["validate_version", "validate_game", "validate_group",
  "list_regions", "ping", "list_avatars", "export_lobby_history", "download_media",
  "download_export"]);

async function textOf(path, { ops, authorization }) {
  const headers = authorization ? { Authorization: authorization } : {};
  const answer = await fetch(new URL(path, ops), { headers });
  return answer.ok ? answer.text() : null;
}

/** What /metrics says of the data plane: answers by class, and how many took how long together. */
function countedIn(metrics) {
  const answers = { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 };
  let [count, sum_s] = [0, 0];
  for (const line of metrics.split("\n")) {
    const found = /^matchcloud_request(s_total|_duration_seconds_(?:count|sum))\{operation="(\w+)"/
      .exec(line);
    if (!found || !data_operations.has(found[2])) continue;
    const value = Number(line.slice(line.lastIndexOf(" ") + 1));
    if (found[1].endsWith("count")) count += value;
    else if (found[1].endsWith("sum")) sum_s += value;
    else answers[`${/status="(\d)/.exec(line)[1]}xx`] += value;
  }
  return { answers, count, sum_s };
}

// The members that the status will have, from what the service says elsewhere; what it says nowhere
// is made up.
async function extended(event, context, kept) {
  if (event.planes) return event;
  const [metrics, actors, faults] = await Promise.all(
    ["/metrics", "/actors", "/faults"].map((path) => textOf(path, context)));
  const { answers, count, sum_s } = countedIn(metrics);
  const before = kept.counted ?? { count, sum_s };
  kept.counted = { count, sum_s };
  const more = Math.max(0, count - before.count);
  const mean_us = more ? Math.round((sum_s - before.sum_s) / more * 1e6) : 0;
  const all = JSON.parse(actors).actors;
  const points = faults ? JSON.parse(faults).points : null;
  const loops = [...new Set(all.map(({ loop }) => loop))].filter((loop) => loop !== null);
  return {
    ...event,
    uptime_s: Math.round((Date.now() - began) / 1000),
    planes: {
      data: { connections: 0, in_flight: 0, answers },
      ops: { connections: event.connections, in_flight: event.requests_in_flight,
        answers: { "2xx": event.requests_total, "3xx": 0, "4xx": 0, "5xx": 0 } },
    },
    latency_us: { count: more, p50: mean_us, p90: mean_us * 2, p99: mean_us * 4, max: mean_us * 5 },
    loops: loops.map((loop, index) => ({ loop, connections: event.connections,
      plane: index === loops.length - 1 ? "ops" : "data", busy: Math.min(0.8, more / 1000) })),
    memory: { resident_bytes: 61_000_000 + more * 9000, leased_bytes: more * 4000,
      budget_bytes: 268_435_456 },
    actors: {
      running: all.filter(({ state }) => state === "running").length,
      problems: all.filter(({ state }) => state !== "running")
        .map(({ place, state, last_error }) => ({ place, state, last_error })),
    },
    faults: points && {
      armed: points.filter(({ rule }) => rule).length,
      hits: points.reduce((sum, { hits }) => sum + hits, 0),
    },
  };
}

const began = Date.now();

/** A stream that adds to each `status` event what the service does not say yet. */
export function watchedEvents(context) {
  const kept = {};
  let rest = "";
  const extend = async (line) => (line.startsWith("data: ")
    ? `data: ${JSON.stringify(await extended(JSON.parse(line.slice(6)), context, kept))}` : line);
  return new Transform({
    transform(chunk, _, done) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      Promise.all(lines.map(extend)).then(
        (said) => done(null, said.map((line) => `${line}\n`).join("")),
        (error) => done(error));
    },
  });
}
