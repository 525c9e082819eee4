// Regions: a place is chosen by pointer, keyboard and text, on a map that zooms, and ranked.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  cellText, disagreements, isLearned, ordersOf, rowsOf, sourceText,
} from "../../console/src/panels/regions/latency.js";
import { judge, looksRight, origin, until, withConsole } from "./support/browser.mjs";
import { ask, demoFolder, startService } from "./support/service.mjs";

const ranked = (page) => page.locator("table tbody tr td:nth-child(2)").allInnerTexts();
const hashOf = (page) => new URLSearchParams(new URL(page.url()).hash.split("?")[1]);
const locationOf = (page) => page.getByLabel("Player location");
const table = (page) => page.getByRole("table", { name: "Regions, nearest first" });

test("an address is ranked, with the reply as it is and the request as curl", async () => {
  await withConsole("#/regions", {}, async (page) => {
    await locationOf(page).fill("81.2.69.142");
    await page.keyboard.press("Enter");
    await table(page).waitFor();
    assert.match((await ranked(page))[0], /London/);
    assert.equal(hashOf(page).get("address"), "81.2.69.142");
    assert.equal(await page.locator(".arc").count(), 12);
    const summary = page.locator(".reply summary");
    await summary.click();
    const reply = await page.locator(".reply pre").innerText();
    assert.ok(reply.startsWith('{"regions":[{"region_id":"lon"'), reply.slice(0, 80));
    const bytes = new TextEncoder().encode(reply).length.toLocaleString("en");
    assert.ok((await summary.innerText()).includes(`${bytes} bytes`));
    assert.equal(await page.locator("button.curl").count(), 4);
  });
});

test("a click on the map ranks for that place, and the link keeps it", async () => {
  await withConsole("#/regions", {}, async (page) => {
    await page.locator(".world .datacenter").first().waitFor();
    const sydney = page.locator(".world .datacenter circle", { hasText: "Sydney" });
    const box = await sydney.boundingBox();
    await page.mouse.click(box.x + box.width / 2 + 12, box.y + box.height / 2 + 12);
    await table(page).waitFor();
    assert.match((await ranked(page))[0], /Sydney/);
    assert.ok(Number(hashOf(page).get("latitude")) < -30);
    assert.ok(Number(hashOf(page).get("longitude")) > 145);
    await page.reload();
    await table(page).waitFor();
    assert.match((await ranked(page))[0], /Sydney/);
  });
});

test("arrow keys move a cross and Enter ranks; outside the globe there are no places", async () => {
  await withConsole("#/regions", {}, async (page) => {
    await page.locator(".world .land").waitFor();
    const box = await page.locator(".world").boundingBox();
    await page.mouse.click(box.x + 2, box.y + 2);
    await page.locator(".world").focus();
    for (let press = 0; press < 7; ++press) await page.keyboard.press("ArrowUp");
    for (let press = 0; press < 28; ++press) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Shift+ArrowLeft");
    await page.locator(".world .aim").waitFor();
    assert.equal(hashOf(page).get("latitude"), null);
    await page.keyboard.press("Enter");
    await table(page).waitFor();
    assert.deepEqual([hashOf(page).get("latitude"), hashOf(page).get("longitude")], ["35", "139"]);
    assert.match((await ranked(page))[0], /Tokyo/);
  });
});

test("an invalid place shows what to type, and a refusal shows the service's reason", async () => {
  const expected = [/400/];
  await withConsole("#/regions?address=:::1.1", { expected }, async (page) => {
    await locationOf(page).fill("12");
    await page.keyboard.press("Enter");
    await page.getByText("Type an address such as").waitFor();
    await locationOf(page).fill("Atlantis");
    await page.keyboard.press("Enter");
    await page.getByText("No city in the list is called Atlantis.").waitFor();
    assert.equal(await locationOf(page).getAttribute("aria-invalid"), "true");
    await page.route("**/v1/ranking?*", (route) => route.fulfill({ status: 400,
      contentType: "application/problem+json", body: JSON.stringify({ status: 400,
        code: "query_invalid", detail: "No <b>address</b>." }) }));
    await locationOf(page).fill("1.2.3.4");
    await page.keyboard.press("Enter");
    await page.getByText("No <b>address</b>.").waitFor();
    await page.getByText("No ranking, because the location was refused.").waitFor();
  });
});

