// The audit log: who changed what, in sentences, by hour.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { authorOf, countsOf, deedOf, hoursOf } from "../../console/src/panels/audit/words.js";
import { judge, until, withConsole } from "./support/browser.mjs";
import { ask } from "./support/service.mjs";

const oslo = { region_display_name: "Oslo", provider_display_name: "Demo Cloud",
  datacenter_coord: { latitude: 59.9139, longitude: 10.7522 } };

const log = (page) => page.getByRole("group", { name: "Audit log" });
const items = (page) => log(page).getByRole("listitem").filter({ has: page.locator("time") });

test("one click from Live shows what changed in the last hour, and by whom", async () => {
  await ask("PUT", "/v1/regions/osl", oslo);
  await ask("PUT", "/v1/regions/osl", { ...oslo, region_display_name: "Oslo (west)" });
  await withConsole("#/live", {}, async (page) => {
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByText(/changes? in the last hour: \d+ by/).waitFor();
    const changed = items(page).filter({ hasText: "changed region Oslo (west) osl" }).first();
    await changed.waitFor();
    assert.match(await changed.textContent(), /Someone on this machine \(no token/);
    await changed.getByText('"Oslo"', { exact: true }).waitFor();
    await changed.getByText('"Oslo (west)"', { exact: true }).waitFor();
    const { entries } = await ask("GET", "/v1/audit?limit=1&action=catalog.put");
    await changed.getByRole("link", { name: entries[0].request_id }).click();
    await page.waitForURL(RegExp(`#/traces\\?request=${entries[0].request_id}`));
  });
  await ask("DELETE", "/v1/regions/osl");
});

test("an entry shows everything that it changed", async () => {
  await ask("PUT", "/v1/regions/osl", oslo);
  const { entries } = await ask("GET", "/v1/audit?limit=1&action=catalog.put");
  const number = String(entries[0].entry);
  await ask("DELETE", "/v1/regions/osl");
  await withConsole("#/audit", {}, async (page) => {
    await log(page).getByRole("link", { name: number, exact: true }).click();
    const entry = page.getByRole("region", { name: `Entry ${number}` });
    await entry.getByText("regions/osl").waitFor();
    await entry.getByRole("group", { name: "What it changed" })
      .getByText("datacenter_coord.latitude").waitFor();
    await judge(page);
    await entry.getByRole("link", { name: "Close" }).click();
    await entry.waitFor({ state: "detached" });
  });
});

test("the audit log is read page by page", async () => {
  for (let n = 0; n < 60; n++) await ask("PUT", `/v1/tiers/page-${n}`);
  await withConsole("#/audit", {}, async (page) => {
    const { entries } = await ask("GET", "/v1/audit?limit=51");
    const link = (entry) => log(page).getByRole("link", { name: String(entry), exact: true });
    await link(entries[49].entry).waitFor();
    assert.equal(await link(entries[50].entry).count(), 0);
    await page.getByRole("link", { name: "Older" }).click();
    await link(entries[50].entry).waitFor();
    await page.getByRole("link", { name: "Newest" }).click();
    await link(entries[0].entry).waitFor();
  });
  for (let n = 0; n < 60; n++) await ask("DELETE", `/v1/tiers/page-${n}`);
});

test("the audit log is filtered by action, subject, author and time", async () => {
  await ask("PUT", "/v1/tiers/filtered");
  await ask("DELETE", "/v1/tiers/filtered");
  await withConsole("#/audit", {}, async (page) => {
    await page.getByLabel("Action", { exact: true }).fill("catalog.remove");
    await page.getByLabel("Subject", { exact: true }).fill("tiers/filtered");
    await page.getByRole("button", { name: "Filter" }).click();
    await until(async () => await items(page).count() === 1, "the only entry");
    await items(page).getByText("removed tier filtered").waitFor();
    assert.equal(await page.getByLabel("Subject", { exact: true }).inputValue(), "tiers/filtered");
    await page.getByLabel("When").selectOption({ label: "the last hour" });
    await page.waitForURL(/hours=1/);
    await items(page).getByText("removed tier filtered").waitFor();
    await page.getByLabel("Who").fill("nobody-of-this-name");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText("No entry matches.").waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await until(async () => await items(page).count() > 1, "all");
  });
});

const entry = (action, subject, before_value = null, after_value = null) => ({ action, subject,
  before: before_value, after: after_value });
const said = (one) => {
  const { verb, noun, name, id } = deedOf(one);
  return [verb, noun, name, id].filter((part) => part !== null).join(" ");
};

test("changes are sentences", () => {
  const london = { region_display_name: "London" };
  assert.equal(said(entry("catalog.put", "regions/lon", null, london)),
    "created region London lon");
  assert.equal(said(entry("catalog.put", "regions/lon", london, london)),
    "changed region London lon");
  assert.equal(said(entry("catalog.remove", "tiers/basic", {})), "removed tier basic");
  assert.equal(said(entry("token.create", "tokens/1", null, { kind: "viewer", name: "Ana" })),
    "created viewer token Ana 1");
  assert.equal(said(entry("fault.put", "faults/accept", null, { kind: "delay" })),
    "set fault at accept");
  assert.equal(said(entry("avatar.remove", "games/1/avatars/2", { display_name: "Cat" })),
    "removed avatar Cat 2");
  assert.equal(said(entry("demo.seed", null)), "added the demo data");
  assert.equal(said(entry("lobbies.ingest.sum", null, null, { requests: 2, lobbies: 30_005 })),
    "reported 30,005 lobbies in an hour");
  assert.equal(said(entry("lobbies.ingest.sum", null, null, { requests: 1, lobbies: 1 })),
    "reported 1 lobby in an hour");
  assert.equal(said(entry("log-levels.put", "log-levels")), "changed log-levels");
  assert.equal(said(entry("service.start", "hosts/web1")), "started the service on host web1");
  assert.equal(said(entry("game.erased", "games/1")), "erased game 1");
  assert.equal(said(entry("new.action", "things/1")), "new.action things/1");
});

// A test of the program compares the page's table with the program's actions.
test("the actions of docs/security.md, and no others, have words", () => {
  const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const [, table] = read("docs/security.md").split(/<!-- \/?audit-actions -->/);
  const documented = [...table.matchAll(/^\| `([a-z.-]+)` \|/gm)].map(([, action]) => action);
  assert.ok(documented.includes("game.erased"));
  const named = read("console/src/panels/audit/words.js").matchAll(/"([a-z-]+(?:\.[a-z-]+)+)"/g);
  const worded = new Set([...named].map(([, action]) => action));
  assert.deepEqual([...worded].sort(), [...documented].sort());
  for (const action of documented) assert.notEqual(deedOf(entry(action, null)).verb, action);
});

test("authors have a name and the kind of their permission", () => {
  const who = { kind: "token", name: "Ana", id: "7" };
  assert.deepEqual(authorOf(who, new Map([["7", "admin"]])), { name: "Ana", what: "admin token" });
  assert.deepEqual(authorOf(who), { name: "Ana", what: "token" });
  assert.deepEqual(countsOf([{ who }, { who: { kind: "service" } }, { who }]),
    [["Ana", 2], ["The service", 1]]);
});

test("entries are grouped by hour", () => {
  const at = (time) => ({ at: `2026-11-28T${time}Z` });
  assert.deepEqual(hoursOf([at("04:00:00"), at("03:59:59"), at("03:00:00")])
    .map(({ hour, entries }) => [hour, entries.length]),
  [["2026-11-28T04", 1], ["2026-11-28T03", 2]]);
});
