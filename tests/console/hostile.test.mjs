// Names that try to be more than text, under the page's policy.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fits, judge, panels, screenshot, until, withConsole } from "./support/browser.mjs";
import { ask, command, demoFolder, startService } from "./support/service.mjs";

const image = '<img src=x onerror="document.title=1">';
const script = "</script><script>document.title=1</script>";
const quotes = `"'\`&amp;&lt; \${1} {{main.js}}`;
const turned = "safe\u202egnp.exe\u2066";
const long = "x".repeat(300);
const hebrew = "\u05e9\u05dc\u05d5\u05dd";
const demoGame = "00000000-0000-4000-8000-000000000001";
const prod = "00000000-0000-4000-8000-000000000011";
const ranTo = Date.UTC(2026, 5, 2);
const names = [image, script, quotes, turned, long, hebrew, "javascript:alert(1)", "  "];

let service;
const accepted = [];

/**
 * Stores avatars and lobbies with such names. They are imported from files or reported as lines.
 */
function importAvatar(dataDir) {
  const file = join(dataDir, "avatars.jsonl");
  writeFileSync(file, `${JSON.stringify({ game_id: demoGame, display_name: image, complete: false,
    upload_id: "00000000-0000-4000-8000-000000000301", create_ts: "2026-06-01T00:00:00Z",
    content_length: 1 })}\n`);
  command("import", "avatars", "--data-dir", dataDir, file);
}

async function reportLobby() {
  const lobby = { lobby_id: "00000000-0000-4000-8000-000000000302", namespace_id: prod,
    region_id: "hostile-0", tier: "basic-1d1", game_mode: image, version_name: image,
    version_id: "00000000-0000-4000-8000-000000000303", start_ts: Date.UTC(2026, 5, 1) };
  const answer = await fetch(new URL("/v1/lobbies", service.ops), { method: "POST",
    headers: { "Content-Type": "application/x-ndjson" }, body: `${JSON.stringify(lobby)}\n` });
  return answer.json();
}

before(async () => {
  const dataDir = demoFolder();
  importAvatar(dataDir);
  service = await startService({ dataDir, flags: ["--enable-fault-injection"] });
  for (const [n, name] of names.entries()) {
    // The service cannot return a name that it refuses.
    const answer = await ask("PUT", `/v1/games/00000000-0000-4000-8000-00000000010${n}`,
      { display_name: name }, { url: service.ops });
    if (answer.display_name === name) accepted.push(name);
    await ask("PUT", `/v1/regions/hostile-${n}`, { region_display_name: name,
      provider_display_name: name, datacenter_coord: { latitude: n, longitude: n } },
    { url: service.ops });
    await ask("POST", "/v1/tokens", { kind: "viewer", name: name.slice(0, 64) },
      { url: service.ops });
  }
  assert.equal((await reportLobby()).accepted, 1);
});
after(async () => {
  await service?.stop();
});

const unharmed = async (page) => {
  assert.match(await page.title(), /matchcloud console$/);
  assert.equal(await page.locator("main img:not([src^='blob:']), main script, main iframe")
    .count(), 0);
};

test("hostile names of games are text", () =>
  withConsole("#/catalog?kind=games", { url: service.ops }, async (page) => {
    assert.ok(accepted.includes(image), "the service takes such a name");
    await page.getByText(image, { exact: true }).waitFor();
    const cells = await page.getByRole("cell").allTextContents();
    for (const name of accepted) assert.ok(cells.includes(name), `${name} in ${cells}`);
    await unharmed(page);
    await fits(page);
    await judge(page);
    await screenshot(page, "hostile");
  }));

test("names that the service would refuse are text too, whatever their length and direction", () =>
  withConsole("#/catalog?kind=tiers", { url: service.ops, expected: [/404/] },
    async (page) => {
      // A store that an older or another program wrote may have such names. This one has no such
      // games, so their lobbies cannot be counted.
      await page.route("**/v1/games", (route) => route.fulfill({ json: { revision: 1,
        games: [turned, long, "\u0007\u200f", "  "].map((name, n) => ({
          game_id: `00000000-0000-4000-8000-00000000020${n}`, display_name: name })) } }));
      await page.getByRole("link", { name: "Games" }).click();
      await page.getByRole("cell", { name: "safeU+202Egnp.exeU+2066", exact: true }).waitFor();
      await page.getByRole("cell", { name: long, exact: true }).waitFor();
      await page.getByText("U+0007").waitFor();
      await page.setViewportSize({ width: 400, height: 900 });
      await fits(page);
      await unharmed(page);
    }));

// What each panel shows once it is loaded: a name from the catalog or the store, if it has any.
const shownAt = {
  "#/live": (page) => page.getByText("Nothing is wrong.").waitFor(),
  "#/traces": (page) => page.getByRole("heading", { name: "Traces", level: 1 }).waitFor(),
  "#/configuration": (page) => page.getByRole("region", { name: "Keys" }).getByRole("row").nth(1)
    .waitFor(),
  "#/tokens": (page) => page.getByText(/onerror/).first().waitFor(),
  "#/audit": (page) => page.getByText(/onerror/).first().waitFor(),
  "#/actors": (page) => page.getByRole("rowheader", { name: "avatar/0", exact: true }).waitFor(),
  "#/faults": (page) => page.getByText("geoip.lookup", { exact: true }).first().waitFor(),
  "#/catalog?kind=regions&id=hostile-0": (page) => page.getByText(/onerror/).first().waitFor(),
  "#/regions?latitude=0&longitude=0": (page) => page.getByRole("cell", { name: image }).first()
    .waitFor(),
  [`#/lobbies?game=${demoGame}&start=${ranTo - 864e5}&end=${ranTo}&longer=3600000`]: (page) =>
    page.getByRole("cell", { name: image }).nth(2).waitFor(),
  [`#/avatars?game=${demoGame}`]: (page) => page.locator("li strong").getByText(image)
    .waitFor(),
  "#/validate?kind=version&example=mistakes": (page) => page.getByText("16 findings").waitFor(),
};

test("every panel has been given hostile names", () => {
  const looked = Object.keys(shownAt).map((hash) => /^#\/(\w+)/.exec(hash)[1]);
  assert.deepEqual(looked.sort(), [...panels].sort());
});

for (const [hash, isShown] of Object.entries(shownAt)) {
  test(`a hostile catalog is only text at ${hash.split("?")[0]}`, () =>
    withConsole(hash, { url: service.ops }, async (page) => {
      await isShown(page);
      await until(async () => await page.locator("main select option, main [role=combobox]")
        .count() > 0
        || !/^#\/(lobbies|avatars|regions)/.test(hash), "the names to choose from");
      await unharmed(page);
      await fits(page);
      if (!/^#\/(catalog|tokens|audit)/.test(hash)) return;
      await page.setViewportSize({ width: 400, height: 900 });
      await fits(page, `${hash} at 400`);
    }));
}

test("hostile names in links of the page are text", () =>
  withConsole(`#/catalog?kind=games&id=${encodeURIComponent(image)}&search=${
    encodeURIComponent(script)}`, { url: service.ops }, async (page) => {
    await page.getByText("There is no game with the id").waitFor();
    await unharmed(page);
  }));
