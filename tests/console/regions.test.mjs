// Regions: a place is chosen by pointer, keyboard and text, and everything about it is shown.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { looksRight, origin, startBrowser, until, withConsole } from "./support/browser.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const ranked = (page) => page.locator("table tbody tr td:nth-child(2)").allInnerTexts();
const hashOf = (page) => new URLSearchParams(new URL(page.url()).hash.split("?")[1]);
const locationOf = (page) => page.getByLabel("Player location");
const table = (page) => page.getByRole("table", { name: "Regions, nearest first" });

test("an address is ranked, with the reply as it is and the request as curl", async () => {
  await withConsole(browser, "#/regions", {}, async (page) => {
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

test("a region that the service does not rank yet is waited for", () =>
  withConsole(browser, "#/regions", {}, async (page) => {
    let asked = 0;
    await page.route(/\/v1\/ranking\?/, async (route) => {
      asked += 1;
      const answer = await (await fetch(route.request().url())).json();
      const regions = answer.listing.regions
        .filter(({ region_id: id }) => asked > 2 || id !== "lon");
      await route.fulfill({ json: { ...answer, listing: { regions } } });
    });
    await page.evaluate(() => {
      location.hash = "#/regions?latitude=51.5&longitude=-0.12&region=lon";
    });
    await page.getByRole("cell", { name: /^London/ }).first().waitFor();
    assert.equal(asked, 3);
  }));

test("a click on the map ranks for that place, and the link keeps it", async () => {
  await withConsole(browser, "#/regions", {}, async (page) => {
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
  await withConsole(browser, "#/regions", {}, async (page) => {
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
  await withConsole(browser, "#/regions?address=:::1.1", { expected }, async (page) => {
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
  await withConsole(browser, "#/regions?address=10.0.0.1", {}, async (page) => {
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
  await withConsole(browser, "#/regions", {}, async (page) => {
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
  await withConsole(browser, "#/regions", {}, async (page) => {
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
  await withConsole(browser, hash, { expected }, async (page, opened) => {
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

test("it looks right in dark and light, at 400 and 3840 px", async () => {
  await looksRight(browser, "#/regions?address=81.2.69.142&players=1", { name: "regions",
    ready: (page) => table(page).waitFor() });
});
