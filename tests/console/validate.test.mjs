// Validate: findings are shown where they are in the text, a click fixes them, typing sends few
// requests.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";

import { examples } from "../../console/src/panels/validate/examples.js";
import { looksRight, origin, startBrowser, until, withConsole } from "./support/browser.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const content = (page) => page.locator(".cm-content");
const marked = (page) => page.locator(".cm-lintRange-error").allInnerTexts();
const says = (page, words) => page.getByRole("status").getByText(words, { exact: true }).waitFor();
const textOf = (page, kind = "version") => page.evaluate((key) =>
  JSON.parse(sessionStorage.getItem(key)).text, `matchcloud.validate.${kind}`);

async function write(page, text) {
  await content(page).click();
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

test("good examples have no findings", async () => {
  for (const [kind, list] of Object.entries(examples)) {
    for (const { id, text, isGood } of list) {
      const response = await fetch(`${origin}/v1/validate/${kind}`, { method: "POST", body: text,
        headers: { "Content-Type": "application/json" } });
      assert.equal(response.status, 200);
      const { errors } = await response.json();
      assert.equal(errors.length === 0, isGood, `${kind} ${id}: ${JSON.stringify(errors)}`);
    }
  }
  await withConsole(browser, "#/validate", {}, async (page) => {
    await says(page, "valid");
    await content(page).getByText("Harvest Season").first().waitFor();
  });
});

test("each finding marks what it is about", async () => {
  await withConsole(browser, "#/validate?kind=version&example=mistakes", {}, async (page) => {
    await says(page, "16 findings");
    await until(async () => (await marked(page)).length >= 15, "marks");
    const marks = await marked(page);
    for (const text of ['"max_playrs"', '"basic-1d3"', "5", '"lonn"', '"idle_lobbies"', '"bridg"',
      '"PORT_game"', '"2FAST"', '"7777"', '"UDP"', '"port_range"', '"battle royale"', '"true"',
      '"http://localhost:3000/verify"', '"verification"']) {
      assert.ok(marks.includes(text), `${text} in ${marks}`);
    }
    await page.getByRole("button", { name: /^Line 5: .*max_playrs/ }).click();
    assert.ok(await page.evaluate(() => document.querySelector(".editor").shadowRoot.activeElement
      .matches(".cm-content")));
  });
});

test("a click fixes a finding, in the list and next to the text", async () => {
  await withConsole(browser, "#/validate?kind=version&example=mistakes", {}, async (page) => {
    await says(page, "16 findings");
    await page.getByRole("button", { name: "Rename to max_players" }).click();
    await says(page, "15 findings");
    assert.match(await textOf(page), /^ {6}"max_players": 60,$/m);
    await page.getByRole("button", { name: "Add max" }).click();
    // The value is for the user to choose: it is less than `min`.
    await page.getByText("min is 1, which is greater").waitFor();
    assert.match(await textOf(page), /"fra": \{ "idle_lobbies": \{ "min": 1, "max": 0 \} \}/);
    await page.getByRole("button", { name: "Remove the quotes" }).first().click();
    await says(page, "14 findings");
    await page.locator(".cm-lintRange-error", { hasText: "basic-1d3" }).hover();
    await page.locator(".cm-diagnosticAction", { hasText: "Change to basic-1d1" }).click();
    await says(page, "13 findings");
    assert.match(await textOf(page), /"tier": "basic-1d1"/);
    await page.keyboard.press("Control+Z");
    await says(page, "14 findings");
  });
});

test("a text that is not JSON is marked where it stops being JSON, and is not sent", async () => {
  await withConsole(browser, "#/validate?kind=group", {}, async (page, opened) => {
    await says(page, "valid");
    const before = opened.requests.length;
    await write(page, '{"display_name": "a",}');
    await says(page, "not JSON yet");
    await page.getByText("Remove the comma before }").waitFor();
    assert.deepEqual(await marked(page), [","]);
    await write(page, "");
    await page.getByText("The text ends where a value is expected.").waitFor();
    assert.deepEqual(opened.requests.slice(before).filter(({ method }) => method === "POST"), []);
  });
});

test("at most one request is under way, and the newest text is sent last", async () => {
  await withConsole(browser, "#/validate?kind=group", {}, async (page) => {
    await says(page, "valid");
    const held = [];
    const asked = [];
    await page.route("**/v1/validate/group", async (route) => {
      asked.push(JSON.parse(route.request().postData()).display_name);
      await new Promise((release) => { held.push(release); });
      await route.continue();
    });
    await write(page, '{"display_name": "first"}');
    await until(() => asked.length === 1, "the first request");
    for (const name of ["second", " third", "fourth "]) {
      await write(page, JSON.stringify({ display_name: name }));
      await page.getByRole("status").getByText("checking").waitFor();
    }
    // When a timer that began after it has ended, the pause of the last one has ended, too.
    await page.evaluate(() => new Promise((done) => { setTimeout(done, 400); }));
    assert.deepEqual(asked, ["first"]);
    held.shift()();
    await until(() => asked.length === 2, "the second request");
    assert.deepEqual(asked, ["first", "fourth "]);
    held.shift()();
    await page.getByText("display_name ends with a space").waitFor();
    assert.equal(asked.length, 2);
  });
});

test("the schema completes and explains", async () => {
  await withConsole(browser, "#/validate?kind=version", {}, async (page) => {
    await says(page, "valid");
    await write(page, "{");
    await page.keyboard.type('"con');
    const choices = page.locator(".cm-tooltip-autocomplete li");
    await choices.filter({ hasText: "config" }).click();
    assert.match(await textOf(page), /^\{"config": \{\}/);
    await page.keyboard.press("Control+Space");
    await choices.filter({ hasText: "matchmaker" }).waitFor();
    assert.equal(await choices.filter({ hasText: "display_name" }).count(), 0);
    await page.keyboard.press("Escape");
    await write(page, '{"display_name": "a"}');
    await page.locator(".cm-line span", { hasText: "display_name" }).hover();
    await page.locator(".cm-explanation").getByText("display_name: string, required").waitFor();
  });
});

test("what is written survives a reload, and a link chooses kind and example", async () => {
  await withConsole(browser, "#/validate?kind=game", {}, async (page) => {
    await says(page, "valid");
    await write(page, '{"display_name": "Kept"}');
    await until(async () => (await textOf(page, "game")).includes("Kept"));
    await page.reload();
    await content(page).getByText("Kept").waitFor();
    await page.getByLabel("Example").selectOption("mistakes");
    await content(page).getByText("Harvest  Season").waitFor();
    assert.match(page.url(), /kind=game&example=mistakes/);
    await page.getByLabel("Kind").selectOption("version");
    await content(page).getByText("battle-royale").first().waitFor();
    await page.getByRole("button", { name: "Start over" }).click();
    await says(page, "valid");
  });
});

test("the curl that is copied sends the text as it is", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  await withConsole(browser, "#/validate?kind=group", { permissions }, async (page) => {
    await says(page, "valid");
    await write(page, '{"display_name": "it\'s $HOME `here`"}\n');
    await until(async () => (await textOf(page, "group")).includes("HOME"));
    await page.getByRole("button", { name: "Copy as curl", exact: true }).click();
    await page.getByText("Copied").first().waitFor();
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const answer = execFileSync("bash", ["-c", command], { encoding: "utf8" });
    assert.deepEqual(JSON.parse(answer), { errors: [] });
    assert.match(command, /it'\\''s \$HOME/);
  });
});

test("hostile names are text, and a refusal is shown with what to do", async () => {
  const hash = "#/validate?kind=version";
  await withConsole(browser, hash, { expected: [/503/] }, async (page) => {
    await says(page, "valid");
    await write(page, '{"display_name": "a", "config": {"<img src=x onerror=alert(1)>": 1}}');
    await says(page, "1 finding");
    await page.getByRole("button", { name: "Remove <img src=x onerror=alert(1)>" }).waitFor();
    assert.equal(await page.locator("img").count(), 0);
    await page.route("**/v1/validate/version", (route) => route.fulfill({ status: 503,
      contentType: "application/problem+json", body: JSON.stringify({ status: 503,
        code: "overloaded", detail: "Too much to do." }) }));
    await write(page, '{"display_name": "b"}');
    await page.getByRole("alert").getByText("Too much to do.", { exact: true }).waitFor();
    await page.unroute("**/v1/validate/version");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Add config" }).waitFor();
  });
});

test("it looks right in dark and light, at 400 and 3840 px", async () => {
  await looksRight(browser, "#/validate?kind=version&example=mistakes", { name: "validate",
    ready: async (page) => {
      await says(page, "16 findings");
      await page.locator(".cm-lintRange-error").first().waitFor();
    } });
});
