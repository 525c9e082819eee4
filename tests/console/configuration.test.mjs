// Configuration: what is in force, where it is from, and what waits for a restart.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { looksRight, startBrowser, until, withConsole } from "./support/browser.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const rows = (page) => page.locator("tbody tr");

test("every key is shown with its source, and can be found", async () => {
  await withConsole(browser, "#/configuration", {}, async (page) => {
    await page.getByText(/^\d+ of \d+ keys; read/).waitFor();
    await until(async () => await rows(page).count() > 100, "all keys");
    const sources = await rows(page).locator("td:nth-child(3)").allTextContents();
    const firstDefault = sources.indexOf("default");
    assert.ok(firstDefault > 0, "changed keys first");
    assert.ok(sources.slice(firstDefault).every((source) => source === "default"));
    await page.getByLabel("Search").fill("data-dir");
    await until(async () => await rows(page).count() === 1, "one key");
    const row = await rows(page).innerText();
    assert.match(row, /data-dir[\s\S]+flag[\s\S]+--data-dir[\s\S]+var[\s\S]+a restart/);
    await page.getByLabel("Search").fill("");
    await page.getByLabel("Show").selectOption("given");
    await until(async () => await rows(page).count() < 50, "what is given");
    assert.match(page.url(), /show=given/);
    await page.getByLabel("Show").selectOption("reload");
    await until(async () => (await rows(page).allTextContents())
      .every((text) => text.endsWith("a reload")), "what a reload takes up");
  });
});

test("the page says what waits for a restart, and what is hidden", async () => {
  const key = { name: "loops", value: "1", hidden: false, default: "0", source: "file",
    place: "/etc/<b>x</b>.toml:3: loops", reloadable: false, needs_restart: true, next_value: "2" };
  const secret = { ...key, name: "store", value: null, hidden: true, default: null,
    needs_restart: false, next_value: null };
  const asked = async (page) => page.route("**/v1/config", (route) => route.fulfill({
    json: { file: "/etc/x.toml", read: "2026-11-26T00:00:00.000Z", keys: [key, secret] } }));
  await withConsole(browser, "#/live", {}, async (page) => {
    await asked(page);
    await page.goto(page.url().replace("#/live", "#/configuration"));
    await page.getByText("2 after a restart").waitFor();
    await page.getByText("hidden").waitFor();
    await page.getByText("/etc/<b>x</b>.toml:3: loops").first().waitFor();
    await page.getByText(/1 changed key waits for a restart/).waitFor();
    await page.getByRole("link", { name: "Show it" }).click();
    await until(async () => await rows(page).count() === 1, "the one that waits");
  });
});

test("it looks right in dark and light, at 400 and 3840 px", async () => {
  await looksRight(browser, "#/configuration", { name: "configuration",
    ready: (page) => until(async () => await rows(page).count() > 100, "all keys") });
});
