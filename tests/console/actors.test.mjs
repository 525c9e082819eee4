// Actors and configuration: the supervision tree as it is, and the keys in force.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until, withConsole } from "./support/browser.mjs";
import { ask, data } from "./support/service.mjs";

const avatars = new URL("/cloud/games/00000000-0000-4000-8000-000000000001/avatars", data);

// The place of the actor that a test kills. The kernel chooses the loop that gets a request.
let died;
after(async () => {
  await ask("DELETE", "/faults");
});

const row = (page, place) => page.getByRole("group", { name: "Supervision tree" })
  .getByRole("row").filter({ has: page.getByRole("rowheader", { name: place, exact: true }) });
const shown = async (page) => {
  await row(page, "avatar/0").waitFor();
  await page.getByText(/^(All \d+|\d+ of \d+) actors are/).waitFor();
};

test("every actor of the service is in the tree, below its supervisor", () =>
  withConsole("#/actors", {}, async (page) => {
    await shown(page);
    const { actors } = await ask("GET", "/actors");
    for (const { place } of actors) assert.equal(await row(page, place).count(), 1, place);
    await page.getByRole("button", { name: "Service-wide" }).click();
    await row(page, "catalog").waitFor({ state: "detached" });
  }));

test("a dead actor is shown within a second or two, and its row is marked", () =>
  withConsole("#/actors", {}, async (page) => {
    await shown(page);
    await ask("PUT", "/faults/avatar.receive", { kind: "crash" });
    await (await fetch(avatars)).arrayBuffer();
    await page.locator("tr.changed").first().waitFor();
    await page.getByText("fault injection at avatar.receive").first().waitFor();
    await ask("DELETE", "/faults");
    await until(async () => {
      const { actors } = await ask("GET", "/actors");
      const { place, restarts } = actors.find((actor) => actor.kind === "avatar"
        && actor.restarts > 0);
      died = place;
      const cells = await row(page, place).getByRole("cell").allTextContents();
      return restarts > 0 && cells.includes(restarts.toLocaleString("en"));
    }, "as many restarts as the service says");
  }));

test("a link shows only actors that were restarted", () =>
  withConsole("#/actors?show=restarted", {}, async (page) => {
    await row(page, died).waitFor();
    assert.equal(await row(page, "avatar/ops").count(), 0);
    assert.equal(await page.getByLabel("Show").first().inputValue(), "restarted");
  }));

test("a request is copied as curl, without a token", () =>
  withConsole("#/actors", { permissions: ["clipboard-read", "clipboard-write"] },
    async (page) => {
      await shown(page);
      await page.getByRole("button", { name: "Copy as curl" }).first().click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const text = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(text, /^curl -sS 'http:\/\/127\.0\.0\.1:\d+\/actors'$/);
    }));
const rows = (page) => page.locator("tbody tr");

test("every key is shown with its source, and can be found", async () => {
  await withConsole("#/configuration", {}, async (page) => {
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
  await withConsole("#/live", {}, async (page) => {
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
