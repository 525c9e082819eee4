// Regions: predicted latency next to distance, where the two disagree, and what it is based on.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { cellText, disagreements, isLearned, ordersOf, rowsOf, sourceText }
  from "../../console/src/panels/regions/latency.js";
import { judge, looksRight, startBrowser, until, withConsole } from "./support/browser.mjs";
import { ask, demoFolder, startService } from "./support/service.mjs";

const place = { latitude: 51.5, longitude: -0.12 };
const hash = "#/regions?address=203.0.113.99";
const network = "203.0.113.0/24";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const region = (id, kilometers) => ({ region_id: id,
  datacenter_distance_from_client: { kilometers, miles: kilometers / 1.609344 } });
const predicted = (id, ms, source = "place") => ({ region_id: id,
  latency: ms === null ? null : { ms, confidence: 0.5, source, reports: 2 } });
const regions = [region("a", 10), region("b", 422), region("c", 900), region("d", 5_000)];

test("regions that are earlier or later by latency say by how much", () => {
  const latencies = [predicted("a", 30.5), predicted("b", 16.3), predicted("c", 20),
    predicted("d", 20)];
  const rows = rowsOf({ listing: { regions }, latencies });
  const orders = ordersOf(rows, place);
  assert.deepEqual(orders.fast.map(({ region_id: id }) => id), ["b", "c", "d", "a"]);
  assert.deepEqual([...disagreements(orders)], [["b", "fastest, though 412 km farther"],
    ["c", "1 place earlier by latency"], ["d", "1 place earlier by latency"],
    ["a", "nearest, though 14.2 ms slower"]]);
  // The same, in whichever order the service lists them.
  const turned = rowsOf({ listing: { regions: [...regions].reverse() }, latencies });
  assert.deepEqual([...disagreements(ordersOf(turned, place))], [...disagreements(orders)]);
});

test("equal latencies, unknown ones and unknown places are no disagreement", () => {
  const equal = rowsOf({ listing: { regions }, latencies: [predicted("a", 20),
    predicted("b", 20), predicted("c", null), predicted("d", 99)] });
  assert.deepEqual([...disagreements(ordersOf(equal, place))], []);
  const rows = rowsOf({ listing: { regions },
    latencies: [predicted("a", 30), predicted("b", 20)] });
  assert.equal(disagreements(ordersOf(rows, place)).size, 2);
  assert.equal(disagreements(ordersOf(rows, null)).size, 0);
  assert.equal(disagreements(ordersOf([], place)).size, 0);
});

test("nothing is learned from distance alone, or if the service predicts nothing", () => {
  const rows = (latencies) => rowsOf({ listing: { regions }, latencies });
  assert.equal(isLearned(rows([predicted("a", 1, "distance"), predicted("b", null)])), false);
  assert.equal(isLearned(rows([predicted("a", 1, "distance"), predicted("b", 1)])), true);
  assert.equal(isLearned(rows(undefined)), false);
});

test("sources and groups are put into words", () => {
  const said = (source, reports) => sourceText({ source, reports });
  assert.deepEqual([said("network", 1), said("place", 12), said("neighbours", 0), said("new", 3)],
    ["this network, 1 report", "this place, 12 reports", "places nearby", "new"]);
  assert.deepEqual(cellText({ kind: "network", cell: "192.0.2.0/24", regions: 3, reports: 12 }),
    { group: "Network 192.0.2.0/24", said: "up to 12 reports of each of 3 regions" });
  assert.equal(cellText({ kind: "place", cell: "1,2", regions: 1, reports: 1 }).said,
    "1 report of 1 region");
  assert.equal(cellText({ kind: "place", cell: "1,2", regions: 2, reports: 0 }).said,
    "old reports of 2 regions");
});

/** Lets the service rank, and puts the predictions of `latencyOf(region_id)` into its reply. */
async function withLatencies(page, latencyOf, more = {}) {
  await page.route("**/v1/ranking?*", async (route) => {
    const response = await route.fetch();
    const ranking = await response.json();
    const ids = ranking.listing.regions.map(({ region_id: id }) => id);
    await route.fulfill({ response, json: { ...ranking, ranked_by: "distance", country: null,
      asn: null, file: null, cells: [], ...more,
      latencies: ids.map((id) => ({ region_id: id, latency: latencyOf(id) })) } });
  });
  await page.reload();
}

const near_first = (page) => page.getByRole("table", { name: "Regions, nearest first" });
const fast_first = (page) => page.getByRole("table", { name: "Regions, fastest first" });
const rowOf = (page, name) => page.getByRole("row").filter({ hasText: name });

const latencies = {
  lon: { ms: 31, confidence: 0.86, source: "network", reports: 12 },
  fra: { ms: 8.1, confidence: 0.9, source: "network", reports: 1 },
  iad: { ms: 71.26, confidence: 0.2, source: "neighbours", reports: 0 },
};
const distance = { ms: 400, confidence: 0, source: "distance", reports: 0 };

