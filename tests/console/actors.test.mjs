// The actors panel: the supervision tree as it is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { looksRight, startBrowser, until, withConsole } from "./support/browser.mjs";
import { ask, data } from "./support/service.mjs";

const avatars = new URL("/cloud/games/00000000-0000-4000-8000-000000000001/avatars", data);

let browser;
// The place of the actor that a test kills. The kernel chooses the loop that gets a request.
let died;
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await ask("DELETE", "/faults");
  await browser?.close();
});

const row = (page, place) => page.getByRole("group", { name: "Supervision tree" })
  .getByRole("row").filter({ has: page.getByRole("rowheader", { name: place, exact: true }) });
const shown = async (page) => {
  await row(page, "avatar/0").waitFor();
  await page.getByText(/^(All \d+|\d+ of \d+) actors are/).waitFor();
};

test("every actor of the service is in the tree, below its supervisor", () =>
  withConsole(browser, "#/actors", {}, async (page) => {
    await shown(page);
    const { actors } = await ask("GET", "/actors");
    for (const { place } of actors) assert.equal(await row(page, place).count(), 1, place);
    await page.getByRole("button", { name: "Service-wide" }).click();
    await row(page, "catalog").waitFor({ state: "detached" });
  }));

test("a dead actor is shown within a second or two, and its row is marked", () =>
  withConsole(browser, "#/actors", {}, async (page) => {
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
  withConsole(browser, "#/actors?show=restarted", {}, async (page) => {
    await row(page, died).waitFor();
    assert.equal(await row(page, "avatar/ops").count(), 0);
    assert.equal(await page.getByLabel("Show").first().inputValue(), "restarted");
  }));

test("a request is copied as curl, without a token", () =>
  withConsole(browser, "#/actors", { permissions: ["clipboard-read", "clipboard-write"] },
    async (page) => {
      await shown(page);
      await page.getByRole("button", { name: "Copy as curl" }).first().click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const text = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(text, /^curl -sS 'http:\/\/127\.0\.0\.1:\d+\/actors'$/);
    }));

test("the panel looks right", async () => {
  await looksRight(browser, "#/actors", { name: "actors", ready: shown });
});
