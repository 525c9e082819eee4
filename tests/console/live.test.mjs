// The live panel: what is wrong comes first, the numbers are true, charts follow the service.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { operations } from "../../console/src/panels/live/operations.js";
import { fits, judge, screenshot, until, withConsole } from "./support/browser.mjs";
import { ask, data, demoFolder, startService } from "./support/service.mjs";

const demoGame = "00000000-0000-4000-8000-000000000001";

after(async () => {
  await ask("DELETE", "/faults");
});

const get = (path, url = data) => fetch(new URL(path, url)).then((answer) => answer.arrayBuffer());
const avatarsPath = `/cloud/games/${demoGame}/avatars`;
const avatars = () => get(avatarsPath);
const chart = (page, title) => page.getByRole("region", { name: title, exact: true });
const lines = (page) => page.getByRole("region", { name: "What needs attention" })
  .getByRole("listitem");
const tile = (page, label) => page.getByRole("list", { name: "The service now" })
  .getByRole("listitem").filter({ hasText: label });

/** The number that the legend of a chart has next to `label`, or null. */
async function legend(page, title, label) {
  const item = chart(page, title).locator(".legend li").filter({ hasText: label });
  if (await item.count() === 0) return null;
  const text = await item.locator("strong").textContent();
  return /\d/.test(text) ? parseFloat(text.replaceAll(",", "")) : null;
}

