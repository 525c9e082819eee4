// The actors panel: the supervision tree as it is, and the walks of sampled requests.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { looksRight, startBrowser, until, withConsole } from "./browser.mjs";
import { ask, data } from "./service.mjs";

const avatars = new URL("/cloud/games/00000000-0000-4000-8000-000000000001/avatars", data);

let browser;
// The place of the actor that a test let die: the kernel chooses the loop that gets a request.
let died;
before(async () => {
  browser = await startBrowser();
  // Enough that some are sampled.
  for (let n = 0; n < 300; n++) await (await fetch(avatars)).arrayBuffer();
});
after(async () => {
  await ask("DELETE", "/faults");
  await browser?.close();
});

const row = (page, place) => page.getByRole("group", { name: "Supervision tree" })
  .getByRole("row").filter({ has: page.getByRole("rowheader", { name: place, exact: true }) });
const shown = async (page) => {
  await row(page, "avatar/0").waitFor();
  await page.getByRole("group", { name: "Walk of the request" }).waitFor();
};

test("every actor of the service is in the tree, below its supervisor", () =>
  withConsole(browser, "#/actors", {}, async (page) => {
    await shown(page);
    const { actors } = await ask("GET", "/actors");
    for (const { place } of actors) assert.equal(await row(page, place).count(), 1, place);
    await page.getByRole("button", { name: "Of the whole service" }).click();
    await row(page, "catalog").waitFor({ state: "detached" });
  }));

test("an actor that dies shows so within a second or two, and its row is marked", () =>
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

test("only actors that were started again are shown by a link", () =>
  withConsole(browser, "#/actors?show=restarted", {}, async (page) => {
    await row(page, died).waitFor();
    assert.equal(await row(page, "avatar/ops").count(), 0);
    assert.equal(await page.getByLabel("Show").first().inputValue(), "restarted");
  }));

test("the walk of a kept request is shown with its times, and waiting apart", () =>
  withConsole(browser, "#/actors", {}, async (page) => {
    await shown(page);
    await page.getByRole("list", { name: /^Kept requests/ }).getByRole("link").first().click();
    await page.waitForURL(/walk=/);
    const { traces } = await ask("GET", "/v1/traces");
    const kept = traces.find(({ steps }) => steps.some(({ kind }) => kind === "wait"));
    await page.goto(page.url().replace(/walk=[^&]*/, `walk=${kept.request_id}`));
    await page.getByText(kept.request_id).waitFor();
    await page.getByRole("rowheader", { name: /^waits for/ }).first().waitFor();
    const walk = page.getByRole("group", { name: "Walk of the request" });
    assert.ok(await walk.getByRole("rowheader").count() > 0);
    assert.match(await walk.textContent(), /\d (µs|ms|s)/);
    const id = new URL(page.url().replace("#/", "")).searchParams.get("walk");
    await page.getByText(id).waitFor();
  }));

test("the walks of an actor's kind are found by the actor, and those of others are not", () =>
  withConsole(browser, "#/actors?place=avatar/1", {}, async (page) => {
    await shown(page);
    await row(page, "media/0").getByRole("link").click();
    await page.getByText("No request that was kept is like that.").waitFor();
    await row(page, "avatar/0").getByRole("link").click();
    await page.getByRole("group", { name: "Walk of the request" }).getByRole("rowheader",
      { name: "avatar", exact: true }).waitFor();
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
