// Validate: fixes are offered only if they help, all at once if they are safe; files are opened;
// keys and buttons lead from finding to finding.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { fits, judge, startBrowser, until, withConsole } from "./support/browser.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const says = (page, words) => page.getByRole("status").getByText(words, { exact: true }).waitFor();
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
  withConsole(browser, "#/validate?kind=version", options, async (page, opened) => {
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

test("a name that is near to none is removed, and one that is near to one is renamed", () =>
  inConsole(async (page) => {
    const config = { kv: {}, identity: {}, cnd: {} };
    assert.deepEqual(await mended(page, { display_name: "a", config }, "Remove identity",
      "1 finding"), { display_name: "a", config: { kv: {}, cnd: {} } });
    await button(page, "Remove cnd").waitFor();
    await button(page, "Rename to cdn").click();
    await says(page, "valid");
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

test("names that the service knows are listed once", () => inConsole(async (page) => {
  const regions = { atl: {}, sfo: {}, ord: {} };
  await open(page, { display_name: "a", config: { matchmaker: { regions } } });
  await says(page, "3 findings");
  await page.getByText("Regions of this service (12)").click();
  assert.equal(await page.getByText("nrt", { exact: true }).count(), 1);
}));

test("keys and buttons lead from finding to finding and around", () =>
  withConsole(browser, "#/validate?kind=version&example=mistakes", {}, async (page) => {
    await says(page, "16 findings");
    const current = page.locator('.findings li[aria-current="true"]');
    const isAt = (text) => current.filter({ hasText: text }).waitFor();
    await button(page, "Next finding").click();
    await isAt("Line 2: display_name");
    await page.getByText("1 of 16").waitFor();
    await page.keyboard.press("F8");
    await isAt("max_playrs");
    await button(page, "Previous finding").click();
    await page.keyboard.press("Shift+F8");
    await isAt("Line 23");
    await page.getByRole("button", { name: /^Line 6: / }).click();
    await page.keyboard.press("F8");
    await isAt("Line 7");
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

test("findings are in view next to the editor at 1024 x 768 and below it on phones", async () => {
  for (const viewport of [{ width: 1024, height: 768 }, { width: 390, height: 844 }]) {
    await withConsole(browser, "#/validate?kind=version&example=mistakes",
      { viewport, reducedMotion: "reduce" }, async (page) => {
        await says(page, "16 findings");
        const box = await page.getByRole("heading", { name: "Findings" }).boundingBox();
        assert.ok(box.y + box.height < viewport.height, `${box.y} of ${viewport.height}`);
        await button(page, "Next finding").click();
        await fits(page);
        await judge(page);
      });
  }
});
