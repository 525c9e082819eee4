// The catalog panel: elements, changed here and elsewhere.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { looksRight, startBrowser, withConsole } from "./support/browser.mjs";
import { ask } from "./support/service.mjs";

const demoGame = "00000000-0000-4000-8000-000000000001";
const oslo = { region_display_name: "Oslo", provider_display_name: "Demo Cloud",
  datacenter_coord: { latitude: 59.9139, longitude: 10.7522 } };

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

const allow = (page) => page.getByRole("button", { name: "Allow changes" }).click();
const cell = (page, text) => page.getByRole("cell", { name: text, exact: true });
const differs = (page) => page.getByRole("dialog").getByRole("group", { name: "What changes" });

test("everybody sees a region made, changed and removed here, with audit entries", () =>
  withConsole(browser, "#/catalog?kind=regions", { expected: [/404/] }, async (page) => {
    await allow(page);
    await page.getByRole("button", { name: "Add region" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Berlin");
    assert.equal(await dialog.getByLabel("Id", { exact: true }).inputValue(), "berlin");
    await dialog.getByLabel("Id", { exact: true }).fill("ber");
    await dialog.getByLabel("Provider").fill("Demo Cloud");
    await dialog.getByLabel("Place").fill("52.52, 13.4");
    await dialog.getByText("52.52° N, 13.4° E").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("catalog.put").waitFor();
    await cell(page, "Berlin").waitFor();
    const made = await ask("GET", "/v1/regions/ber");
    assert.deepEqual(made.datacenter_coord, { latitude: 52.52, longitude: 13.4 });

    await page.getByRole("button", { name: "Edit" }).click();
    assert.ok(await dialog.getByRole("button", { name: "Save" }).isDisabled());
    await dialog.getByLabel("Name").fill("Berlin (Mitte)");
    await differs(page).getByText('"Berlin"', { exact: true }).waitFor();
    await differs(page).getByText('"Berlin (Mitte)"', { exact: true }).waitFor();
    assert.equal(await differs(page).getByRole("row").count(), 2);
    await dialog.getByRole("button", { name: "Save" }).click();
    await cell(page, "Berlin (Mitte)").waitFor();
    assert.equal((await ask("GET", "/v1/regions/ber")).region_display_name, "Berlin (Mitte)");

    await page.getByRole("button", { name: "Remove" }).click();
    const remove = dialog.getByRole("button", { name: "Remove" });
    assert.ok(await remove.isDisabled());
    await dialog.getByLabel("Type ber to continue.").fill("ber");
    await remove.click();
    await page.getByText("catalog.remove").waitFor();
    assert.equal((await ask("GET", "/v1/regions/ber")).status, 404);
    const { entries } = await ask("GET", "/v1/audit?limit=1");
    await page.getByRole("link", { name: String(entries[0].entry), exact: true }).click();
    await page.getByRole("region", { name: `Entry ${entries[0].entry}` }).getByText("regions/ber")
      .waitFor();
  }));

test("a region that is added elsewhere appears here", () =>
  withConsole(browser, "#/catalog?kind=regions", {}, async (page) => {
    await cell(page, "Mumbai").waitFor();
    await ask("PUT", "/v1/regions/osl", oslo);
    await cell(page, "Oslo").waitFor();
    await ask("DELETE", "/v1/regions/osl");
    await cell(page, "Oslo").waitFor({ state: "detached" });
  }));

test("somebody else's change is shown before it is overwritten", async () => {
  await ask("PUT", "/v1/regions/osl", oslo);
  await withConsole(browser, "#/catalog?kind=regions&id=osl", {}, async (page) => {
    await allow(page);
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Provider").fill("Mine");
    await ask("PUT", "/v1/regions/osl", { ...oslo, provider_display_name: "Theirs" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("The region has changed since").waitFor();
    await differs(page).getByText('"Theirs"').waitFor();
    assert.equal((await ask("GET", "/v1/regions/osl")).provider_display_name, "Theirs");
    await dialog.getByRole("button", { name: "Save" }).click();
    await cell(page, "Mine").waitFor();
  });
  await ask("DELETE", "/v1/regions/osl");
});

test("a game that has namespaces is not removed, and the page says why", () =>
  withConsole(browser, `#/catalog?kind=games&id=${demoGame}`, {}, async (page) => {
    await allow(page);
    const ending = page.getByRole("region", { name: "Remove or erase" });
    await ending.getByText("Remove its namespaces first.").waitFor();
    assert.ok(await ending.getByRole("button", { name: "Remove" }).isDisabled());
  }));

test("a region that a namespace names is not removed, and the page says why", async () => {
  const space = "/v1/namespaces/00000000-0000-4000-8000-000000000031";
  await ask("PUT", "/v1/regions/osl", oslo);
  await ask("PUT", space, { game_id: demoGame, name: "nordic", regions: ["osl"] });
  await withConsole(browser, "#/catalog?kind=regions&id=osl", { expected: [/409/] },
    async (page) => {
      await allow(page);
      await page.getByRole("region", { name: "Oslo" })
        .getByRole("link", { name: "Demo Game, nordic" }).waitFor();
      await page.getByRole("button", { name: "Remove" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(/^Type/).fill("osl");
      await dialog.getByRole("button", { name: "Remove" }).click();
      await dialog.getByRole("alert").getByText("still_referred").waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    });
  await ask("DELETE", space);
  await ask("DELETE", "/v1/regions/osl");
});

test("a game, a namespace and a tier are added", () =>
  withConsole(browser, "#/catalog?kind=games", { expected: [/404/] }, async (page) => {
    await allow(page);
    const dialog = page.getByRole("dialog");
    const save = async () => {
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await page.getByRole("button", { name: "Add game" }).click();
    await dialog.getByLabel("Name").fill("Second Game");
    const game = await dialog.getByLabel("Id", { exact: true }).inputValue();
    await save();
    assert.equal((await ask("GET", `/v1/games/${game}`)).display_name, "Second Game");

    await page.getByRole("button", { name: "Add the first namespace" }).click();
    assert.equal(await dialog.getByRole("combobox", { name: "Game" }).inputValue(), "Second Game");
    await dialog.getByLabel("Name").fill("live");
    await dialog.getByLabel("Domains").fill("a.example\nb.example");
    await dialog.getByLabel(/^All regions/).uncheck();
    await dialog.getByRole("combobox", { name: "Add a region" }).click();
    await dialog.getByRole("option", { name: "London" }).click();
    await dialog.getByRole("button", { name: "Remove London" }).waitFor();
    const space = await dialog.getByLabel("Id", { exact: true }).inputValue();
    await save();
    assert.deepEqual(await ask("GET", `/v1/namespaces/${space}`), { namespace_id: space,
      game_id: game, name: "live", domains: ["a.example", "b.example"], regions: ["lon"] });
    const spaces = page.getByRole("region", { name: "Namespaces" });
    await spaces.getByRole("cell", { name: "London", exact: true }).waitFor();

    await page.getByRole("link", { name: "Tiers" }).click();
    await page.getByRole("button", { name: "Add tier" }).click();
    await dialog.getByLabel("Id", { exact: true }).fill("basic-8d1");
    await save();
    await page.getByRole("link", { name: "basic-8d1" }).waitFor();
    assert.ok((await ask("GET", "/v1/tiers")).tiers.includes("basic-8d1"));
    await ask("DELETE", "/v1/tiers/basic-8d1");
    await ask("DELETE", `/v1/namespaces/${space}`);
    await ask("DELETE", `/v1/games/${game}`);
  }));

test("without the permission to change anything, no changes are offered", () =>
  withConsole(browser, "#/catalog?kind=regions&id=lon", {}, async (page) => {
    await page.getByRole("region", { name: "London" }).waitFor();
    for (const name of ["Add region", "Edit", "Remove"]) {
      assert.equal(await page.getByRole("button", { name }).count(), 0);
    }
  }));

test("the panel looks right, with its forms", async () => {
  const chosen = (title) => (page) => page.getByRole("region", { name: title }).first().waitFor();
  await looksRight(browser, "#/catalog?kind=regions&id=lon",
    { name: "catalog", ready: chosen("London") });
  await looksRight(browser, "#/catalog?kind=namespaces&id=00000000-0000-4000-8000-000000000011", {
    name: "catalog-form", ready: async (page) => {
      await allow(page);
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByRole("combobox", { name: "Game" }).waitFor();
    } });
});
