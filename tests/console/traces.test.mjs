// The traces panel: which requests took long or failed, and where their time went.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  chosenOf, longestOf, shareText, timesOf,
} from "../../console/src/panels/traces/steps.js";
import { judge, until, withConsole } from "./support/browser.mjs";
import { ask, data } from "./support/service.mjs";

const demoGame = "00000000-0000-4000-8000-000000000001";
const slowGame = "00000000-0000-4000-8000-0000000007ac";
const delay_ms = 600;
// The id of no request: the ids of the service are longer.
const unknown = "0123456789abcdef";

const avatars = (game) => fetch(new URL(`/cloud/games/${game}/avatars`, data));

// The ids of the requests that a fault held up.
const slow = [];
before(async () => {
  await ask("PUT", `/v1/games/${slowGame}`, { display_name: "Slow Game" });
  for (let n = 0; n < 50; n++) await (await avatars(demoGame)).arrayBuffer();
  await ask("PUT", "/faults/avatar.receive", { kind: "delay", delay_ms, game: slowGame });
  for (let n = 0; n < 3; n++) {
    const answer = await avatars(slowGame);
    slow.push(answer.headers.get("X-Request-Id"));
    await answer.arrayBuffer();
  }
  await ask("DELETE", "/faults");
});
after(async () => {
  await ask("DELETE", "/faults");
  await ask("DELETE", `/v1/games/${slowGame}`);
});

const list = (page) => page.getByRole("group", { name: "Kept requests" });
const rows = (page) => list(page).locator("tbody tr");
const trace = (page) => page.getByRole("region", { name: /^Trace of/ });
const shown = async (page) => {
  await rows(page).first().waitFor();
  await trace(page).waitFor();
};
const hash = (page) => new URL(new URL(page.url()).hash.slice(1), "http://x").searchParams;

async function choose(page, label, name) {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name, exact: true }).click();
}

