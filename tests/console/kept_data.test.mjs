// What is removed for good: avatars, and games with all their data. Exports say what is not kept.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { looksRight, startBrowser, until, withConsole } from "./support/browser.mjs";
import { ask, command, demoFolder, startService } from "./support/service.mjs";

const demoGame = "00000000-0000-4000-8000-000000000001";
const catalogPage = `#/catalog?kind=games&id=${demoGame}`;

let browser;
let service;
before(async () => {
  browser = await startBrowser();
  // The demo's lobbies are so old that their expiry waits for a confirmation.
  const dataDir = demoFolder();
  command("retention", "--confirm", "--data-dir", dataDir);
  service = await startService({ dataDir,
    flags: ["--retention-days", "30", "--expiry-delay-ms", "0"] });
});
after(async () => {
  await browser?.close();
  await service?.stop();
});

const allow = (page) => page.getByRole("button", { name: "Allow changes" }).click();

// The demo's lobbies, which have expired.
const january = Date.UTC(2026, 0, 1);
const february = Date.UTC(2026, 1, 1);

test("an export that reaches further back than history is kept says so", () =>
  withConsole(browser, `#/lobbies?start=${january}&end=${february}`,
    { url: service.ops }, async (page) => {
      await until(async () => {
        const kept = await ask("GET", "/v1/retention", undefined, { url: service.ops });
        return kept.games[0].complete_from !== null;
      }, "lobbies that expired");
      await page.getByRole("button", { name: "Export this span" }).click();
      await page.getByText("Older history is not kept").waitFor();
    }));

test("a game says how many days its lobbies are kept", () =>
  withConsole(browser, catalogPage, { url: service.ops }, async (page) => {
    await allow(page);
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Days that lobbies are kept").fill("36500");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("36500 days", { exact: true }).waitFor();
    const game = await ask("GET", `/v1/games/${demoGame}`, undefined, { url: service.ops });
    assert.equal(game.retention_days, 36_500);
  }));

test("an avatar is removed once its name is typed", () =>
  withConsole(browser, `#/avatars?game=${demoGame}`, { url: service.ops }, async (page) => {
    await allow(page);
    const turtle = page.locator(".avatar", { hasText: "Tide Turtle" });
    await turtle.getByRole("button", { name: "Remove" }).click();
    const dialog = page.getByRole("dialog");
    assert.ok(await dialog.getByRole("button", { name: "Remove" }).isDisabled());
    await dialog.getByLabel("Type Tide Turtle to continue.").fill("Tide Turtle");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await turtle.waitFor({ state: "detached" });
    await page.getByText("4 of 4 avatars").waitFor();
  }));

test("a game is erased with everything once its name is typed, and its progress is shown", () =>
  withConsole(browser, catalogPage, { url: service.ops }, async (page) => {
    await allow(page);
    await page.getByRole("button", { name: "Erase everything" }).click();
    const dialog = page.getByRole("dialog");
    const erase = dialog.getByRole("button", { name: "Erase everything" });
    assert.ok(await erase.isDisabled());
    await dialog.getByLabel("Type Demo Game to continue.").fill("Demo Game");
    await erase.click();
    const erased = page.getByRole("region", { name: "Erased games" });
    await erased.getByText("erased", { exact: true }).waitFor();
    await erased.getByRole("cell", { name: "4", exact: true }).waitFor();
    const { games } = await ask("GET", "/v1/games", undefined, { url: service.ops });
    assert.deepEqual(games, []);
  }));

test("the catalog looks right with an erased game", () =>
  looksRight(browser, "#/catalog?kind=games", { url: service.ops, name: "erased",
    ready: (page) => page.getByRole("region", { name: "Erased games" }).waitFor() }));
