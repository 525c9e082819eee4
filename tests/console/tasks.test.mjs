// What people come to the console for, read off the page alone, within a number of clicks.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser, until, withConsole } from "./support/browser.mjs";
import { idOf } from "./support/full_store.mjs";
import { Person } from "./support/person.mjs";
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
function asPerson(task) {
  return withConsole(browser, "#/live", { ...look, url: service.ops }, async (page) => {
    await page.getByText("live", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Allow changes" }).click();
    await task(new Person(page), page);
  });
}

const panel = (page, name) =>
  page.getByRole("navigation", { name: "Panels" }).getByRole("link", { name, exact: true });

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
      const slow = page.getByRole("link", { name: /list_avatars.* took 3\d\d ms/ });
      await person.click(slow);
      await page.getByRole("heading", { level: 1, name: "Traces" }).waitFor();
      const { display_name: name } = await ask("GET", `/v1/games/${game}`, null,
        { url: faulty.ops });
      const row = page.getByRole("row").filter({ hasText: "list_avatars" }).first();
      await until(async () => (await row.textContent()).includes(name), "the game");
      await person.see(row.getByText(/^3\d\d ms$/).first());
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
    await person.click(page.getByRole("link", { name: "Add region" }));
    await person.type(page.getByLabel("Name", { exact: true }), "Campinas");
    await person.press("Tab");
    assert.fail(`write on: ${person.clicks}`);
  }));

test("a token for a game that is chosen: four clicks", () => asPerson(async (person, page) => {
  await person.click(panel(page, "Tokens"));
  await person.click(page.getByRole("button", { name: "Create token" }));
  assert.fail(`write on: ${person.clicks}`);
}));

test("yesterday's lobbies as CSV: four clicks", () => asPerson(async (person, page) => {
  await person.click(panel(page, "Lobbies"));
  assert.fail(`write on: ${person.clicks}`);
}));

test("who runs too long and where: two clicks", () => asPerson(async (person, page) => {
  await person.click(panel(page, "Lobbies"));
  assert.fail(`write on: ${person.clicks}`);
}));

test("what changed in the last hour and by whom: two clicks", () =>
  asPerson(async (person, page) => {
    await person.click(panel(page, "Audit log"));
    assert.fail(`write on: ${person.clicks}`);
  }));
