// Pictures of the console as people see it, in build/console/screenshots. Axe checks each, and none
// scrolls sideways. MATCHCLOUD_ALL_STATES=1 (script/soak) pictures every panel in every world,
// width and color. What else a panel can show, such as its forms, is pictured by the panel's tests.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  fits, judge, panels, screenshot, until, widths, withConsole,
} from "./support/browser.mjs";
import { ask, data, demoFolder, ops, startService } from "./support/service.mjs";

const wide = { width: 1440, height: 900 };
const widest = { width: widths.wide, height: 2160 };
const narrow = { width: widths.narrow, height: 844 };
const game = "00000000-0000-4000-8000-000000000001";

/** What is shown of a panel if its first view would have little to show. */
const hashes = {
  regions: "#/regions?latitude=-23.5&longitude=-46.6&players=1",
  lobbies: `#/lobbies?game=${game}&start=${Date.UTC(2026, 0, 1)}&end=${Date.UTC(2026, 1, 1)}`,
};

const avatars = `/cloud/games/${game}/avatars`;

/** A service with problems: requests that are slow or fail, and actors that die. */
async function onFire() {
  const service = await startService({ dataDir: demoFolder(),
    flags: ["--enable-fault-injection", "--fallback-location", "51.5,-0.12"] });
  const put = (point, rule) => ask("PUT", `/faults/${point}`, rule, { url: service.ops });
  const send = (path, body) => fetch(new URL(path, service.data), body && { method: "POST",
    headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })
    .then((answer) => answer.arrayBuffer());
  await put("avatar.receive", { kind: "delay", delay_ms: 300, game });
  await put("export.receive", { kind: "crash", probability: 0.5 });
  await put("region_ranking.receive", { kind: "error", probability: 0.3 });
  for (let n = 0; n < 60; n += 1) await send("/matchmaker/regions");
  for (let n = 0; n < 6; n += 1) {
    await send(avatars);
    await send(`/cloud/games/${game}/matchmaker/lobbies/export-history`,
      { query_start: Date.now() - 86_400_000 + n, query_end: Date.now() });
  }
  return service;
}

const makers = {
  demo: async () => ({ ops, data, stop: async () => {} }),
  empty: () => startService({
    dataDir: mkdtempSync(join(process.env.MATCHCLOUD_TEST_FOLDER, "empty-")) }),
  fire: onFire,
};
const made = new Map();

/** The service of a world, made when it is first needed. */
function world(name) {
  if (!made.has(name)) made.set(name, makers[name]());
  return made.get(name);
}

const all = [...panels, "docs"];
const state = (name, panel, viewport = wide, colorScheme = "light") =>
  ({ name, panel, viewport, colorScheme });

const inCi = [
  ...all.flatMap((panel) => [state("demo", panel, narrow, "dark"), state("demo", panel, widest)]),
  ...["live", "catalog", "lobbies", "regions", "tokens"].map((panel) => state("empty", panel)),
  ...["live", "traces", "faults"].map((panel) => state("fire", panel)),
];
const everything = Object.keys(makers).flatMap((name) => all.flatMap((panel) =>
  [widest, wide, narrow].flatMap((viewport) => ["light", "dark"]
    .map((colorScheme) => state(name, panel, viewport, colorScheme)))));
const states = process.env.MATCHCLOUD_ALL_STATES === "1" ? everything : inCi;

after(async () => {
  for (const service of made.values()) await (await service).stop();
});

test("every panel of the navigation is checked", () =>
  withConsole("#/live", {}, async (page) => {
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
    const hash = name === "empty" ? undefined : hashes[panel];
    await withConsole(panel === "docs" ? "" : hash ?? `#/${panel}`,
      { url, path, viewport, colorScheme, reducedMotion: "reduce" }, async (page) => {
        await page.getByRole("heading", { level: 1 }).waitFor();
        await until(() => page.evaluate(() => document.querySelectorAll('[aria-busy="true"]')
          .length === 0), "all that is loaded");
        await screenshot(page, title);
        await fits(page, title);
        await judge(page, title);
      });
  });
}
