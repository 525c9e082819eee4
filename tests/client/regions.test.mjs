// The clients of clients/ against a scripted service: all of them do the same. run.sh calls this.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { clients } from "./region_clients.mjs";
import { answersAfter, byTurns, hangs, refusingUrl, resets, says, startService, status, takes,
  together } from "./scripted_service.mjs";

const ok = answersAfter(0);
const listing = "/matchmaker/regions";
const report = "/matchmaker/latencies";
/** Limits that no case reaches, so that a case ends only if something else ends it. */
const patient = { timeoutMs: 300_000, limitMs: 600_000 };
/** Long enough for a program that has just started, on a busy machine. */
const short_ms = 1_000;
/** Node.js's timers may end this much earlier. */
const timer_error_ms = 1;

const cases = [];
const all = (name, body) => cases.push([name, body]);

/** Runs `what` at a service with `regions`; `meanwhile` gets the service, and how to cancel. */
async function run(client, what, regions = {}, settings = {}, meanwhile = async () => {}) {
  const service = await startService(regions, settings);
  const { result, cancel } = client.run({ base: service.url, ...what });
  try {
    await meanwhile(service, cancel);
    return { service, ...await result };
  } finally {
    service.stop();
  }
}

/** Measures regions that answer pings as `ways` say; a text is a URL of its own. */
async function measure(client, ways, options) {
  const service = await startService(ways);
  const regions = Object.entries(ways).map(([region_id, way]) => ({ region_id,
    ping_url: typeof way === "string" ? way : `${service.url}/ping/${region_id}` }));
  const { result } = client.run({ action: "measure", base: service.url, regions, options });
  try {
    const { latencies, error } = await result;
    assert.equal(error, undefined);
    return { service, latencies };
  } finally {
    service.stop();
  }
}

const pings = (service, id) => service.of(`/ping/${id}`);
const names = (latencies) => Object.keys(latencies).sort();

all("chooses the fastest region and reports what it measured", async (client) => {
  const what = { action: "choose", token: "mc_player_x", options: patient };
  const { service, regions } = await run(client, what, { lon: answersAfter(500), fra: ok,
    none: null, nrt: answersAfter(250) }, {}, (started) => started.asked(report));
  assert.deepEqual(regions.map((one) => one.region_id), ["fra", "nrt", "lon", "none"]);
  assert.equal(regions[0].region_display_name, "In fra");
  assert.equal(regions[3].latency_ms, undefined);
  const latencies = Object.fromEntries(regions.slice(0, 3).map((one) =>
    [one.region_id, one.latency_ms]));
  const [first, second] = service.of(listing);
  assert.equal(first.query.get("rtt") ?? "", "");
  const sent = second.query.get("rtt").split(",").map((one) => one.split(":"));
  assert.deepEqual(Object.fromEntries(sent.map(([id, ms]) => [id, Number(ms)])), latencies);
  const [reported] = service.of(report);
  assert.deepEqual(JSON.parse(reported.body), { latencies });
  assert.match(reported.type, /^application\/json/);
  for (const { query } of [first, second]) assert.equal(query.get("fields"), "ping_url");
  for (const { token } of [first, second, reported]) assert.equal(token, "Bearer mc_player_x");
  for (const { token } of pings(service, "lon")) assert.equal(token, undefined);
});

/** A listing that is refused for a second, then empty. */
const busyOnce = byTurns(
  (response) => response.writeHead(503, { "Content-Type": "application/problem+json",
    "Retry-After": "1" }).end('{"code":"overloaded","detail":"Busy."}'),
  says(200, '{"regions":[]}', "application/json"));

all("asks again when the service wants that, unless it takes too long", async (client) => {
  const again = await run(client, { action: "list", options: patient }, {}, { list: busyOnce });
  assert.deepEqual(again.regions, []);
  const [first, second] = again.service.of(listing);
  assert.ok(second.at_ms - first.at_ms >= 1_000 - timer_error_ms);
  const options = { timeoutMs: 300_000, limitMs: 900 };
  const { service, error } = await run(client, { action: "list", options }, {}, { list: busyOnce });
  assert.equal(error.status, 503);
  assert.equal(service.of(listing).length, 1);
});