test("if nothing is wrong, the page says so", async () => {
  // Earlier tests leave problems, which are shown for minutes.
  const service = await startService({ dataDir: demoFolder() });
  await withConsole("#/live", { url: service.ops }, async (page) => {
    await page.getByText("Nothing is wrong.").waitFor();
    // A notice: no player's place is known.
    await page.getByRole("link", { name: /There is no GeoIP file/ }).click();
    await page.waitForURL(/#\/configuration\?text=geoip/);
  });
  await service.stop();
});

test("the numbers of the headline are correct", async () => {
  const service = await startService(
    { dataDir: demoFolder(), flags: ["--enable-fault-injection"] });
  await ask("PUT", "/faults/region_ranking.receive", { kind: "error", first: 2 },
    { url: service.ops });
  await Promise.all([...Array.from({ length: 30 }, () => get("/matchmaker/regions", service.data)),
    ...Array.from({ length: 10 }, () => get(avatarsPath, service.data)),
    ...Array.from({ length: 5 }, () => get("/nothing", service.data))]);
  const now = Date.now();
  const { running_now: running } = await ask("GET",
    `/v1/games/${demoGame}/lobbies?start=${now - 60_000}&end=${now}&buckets=1`, undefined,
    { url: service.ops });
  await withConsole("#/live", { url: service.ops }, async (page) => {
    await tile(page, "Requests").getByText("45 in 10 minutes").waitFor();
    await tile(page, "p99").getByText(/^[\d.]+ (µs|ms)$/).waitFor();
    await tile(page, "Failed, 5xx").getByText("2 of 45; 5 refused, 4xx").waitFor();
    assert.equal(await tile(page, "Failed, 5xx").locator("strong").textContent(), "4.44 %");
    assert.ok(running > 0);
    await tile(page, "Running lobbies").getByText(String(running), { exact: true }).waitFor();
    await tile(page, "Running lobbies").getByText(/^in 1 game, at/).waitFor();
    await tile(page, "Replicas ready").getByText("1 of 1", { exact: true }).waitFor();
    await page.getByText(/^One process serves/).waitFor();
    let sent = 0;
    await until(async () => {
      await Promise.all(Array.from({ length: 15 }, () => get("/ping", service.data)));
      sent += 15;
      const text = await tile(page, "Requests").locator("strong").textContent();
      // The rate of the last 15 seconds, or since the start, cannot exceed the number of requests.
      assert.ok(parseFloat(text) <= 45 + sent, text);
      return parseFloat(text) >= 3;
    }, "the rate");
    await tile(page, "Requests").getByText(`${45 + sent} in 10 minutes`).waitFor();
    await tile(page, "Failed, 5xx").getByRole("link").click();
    await page.waitForURL(/#\/traces\?status=5xx/);
  });
  await service.stop();
});

test("charts begin with what happened before the page was opened", async () => {
  const since = Date.now();
  await Promise.all(Array.from({ length: 50 }, () => get("/matchmaker/regions")));
  await until(async () => {
    const { points } = await ask("GET", `/v1/history?step=1&from=${since}`);
    return points.at(-1)?.data_plane.requests === 0
      && points.some(({ data_plane: { requests } }) => requests >= 25);
  }, "a second that is over");
  await withConsole("#/live", {}, async (page) => {
    await chart(page, "Requests").locator(".plot").focus();
    // A point covers two seconds.
    await until(async () => {
      await page.keyboard.press("ArrowLeft");
      return await legend(page, "Requests", "list_regions") >= 12.5;
    }, "the requests of before");
  });
});

test("5xx answers are a problem, and lead to the traces of such requests", () =>
  withConsole("#/live", {}, async (page) => {
    await chart(page, "Requests").waitFor();
    await ask("PUT", "/faults/region_ranking.receive", { kind: "error" });
    await until(async () => {
      await get("/matchmaker/regions");
      return page.getByText(/^Requests were answered with 5xx/).isVisible();
    }, "the problem");
    const fault = page.getByRole("link", { name: /Fault set at region_ranking.receive: error/ });
    await fault.waitFor();
    assert.match(await fault.getAttribute("href"), /^#\/faults\?point=region_ranking.receive$/);
    assert.match(await lines(page).first().textContent(), /^Problem/, "the worst comes first");
    await ask("DELETE", "/faults");
    await fault.waitFor({ state: "detached" });
    await page.getByRole("link", { name: /^Problem Requests were answered/ }).click();
    await page.waitForURL(/#\/traces\?status=5xx/);
  }));

test("uploads of lobbies that fail are in the numbers, the charts and the menu", async () => {
  const service = await startService(
    { dataDir: demoFolder(), flags: ["--enable-fault-injection"] });
  await ask("PUT", "/faults/ingestion.receive", { kind: "error" }, { url: service.ops });
  const upload = () => fetch(new URL("/v1/lobbies", service.ops), { method: "POST", body: "{}",
    headers: { "Content-Type": "application/x-ndjson" } }).then(({ status }) => status);
  for (let i = 0; i < 3; ++i) assert.ok(await upload() >= 500);
  for (let i = 0; i < 9; ++i) await get("/ping", service.data);
  await withConsole("#/live", { url: service.ops }, async (page) => {
    await tile(page, "Failed, 5xx").getByText("3 of 12; 0 refused, 4xx, in 10 minutes").waitFor();
    assert.equal(await tile(page, "Failed, 5xx").locator("strong").textContent(), "25 %");
    await tile(page, "Requests").getByText("data plane, last 15 s; 9 in 10 minutes").waitFor();
    await until(async () => {
      await upload();
      return await legend(page, "Ingestion", "failed, 5xx") > 0
        && await legend(page, "Failed, 5xx", "ingest_lobbies") > 0;
    }, "the failures in the charts");
    const line = page.getByRole("link", { name: /^Problem Requests were answered with 5xx/ })
      .filter({ hasText: /So far: .*ingest_lobbies 50\d \(\d+\).*Since \d\d:\d\d:\d\d/ });
    await line.waitFor();
    assert.match(await line.getAttribute("href"),
      /^#\/traces\?status=5xx&operation=ingest_lobbies$/);
    await page.getByLabel("Operation").selectOption("ingest_lobbies");
    await until(async () => {
      await upload();
      return await legend(page, "Errors", "5xx") > 0;
    }, "the errors of the chosen operation");
  });
  await service.stop();
});

test("a slow game is named, with where its time went, and leads to its traces", () =>
  withConsole("#/live", {}, async (page) => {
    await ask("PUT", "/faults/avatar.receive", { kind: "delay", delay_ms: 300, game: demoGame });
    const line = page.getByRole("link", { name: /One in a hundred requests of list_avatars/ })
      .filter({ hasText: /to the game Demo Game and spent their time in a fault at avatar/ });
    await until(async () => {
      await Promise.all(Array.from({ length: 10 }, avatars));
      return line.isVisible();
    }, "the slow operation");
    const slow = "#/traces\\?operation=list_avatars&slower=250";
    const way = new RegExp(`${slow}&game=${demoGame}$`);
    assert.match(await line.getAttribute("href"), way);
    const entry = chart(page, "p99").getByRole("link", { name: "list_avatars" });
    assert.match(await entry.getAttribute("href"), new RegExp(`^${slow}$`));
    await ask("DELETE", "/faults");
    await line.click();
    await page.waitForURL(way);
  }));

test("starts, faults and changes of the catalog are marked, with their callers", () =>
  withConsole("#/live?range=1h", {}, async (page, { requests }) => {
    const region = { display_name: "Marked", latitude: 1, longitude: 2 };
    const { regions: [{ region_id: taken }] } = await ask("GET", "/v1/regions");
    const found = await ask("GET", `/v1/regions/${taken}`);
    await ask("PUT", `/v1/regions/${taken}`, { ...found, ...region, ...found });
    await ask("PUT", "/faults/avatar.receive", { kind: "delay", delay_ms: 1 });
    await ask("DELETE", "/faults/avatar.receive");
    const changes = page.getByRole("list", { name: "Changes, the newest first" });
    const set = changes.getByRole("listitem").filter({ hasText: /Fault set avatar.receive by/ });
    await set.first().waitFor();
    await changes.getByText(/Fault ended/).first().waitFor();
    await changes.getByText(/^Started/).waitFor();
    assert.ok(await changes.getByRole("listitem").count() <= 20);
    assert.ok(requests.some(({ path }) => path === "/v1/audit"));
    await set.first().getByRole("link").click();
    await page.waitForURL(/#\/audit\?entry=\d+/);
  }));

test("a viewer sees no changes of the audit log, and does not ask for it", async () => {
  const { token } = await ask("POST", "/v1/tokens", { kind: "viewer", name: "live viewer" });
  await withConsole("#/live", { token }, async (page, { requests }) => {
    await page.getByRole("list", { name: "Changes, the newest first" }).getByText("Started")
      .waitFor();
    await page.getByText(/^Starts and reloads only\./).waitFor();
    assert.ok(!requests.some(({ path }) => path === "/v1/audit"));
  });
});

const replica = (n, more = {}) => ({ replica_id: `00000000-0000-4000-8000-00000000000${n}`,
  is_this: n === 1, age_ms: 1_000, host: `host-${n}`, ops_url: "http://127.0.0.1:1",
  version: "1.0.0", state: "ready", began_ms: Date.now() - 60_000, requests: 150,
  requests_per_second: 10, failed_share: 0, p50_us: 50, p99_us: 400, busy: 0.05, causes: [],
  ...more });

test("all replicas are in one table, each with its findings", () =>
  withConsole("#/live", {}, async (page) => {
    await page.route("**/v1/replicas", (route) => route.fulfill({ json: { replicas: [replica(1),
      replica(2), replica(3, { p99_us: 3_600, causes: ["loop_busy"] })] } }));
    const table = page.getByRole("region", { name: "Replicas" });
    const rows = table.getByRole("row");
    await until(async () => await rows.count() === 4, "the table");
    assert.match(await rows.nth(1).textContent(), /host-1 this one/);
    assert.match(await rows.nth(3).textContent(), /host-3\s*ready\s*loop busy.*3\.6 ms/);
    await table.getByText("Together they have 30 requests a second.").waitFor();
    await tile(page, "Replicas ready").getByText("3 of 3").waitFor();
    await tile(page, "Replicas ready").getByRole("link").click();
    await page.waitForURL(/part=replicas/);
    await until(() => table.evaluate((element) =>
      element.getBoundingClientRect().top < innerHeight), "the table in sight");
    await judge(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await fits(page);
    await screenshot(page, "live-replicas");
  }));

test("the range of all charts is in the link", () =>
  withConsole("#/live?range=1h", {}, async (page, { requests }) => {
    const choice = (name) => page.getByRole("group", { name: "Time range" })
      .getByRole("button", { name });
    const pressed = (name) => choice(name).getAttribute("aria-pressed");
    assert.equal(await pressed("1 hour"), "true");
    await tile(page, "Requests").getByText(/in 1 hour$/).waitFor();
    await choice("1 day").press("Enter");
    await page.waitForURL(/range=1d/);
    await tile(page, "Requests").getByText(/in 1 day$/).waitFor();
    assert.ok(requests.some(({ url }) => url.endsWith("/v1/history?last=86400&step=240")));
    await page.reload();
    assert.equal(await pressed("1 day"), "true");
    // Known points are not requested again.
    await until(() => requests.some(({ url }) => /\/v1\/history\?from=\d+&step=240$/.test(url)),
      "the newest point");
  }));

test("the arrow keys show the values of all charts at one moment", () =>
  withConsole("#/live", {}, async (page) => {
    const moment = (title) => chart(page, title).locator(".legend").getByText(/^\d\d:\d\d:\d\d$/);
    await until(async () => /\d/.test(await chart(page, "Connections").locator(".legend")
      .textContent()));
    await chart(page, "Connections").getByRole("group").focus();
    await page.keyboard.press("ArrowLeft");
    await moment("Connections").waitFor();
    await until(async () => await moment("Memory").textContent()
      === await moment("Connections").textContent(), "the other charts");
    await page.keyboard.press("Tab");
    await moment("Memory").waitFor({ state: "detached" });
  }));

test("the page knows the operations of the data plane", async () => {
  const { paths } = await (await fetch(new URL("/openapi.json", data))).json();
  const known = Object.values(paths).flatMap((path) => Object.values(path))
    .map(({ operationId }) => operationId).filter(Boolean);
  assert.deepEqual(known.filter((name) => !operations.includes(name)), []);
});
