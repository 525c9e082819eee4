// Regions: cities by name, a map that zooms, and the ranking next to it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { judge, startBrowser, until, withConsole } from "./support/browser.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const hashOf = (page) => new URLSearchParams(new URL(page.url()).hash.split("?")[1]);
const table = (page) => page.getByRole("table", { name: "Regions, nearest first" });
const locationOf = (page) => page.getByLabel("Player location");
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
  await withConsole(browser, "#/regions", {}, async (page, { requests }) => {
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
  await withConsole(browser, "#/regions", {}, async (page) => {
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
  await withConsole(browser, "#/regions?latitude=48.9&longitude=2.4", {}, async (page) => {
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
  await withConsole(browser, "#/regions?latitude=0&longitude=0", {}, async (page) => {
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

test("a row marks its region on the map, and the map marks the row", async () => {
  await withConsole(browser, "#/regions?address=81.2.69.142", {}, async (page) => {
    const mark = (id) => page.locator(`.datacenter.chosen[data-region=${id}]`);
    await page.getByRole("row").filter({ hasText: "Tokyo" }).hover();
    await mark("nrt").waitFor();
    await page.getByRole("button", { name: "Sydney" }).focus();
    await mark("syd").waitFor();
    await page.locator(".datacenter[data-region=jnb]").hover();
    await page.locator("tr.chosen", { hasText: "Johannesburg" }).waitFor();
    await page.locator(".datacenter[data-region=jnb]").click();
    await until(() => hashOf(page).get("region") === "jnb", "a link to the region");
    await page.reload();
    await page.getByText("Johannesburg jnb is number 7 here.").waitFor();
    await page.getByRole("link", { name: "Open in the catalog" }).click();
    await until(() => hashOf(page).get("id") === "jnb", "the catalog");
  });
});

test("a region is found by its name, and one that a link names is in view", async () => {
  const hash = "#/regions?latitude=48.9&longitude=2.4&region=r57";
  await withConsole(browser, hash, { viewport: { width: 1440, height: 900 } }, async (page) => {
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

test("everything is in view at 1440 x 900, and on phones the ranking follows the map", async () => {
  const hash = "#/regions?latitude=48.9&longitude=2.4";
  const sizes = [[1440, 900], [390, 844]];
  for (const [width, height] of sizes) {
    await withConsole(browser, hash, { viewport: { width, height } }, async (page) => {
      await withMany(page);
      const [field, ranking, map] = await Promise.all([".where", ".ranking", ".map"].map((part) =>
        page.locator(part).boundingBox()));
      assert.ok(ranking.y - (field.y + field.height) < 40);
      if (width < 900) assert.ok(map.y > ranking.y + ranking.height);
      else {
        assert.ok(map.x + map.width < ranking.x && ranking.y + ranking.height <= height);
        assert.equal(await page.evaluate(() =>
          document.documentElement.scrollHeight - innerHeight), 0);
      }
    });
  }
});

test("regions are added from here by those who may", async () => {
  await withConsole(browser, "#/regions", { expected: [/404/] }, async (page) => {
    await page.getByText("To add a region, press Allow changes first.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Add region" }).count(), 0);
    await page.getByRole("button", { name: "Allow changes" }).click();
    await page.getByRole("button", { name: "Add region" }).click();
    await until(() => hashOf(page).get("new") === "1" && hashOf(page).get("kind") === "regions");
  });
});

test("a catalog without regions says what they are for", async () => {
  await withConsole(browser, "#/regions", {}, async (page) => {
    await page.route("**/v1/regions", (route) => route.fulfill({ json: { regions: [] } }));
    await page.reload();
    await page.getByText("No regions yet.").waitFor();
    await judge(page);
  });
});