test("a sentence says that a fault held the request up, and leads to the fault", () =>
  withConsole("#/traces?operation=list_avatars", {}, async (page) => {
    await shown(page);
    const row = list(page).getByRole("row").filter({ hasText: "Slow Game" }).first();
    await row.getByRole("link", { name: "list_avatars" }).click();
    await page.waitForURL(/request=/);
    assert.ok(slow.includes(hash(page).get("request")));
    const said = trace(page).getByText(/were spent at the fault avatar\.receive/);
    await said.waitFor();
    assert.match(await said.textContent(),
      // A busy machine makes a delay longer.
      /^[\d.]+ of (?:(?:[6-9]|\d\d)\d\d ms|\d(?:\.\d+)? s) were spent/);
    await trace(page).getByText("Slow Game").waitFor();
    await trace(page).getByText("fault at avatar.receive").waitFor();
    await said.getByRole("link", { name: "avatar.receive" }).click();
    await page.waitForURL(/#\/faults\?point=avatar\.receive$/);
  }));

test("filters are in the link: operation, game, how slow, and those that failed", () =>
  withConsole("#/traces", {}, async (page) => {
    await shown(page);
    await choose(page, "Game", "Slow Game");
    await until(async () => await rows(page).count() === 3, "those of the game");
    await page.getByLabel("Slower than (ms)").fill("100000");
    await page.keyboard.press("Enter");
    await page.getByText("No kept request matches.").waitFor();
    assert.ok(await page.getByLabel("Slower than (ms)").evaluate((field) =>
      field === document.activeElement), "the focus stays in the field");
    assert.equal(hash(page).get("slower"), "100000");
    assert.equal(hash(page).get("game"), slowGame);
    await page.getByRole("link", { name: "Show all" }).click();
    await choose(page, "Operation", "list_avatars");
    await page.waitForURL(/operation=list_avatars/);
    await until(async () => (await list(page).getByRole("rowheader").allTextContents())
      .every((name) => name === "list_avatars"), "list_avatars alone");
    await ask("PUT", "/faults/avatar.receive", { kind: "error", game: slowGame });
    await (await avatars(slowGame)).arrayBuffer();
    await ask("DELETE", "/faults");
    await page.getByLabel("Status").selectOption("5xx");
    await until(async () => await rows(page).count() > 0
      && (await rows(page).allTextContents()).every((text) => /50\d/.test(text)), "the failed");
  }));

test("a request is found by its id, whatever the other filters are", () =>
  withConsole("#/traces?operation=list_regions", {}, async (page) => {
    await page.getByLabel("Request id").fill(slow[0]);
    await page.keyboard.press("Enter");
    await trace(page).getByText(slow[0], { exact: true }).waitFor();
    await page.getByRole("region", { name: "Trace of list_avatars" }).waitFor();
  }));

test("a request that is not kept has first steps instead of a trace", () =>
  withConsole(`#/traces?request=${unknown}`, {}, async (page) => {
    const missing = page.getByRole("region", { name: "No trace of this request" });
    await missing.getByText("This process keeps no request with this id.").waitFor();
    await missing.getByText(unknown).waitFor();
    await judge(page);
    await missing.getByText(/8 slowest requests of the last ten minutes/).waitFor();
    await missing.getByRole("link", { name: "See trace-one-in" }).click();
    await page.waitForURL(/#\/configuration\?text=trace-one-in/);
    await page.getByRole("cell", { name: "trace-one-in" }).waitFor();
  }));

test("waiting is distinguished from work, and sending comes after the answer", () =>
  withConsole("#/traces", {}, async (page) => {
    await shown(page);
    const { traces } = await ask("GET", "/v1/traces");
    const kept = traces.find(({ is_sampled: sampled, steps }) => sampled
      && steps.some(({ kind }) => kind === "wait"));
    await page.goto(page.url().replace(/#.*/, `#/traces?request=${kept.request_id}`));
    await trace(page).getByText(kept.request_id).waitFor();
    await trace(page).getByRole("rowheader", { name: /^waits for/ }).first().waitFor();
    assert.equal(await trace(page).getByRole("rowheader", { name: "sending" }).count(), 0);
  }));

const step = (kind, place, at_us, us) => ({ kind, place, at_us, us });
const walked = { operation: "list_avatars", status: 200, game_id: demoGame, total_us: 301_000,
  began: "2026-11-28T00:00:01.000Z", steps: [step("wait", "avatar.receive", 0, 1_000),
    step("fault", "avatar.receive", 1_000, 290_000), step("work", "store", 291_000, 4_000),
    step("work", "store", 295_000, 2_000), step("work", "sending", 301_000, 900_000)] };

test("times are summed by kind, without what comes after the answer", () => {
  assert.deepEqual(timesOf(walked), { wait: 1_000, work: 6_000, fault: 290_000, unknown: 4_000 });
  assert.deepEqual(longestOf(walked), { kind: "fault", place: "avatar.receive", us: 290_000 });
  assert.equal(longestOf({ ...walked, steps: [] }), null);
});

test("two spans are in one unit", () => {
  assert.equal(shareText(290_000, 301_000), "290 of 301 ms");
  assert.equal(shareText(800, 900), "800 of 900 µs");
  assert.equal(shareText(1_500, 4_200), "1.5 of 4.2 ms");
  assert.equal(shareText(20, 301_000), "0 of 301 ms");
});

test("filters keep what they name, in order", () => {
  const other = { ...walked, operation: "list_regions", status: 503, game_id: null, total_us: 5,
    began: "2026-11-28T00:00:02.000Z", steps: [] };
  const names = (filter) => chosenOf([other, walked], filter).map(({ operation }) => operation);
  assert.deepEqual(names({}), ["list_avatars", "list_regions"]);
  assert.deepEqual(names({ order: "time" }), ["list_regions", "list_avatars"]);
  assert.deepEqual(names({ status: "5xx" }), ["list_regions"]);
  assert.deepEqual(names({ status: "503" }), ["list_regions"]);
  assert.deepEqual(names({ status: "499" }), []);
  assert.deepEqual(names({ slower: "301" }), ["list_avatars"]);
  assert.deepEqual(names({ place: "store/1" }), ["list_avatars"]);
  assert.deepEqual(names({ game: slowGame }), []);
});
