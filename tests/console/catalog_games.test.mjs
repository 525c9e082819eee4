// From the list of games down to what one game has, and the first steps in an empty catalog.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  judge, looksRight, patience_ms, startBrowser, until, withConsole,
} from "./support/browser.mjs";
import { startService } from "./support/service.mjs";

const demoGame = "00000000-0000-4000-8000-000000000001";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

const allow = (page) => page.getByRole("button", { name: "Allow changes" }).click();

test("the list of games has names first and counts, and leads to a game's page", () =>
  withConsole(browser, "#/catalog", {}, async (page) => {
    const cells = page.getByRole("row", { name: /Demo Game/ }).getByRole("cell");
    await until(async () => (await cells.allTextContents()).slice(0, 5).join()
      === "Demo Game,2,40,5,as configured", "the counts");
    await page.getByRole("button", { name: "Copy the id of game Demo Game" }).waitFor();
    await page.getByRole("link", { name: "Demo Game" }).click();
    await page.getByRole("heading", { name: "Demo Game" }).waitFor();
    assert.match(page.url(), new RegExp(`#/catalog\\?game=${demoGame}$`));
    for (const [name, to] of Object.entries({ "40 running lobbies": `lobbies?game=${demoGame}`,
      "5 avatars": `avatars?game=${demoGame}`, "0 active tokens": `tokens?game=${demoGame}` })) {
      const link = page.getByRole("link", { name: new RegExp(name.replace(" ", "\\s*")) });
      assert.equal(await link.getAttribute("href"), `#/${to}`, name);
    }
    const spaces = page.getByRole("region", { name: "Namespaces" });
    await spaces.getByRole("cell", { name: "demo-game.example", exact: true }).waitFor();
    const avatars = page.getByRole("region", { name: "Avatars" });
    await avatars.getByRole("img", { name: "Tide Turtle" }).waitFor();
    await avatars.getByText(/^256 × 256 px, /).first().waitFor();
    await page.getByRole("link", { name: "Games" }).click();
    await page.getByRole("table", { name: "Games" }).waitFor();
  }));

test("of 1,000 games a page is shown at a time, and all that are shown are counted", () =>
  withConsole(browser, "#/catalog", { viewport: { width: 390, height: 844 } }, async (page) => {
    await page.route("**/v1/games", (route) => route.fulfill({ json: { revision: 1,
      games: Array.from({ length: 1_000 }, (_, n) => ({ display_name: `Game ${n}`,
        game_id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}` })) } }));
    await page.route(/\/v1\/games\/[^/]+\/lobbies\?/, (route) => route.fulfill({
      json: { running_now: 70_007 } }));
    await page.route(/\/v1\/games\/[^/]+\/avatars$/, (route) => route.fulfill({
      json: { custom_avatars: [] } }));
    await page.reload();
    const table = page.getByRole("table", { name: "Games", exact: true });
    const counted = table.getByRole("cell", { name: "70,007", exact: true });
    // They are counted one after the other.
    const counts_ms = 4 * patience_ms;
    await until(async () => await counted.count() === 100, "the counts of the first page",
      counts_ms);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    assert.ok(height < 5_000, `${height} px`);
    await page.getByRole("button", { name: "Show more: 100 of 1000 are shown" }).click();
    await until(async () => await counted.count() === 200, "the counts of the second page",
      counts_ms);
    await page.getByLabel("Search games").fill("Game 999");
    await until(async () => await counted.count() === 1, "the count of a game that is found");
  }));

test("a count that the service does not give is said to be not known", () =>
  withConsole(browser, "#/catalog", { expected: [/503/] }, async (page) => {
    await page.route(/\/v1\/games\/[^/]+\/lobbies\?/, (route) => route.fulfill({ status: 503,
      json: { status: 503, code: "overloaded", detail: "Too many." } }));
    await page.reload();
    const cells = page.getByRole("row", { name: /Demo Game/ }).getByRole("cell");
    await until(async () => (await cells.allTextContents()).slice(2, 4).join()
      === "not known,not known", "what is not known");
    await page.getByRole("link", { name: "Demo Game" }).click();
    await page.getByRole("listitem").filter({ hasText: "running lobbies" })
      .getByText("not known").waitFor();
  }));

test("a page without the permission to change anything offers no changes, and says why", () =>
  withConsole(browser, `#/catalog?game=${demoGame}`, {}, async (page) => {
    await page.getByRole("heading", { name: "Demo Game" }).waitFor();
    await page.getByText(/^Read only\. .* to change the catalog\.$/).waitFor();
    await page.getByRole("img", { name: "Tide Turtle" }).waitFor();
    for (const name of ["Edit", "Add namespace", "Remove", "Erase everything"]) {
      assert.equal(await page.getByRole("button", { name }).count(), 0, name);
    }
    await page.goto(`${page.url().split("#")[0]}#/catalog?kind=regions&new=1`);
    await page.getByRole("cell", { name: "London", exact: true }).waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
  }));

test("in an empty catalog, the page says the first step and the next", async () => {
  const dataDir = mkdtempSync(join(process.env.MATCHCLOUD_TEST_FOLDER, "empty-"));
  const service = await startService({ dataDir });
  await withConsole(browser, "#/catalog", { url: service.ops, expected: [/404/] }, async (page) => {
    await page.getByText("No games yet").waitFor();
    assert.equal(await page.getByRole("button", { name: "Add the first game" }).count(), 0);
    await judge(page);
    await allow(page);
    await page.getByRole("button", { name: "Add the first game" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Meadow");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Meadow" }).waitFor();
    await page.getByText("The game Meadow is saved.").waitFor();
    await page.getByText("No avatars yet").waitFor();
    await page.getByRole("button", { name: "Add the first namespace" }).click();
    await dialog.getByLabel("Name").fill("prod");
    await page.keyboard.press("Enter");
    await page.getByText("The namespace prod is saved.").waitFor();
    await page.getByRole("cell", { name: "All", exact: true }).waitFor();
    await page.getByRole("list", { name: "What is shown" })
      .getByRole("link", { name: "Regions" }).click();
    await page.getByText("No regions yet").waitFor();
  });
  await service.stop();
});

test("a game's page looks right", () =>
  looksRight(browser, `#/catalog?game=${demoGame}`, { name: "catalog-game",
    ready: async (page) => {
      await allow(page);
      await page.getByRole("region", { name: "Remove or erase" }).waitFor();
      await page.getByText("Red Panda").waitFor();
    } }));
