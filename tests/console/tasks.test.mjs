// What people come to the console for: done with only what the page shows, in a few clicks.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { startBrowser, until, withConsole } from "./support/browser.mjs";
import { idOf } from "./support/full_store.mjs";
import { longerThan, Person } from "./support/person.mjs";
import { ask } from "./support/service.mjs";
import { endWorlds, world } from "./support/worlds.mjs";

const look = { viewport: { width: 1440, height: 900 } };

let browser;
let service;
before(async () => {
  browser = await startBrowser();
  service = await world("full");
});
after(async () => {
  await browser?.close();
  await endWorlds();
});

/** Runs `task` with a person who looks at Live and may change things. */
function asPerson(task, expected = []) {
  return withConsole(browser, "#/live", { ...look, url: service.ops, expected }, async (page) => {
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Allow changes" }).click();
    await task(new Person(page), page);
  });
}

const panel = (page, name) =>
  page.getByRole("navigation", { name: "Panels" }).getByRole("link", { name, exact: true });

/** Fills in a field that the Tab key leads to from the current focus. */
async function fillByKeys(page, label, text) {
  const field = page.getByRole("dialog").getByLabel(label, { exact: true });
  for (let n = 0; n < 6; n += 1) {
    if (await field.evaluate((one) => document.activeElement === one)) break;
    await page.keyboard.press("Tab");
  }
  await page.keyboard.type(text);
  assert.equal(await field.inputValue(), text);
}

test("a game's avatars are slow: found from Live within four clicks", async () => {
  const game = idOf(1, 1);
  const faulty = await world("slow");
  const asking = setInterval(() => {
    for (const n of [0, 1, 2]) {
      fetch(new URL(`/cloud/games/${idOf(1, n)}/avatars`, faulty.data))
        .then((answer) => answer.arrayBuffer()).catch(() => {});
    }
  }, 100);
  try {
    await withConsole(browser, "#/live", { ...look, url: faulty.ops }, async (page) => {
      const person = new Person(page);
      const slow = page.getByRole("link",
        { name: new RegExp(`list_avatars.* took ${longerThan(3)}`) });
      await person.click(slow);
      await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
      const { display_name: name } = await ask("GET", `/v1/games/${game}`, null,
        { url: faulty.ops });
      const row = page.getByRole("row").filter({ hasText: "list_avatars" }).first();
      await until(async () => (await row.textContent()).includes(name), "the game");
      await person.see(row.getByText(new RegExp(`^${longerThan(3)}$`)).first());
      await person.click(row.getByRole("link").first());
      await person.see(page.getByText(/avatar\.receive/).first());
      person.within(4);
    });
  } finally {
    clearInterval(asking);
  }
});

test("a region is added and ranked for Sao Paulo: four clicks, no scrolling", () =>
  asPerson(async (person, page) => {
    await person.click(panel(page, "Regions"));
    await person.click(page.getByRole("button", { name: "Add region" }));
    await person.type(page.getByRole("dialog").getByLabel("Name", { exact: true }), "Campinas");
    await fillByKeys(page, "Provider", "Northwind");
    await fillByKeys(page, "Place", "-22.9, -47.06");
    await person.press("Enter");
    await person.click(page.getByRole("link", { name: "See its rank" }));
    await person.type(page.getByRole("combobox", { name: "Player location" }), "Sao Paulo");
    await page.getByRole("option", { name: /^São Paulo|^Sao Paulo/ }).first().waitFor();
    await person.press("Enter");
    const row = page.getByRole("row").filter({ hasText: "Campinas" });
    await until(async () => /^2 ?Campinas/.test((await row.textContent()).trim()), "its rank");
    await person.see(row);
    person.within(4);
    // The form checks whether the id is free.
  }, [/404 .*\/v1\/regions\/campinas/]));

test("a token for a game that is chosen: four clicks", () => asPerson(async (person, page) => {
  await person.click(panel(page, "Tokens"));
  await person.click(page.getByRole("button", { name: "Create token", exact: true }));
  await until(() => page.evaluate(() => document.activeElement.role === "combobox"
    || document.activeElement.getAttribute("role") === "combobox"), "the field of the game");
  await page.keyboard.type("Neon Legends");
  await person.click(page.getByRole("option", { name: "Neon Legends" }));
  await person.click(page.getByRole("button", { name: "Create", exact: true }));
  await person.see(page.locator(".token-text"));
  assert.match(await page.locator(".token-text").textContent(), /^mc_game_\w{49}$/);
  person.within(4);
}));

test("yesterday's lobbies as CSV: four clicks", () => asPerson(async (person, page) => {
  await person.click(panel(page, "Lobbies"));
  await person.click(page.getByRole("button", { name: "Yesterday" }));
  await person.click(page.getByRole("button", { name: "Export this span" }));
  const link = page.getByRole("link", { name: /^Download/ });
  await person.see(link);
  const [download] = await Promise.all([page.waitForEvent("download"), person.click(link)]);
  const lines = readFileSync(await download.path(), "utf8").trim().split("\n");
  assert.ok(lines.length > 1_000, `${lines.length} lines`);
  person.within(4);
}));

test("which lobbies run too long and where: two clicks", () => asPerson(async (person, page) => {
  await person.click(panel(page, "Lobbies"));
  const { lobbies: [longest] } = await ask("GET",
    `/v1/games/${idOf(1, 0)}/lobbies/running?longer_than_ms=86400000&limit=1`, null,
    { url: service.ops });
  const row = page.getByRole("row").filter({ hasText: longest.region_name }).first();
  await person.see(row);
  await person.click(row.getByRole("link").first());
  await person.see(page.getByText(longest.lobby_id).first());
  await person.see(page.getByRole("main").getByText(longest.region_name).first());
  person.within(2);
}));

test("what changed in the last hour and by whom: two clicks", () =>
  asPerson(async (person, page) => {
    await ask("PUT", "/v1/tiers/seen-by-somebody", null, { url: service.ops });
    await person.click(panel(page, "Audit log"));
    await person.see(page.getByText(/changes? in the last hour: .*by/));
    await person.see(page.getByText("seen-by-somebody").first());
    person.within(2);
  }));