test("for an address without a place, the page says what to do, and draws no arcs", async () => {
  await withConsole("#/regions?address=10.0.0.1", {}, async (page) => {
    // The service of these tests has no GeoIP file, but a fallback-location.
    await page.getByText("The location of 10.0.0.1 is unknown.").waitFor();
    await page.getByText(/This service has no GeoIP file. Start it with --geoip FILE\.$/).waitFor();
    await page.getByText("Ordered by distance from the fallback location").waitFor();
    await page.route("**/v1/attention", (route) => route.fulfill({ json: { findings: [] } }));
    await page.route("**/v1/ranking?*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...await response.json(), place: null,
        source: "unknown" } });
    });
    await page.reload();
    await page.getByText("The GeoIP files do not contain it").waitFor();
    await page.getByText("set fallback-location").waitFor();
    await page.getByText("Ordered by id, because all distances count as 0.").waitFor();
    assert.equal(await page.locator(".arc").count(), 0);
  });
});

test("a namespace is chosen, and regions' names are text", async () => {
  const name = "<img src=x onerror=alert(1)>";
  await withConsole("#/regions", {}, async (page) => {
    await page.route("**/v1/regions", async (route) => {
      const response = await route.fetch();
      const body = await response.json();
      body.regions.find((one) => one.region_id === "lon").region_display_name = name;
      await route.fulfill({ response, json: body });
    });
    await page.route("**/v1/ranking?*", async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({ response, body: text.replace("London", name) });
    });
    await page.reload();
    await page.getByRole("combobox", { name: "Namespace" }).click();
    await page.getByRole("option", { name: "Demo Game: staging" }).click();
    await until(() => hashOf(page).get("namespace"));
    await locationOf(page).fill("51.5, -0.12");
    const asked = page.waitForRequest(/ranking/);
    await page.keyboard.press("Enter");
    assert.match((await asked).url(), /latitude=51.5&longitude=-0.12&namespace_id=0000/);
    await table(page).waitFor();
    assert.ok((await ranked(page))[0].includes(name));
    assert.equal(await page.locator("main img").count(), 0);
  });
});

const counted = { enabled: true, window_s: 600, cell_degrees: 5, unknown: 42,
  cells: [{ latitude: 52.5, longitude: 2.5, requests: 840 },
    { latitude: -32.5, longitude: 152.5, requests: 9 }] };

test("the places of players are a layer, or the page says that they are not counted", async () => {
  await withConsole("#/regions", {}, async (page) => {
    await page.route("**/v1/places", (route) => route.fulfill({ json: counted }));
    await page.getByLabel("Where players are").check();
    await page.locator(".world .cell").first().waitFor();
    await page.getByText(/more from unknown places/).waitFor();
    assert.equal(hashOf(page).get("players"), "1");
    await page.route("**/v1/places", (route) => route.fulfill({ json: { ...counted,
      enabled: false, unknown: 0, cells: [] } }));
    await page.reload();
    await page.getByText("does not count where players are").waitFor();
    assert.equal(await page.locator(".world .cell").count(), 0);
  });
});

const before_pings = new Map();

async function putRegion(id, region) {
  await fetch(`${origin}/v1/regions/${id}`, { method: "PUT", body: JSON.stringify(region),
    headers: { "Content-Type": "application/json" } });
}

after(() => Promise.all([...before_pings].map(([id, region]) => putRegion(id, region))));

// The policy that the page is served with names the origins of the catalog's ping_urls.
async function withPings(page, pings) {
  for (const [id, ping_url] of Object.entries(pings)) {
    const region = await (await fetch(`${origin}/v1/regions/${id}`)).json();
    before_pings.set(id, region);
    await putRegion(id, { ...region, ping_url });
  }
  const pinged = new URL(Object.values(pings)[0]).origin;
  await until(async () => (await fetch(origin)).headers.get("content-security-policy")
    .includes(pinged), "a policy with the catalog's origins");
  await page.reload();
}

