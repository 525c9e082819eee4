// Lobbies: a span as a chart, zoomed by dragging and by keys, running lobbies, and exports.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { looksRight, origin, startBrowser, until, withConsole } from "./support/browser.mjs";

const game = "00000000-0000-4000-8000-000000000001";
const january = Date.UTC(2026, 0, 1);
const february = Date.UTC(2026, 1, 1);
const hash = `#/lobbies?game=${game}&start=${january}&end=${february}`;

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const spanOf = (page) => {
  const params = new URLSearchParams(new URL(page.url()).hash.split("?")[1]);
  return ["start", "end"].map((name) => Number(params.get(name)));
};
const tile = (page, label) => page.locator("dl > div").filter({ hasText: label });
const drawn = (page) => page.locator(".plot.history canvas").waitFor();

test("the history of a span is drawn, counted, and also a table", async () => {
  await withConsole(browser, hash, {}, async (page) => {
    await drawn(page);
    const path = `/v1/games/${game}/lobbies?start=${january}&end=${february}&buckets=124`;
    const { started, running_now } = await (await fetch(origin + path)).json();
    const sum = started.reduce((all, n) => all + n, 0);
    assert.ok(sum > 9_000, `${sum}`);
    await page.locator(".legend").getByText(sum.toLocaleString("en")).waitFor();
    await tile(page, "Started").getByText(sum.toLocaleString("en")).waitFor();
    await tile(page, "Started").getByText("in 31 d").waitFor();
    await tile(page, "Running now").getByText(`${running_now}`, { exact: true }).waitFor();
    await page.getByText("As a table").click();
    const rows = page.getByRole("table", { name: "Lobbies in each bucket" }).locator("tbody tr");
    assert.equal(await rows.count(), 124);
    assert.match(await rows.first().innerText(), new RegExp(`00:00:00\\s+${started[0]}\\s+0`));
  });
});

test("the headline says how long it counts: whole buckets", () => {
  const start = january + 3_600_000;
  return withConsole(browser, `#/lobbies?game=${game}&start=${start}&end=${start + 7 * 864e5}`, {},
    (page) => tile(page, "Started").getByText("in 7 d 3 h", { exact: true }).waitFor());
});

test("the last week is seven days", () =>
  withConsole(browser, `#/lobbies?game=${game}&span=week`, {}, (page) =>
    tile(page, "Started").getByText("in 7 d", { exact: true }).waitFor()));

test("dragging and + zoom in, the back button zooms out, and the arrow keys move", async () => {
  await withConsole(browser, hash, {}, async (page) => {
    await drawn(page);
    const over = await page.locator(".plot.history .u-over").boundingBox();
    const y = over.y + over.height / 2;
    await page.mouse.move(over.x + over.width * 0.25, y);
    await page.mouse.down();
    await page.mouse.move(over.x + over.width * 0.5, y, { steps: 8 });
    await page.mouse.up();
    await until(() => spanOf(page)[0] > january, "the zoom");
    const [start, end] = spanOf(page);
    const near = (ms, part) => Math.abs(ms - (january + (february - january) * part)) < 864e5;
    assert.ok(near(start, 0.25) && near(end, 0.5), `${new Date(start)} ${new Date(end)}`);
    await page.goBack();
    await until(() => spanOf(page)[0] === january, "the way out");
    await page.mouse.move(0, 0);
    // For a moment, the chart may still show the former span, and the key moves in that one.
    await until(async () => {
      await page.locator(".plot.history").blur();
      await page.locator(".plot.history").focus();
      await page.keyboard.press("ArrowLeft");
      return page.locator(".legend").getByText("2026-01-31 18:00:00 to").isVisible();
    }, "the last bucket");
    await page.keyboard.press("+");
    await until(() => spanOf(page)[0] > january, "the zoom by a key");
    await page.getByRole("button", { name: "Zoom out" }).click();
    await until(() => spanOf(page)[0] === january, "the whole span");
  });
});

test("a span is typed or named, and one that ends before it starts is refused", async () => {
  await withConsole(browser, hash, {}, async (page) => {
    await drawn(page);
    await page.getByText("2026-01-01 00:00 to 2026-02-01 00:00 UTC").click();
    await page.getByLabel("To (UTC)").fill("2025-01-01T00:00");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await page.getByText("The end must be after the start.").waitFor();
    await page.getByLabel("From (UTC)").fill("2024-12-31T00:00");
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await until(() => spanOf(page)[0] === Date.UTC(2024, 11, 31), "the typed span");
    await page.getByRole("button", { name: "Last year" }).click();
    await until(() => page.url().includes("span=year"), "the named span");
    await page.getByRole("button", { name: "Last year", exact: true }).and(
      page.locator("[aria-current=true]")).waitFor();
  });
});