test("each region has its latency, confidence and source, and may be sorted by keys", async () => {
  await withConsole(browser, hash, {}, async (page) => {
    await withLatencies(page, (id) => latencies[id] ?? distance, { country: "GB", asn: 5089,
      file: "/data/<b>.mmdb", cells: [
        { kind: "network", cell: network, regions: 2, reports: 12 },
        { kind: "place", cell: "51.625,-0.125", regions: 1, reports: 16 }] });
    await near_first(page).waitFor();
    await page.getByText("Ordered by distance from the fallback location (rank-by). Frankfurt is "
      + "the fastest: 22.9 ms").waitFor();
    assert.match(await rowOf(page, "London").innerText(),
      /nearest, though 22\.9 ms slower\s+1 km\s+31\.0 ms\s+86 %\s+this network, 12 reports/);
    assert.match(await rowOf(page, "Frankfurt").innerText(),
      /fastest, though 638 km farther\s+639 km\s+8\.1 ms\s+90 %\s+this network, 1 report\b/);
    await rowOf(page, "Ashburn").getByText("places nearby").waitFor();
    await page.getByText("Country GB, internet provider AS5089, from /data/<b>.mmdb").waitFor();
    assert.deepEqual(await page.locator(".groups li").allInnerTexts(),
      [`Network ${network}: up to 12 reports of each of 2 regions`,
        "Place around 51.625,-0.125: 16 reports of 1 region"]);
    await page.getByRole("status").getByText("Nearest: London. Fastest: Frankfurt.").waitFor(
      { state: "attached" });

    await page.getByRole("button", { name: "Distance" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const sorted = page.getByRole("columnheader", { name: "Latency" });
    assert.equal(await sorted.getAttribute("aria-sort"), "ascending");
    assert.match(await page.locator("tbody tr").first().innerText(), /Frankfurt/);
    await judge(page);
  });
});

test("if the two orders agree, nothing is marked", async () => {
  await withConsole(browser, hash, {}, async (page) => {
    await withLatencies(page, (id) => (id === "lon" ? latencies.fra : distance));
    await page.getByText("The nearest region is also the fastest.").waitFor();
    assert.equal(await page.locator("main .badge").count(), 0);
    await page.getByText("None here: the latencies come from places nearby.").waitFor();
  });
});

test("if nothing can be predicted, the page says what to do", async () => {
  await withConsole(browser, hash, {}, async (page) => {
    await withLatencies(page, () => null, { place: null, source: "unknown" });
    await page.getByText("No latency is predicted, because the place is unknown").waitFor();
    await page.getByText("POST /matchmaker/latencies").waitFor();
    assert.equal(await page.getByRole("columnheader", { name: "Latency" }).count(), 0);
    assert.equal(await page.locator(".groups").count(), 0);
  });
});

test("it looks right in dark and light, at 400 and 3840 px, before and after reports", async () => {
  const service = await startService({ dataDir: demoFolder(), flags: ["--rank-by", "latency",
    "--trusted-proxies", "127.0.0.0/8", "--fallback-location", "51.5,-0.12"] });
  const report = async (client) => {
    const response = await fetch(new URL("/matchmaker/latencies", service.data), { method: "POST",
      headers: { "Content-Type": "application/json", "X-Forwarded-For": client },
      body: JSON.stringify({ latencies: { lon: 31, fra: 12.5, iad: 90 } }) });
    assert.deepEqual(await response.json(), { taken: true, unknown: [] });
  };
  try {
    const ready = (page) => page.getByText(/Nothing has been learned for this place yet/).waitFor();
    await looksRight(browser, hash, { name: "regions-unlearned", url: service.ops, ready });

    for (let client = 1; client <= 12; ++client) await report(`203.0.113.${client}`);
    await until(async () => (await ask("GET", "/v1/ranking?address=203.0.113.99", null,
      { url: service.ops })).cells.length, "reports in the ranking");
    await looksRight(browser, hash, { name: "regions-learned", url: service.ops,
      ready: async (page) => {
        await fast_first(page).waitFor();
        await page.getByText("Ordered by predicted latency from the fallback location (rank-by). "
          + "Frankfurt is the fastest").waitFor();
        assert.match(await page.locator("tbody tr").first().innerText(),
          /Frankfurt fra Demo Cloud\s+fastest, though 638 km farther[\s\S]*this network, \d+ rep/);
        assert.match(await rowOf(page, "London").innerText(), /nearest, though [\d.]+ ms slower/);
        await page.locator(".groups li", { hasText: `Network ${network}: up to` }).waitFor();
      } });
  } finally {
    await service.stop();
  }
});
