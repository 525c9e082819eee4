// The catalog panel: elements, tokens and the audit log, changed here and elsewhere.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { looksRight, startBrowser, until, withConsole } from "./browser.mjs";
import { ask, ops } from "./service.mjs";

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

test("a region made, changed and removed here is so for everybody, with audit entries", () =>
  withConsole(browser, "#/catalog?kind=regions", { expected: [/404/] }, async (page) => {
    await allow(page);
    await page.getByRole("button", { name: "New region" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Id", { exact: true }).fill("ber");
    await dialog.getByLabel("Name", { exact: true }).fill("Berlin");
    await dialog.getByLabel("Provider").fill("Demo Cloud");
    await dialog.getByLabel("Latitude").fill("52.52");
    await dialog.getByLabel("Longitude").fill("13.4");
    await differs(page).getByText("datacenter_coord.latitude").waitFor();
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
    await dialog.getByLabel("Type ber to go on.").fill("ber");
    await remove.click();
    await page.getByText("catalog.remove").waitFor();
    assert.equal((await ask("GET", "/v1/regions/ber")).status, 404);
    const { entries } = await ask("GET", "/v1/audit?limit=1");
    await page.getByRole("link", { name: String(entries[0].entry), exact: true }).click();
    await page.getByRole("region", { name: `Entry ${entries[0].entry}` }).getByText("regions/ber")
      .waitFor();
  }));

test("a region that is made elsewhere appears here", () =>
  withConsole(browser, "#/catalog?kind=regions", {}, async (page) => {
    await cell(page, "Mumbai").waitFor();
    await ask("PUT", "/v1/regions/osl", oslo);
    await cell(page, "Oslo").waitFor();
    await ask("DELETE", "/v1/regions/osl");
    await cell(page, "Oslo").waitFor({ state: "detached" });
  }));

test("what somebody else changed meanwhile is shown before it is overwritten", async () => {
  await ask("PUT", "/v1/regions/osl", oslo);
  await withConsole(browser, "#/catalog?kind=regions&id=osl", {}, async (page) => {
    await allow(page);
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Provider").fill("Mine");
    await ask("PUT", "/v1/regions/osl", { ...oslo, provider_display_name: "Theirs" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is not as it was").waitFor();
    await differs(page).getByText('"Theirs"').waitFor();
    assert.equal((await ask("GET", "/v1/regions/osl")).provider_display_name, "Theirs");
    await dialog.getByRole("button", { name: "Save" }).click();
    await cell(page, "Mine").waitFor();
  });
  await ask("DELETE", "/v1/regions/osl");
});

test("a game that has namespaces is not removed, and the page says why", () =>
  withConsole(browser, `#/catalog?kind=games&id=${demoGame}`, { expected: [/409/] },
    async (page) => {
      await allow(page);
      await page.getByRole("button", { name: "Remove" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel(/^Type/).fill(demoGame);
      await dialog.getByRole("button", { name: "Remove" }).click();
      await dialog.getByRole("alert").getByText("still_referred").waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }));

test("a game, a namespace and a tier are made", () =>
  withConsole(browser, "#/catalog?kind=games", { expected: [/404/] }, async (page) => {
    await allow(page);
    const dialog = page.getByRole("dialog");
    const save = async () => {
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await page.getByRole("button", { name: "New game" }).click();
    await dialog.getByLabel("Name").fill("Second Game");
    const game = await dialog.getByLabel("Id", { exact: true }).inputValue();
    await save();
    assert.equal((await ask("GET", `/v1/games/${game}`)).display_name, "Second Game");

    await page.getByRole("link", { name: "Namespaces" }).click();
    await page.getByRole("button", { name: "New namespace" }).click();
    await dialog.getByLabel("Game", { exact: true }).selectOption(game);
    await dialog.getByLabel("Name").fill("live");
    await dialog.getByLabel("Domains").fill("a.example\nb.example");
    await dialog.getByLabel("Regions").fill("lon");
    const space = await dialog.getByLabel("Id", { exact: true }).inputValue();
    await save();
    assert.deepEqual(await ask("GET", `/v1/namespaces/${space}`), { namespace_id: space,
      game_id: game, name: "live", domains: ["a.example", "b.example"], regions: ["lon"] });

    await page.getByRole("link", { name: "Tiers" }).click();
    await page.getByRole("button", { name: "New tier" }).click();
    await dialog.getByLabel("Id", { exact: true }).fill("basic-8d1");
    await save();
    await page.getByRole("link", { name: "basic-8d1" }).waitFor();
    assert.ok((await ask("GET", "/v1/tiers")).tiers.includes("basic-8d1"));
    await ask("DELETE", "/v1/tiers/basic-8d1");
    await ask("DELETE", `/v1/namespaces/${space}`);
    await ask("DELETE", `/v1/games/${game}`);
  }));

test("a token's text is shown once; rotating and revoking do what they say", () =>
  withConsole(browser, "#/catalog?kind=tokens", {}, async (page) => {
    await allow(page);
    await page.getByRole("button", { name: "New token" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("dashboard");
    await dialog.getByLabel("Expires").selectOption({ label: "in a day" });
    await dialog.getByRole("button", { name: "Make it" }).click();
    const text = () => dialog.locator(".token-text").textContent();
    const first = await text();
    assert.match(first, /^mc_viewer_\w{49}$/);
    const works = async (token) => (await fetch(new URL("/v1/games", ops),
      { headers: { Authorization: `Bearer ${token}` } })).status === 200;
    await until(() => works(first), "the token to work");
    await dialog.getByRole("button", { name: "I have it" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.ok(!(await page.content()).includes(first));
    await page.getByText("token.create").waitFor();

    await page.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByLabel("The former text works on").selectOption({ label: "not at all" });
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByRole("button", { name: "I have it" }).waitFor();
    const second = await text();
    assert.notEqual(second, first);
    await dialog.getByRole("button", { name: "I have it" }).click();
    await page.getByText("token.rotate").waitFor();
    await until(() => works(second), "the new text to work");
    await until(async () => !(await works(first)), "the former text to end");

    await page.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByLabel("Type dashboard to go on.").fill("dashboard");
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("token.revoke").waitFor();
    await until(async () => !(await works(second)), "the token to end");
    const { tokens } = await ask("GET", "/v1/tokens");
    assert.equal(tokens.find(({ name }) => name === "dashboard").state, "revoked");
  }));

test("the audit log is read page by page", async () => {
  for (let n = 0; n < 60; n++) await ask("PUT", `/v1/tiers/page-${n}`);
  await withConsole(browser, "#/catalog?kind=audit", {}, async (page) => {
    const { entries } = await ask("GET", "/v1/audit?limit=51");
    const link = (entry) => page.getByRole("link", { name: String(entry), exact: true });
    await link(entries[49].entry).waitFor();
    assert.equal(await link(entries[50].entry).count(), 0);
    await page.getByRole("link", { name: "Older" }).click();
    await link(entries[50].entry).waitFor();
    await page.getByRole("link", { name: "The newest" }).click();
    await link(entries[0].entry).waitFor();
  });
  for (let n = 0; n < 60; n++) await ask("DELETE", `/v1/tiers/page-${n}`);
});

test("the audit log is filtered by what, of what and who", async () => {
  await ask("PUT", "/v1/tiers/filtered");
  await ask("DELETE", "/v1/tiers/filtered");
  await withConsole(browser, "#/catalog?kind=audit", {}, async (page) => {
    await page.getByLabel("What", { exact: true }).fill("catalog.remove");
    await page.getByLabel("Of", { exact: true }).fill("tiers/filtered");
    await page.getByRole("button", { name: "Filter" }).click();
    await until(async () => await page.getByRole("row").count() === 2, "the only entry");
    assert.equal(await page.getByText("catalog.remove").count(), 1);
    assert.equal(await page.getByLabel("Of", { exact: true }).inputValue(), "tiers/filtered");
  });
});

test("without the right to change, nothing that changes is offered", () =>
  withConsole(browser, "#/catalog?kind=regions&id=lon", {}, async (page) => {
    await page.getByRole("region", { name: "The region chosen" }).waitFor();
    for (const name of ["New region", "Edit", "Remove"]) {
      assert.equal(await page.getByRole("button", { name }).count(), 0);
    }
  }));

test("the panel looks right, with its forms", async () => {
  const chosen = (title) => (page) => page.getByRole("region", { name: title }).first().waitFor();
  await looksRight(browser, "#/catalog?kind=regions&id=lon",
    { name: "catalog", ready: chosen("The region chosen") });
  await looksRight(browser, "#/catalog?kind=audit&entry=1",
    { name: "audit", ready: chosen("Entry 1") });
  await looksRight(browser, "#/catalog?kind=tokens", { name: "tokens", ready: chosen(/^Tokens/) });
  await looksRight(browser, "#/catalog?kind=namespaces&id=00000000-0000-4000-8000-000000000011", {
    name: "catalog-form", ready: async (page) => {
      await allow(page);
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByRole("dialog").getByText("Demo Game").waitFor({ state: "attached" });
    } });
});