all("names no region in rtt that has not answered", async (client) => {
  const latencies = { lon: 0, fra: 12.5 };
  const one = await run(client, { action: "list", latencies, options: patient }, { lon: ok });
  assert.equal(one.service.of(listing)[0].query.get("rtt"), "fra:12.5");
  const none = await run(client, { action: "list", latencies: { lon: 0 }, options: patient });
  assert.equal(none.service.of(listing)[0].query.get("rtt"), null);
});

all("takes the median of five round trips, without the opening one", async (client) => {
  const [slow_ms, fast_ms] = [1_000, 40];
  const [slow, fast] = [slow_ms, fast_ms].map(answersAfter);
  // The median of six, or of the first five, is another one, and so is the mean.
  const { service, latencies } = await measure(client, { fast: byTurns(slow, slow, slow, fast),
    slow: byTurns(fast, fast, fast, slow) }, patient);
  assert.ok(latencies.slow >= slow_ms - timer_error_ms, `${latencies.slow} ms`);
  assert.ok(latencies.fast >= fast_ms - timer_error_ms && latencies.fast < slow_ms * 0.9,
    `${latencies.fast} ms`);
  assert.equal(latencies.slow, Math.round(latencies.slow * 10) / 10);
  for (const id of ["fast", "slow"]) assert.equal(pings(service, id).length, 6);
});

all("measures on one connection", async (client) => {
  const { service } = await measure(client, { lon: ok }, patient);
  assert.equal(new Set(pings(service, "lon").map(({ port }) => port)).size, 1);
});

all("measures the nearest regions, four at once", async (client) => {
  const ids = Array.from({ length: 20 }, (_, at) => `r${at}`);
  for (const [count, expected] of [[6, 6], [99, 16]]) {
    const four = byTurns(together(4), ok);
    const ways = Object.fromEntries(ids.map((id, at) => [id, at < 5 ? four : ok]));
    ways.r2 = null;
    const options = { ...patient, count };
    const { service } = await run(client, { action: "choose", options }, ways);
    assert.deepEqual(ids.filter((id) => pings(service, id).length),
      ids.filter((id) => id !== "r2").slice(0, expected));
    assert.equal(service.mostPings, 4);
  }
});

all("leaves out regions that refuse, reset, redirect or fail", async (client) => {
  const { latencies } = await measure(client, { refuses: await refusingUrl(), resets,
    fails: status(500), redirects: (response) => response.writeHead(302, { Location: "/" }).end(),
    odd: "no URL", ok }, { count: 7, ...patient });
  assert.deepEqual(names(latencies), ["ok"]);
});

all("needs three of five round trips", async (client) => {
  // The request after a failure does not count either, because it may open a connection.
  const fails = status(503);
  const { latencies } = await measure(client, {
    three: byTurns(ok, ok, fails, ok, fails, ok, ok, ok),
    two: byTurns(ok, ok, fails, ok, fails, ok, ok, fails) }, patient);
  assert.deepEqual(names(latencies), ["three"]);
});

all("keeps to the timeout of a round trip", async (client) => {
  const ways = { slow: byTurns(ok, hangs, ok, hangs, ok, ok), hangs, ok };
  const { service, latencies } = await measure(client, ways, { ...patient, timeoutMs: short_ms });
  assert.deepEqual(names(latencies), ["ok", "slow"]);
  assert.equal(pings(service, "hangs").length, 1);
});

all("keeps to the limit of measuring, and to what it has by then", async (client) => {
  const { latencies } = await measure(client, { hangs, most: byTurns(ok, ok, ok, ok, ok, hangs),
    some: byTurns(ok, ok, ok, hangs) }, { ...patient, limitMs: 3 * short_ms });
  assert.deepEqual(names(latencies), ["most"]);
});

all("lists as before if nothing can be measured", async (client) => {
  const { service, regions } = await run(client, { action: "choose" },
    { lon: null, fra: status(503) });
  assert.deepEqual(regions.map((one) => [one.region_id, one.latency_ms]),
    [["lon", undefined], ["fra", undefined]]);
  assert.deepEqual(service.requests.map(({ path }) => path), [listing, "/ping/fra"]);
});

