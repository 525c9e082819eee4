// Answers of rows that the service does not have yet, for serve.mjs alone: delete this file, and
// what serve.mjs imports from it, once it has them all. A fake is used only where the service
// answers 404 or leaves the members out.
import { Transform } from "node:stream";

/** What is answered to `method` and `path`: the JSON of `answer(match, url, body, context)`. */
const fakes = [
  { method: "GET", path: /^\/v1\/traces$/, answer: traces },
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

let seen = null;

// The members that the status will have, made up from those that it has.
function extended(event) {
  if (event.planes) return event;
  const before = seen ?? { requests_total: event.requests_total, ok: 0, began: Date.now() };
  const more = Math.max(0, event.requests_total - before.requests_total);
  seen = { ...before, requests_total: event.requests_total, ok: before.ok + more };
  const wave = 200 + Math.round(100 * Math.sin(Date.now() / 9000));
  return {
    ...event,
    uptime_s: Math.round((Date.now() - seen.began) / 1000),
    planes: {
      data: { connections: 0, in_flight: 0,
        answers: { "2xx": seen.ok, "3xx": 0, "4xx": 0, "5xx": 0 } },
      ops: { connections: event.connections, in_flight: event.requests_in_flight,
        answers: { "2xx": event.requests_total, "3xx": 0, "4xx": 0, "5xx": 0 } },
    },
    latency_us: more ? { count: more, p50: wave, p90: wave * 2, p99: wave * 5, max: wave * 9 }
      : { count: 0, p50: 0, p90: 0, p99: 0, max: 0 },
    loops: [
      { loop: 0, plane: "data", connections: 0, busy: 0.1 + wave / 4000 },
      { loop: 1, plane: "data", connections: 0, busy: 0.05 + wave / 5000 },
      { loop: 2, plane: "ops", connections: event.connections, busy: 0.01 },
    ],
    memory: { resident_bytes: 61_000_000 + wave * 9000, leased_bytes: wave * 4000,
      budget_bytes: 268_435_456 },
    actors: { running: 18, problems: [] },
    faults: null,
  };
}

/** A stream that adds to each `status` event what the service does not say yet. */
export function watchedEvents() {
  let rest = "";
  return new Transform({
    transform(chunk, _, done) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      const said = lines.map((line) => (line.startsWith("data: ")
        ? `data: ${JSON.stringify(extended(JSON.parse(line.slice(6))))}` : line));
      done(null, said.map((line) => `${line}\n`).join(""));
    },
  });
}