test("regions with a ping_url are measured from here, next to the computed order", async () => {
  const plane = process.env.MATCHCLOUD_DATA_URL;
  const expected = [/404|CORS|ERR_FAILED/];
  const hash = "#/regions?address=81.2.69.142";
  await withConsole(hash, { expected }, async (page, opened) => {
    await page.getByText("give regions a").waitFor();
    await withPings(page, { lon: `${plane}/ping`, fra: `${plane}/ping`,
      iad: `${plane}/no-such-path` });
    await page.getByRole("button", { name: "Measure from here" }).click();
    await page.getByText(/Lowest latency: /).waitFor();
    await page.getByText(/Not reached: 1/).waitFor();
    assert.equal(await page.getByRole("cell", { name: "not reached" }).count(), 1);
    assert.equal(await page.locator("td", { hasText: / ms #[12]$/ }).count(), 2);
    assert.equal(opened.requests.filter(({ path }) => path === "/ping").length, 12);
  });
});
const zoomTo = (page, name) => page.getByRole("button", { name, exact: true }).click();

/** As many regions as a large studio has, four of them in one city and two in one building. */
const many = Array.from({ length: 60 }, (_, n) => ({ region_id: `r${n}`,
  region_display_name: `Region ${n}`, provider_display_name: `Provider ${n % 3}`,
  datacenter_coord: n < 4 ? { latitude: 48.8 + Math.max(1, n) / 10, longitude: 2.4 }
    : { latitude: -50 + (n % 10) * 11, longitude: -160 + Math.floor(n / 10) * 60 } }));

async function withMany(page) {
  await page.route("**/v1/regions", (route) => route.fulfill({ json: { regions: many } }));
  await page.route("**/v1/ranking?*", (route) => route.fulfill({ json: { ranked_by: "distance",
    place: { latitude: 48.9, longitude: 2.4 }, source: "coordinates", country: null, asn: null,
    file: null, cells: [], latencies: [],
    listing: { regions: many.map((region, n) => ({ ...region,
      datacenter_distance_from_client: { kilometers: n, miles: n } })) } } }));
  await page.reload();
  await table(page).waitFor();
}

test("a city is found without its diacritics, and the first letter loads the list", async () => {
  await withConsole("#/regions", {}, async (page, { requests }) => {
    await page.locator(".world .land").waitFor();
    await locationOf(page).fill("51.5, -0.1");
    const loaded = requests.length;
    await locationOf(page).fill("são pau");
    const first = page.getByRole("option").first();
    await first.waitFor();
    assert.equal(requests.slice(loaded).filter(({ path }) => /assets/.test(path)).length, 1);
    assert.match(await first.innerText(), /^Sao Paulo\s+Brazil$/);
    await judge(page);
    await page.keyboard.press("Enter");
    await table(page).waitFor();
    assert.match(await page.locator("tbody tr").first().innerText(), /^1\s+Sao Paulo gru/);
    assert.equal(hashOf(page).get("city"), "Sao Paulo, BR");
    assert.equal(hashOf(page).get("latitude"), "-23.6");
    await page.reload();
    await page.getByRole("heading", { name: "Ranking for Sao Paulo, BR" }).waitFor();
    assert.equal(await locationOf(page).inputValue(), "Sao Paulo, BR");
  });
});

test("suggestions are chosen by keys and by pointer, and Escape closes them", async () => {
  await withConsole("#/regions", {}, async (page) => {
    await locationOf(page).fill("london");
    await page.getByRole("option", { name: "London Canada" }).waitFor();
    assert.match(await page.getByRole("option", { selected: true }).innerText(), /United Kingdom/);
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "London Canada", selected: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("option").first().waitFor({ state: "hidden" });
    await locationOf(page).fill("tokyo");
    await page.getByRole("option", { name: "Tokyo Japan" }).click();
    await until(() => hashOf(page).get("city") === "Tokyo, JP");
    // A user who is faster than the list gets the first city, too.
    await locationOf(page).fill("frankfurt");
    await page.getByRole("button", { name: "Rank", exact: true }).click();
    await until(() => hashOf(page).get("city") === "Frankfurt, DE");
    assert.equal(hashOf(page).get("address"), null);
  });
});

test("regions that overlap are one mark with their number, and a click shows them", async () => {
  await withConsole("#/regions?latitude=48.9&longitude=2.4", {}, async (page) => {
    await withMany(page);
    const paris = page.locator(".cluster", { hasText: "Region 0, Region 1" });
    await paris.click();
    await page.getByRole("button", { name: "Whole world" }).waitFor();
    await page.locator(".world").focus();
    for (let press = 0; press < 5; ++press) await page.keyboard.press("+");
    // Two of them are at the same place: at the highest zoom, they are next to each other.
    for (const id of ["r0", "r1", "r2", "r3"]) {
      assert.equal(await page.locator(`.datacenter[data-region=${id}]`).count(), 1, id);
    }
    await page.keyboard.press("0");
    await page.getByRole("button", { name: "Whole world" }).waitFor({ state: "detached" });
    assert.equal(await page.locator("[data-region=r0].datacenter").count(), 0);
  });
});

test("the map zooms by wheel and buttons, and a drag moves it without ranking", async () => {
  await withConsole("#/regions?latitude=0&longitude=0", {}, async (page) => {
    const ground = page.locator(".world svg > g").first();
    await table(page).waitFor();
    const before = await ground.getAttribute("transform");
    await zoomTo(page, "Zoom in");
    await zoomTo(page, "Zoom in");
    await until(async () => /scale\(4\)/.test(await ground.getAttribute("transform")));
    const box = await page.locator(".world").boundingBox();
    const near = [box.x + box.width * 0.4, box.y + box.height * 0.3];
    const zoomed = await ground.getAttribute("transform");
    await page.mouse.move(...near);
    await page.mouse.down();
    await page.mouse.move(near[0] + 60, near[1] + 20, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await ground.getAttribute("transform"), zoomed);
    assert.equal(hashOf(page).get("latitude"), "0");
    await zoomTo(page, "Whole world");
    await until(async () => await ground.getAttribute("transform") === before);
    await page.mouse.move(...near);
    await page.mouse.wheel(0, -600);
    await until(async () => !/scale\(1\)/.test(await ground.getAttribute("transform")));
    assert.equal(await page.evaluate(() => scrollY), 0);
    await page.mouse.click(...near);
    await until(() => hashOf(page).get("latitude") !== "0", "the place that was clicked");
  });
});

test("a region is found by its name, and one that a link names is in view", async () => {
  const hash = "#/regions?latitude=48.9&longitude=2.4&region=r57";
  await withConsole(hash, { viewport: { width: 1440, height: 900 } }, async (page) => {
    await withMany(page);
    const isInSight = () => page.locator("tr.chosen").evaluate((row) => {
      const [its, seen] = [row, row.closest(".scroll")].map((one) => one.getBoundingClientRect());
      return its.top >= seen.top && its.bottom <= seen.bottom + 1;
    });
    await until(isInSight, "the row of the region in sight");
    await page.getByLabel("Find a region").fill("REGION 44 provider");
    await page.getByText("1 of 60").waitFor();
    assert.match(await page.locator("tbody tr").innerText(), /^45\s+Region 44/);
    await page.getByLabel("Find a region").fill("nowhere");
    await page.getByText("No region has this name.").waitFor();
    await page.getByLabel("Find a region").fill("");
    await judge(page);
  });
});

const place = { latitude: 51.5, longitude: -0.12 };
const hash = "#/regions?address=203.0.113.99";
const network = "203.0.113.0/24";

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
  await withConsole(hash, {}, async (page) => {
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

test("if nothing can be predicted, the page says what to do", async () => {
  await withConsole(hash, {}, async (page) => {
    await withLatencies(page, () => null, { place: null, source: "unknown" });
    await page.getByText("No latency is predicted, because the place is unknown").waitFor();
    await page.getByText("POST /matchmaker/latencies").waitFor();
    assert.equal(await page.getByRole("columnheader", { name: "Latency" }).count(), 0);
    assert.equal(await page.locator(".groups").count(), 0);
  });
});

test("the page shows what was learned from reports, whatever its colors and width", async () => {
  const service = await startService({ dataDir: demoFolder(), flags: ["--rank-by", "latency",
    "--trusted-proxies", "127.0.0.0/8", "--fallback-location", "51.5,-0.12"] });
  const report = async (client) => {
    const response = await fetch(new URL("/matchmaker/latencies", service.data), { method: "POST",
      headers: { "Content-Type": "application/json", "X-Forwarded-For": client },
      body: JSON.stringify({ latencies: { lon: 31, fra: 12.5, iad: 90 } }) });
    assert.deepEqual(await response.json(), { taken: true, unknown: [] });
  };
  try {
    await withConsole(hash, { url: service.ops }, (page) =>
      page.getByText(/Nothing has been learned for this place yet/).waitFor());
    for (let client = 1; client <= 12; ++client) await report(`203.0.113.${client}`);
    await until(async () => (await ask("GET", "/v1/ranking?address=203.0.113.99", null,
      { url: service.ops })).cells.length, "reports in the ranking");
    await looksRight(hash, { name: "regions-learned", url: service.ops,
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
