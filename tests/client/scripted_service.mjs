// A service for the clients in clients/: its listing is as the real one's, and how it answers pings
// is scripted per region.
import { once } from "node:events";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";

/** Ways to answer a request: functions of the response, and of how often that was asked before. */
export const status = (code) => (response) => response.writeHead(code).end();
export const hangs = () => {};
export const resets = (response) => response.socket.resetAndDestroy();
export const answersAfter = (ms) => (response) =>
  setTimeout(() => response.writeHead(204).end(), ms);
/** Answers one request after the other by one of `ways` each; the last one answers the rest. */
export const byTurns = (...ways) => (response, count) =>
  ways[Math.min(count, ways.length - 1)](response, count);
/** Answers when `wanted` requests wait, and all of them. */
export const together = (wanted) => {
  const waiting = [];
  return (response) => {
    waiting.push(response);
    if (waiting.length === wanted) waiting.splice(0).forEach((one) => one.writeHead(204).end());
  };
};
export const says = (code, body, type = "application/problem+json") => (response) =>
  response.writeHead(code, { "Content-Type": type }).end(body);

export const takes = (taken) =>
  says(200, JSON.stringify({ taken, unknown: [] }), "application/json");

const listed = (region_id, index, ping_url) => ({ region_id, region_display_name: `In ${region_id}`,
  provider_display_name: "A cloud", datacenter_coord: { latitude: 50, longitude: index },
  datacenter_distance_from_client: { kilometers: index * 100, miles: index * 62.137 },
  ...(ping_url && { ping_url }) });

/** Orders as the real service does: what `rtt` names by latency, then the rest as it was. */
function ranked(regions, rtt) {
  const measured = new Map((rtt ?? "").split(",").map((element) => element.split(":")));
  const latency = ({ region_id }) => Number(measured.get(region_id) ?? Infinity);
  return [...regions].sort((a, b) => latency(a) - latency(b) || 0);
}

/** Lets pages of any origin read the answer, and exact times if `timing` is true. */
function letPagesRead(request, response, timing) {
  response.setHeader("Access-Control-Allow-Origin", request.headers.origin ?? "*");
  response.setHeader("Access-Control-Allow-Headers", "Authorization, Content-Type");
  response.setHeader("Access-Control-Expose-Headers", "Retry-After");
  if (timing) response.setHeader("Timing-Allow-Origin", "*");
}

/**
 * Starts a service on a port of the kernel's choice. `regions` are ways to answer pings by region
 * id, in the order of the listing; a string is another `ping_url`, null is none. Its `requests` are
 * what was asked so far, `mostPings` is the highest number of pings under way at the same time;
 * `asked(path)` waits for the next request of a path.
 */
export async function startService(regions, { list = null, report = takes(true), timing = true,
  basePath = "" } = {}) {
  const service = { requests: [], mostPings: 0, pings: 0, waiting: [] };
  const entries = Object.entries(regions);
  const listAll = (response, count, query) => {
    const all = entries.map(([id, way], index) => listed(id, index,
      typeof way === "function" ? `${service.url}/ping/${id}` : way));
    const answer = JSON.stringify({ regions: ranked(all, query.get("rtt")) });
    says(200, answer, "application/json")(response);
  };
  const ways = { "GET /matchmaker/regions": list ?? listAll, "POST /matchmaker/latencies": report,
    ...Object.fromEntries(entries.map(([id, way]) => [`GET /ping/${id}`, way])) };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, service.url);
    const path = pathname.slice(basePath.length);
    letPagesRead(request, response, timing);
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    const body = await text(request).catch(() => "");
    if (path.startsWith("/ping/")) {
      service.mostPings = Math.max(service.mostPings, ++service.pings);
      response.on("close", () => --service.pings);
    }
    const same = service.requests.filter((earlier) => earlier.path === path);
    service.requests.push({ method: request.method, path, query: searchParams, body,
      token: request.headers.authorization, type: request.headers["content-type"],
      port: request.socket.remotePort, at_ms: performance.now() });
    service.waiting = service.waiting.filter((one) => one.path !== path || void one.resolve());
    const way = ways[`${request.method} ${path}`] ?? status(404);
    return way(response, same.length, searchParams);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  service.url = `http://127.0.0.1:${server.address().port}${basePath}`;
  service.asked = (path) => new Promise((resolve) => service.waiting.push({ path, resolve }));
  service.of = (path) => service.requests.filter((request) => request.path === path);
  service.stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return service;
}

/** A URL at which nobody listens. */
export async function refusingUrl() {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}/ping`;
}
