// Pictures of the console as people see it, in build/console/screenshots. Axe checks each, and none
// scrolls sideways. MATCHCLOUD_ALL_STATES=1 (script/soak) pictures every panel in every world,
// width and color.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { judge, screenshot, startBrowser, until, withConsole } from "./support/browser.mjs";
import { idOf } from "./support/full_store.mjs";
import { panels } from "./support/panels.mjs";
import { endWorlds, world } from "./support/worlds.mjs";

const wide = { width: 1440, height: 900 };
const narrow = { width: 390, height: 844 };
const game = idOf(1, 0);

/** What is shown of a panel if its first view would have little to show. */
const hashes = {
  regions: "#/regions?latitude=-23.5&longitude=-46.6",
  lobbies: `#/lobbies?game=${game}`,
  avatars: `#/avatars?game=${game}`,
};
const hashOf = (panel, name) => (name === "full" || name === "fire" ? hashes[panel] : undefined)
  ?? (panel === "regions" ? hashes.regions : `#/${panel}`);

const all = [...panels, "docs"];
const state = (name, panel, viewport = wide, colorScheme = "light") =>
  ({ name, panel, viewport, colorScheme });

const inCi = [
  ...all.map((panel) => state("demo", panel)),
  ...["live", "traces", "catalog", "lobbies", "regions", "validate", "docs"]
    .map((panel) => state("demo", panel, narrow, "dark")),
  ...["live", "catalog", "lobbies"].map((panel) => state("empty", panel)),
  ...["catalog", "lobbies", "regions", "avatars"].map((panel) => state("full", panel)),
  ...["live", "traces", "faults"].map((panel) => state("fire", panel)),
];
const everything = ["demo", "empty", "full", "fire"].flatMap((name) => all.flatMap((panel) =>
  [wide, narrow].flatMap((viewport) => ["light", "dark"]
    .map((colorScheme) => state(name, panel, viewport, colorScheme)))));
const states = process.env.MATCHCLOUD_ALL_STATES === "1" ? everything : inCi;

let browser;
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await endWorlds();
});

test("every panel of the navigation is checked", () =>
  withConsole(browser, "#/live", {}, async (page) => {
    const links = await page.getByRole("navigation", { name: "Panels" }).getByRole("link")
      .evaluateAll((found) => found.map((link) => link.getAttribute("href")));
    assert.deepEqual(links.filter((href) => href.startsWith("#/")).sort(),
      panels.map((id) => `#/${id}`).sort());
  }));

for (const { name, panel, viewport, colorScheme } of states) {
  const title = `${name}-${panel}-${viewport.width}-${colorScheme}`;
  test(`${title} is whole and accessible`, async () => {
    const { ops: url } = await world(name);
    const path = panel === "docs" ? "/docs" : "/";
    await withConsole(browser, panel === "docs" ? "" : hashOf(panel, name),
      { url, path, viewport, colorScheme }, async (page) => {
        await page.getByRole("heading", { level: 1 }).waitFor();
        await until(() => page.evaluate(() => document.querySelectorAll('[aria-busy="true"]')
          .length === 0), "all that is loaded");
        await screenshot(page, title);
        const sideways = await page.evaluate(() => document.documentElement.scrollWidth
          - document.documentElement.clientWidth);
        assert.equal(sideways, 0, "scrolls sideways");
        await judge(page, title);
      });
  });
}
