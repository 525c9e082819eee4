// Lobbies: a span as a chart, filters, running lobbies, exports, and the page of one lobby.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { judge, looksRight, origin, until, withConsole } from "./support/browser.mjs";
import { ask } from "./support/service.mjs";

const game = "00000000-0000-4000-8000-000000000001";
const january = Date.UTC(2026, 0, 1);
const february = Date.UTC(2026, 1, 1);
const hash = `#/lobbies?game=${game}&start=${january}&end=${february}`;

const spanOf = (page) => {
  const params = new URLSearchParams(new URL(page.url()).hash.split("?")[1]);
  return ["start", "end"].map((name) => Number(params.get(name)));
};
const tile = (page, label) => page.locator("dl > div").filter({ hasText: label });
const drawn = (page) => page.locator(".plot.history canvas").waitFor();

test("the history of a span is drawn, counted, and also a table", async () => {
  await withConsole(hash, {}, async (page) => {
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

test("dragging and + zoom in, the back button zooms out, and the arrow keys move", async () => {
  await withConsole(hash, {}, async (page) => {
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
  await withConsole(hash, {}, async (page) => {
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
  await withConsole(hash, {}, async (page) => {
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
  await withConsole(one, { acceptDownloads: true }, async (page, opened) => {
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
  await withConsole(hash, { expected: [/503|507/] }, async (page) => {
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
const lobby = "7d4f0c1e-52a8-4a0e-9a35-6f1f2f9a0001";
const image = "<img src=x onerror=alert(1)>";
const found = { lobby_id: lobby, namespace_id: "00000000-0000-4000-8000-000000000011",
  namespace_name: "prod", region_id: "nrt", region_name: "Tokyo", tier: "basic-1d1",
  version_id: "00000000-0000-4000-8000-000000000201", version_name: "1.0.0", game_mode: image,
  start_ts: "2026-01-31T23:41:34.709Z", stop_ts: "2026-02-01T00:07:31.100Z",
  total_uptime_ms: 1_556_391 };

const paramsOf = (page) => new URLSearchParams(new URL(page.url()).hash.split("?")[1]);
/** Changes some members of the service's survey. */
async function surveyWith(page, changed) {
  await page.route(/\/lobbies\?start=/, async (route) => {
    const answer = await (await fetch(route.request().url())).json();
    // The page may have been closed in between.
    await route.fulfill({ json: { ...answer, ...changed(answer) } }).catch(() => {});
  });
}

/** Makes `answer` the only lobby that the service knows. */
async function lobbyIs(page, answer) {
  await page.route(/\/lobbies\/[0-9a-f]{8}-/, (route) => (route.request().url().endsWith(lobby)
    ? route.fulfill({ json: answer })
    : route.fulfill({ status: 404, json: { status: 404, code: "lobby_unknown",
      detail: "The game has no such lobby." } })));
}

async function pick(page, label, option) {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

test("filters are chosen by name, kept in the address, requested, and cleared together", () =>
  withConsole(hash, {}, async (page, { requests }) => {
    await drawn(page);
    await pick(page, "Region", "London lon");
    await until(() => paramsOf(page).get("region") === "lon", "the region in the address");
    await pick(page, "Version", "1.1.0");
    await pick(page, "Game mode", "duel");
    await pick(page, "Tier", "basic-1d1");
    const wanted = ["region=lon", "version=00000000-0000-4000-8000-000000000203", "mode=duel",
      "tier=basic-1d1"];
    for (const path of [`/v1/games/${game}/lobbies`, `/v1/games/${game}/lobbies/running`]) {
      await until(() => requests.some((one) => one.path === path
        && wanted.every((filter) => one.url.includes(filter))), `the filters of ${path}`);
    }
    await page.reload();
    await until(async () => await page.getByRole("combobox", { name: "Region" }).inputValue()
      === "London", "the filter after a reload");
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await until(() => paramsOf(page).get("region") === null, "no filter");
    assert.equal(Number(paramsOf(page).get("start")), january, "the span stays");
  }));

test("the true peak is a number with its time, and incomplete parts are named", () =>
  withConsole(hash, {}, async (page) => {
    const at = Date.UTC(2026, 0, 20, 3, 4, 5);
    await surveyWith(page, () => ({ peak: { running: 181, at },
      complete_from: january + 36 * 3_600_000, partial_from: Date.UTC(2026, 0, 31) }));
    await page.reload();
    await drawn(page);
    await tile(page, "Peak").getByText("181").waitFor();
    await tile(page, "Peak").getByText("2026-01-20 03:04:05").waitFor();
    await page.locator(".legend").getByText("peak 181").waitFor();
    await page.getByText("Faded: lobbies that ended before 2026-01-02 12:00 are not kept.")
      .waitFor();
    await page.getByText("lobbies that started at 2026-01-31 00:00 or later are not counted.")
      .waitFor();
    await page.getByText("As a table").click();
    assert.equal(await page.getByText("(not all kept)").count(), 6);
    assert.equal(await page.getByText("(not all counted)").count(), 4);
    await judge(page);
  }));

test("a pasted id leads to the lobby's page, which leads on to all that it names", () =>
  withConsole(hash, {}, async (page) => {
    await lobbyIs(page, found);
    await drawn(page);
    const field = page.getByRole("searchbox", { name: "Find a lobby" });
    await field.fill("7d4f0c1e");
    await field.press("Enter");
    await page.getByText("A lobby's id has 32 hexadecimal digits").waitFor();
    await field.fill(`  "${lobby.toUpperCase()}" `);
    await page.getByRole("heading", { name: "Ran for 25 min 56 s" }).waitFor();
    await page.getByText("ended", { exact: true }).waitFor();
    await page.getByRole("img", { name: "From 2026-01-31 23:41:34 to 2026-02-01 00:07:31 UTC" })
      .waitFor();
    for (const name of ["Demo Game", "prod", "Tokyo", "1.0.0", image, "basic-1d1"]) {
      await page.locator("dd strong").getByText(name, { exact: true }).waitFor();
    }
    assert.equal(await page.locator("main img").count(), 0);
    const region = tile(page, "Region");
    assert.match(await region.getByRole("link", { name: "In the catalog" }).getAttribute("href"),
      /^#\/catalog\?kind=regions&id=nrt$/);
    await region.getByRole("link", { name: "Lobbies in this region" }).click();
    await until(() => paramsOf(page).get("region") === "nrt" && !paramsOf(page).has("lobby"),
      "the region's lobbies");
    await page.goBack();
    await page.getByRole("link", { name: "Show them as a chart" }).click();
    await until(() => Number(paramsOf(page).get("start")) === Date.parse(found.start_ts) - 600_000,
      "the span around it");
    await drawn(page);
  }));

test("a running lobby says for how long it has run, and rows around it are exported", () =>
  // The page may ask the service, which does not have the lobby, before it is intercepted.
  withConsole(`${hash}&lobby=${lobby}`, { expected: [/404/] }, async (page) => {
    await lobbyIs(page, { ...found, stop_ts: null });
    await page.reload();
    await page.getByRole("heading", { name: /^Running for \d+ d/ }).waitFor();
    await page.getByText("report the lobby once more with a stop_ts").waitFor();
    await page.getByRole("button", { name: "Export this span" }).click();
    await page.getByRole("link", { name: "Download the file" }).waitFor();
    await page.getByText("alive in 2026-01-31 23:31 to 2026-02-01 23:51 UTC").waitFor();
    await page.getByRole("link", { name: "All lobbies" }).click();
    await page.getByRole("heading", { name: "Lobbies", exact: true }).waitFor();
  }));

test("the page of a lobby asks again while it runs, and no longer once it has ended", () =>
  withConsole(hash, { clock: true }, async (page, { requests }) => {
    let answer = { ...found, stop_ts: null };
    const count = (suffix) => requests.filter(({ path }) => path.endsWith(suffix)).length;
    await page.route(/\/lobbies\/[0-9a-f]{8}-/, (route) => route.fulfill({ json: answer }));
    await drawn(page);
    await page.getByLabel("Find a lobby").fill(lobby);
    await page.getByRole("heading", { name: /^Running for/ }).waitFor();
    answer = found;
    await page.clock.runFor("00:11");
    await page.getByRole("heading", { name: /^Ran for/ }).waitFor();
    // Once more when the page learns of the end, and whenever the clock has ended the stream.
    await until(() => count(lobby) >= 3, "the last request");
    const before = { lobby: count(lobby), streams: count("/events") };
    for (let period = 0; period < 4; ++period) {
      await page.clock.runFor("00:11");
      await page.getByText("live", { exact: true }).waitFor();
    }
    const streams = count("/events") - before.streams;
    assert.ok(count(lobby) - before.lobby <= streams, `${count(lobby)}, ${streams} streams`);
  }));

test("a lobby of another game is found by its id", async () => {
  const other = "00000000-0000-4000-8000-0000000010bb";
  await ask("PUT", `/v1/games/${other}`, { display_name: "Other Game" });
  await withConsole(`#/lobbies?game=${other}&lobby=${lobby}`, { expected: [/404/] },
    async (page) => {
      await page.route(`**/v1/games/${game}/lobbies/${lobby}`, (route) =>
        route.fulfill({ json: found }));
      await page.getByRole("button", { name: "Look in all games" }).click();
      await page.getByRole("heading", { name: /^Ran for/ }).waitFor();
      assert.equal(paramsOf(page).get("game"), game);
    });
  await ask("DELETE", `/v1/games/${other}`);
});

const nothing = ({ started, running }) => ({ started: started.map(() => 0),
  running: running.map(() => 0), peak: null });

test("if nothing ran, the page offers the next step", () =>
  withConsole(`${hash}&tier=basic-1d1`, {}, async (page) => {
    await surveyWith(page, nothing);
    await page.reload();
    await page.getByText("No lobby in this span matches the filters").waitFor();
    await page.locator(".empty").getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("No lobby ran in this span").waitFor();
    await judge(page);
    await page.getByRole("button", { name: "Show the last 30 days" }).click();
    await until(() => paramsOf(page).get("span") === "month", "the last 30 days");
    await page.getByRole("button", { name: "Show the last year" }).waitFor();
  }));

test("of several games, the one with the most running lobbies is shown, with a way to all", () =>
  withConsole("#/lobbies?span=hour", {}, async (page) => {
    await page.route("**/v1/games", (route) => route.fulfill({ json: { revision: 1, games: [
      { game_id: "00000000-0000-4000-8000-0000000010aa", display_name: "Abandoned" },
      { game_id: game, display_name: "Demo Game" }] } }));
    await page.route(/0010aa\/lobbies\?/, (route) => route.fulfill({ json: { started: [],
      running: [], running_now: 3, is_partial: false } }));
    await page.route(/0010aa\/avatars/, (route) => route.fulfill({ json: { custom_avatars: [] } }));
    await page.reload();
    await drawn(page);
    assert.equal(paramsOf(page).get("game"), game);
    assert.equal(paramsOf(page).get("span"), "hour", "the rest of the address stays");
    await page.getByRole("link", { name: /^All games/ }).click();
    await until(() => page.url().includes("#/catalog?kind=games"), "all games");
  }));

test("without a game the first step is to create one", () =>
  withConsole("#/lobbies", {}, async (page) => {
    await page.route("**/v1/games", (route) => route.fulfill({ json: { revision: 1, games: [] } }));
    await page.reload();
    await page.getByText("No games yet").waitFor();
    await page.getByRole("link", { name: "Create a game in the catalog" }).click();
    await until(() => page.url().includes("#/catalog?kind=games"), "the catalog");
  }));

test("the page of a lobby looks right in dark and light, at 400 and 3840 px", () =>
  looksRight(`${hash}&lobby=${lobby}`, { name: "lobby", expected: [/404/],
    ready: async (page) => {
      await lobbyIs(page, { ...found, stop_ts: null });
      await page.reload();
      await page.getByRole("heading", { name: /^Running for/ }).waitFor();
    } }));