test("long-running lobbies are a table, the oldest first", async () => {
  await withConsole(browser, hash, {}, async (page) => {
    const path = `/v1/games/${game}/lobbies/running?longer_than_ms=86400000&limit=100`;
    const { lobbies } = await (await fetch(origin + path)).json();
    const table = page.getByRole("table", { name: "Long-running lobbies, the oldest first" });
    await table.waitFor();
    assert.equal(await table.locator("tbody tr").count(), lobbies.length);
    const { lobby_id: id, region_name: region, version_name: version } = lobbies[0];
    for (const text of [id, region, version]) {
      await table.locator("tbody tr").first().getByText(text, { exact: true }).waitFor();
    }
    await tile(page, "Running over 1 day").getByRole("link", { name: region }).waitFor();
    await page.getByRole("button", { name: `${lobbies.length} lobbies running over 1 day: show` })
      .click();
    await until(() => table.locator("tbody tr a").first().evaluate((link) =>
      link === document.activeElement), "the focus on the longest");
    const name = "<img src=x onerror=alert(1)>";
    await page.route("**/lobbies/running?*", (route) => route.fulfill({ json: { more: true,
      lobbies: [{ ...lobbies[0], version_name: name, game_mode: name }] } }));
    await page.getByLabel("Running over", { exact: true }).selectOption("3600000");
    await page.getByRole("cell", { name }).first().waitFor();
    await page.getByText("There are more: these are the 100 oldest.").waitFor();
    assert.equal(await page.locator("main img").count(), 0);
  });
});

test("an export shows how far it is, and its file has the rows of the span", async () => {
  const [start, end] = [january + 864e5, january + 2 * 864e5];
  const one = `#/lobbies?game=${game}&start=${start}&end=${end}`;
  await withConsole(browser, one, { acceptDownloads: true }, async (page, opened) => {
    await drawn(page);
    await page.getByRole("button", { name: "Export this span" }).click();
    const link = page.locator("a.download");
    await link.waitFor();
    const href = await link.getAttribute("href");
    assert.match(href, /^http:\/\/127\.0\.0\.1:\d+\/exports\/[^/]+\/lobby-history\.csv\?/);
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    assert.match(download.suggestedFilename(), /^lobby-history.*\.csv$/);
    const csv = await readFile(await download.path(), "utf8");
    const rows = csv.trimEnd().split("\r\n");
    assert.equal(rows.shift().split(",")[0], "lobby_id");
    assert.ok(rows.length > 300);
    const listed = page.getByRole("table", { name: "Exports of the service" });
    await listed.getByText("complete").first().waitFor();
    await listed.getByRole("cell", { name: rows.length.toLocaleString("en"), exact: true })
      .first().waitFor();
    const asked = opened.requests.filter(({ path }) => path === "/v1/exports");
    const seconds = (asked.at(-1).at - asked[0].at) / 1_000;
    // Two when the page opens, one when the export begins and one when it ends, otherwise one per
    // second.
    assert.ok(asked.length <= 4 + seconds, `${asked.length} requests in ${seconds} s`);
  });
});

test("a busy export is requested again, and no link to elsewhere is shown", async () => {
  await withConsole(browser, hash, { expected: [/503|507/] }, async (page) => {
    const answers = [[503, "exports_busy"], [507, "exports_full"], [200, null]];
    await page.route("**/exports", (route) => {
      if (route.request().method() !== "POST") return route.continue();
      const [status, code] = answers.shift();
      const json = code ? { status, code, detail: `It is ${code}.` }
        : { url: "javascript:alert(1)" };
      return route.fulfill({ status, json });
    });
    await drawn(page);
    await page.getByRole("button", { name: "Export this span" }).click();
    await page.getByText("It is exports_busy.").waitFor();
    await page.getByRole("alert").getByText("It is exports_full.").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("alert").getByText("no usable link").waitFor();
    assert.equal(await page.locator("a.download").count(), 0);
  });
});

test("it looks right in dark and light, at 400 and 3840 px", async () => {
  await looksRight(browser, hash, { name: "lobbies", ready: async (page) => {
    await drawn(page);
    await page.getByRole("table", { name: /^Long-running lobbies/ }).waitFor();
  } });
});
