// Validate: findings are shown where they are in the text, a click fixes them, files are opened.
import assert from "node:assert/strict";
import { test } from "node:test";
import { examples } from "../../console/src/panels/validate/examples.js";
import { looksRight, origin, until, withConsole } from "./support/browser.mjs";

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
  await withConsole("#/validate", {}, async (page) => {
    await says(page, "valid");
    await content(page).getByText("Harvest Season").first().waitFor();
  });
});

test("each finding marks what it is about", async () => {
  await withConsole("#/validate?kind=version&example=mistakes", {}, async (page) => {
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
  await withConsole("#/validate?kind=version&example=mistakes", {}, async (page) => {
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
  await withConsole("#/validate?kind=group", {}, async (page, opened) => {
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
  await withConsole("#/validate?kind=group", {}, async (page) => {
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
  await withConsole("#/validate?kind=version", {}, async (page) => {
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

test("a written text survives a reload, and a link chooses kind and example", async () => {
  await withConsole("#/validate?kind=game", {}, async (page) => {
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

test("hostile names are text, and a refusal is shown with what to do", async () => {
  const hash = "#/validate?kind=version";
  await withConsole(hash, { expected: [/503/] }, async (page) => {
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

test("the panel with findings looks right in dark and light, at 400 and 3840 px", async () => {
  await looksRight("#/validate?kind=version&example=mistakes", { name: "validate",
    ready: async (page) => {
      await says(page, "16 findings");
      await page.locator(".cm-lintRange-error").first().waitFor();
    } });
});
const button = (page, name) => page.getByRole("button", { name, exact: true });
const payloadOf = (page) => page.evaluate(() =>
  JSON.parse(JSON.parse(sessionStorage.getItem("matchcloud.validate.version")).text));
const open = (page, payload, name = "payload.json") => page.getByLabel("File to validate")
  .setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(
    typeof payload === "string" ? payload : JSON.stringify(payload, null, 2)) });

/** Opens a payload, presses a button and returns the text once nothing is wrong with it. */
async function mended(page, payload, name, words = "valid") {
  await open(page, payload);
  await button(page, name).first().click();
  await says(page, words);
  return payloadOf(page);
}

const inConsole = (look, options = {}) =>
  withConsole("#/validate?kind=version", options, async (page, opened) => {
    await says(page, "valid");
    await look(page, opened);
  });

test("members without their wrapper are wrapped, moved, unwrapped and taken out", () =>
  inConsole(async (page) => {
    const good = { display_name: "a", config: { cdn: {}, kv: {} } };
    assert.deepEqual(await mended(page, { display_name: "a", cdn: {}, kv: {} },
      "Wrap all 2 in config"), good);
    assert.equal(await button(page, "Add config").count(), 0);
    assert.deepEqual(await mended(page, { version: good }, "Unwrap version"), good);
    assert.deepEqual(await mended(page, { config: { cdn: {}, display_name: "a", kv: {} } },
      "Move display_name out"), { config: { cdn: {}, kv: {} }, display_name: "a" });
    const matchmaker = { docker: { image_id: "x" }, max_players: 8 };
    assert.deepEqual(await mended(page, { display_name: "a", config: { ...matchmaker, kv: {} } },
      "Wrap all 2 in matchmaker"), { display_name: "a", config: { matchmaker, kv: {} } });
    assert.deepEqual(await mended(page, { display_name: "a", config: { max_players: 8,
      matchmaker: { docker: { image_id: "x" } } } }, "Move into matchmaker"),
    { display_name: "a", config: { matchmaker } });
    assert.deepEqual(await mended(page, { display_name: "a", max_players: 8,
      config: { matchmaker: { docker: { image_id: "x" } } } }, "Move into matchmaker"),
    { display_name: "a", config: { matchmaker } });
  }));

test("lists and objects become each other if that is what was meant", () =>
  inConsole(async (page) => {
    const version = (matchmaker) => ({ display_name: "a", config: { matchmaker } });
    assert.deepEqual(await mended(page, version({ regions: ["fra", "lon"] }),
      "Turn into an object"), version({ regions: { fra: {}, lon: {} } }));
    assert.deepEqual(await mended(page, version({ docker: { args: "-x" } }), "Wrap in a list"),
      version({ docker: { args: ["-x"] } }));
    assert.deepEqual(await mended(page, version([{ max_players: 8 }]), "Remove the brackets"),
      version({ max_players: 8 }));
    // The object, as an element of a list, would lack all that an element needs.
    await open(page, { display_name: "a", config: { cdn: { routes: { 0: {} } } } });
    await says(page, "1 finding");
    await page.getByText("routes must be an array, but is an object.").waitFor();
    assert.equal(await button(page, "Wrap in a list").count(), 0);
  }));

test("all safe fixes are made in one step, which one click undoes", () =>
  inConsole(async (page) => {
    const payload = { display_name: "a ", docker: { ports: { a: { port: 80, protocol: "HTTPS" } } },
      matchmaker: { max_playrs: "8", tier: "basic-1d3", regions: ["fra"] } };
    await open(page, payload);
    await says(page, "3 findings");
    await button(page, "Fix 2 safely").click();
    await says(page, "Made 7 fixes; 1 finding left.");
    // Any tier may be meant, so the user has to choose.
    await says(page, "1 finding");
    assert.deepEqual(await payloadOf(page), { display_name: "a", config: { matchmaker: {
      max_players: 8, tier: "basic-1d3", regions: { fra: {} },
      docker: { ports: { a: { port: 80, protocol: "https" } } } } } });
    await button(page, "Undo").click();
    await says(page, "3 findings");
    assert.deepEqual(await payloadOf(page), payload);
  }));

test("a dropped file is opened, unless it is too large or not text", () =>
  inConsole(async (page) => {
    const drop = (text) => page.evaluate((written) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([written], "dropped.json"));
      const target = document.querySelector(".editor").shadowRoot.querySelector(".cm-content");
      target.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, composed: true,
        cancelable: true }));
    }, text);
    await drop('{"display_name": "Dropped", "config": {}}');
    await says(page, "Opened dropped.json, 41 B.");
    await until(async () => (await payloadOf(page)).display_name === "Dropped", "the file");
    await open(page, " ".repeat((1 << 20) + 1024));
    await page.getByText("This file has 1 MiB. At most 1 MiB is allowed.").waitFor();
    await page.getByLabel("File to validate").setInputFiles({ name: "a.json",
      mimeType: "application/json", buffer: Buffer.from([0xff, 0xfe]) });
    await page.getByText("This file is not text in UTF-8. Choose a JSON file.").waitFor();
    assert.equal((await payloadOf(page)).display_name, "Dropped");
  }));
