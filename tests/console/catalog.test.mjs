// The catalog panel: elements, the lists that lead to them, forms, and what they find wrong.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import {
  daysProblem, domainsProblem, findingsOf, identifierProblem, pingUrlProblem, placeOf, placeText,
  proposedId,
} from "../../console/src/panels/catalog/checks.js";
import { judge, looksRight, patience_ms, until, withConsole } from "./support/browser.mjs";
import { ask } from "./support/service.mjs";

const demoGame = "00000000-0000-4000-8000-000000000001";
const oslo = { region_display_name: "Oslo", provider_display_name: "Demo Cloud",
  datacenter_coord: { latitude: 59.9139, longitude: 10.7522 } };

const allow = (page) => page.getByRole("button", { name: "Allow changes" }).click();
const cell = (page, text) => page.getByRole("cell", { name: text, exact: true });
const differs = (page) => page.getByRole("dialog").getByRole("group", { name: "What changes" });

test("everybody sees a region made, changed and removed here, with audit entries", () =>
  withConsole("#/catalog?kind=regions", { expected: [/404/] }, async (page) => {
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

test("somebody else's change is shown before it is overwritten", async () => {
  await ask("PUT", "/v1/regions/osl", oslo);
  await withConsole("#/catalog?kind=regions&id=osl", {}, async (page) => {
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
  withConsole(`#/catalog?kind=games&id=${demoGame}`, {}, async (page) => {
    await allow(page);
    const ending = page.getByRole("region", { name: "Remove or erase" });
    await ending.getByText("Remove its namespaces first.").waitFor();
    assert.ok(await ending.getByRole("button", { name: "Remove" }).isDisabled());
  }));

test("a region that a namespace names is not removed, and the page says why", async () => {
  const space = "/v1/namespaces/00000000-0000-4000-8000-000000000031";
  await ask("PUT", "/v1/regions/osl", oslo);
  await ask("PUT", space, { game_id: demoGame, name: "nordic", regions: ["osl"] });
  await withConsole("#/catalog?kind=regions&id=osl", { expected: [/409/] },
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
  withConsole("#/catalog?kind=games", { expected: [/404/] }, async (page) => {
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

test("the list of games has names first and counts, and leads to a game's page", () =>
  withConsole("#/catalog", {}, async (page) => {
    const cells = page.getByRole("row", { name: /Demo Game/ }).getByRole("cell");
    await until(async () => (await cells.allTextContents()).slice(0, 5).join()
      === "Demo Game,2,40,5,as configured", "the counts");
    await page.getByRole("button", { name: "Copy the id of game Demo Game" }).waitFor();
    await page.getByRole("link", { name: "Demo Game" }).click();
    await page.getByRole("heading", { name: "Demo Game" }).waitFor();
    assert.match(page.url(), new RegExp(`#/catalog\\?game=${demoGame}$`));
    for (const [name, to] of Object.entries({ "40 running lobbies": `lobbies?game=${demoGame}`,
      "5 avatars": `avatars?game=${demoGame}`, "0 active tokens": `tokens?game=${demoGame}` })) {
      const link = page.getByRole("link", { name: new RegExp(name.replace(" ", "\\s*")) });
      assert.equal(await link.getAttribute("href"), `#/${to}`, name);
    }
    const spaces = page.getByRole("region", { name: "Namespaces" });
    await spaces.getByRole("cell", { name: "demo-game.example", exact: true }).waitFor();
    const avatars = page.getByRole("region", { name: "Avatars" });
    await avatars.getByRole("img", { name: "Tide Turtle" }).waitFor();
    await avatars.getByText(/^256 × 256 px, /).first().waitFor();
    await page.getByRole("link", { name: "Games" }).click();
    await page.getByRole("table", { name: "Games" }).waitFor();
  }));

test("of 1,000 games a page is shown at a time, and only that one is counted", () =>
  withConsole("#/catalog", { viewport: { width: 390, height: 844 } }, async (page) => {
    await page.route("**/v1/games", (route) => route.fulfill({ json: { revision: 1,
      games: Array.from({ length: 1_000 }, (_, n) => ({ display_name: `Game ${n}`,
        game_id: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}` })) } }));
    await page.route(/\/v1\/games\/[^/]+\/lobbies\?/, (route) => route.fulfill({
      json: { running_now: 70_007 } }));
    await page.route(/\/v1\/games\/[^/]+\/avatars$/, (route) => route.fulfill({
      json: { custom_avatars: [] } }));
    await page.reload();
    const table = page.getByRole("table", { name: "Games", exact: true });
    const counted = table.getByRole("cell", { name: "70,007", exact: true });
    // They are counted one after the other.
    const counts_ms = 4 * patience_ms;
    await until(async () => await counted.count() === 100, "the counts of the first page",
      counts_ms);
    await page.getByRole("button", { name: "Show more: 100 of 1000 are shown" }).click();
    await until(async () => await table.getByRole("row").count() === 201, "the second page");
    await page.getByLabel("Search games").fill("Game 999");
    await until(async () => await counted.count() === 1, "the count of a game that is found");
  }));

test("a count that the service does not give is said to be not known", () =>
  withConsole("#/catalog", { expected: [/503/] }, async (page) => {
    await page.route(/\/v1\/games\/[^/]+\/lobbies\?/, (route) => route.fulfill({ status: 503,
      json: { status: 503, code: "overloaded", detail: "Too many." } }));
    await page.reload();
    const cells = page.getByRole("row", { name: /Demo Game/ }).getByRole("cell");
    await until(async () => (await cells.allTextContents()).slice(2, 4).join()
      === "not known,not known", "what is not known");
    await page.getByRole("link", { name: "Demo Game" }).click();
    await page.getByRole("listitem").filter({ hasText: "running lobbies" })
      .getByText("not known").waitFor();
  }));

test("a page without the permission to change anything offers no changes, and says why", () =>
  withConsole(`#/catalog?game=${demoGame}`, {}, async (page) => {
    await page.getByRole("heading", { name: "Demo Game" }).waitFor();
    await page.getByText(/^Read only\. .* to change the catalog\.$/).waitFor();
    await page.getByRole("img", { name: "Tide Turtle" }).waitFor();
    for (const name of ["Edit", "Add namespace", "Remove", "Erase everything"]) {
      assert.equal(await page.getByRole("button", { name }).count(), 0, name);
    }
    await page.goto(`${page.url().split("#")[0]}#/catalog?kind=regions&new=1`);
    await page.getByRole("cell", { name: "London", exact: true }).waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
  }));

test("a game's page looks right", () =>
  looksRight(`#/catalog?game=${demoGame}`, { name: "catalog-game",
    ready: async (page) => {
      await allow(page);
      await page.getByRole("region", { name: "Remove or erase" }).waitFor();
      await page.getByText("Red Panda").waitFor();
    } }));
const inForm = (page, label) => page.getByRole("dialog").getByLabel(label, { exact: true });
const press = (page, name) => page.getByRole("dialog").getByRole("button", { name }).click();

const picker = (page, name) => page.getByRole("dialog").getByRole("combobox", { name });

/** Whether the field is marked as wrong and has `text` in what describes it. */
async function isWrong(field, text) {
  if (await field.getAttribute("aria-invalid") !== "true") return false;
  return field.evaluate((input, part) => input.getAttribute("aria-describedby").split(" ")
    .some((id) => document.getElementById(id).textContent.includes(part)), text);
}

test("a place is two numbers of degrees, however they are separated", () => {
  for (const text of ["52.52, 13.405", "52.52 13.405", " 52.52;13.405 ", "52.52,13.405"]) {
    assert.deepEqual(placeOf(text), { latitude: 52.52, longitude: 13.405 }, text);
  }
  for (const text of ["", "52.52", "a, b", "1, 2, 3", "91, 0", "0, 181", ", 5", "5,"]) {
    assert.ok(placeOf(text).problem, text);
  }
  assert.equal(placeText({ latitude: -23.55051, longitude: -46.63331 }), "23.5505° S, 46.6333° W");
});

test("an id is proposed from a name, and is not one that is taken", () => {
  assert.equal(proposedId("São Paulo", new Set()), "sao-paulo");
  assert.equal(proposedId("Berlin (Mitte)", new Set(["berlin-mitte"])), "berlin-mitte-2");
  assert.equal(proposedId("東京", new Set()), "");
  const long = proposedId("x y ".repeat(40), new Set());
  assert.equal(identifierProblem(long), undefined, long);
});

test("the page's checks allow what the service allows", () => {
  for (const text of ["", "0", "36500"]) assert.equal(daysProblem(text), undefined, text);
  for (const text of ["-1", "36501", "1.5", "a"]) assert.ok(daysProblem(text), text);
  for (const text of ["", "a.example", "a.example\nxn--b.example"]) {
    assert.equal(domainsProblem(text), undefined, text);
  }
  for (const text of ["https://a.example", "a b", "a..b", "-a.example", "a.example\na.example"]) {
    assert.ok(domainsProblem(text), text);
  }
  for (const text of ["a", "lon", "eu-1"]) assert.equal(identifierProblem(text), undefined, text);
  for (const text of ["", "-a", "a-", "A", "x".repeat(33)]) {
    assert.ok(identifierProblem(text), text);
  }
  assert.equal(pingUrlProblem("https://ping.example/x"), undefined);
  for (const text of ["ping.example", "https://u@x.example", "https://x.example/#a"]) {
    assert.ok(pingUrlProblem(text), text);
  }
});

test("the service's findings belong to the fields that they name", () => {
  const fields = [{ name: "place", at: "/datacenter_coord" },
    { name: "domains", at: "/domains", says: /^\S+ \S+: domain / }];
  const of = (detail, code = "import_invalid", status = 400) =>
    findingsOf({ status, code, detail }, fields);
  assert.deepEqual(of("/datacenter_coord/latitude: found 100, expected less\n"
    + "/datacenter_coord/longitude: found 200, expected less"),
  { byField: { place: "Found 100, expected less. Found 200, expected less." }, isWhole: true });
  assert.deepEqual(of('namespace 1-2: domain "a" is registered'),
    { byField: { domains: 'Domain "a" is registered.' }, isWhole: true });
  assert.deepEqual(of("/other: found 1"), { byField: {}, isWhole: false });
  assert.deepEqual(of("no id", "id_malformed").byField, { id: "No id." });
  assert.equal(of("/domains/0: x", "conflict", 409).isWhole, false);
});

test("all wrong fields are shown at once, each with its sentence; the first has the focus", () =>
  withConsole("#/catalog?kind=regions&new=1", { expected: [/404|400/] }, async (page) => {
    await allow(page);
    await inForm(page, "Place").fill("95, 13");
    await inForm(page, "Ping URL (optional)").fill("ping");
    await press(page, "Save");
    const wrong = { Name: "Enter a name", Provider: "Enter a name", Id: "Enter an id",
      Place: "The latitude is 95", "Ping URL (optional)": "starts with https" };
    for (const [label, text] of Object.entries(wrong)) {
      await until(() => isWrong(inForm(page, label), text), `${label} to be wrong`);
    }
    await page.getByRole("dialog").getByText("5 fields to correct").waitFor();
    await until(() => inForm(page, "Name").evaluate((input) => input === document.activeElement),
      "the focus on the first");
    await judge(page);

    // What only the service finds is shown at its field, too.
    await inForm(page, "Name").fill("Ber\u200blin");
    await inForm(page, "Provider").fill("Demo Cloud");
    await inForm(page, "Place").fill("52.52, 13.4");
    await inForm(page, "Ping URL (optional)").fill("");
    await press(page, "Save");
    await until(() => isWrong(inForm(page, "Name"), "without control characters"),
      "the service's finding");
    assert.equal((await ask("GET", "/v1/regions/ber-lin")).status, 404);
  }));

test("a taken id and another namespace's domain are wrong", () =>
  withConsole("#/catalog?kind=regions&new=1", {}, async (page) => {
    await allow(page);
    await inForm(page, "Id").fill("lon");
    await press(page, "Save");
    await until(() => isWrong(inForm(page, "Id"), "The region London has this id"), "the id");
    await press(page, "Close");
    await press(page, "Discard");
    await page.getByRole("link", { name: "Namespaces" }).click();
    await page.getByRole("button", { name: "Add namespace" }).click();
    await inForm(page, "Domains").fill("demo-game.example");
    await press(page, "Save");
    await until(() => isWrong(inForm(page, "Domains"), "belongs to the namespace prod"), "domains");
    await until(() => isWrong(picker(page, "Game"), "Choose a game"), "the game");
  }));

const isFocused = (element) => until(() =>
  element.evaluate((one) => one === document.activeElement), "the focus");

test("Escape, Cancel and Close ask before they discard, a list of choices closes first", () =>
  withConsole("#/catalog?kind=namespaces&new=1", {}, async (page) => {
    await allow(page);
    const dialog = page.getByRole("dialog");
    const asks = page.getByRole("alertdialog", { name: "Discard the changes?" });
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.doesNotMatch(page.url(), /new=/);

    await page.getByRole("button", { name: "Add namespace" }).click();
    await inForm(page, "Name").fill("live");
    await picker(page, "Game").click();
    await dialog.getByRole("option", { name: "Demo Game" }).waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await asks.count(), 0);
    for (let turn = 0; turn < 2; turn++) {
      await page.keyboard.press("Escape");
      await asks.waitFor();
      await isFocused(asks.getByRole("button", { name: "Keep editing" }));
      await page.keyboard.press("Escape");
      await asks.waitFor({ state: "detached" });
      await isFocused(picker(page, "Game"));
      assert.equal(await inForm(page, "Name").inputValue(), "live");
    }
    await press(page, "Cancel");
    await asks.getByRole("button", { name: "Keep editing" }).click();
    await press(page, "Close");
    await asks.getByRole("button", { name: "Discard" }).click();
    await dialog.waitFor({ state: "detached" });
  }));

test("a form can be edited as JSON and back, and members that it does not show stay", () =>
  withConsole("#/catalog?kind=regions&id=lon", {}, async (page) => {
    await allow(page);
    await page.getByRole("button", { name: "Edit" }).click();
    await press(page, "Edit as JSON");
    const text = page.getByRole("dialog").getByLabel("The region as JSON");
    const region = JSON.parse(await text.inputValue());
    await text.fill("{ no");
    await press(page, "Save");
    await until(() => isWrong(text, "This is not JSON"), "the syntax to be wrong");
    await text.fill(JSON.stringify({ ...region, ping_url: "https://ping.example/",
      datacenter_coord: { latitude: 51.5, longitude: -0.5 } }));
    await press(page, "Edit as a form");
    assert.equal(await inForm(page, "Place").inputValue(), "51.5, -0.5");
    assert.equal(await inForm(page, "Ping URL (optional)").inputValue(), "https://ping.example/");
    await page.getByRole("dialog").getByRole("group", { name: "What changes" })
      .getByText("ping_url").waitFor();
  }));

test("four clicks add a region and show its rank, without scrolling", async () => {
  const look = { expected: [/404/], viewport: { width: 1440, height: 900 } };
  const task = withConsole("#/live", look, async (page) => {
    await allow(page);
    const inView = async (target) => {
      await target.waitFor();
      const box = await target.boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= 900, "in view");
      return target;
    };
    const click = async (target) => (await inView(target)).click();
    await click(page.getByRole("link", { name: "Catalog" }));
    await click(page.getByRole("list", { name: "What is shown" })
      .getByRole("link", { name: "Regions" }));
    await click(page.getByRole("button", { name: "Add region" }));
    // Keys are shortcuts of the page until the form has the focus.
    await page.getByRole("dialog").locator("input:focus").waitFor();
    await page.keyboard.type("Campinas");
    await inForm(page, "Provider").fill("Demo Cloud");
    await inForm(page, "Place").fill("-22.9, -47.06");
    await page.keyboard.press("Enter");
    await click(page.getByRole("link", { name: "See its rank" }));
    await page.getByRole("cell", { name: /^Campinas/ }).first().waitFor();
    assert.match(page.url(), /#\/regions\?latitude=-22\.9&longitude=-47\.06&region=campinas$/);
  });
  await task.finally(() => ask("DELETE", "/v1/regions/campinas"));
});