all("chooses although the report is refused or hangs", async (client) => {
  for (const way of [status(404), hangs]) {
    const { regions } = await run(client, { action: "choose", options: patient }, { lon: ok },
      { report: way });
    assert.equal(regions[0].region_id, "lon");
    assert.equal(typeof regions[0].latency_ms, "number");
  }
});

all("says whether the service learns from a report", async (client) => {
  const latencies = { lon: 23.1, fra: 0.5 };
  const what = { action: "report", latencies };
  const { service, taken } = await run(client, what);
  assert.equal(taken, true);
  assert.deepEqual(JSON.parse(service.of(report)[0].body), { latencies });
  what.options = { limitMs: short_ms };
  for (const way of [takes(false), says(429, `{"detail": "Too many."}`), resets, hangs]) {
    assert.equal((await run(client, what, {}, { report: way })).taken, false);
  }
});

all("says why the service refuses a listing", async (client) => {
  const what = { action: "choose" };
  const failed = async (list) => (await run(client, what, {}, { list })).error;
  const problem = { status: 429, code: "rate_limited", detail: "Retry in 2 s.", name: "x" };
  const refused = await failed(says(429, JSON.stringify(problem)));
  assert.deepEqual([refused.name, refused.status, refused.code, refused.detail],
    ["MatchcloudError", 429, "rate_limited", "Retry in 2 s."]);
  assert.match(refused.message, /\/matchmaker\/regions.*429.*Retry in 2 s\./);
  for (const [code, body, type] of [[502, "<html>", "text/html"],
    [200, "<html>Log in to this Wi-Fi", "text/html"], [200, "{}", "application/json"]]) {
    const error = await failed(says(code, body, type));
    assert.deepEqual([error.name, error.status], ["MatchcloudError", code]);
  }
});

all("says that a listing did not arrive", async (client) => {
  const what = { action: "choose", options: { limitMs: short_ms } };
  for (const [list, more] of [[resets], [hangs], [null, { base: await refusingUrl() }]]) {
    const { error } = await run(client, { ...what, ...more }, {}, { list });
    assert.deepEqual([error.name, error.status], ["MatchcloudError", 0]);
    assert.match(error.message, /\/matchmaker\/regions/);
  }
});

all("ends at once when it is cancelled", async (client) => {
  const waits = { lon: byTurns(ok, ok, hangs), fra: hangs, iad: hangs, nrt: hangs, syd: hangs };
  for (const [path, regions, settings] of [[listing, { lon: ok }, { list: hangs }],
    ["/ping/lon", { lon: hangs }], ["/ping/nrt", waits]]) {
    const { error } = await run(client, { action: "choose", options: patient }, regions, settings,
      async (service, cancel) => {
        await service.asked(path);
        await cancel();
      });
    assert.equal(error.name, "cancelled");
  }
});

all("works behind a base path", async (client) => {
  const regions = { lon: ok, fra: null };
  const { regions: listed } = await run(client, { action: "list", latencies: { fra: 3.5 } },
    regions, { basePath: "/mm" });
  assert.deepEqual(listed.map((one) => [one.region_id, one.latency_ms]), [["fra", 3.5],
    ["lon", undefined]]);
});

test("the README's example runs", async () => {
  const service = await startService({ lon: ok });
  const readme = await readFile(new URL("../../clients/README.md", import.meta.url), "utf8");
  const example = /^```js\n(.*?)^```/ms.exec(readme)[1]
    .replace("https://matchmaker.example", service.url)
    .replace("./", new URL("../../clients/javascript/", import.meta.url).href);
  const { stdout } = await promisify(execFile)(process.execPath,
    ["--input-type=module", "--eval", example]);
  service.stop();
  assert.match(stdout, /^lon \d+(\.\d)?\n$/);
  assert.match(service.of(listing)[0].token, /^Bearer mc_player_/);
});

// The clients at the same time, because they mostly wait.
describe("regions", { concurrency: clients.length }, () => {
  for (const client of clients) {
    describe(client.name, { concurrency: 1 }, () => {
      before(() => client.start());
      after(() => client.stop());
      for (const [name, body] of cases) test(name, () => body(client));
    });
  }
});
