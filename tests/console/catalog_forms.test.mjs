// The catalog's forms: what they find wrong, what they propose, and that they ask before they
// discard.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  daysProblem, domainsProblem, findingsOf, identifierProblem, pingUrlProblem, placeOf, placeText,
  proposedId,
} from "../../console/src/panels/catalog/checks.js";
import { judge, looksRight, startBrowser, until, withConsole } from "./support/browser.mjs";
import { ask } from "./support/service.mjs";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

const allow = (page) => page.getByRole("button", { name: "Allow changes" }).click();
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
  withConsole(browser, "#/catalog?kind=regions&new=1", { expected: [/404|400/] }, async (page) => {
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
  withConsole(browser, "#/catalog?kind=regions&new=1", {}, async (page) => {
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
  withConsole(browser, "#/catalog?kind=namespaces&new=1", {}, async (page) => {
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
  withConsole(browser, "#/catalog?kind=regions&id=lon", {}, async (page) => {
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
  const task = withConsole(browser, "#/live", look, async (page) => {
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

test("the forms look right", async () => {
  const dialog = async (page) => {
    await allow(page);
    await page.getByRole("dialog").getByLabel("Name", { exact: true }).waitFor();
  };
  await looksRight(browser, "#/catalog?kind=regions&new=1",
    { name: "catalog-region-form", ready: dialog });
});
