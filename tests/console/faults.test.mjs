// The faults panel: rules are set and ended here and elsewhere, and shown in both places.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, test } from "node:test";
import { judge, looksRight, until, withConsole } from "./support/browser.mjs";
import { drawn } from "../../console/src/panels/faults/path.js";
import { plans } from "../../console/src/panels/faults/plan_list.js";
import { ask, data, demoFolder, startService } from "./support/service.mjs";

after(async () => {
  await ask("DELETE", "/faults");
});

const rules = (page) => page.getByRole("list", { name: "Rules in force" }).getByRole("listitem");
const row = (page, point) => rules(page).filter({ hasText: point });
const path = (page) => page.getByRole("list", { name: "The path of a request" });
const link = (page, point) => path(page).getByRole("link", { name: `(${point})` });
const form = (page) => page.getByRole("region").filter({
  has: page.getByRole("button", { name: "Close the point" }) });
const marks = (page) => page.getByRole("list", { name: "Rules that were set or ended" });
const shown = (page) => link(page, "avatar.receive").waitFor();
const allow = (page) => page.getByRole("button", { name: "Allow changes" }).click();
const clearAll = (page) => page.getByRole("button", { name: "Clear all" }).click();
const demo_game = "00000000-0000-4000-8000-000000000001";

test("every point is on the path in words, and nothing can be set before changes are allowed", () =>
  withConsole("#/faults", {}, async (page) => {
    await shown(page);
    // The seed that run.sh sets has all 64 bits.
    await page.getByText("18446744073709551615", { exact: true }).waitFor();
    const { points } = await ask("GET", "/faults");
    assert.deepEqual([...drawn].sort(), points.map(({ point }) => point).sort());
    for (const { point } of points) assert.equal(await link(page, point).count(), 1, point);
    const changing = page.getByRole("button", { name: /^(Start|Inject|Clear)/ });
    await link(page, "store.read").click();
    await page.getByText("It can have: delay, error, abort, stall.").waitFor();
    assert.equal(await changing.count(), 0);
    await page.getByText(/to inject faults\.$/).waitFor();
    await allow(page);
    await form(page).getByRole("button", { name: "Inject delay" }).waitFor();
  }));

test("a rule that is set here is in force, says who set it, and is cleared here", () =>
  withConsole("#/faults", {}, async (page) => {
    await allow(page);
    await link(page, "avatar.receive").click();
    const dialog = form(page);
    await dialog.getByLabel("Kind").selectOption("delay");
    await dialog.getByText("The step takes longer.").waitFor();
    await dialog.getByLabel("Heals after").selectOption("1 minute");
    await dialog.getByLabel("Delay in ms").fill("5");
    await dialog.getByLabel("At most, in ms").fill("20.5");
    await dialog.getByText("How often").click();
    await dialog.getByLabel("Every").fill("3");
    await dialog.getByLabel("First").fill("100");
    await dialog.getByLabel("By header").check();
    await dialog.getByRole("button", { name: "Inject delay" }).click();
    const found = row(page, "avatar.receive");
    await found.getByText("delay 5 to 20.5 ms, one in 3 passes, the first 100 at most").waitFor();
    assert.deepEqual((await ask("GET", "/faults/avatar.receive")).rule,
      { kind: "delay", delay_ms: [5, 20.5], every: 3, first: 100, header: true, lasts_s: 60 });
    await found.getByRole("link", { name: "this page" }).waitFor();
    await found.getByText(/heals in \d+ s/).waitFor();
    await marks(page).getByText(/avatar\.receive: .*delay/).first().waitFor();

    await page.getByRole("button", { name: "Clear avatar.receive" }).click();
    await found.waitFor({ state: "detached" });
    await marks(page).getByText(/avatar\.receive cleared/).first().waitFor();
    assert.equal((await ask("GET", "/faults/avatar.receive")).rule, null);
  }));

test("a game and the operation of a rule are chosen by name, and only its requests are hit", () =>
  withConsole("#/faults", {}, async (page) => {
    await allow(page);
    await page.getByRole("combobox", { name: "Operation" }).click();
    await page.getByRole("option", { name: /^list_avatars/ }).click();
    const dialog = form(page);
    await dialog.getByText("For: list_avatars.").waitFor();
    await dialog.getByRole("combobox", { name: "Game" }).click();
    await dialog.getByRole("option", { name: /^Demo Game/ }).click();
    await dialog.getByLabel("Delay in ms").fill("1");
    await dialog.getByRole("button", { name: "Inject delay" }).click();
    await row(page, "avatar.reply").getByText("delay 1 ms, game Demo Game").waitFor();
    assert.equal((await ask("GET", "/faults/avatar.reply")).rule.game, demo_game);
    await ask("GET", `/cloud/games/${demo_game}/avatars`, undefined, { url: data });
    await ask("GET", "/matchmaker/regions", undefined, { url: data });
    await row(page, "avatar.reply").getByText("1 hit of 1 pass", { exact: true }).waitFor();
    // The picture says the same.
    await path(page).getByRole("link", { name: /avatar\.reply\), delay 1 ms, 1 hit$/ }).waitFor();
    // Another rule counts from zero.
    await dialog.getByLabel("Delay in ms").fill("2");
    await dialog.getByRole("button", { name: "Replace with delay" }).click();
    await row(page, "avatar.reply").getByText("0 hits of 0 passes", { exact: true }).waitFor();
    await clearAll(page);
    await page.getByRole("status").getByText("All faults are cleared.").waitFor();
    await page.getByText("Injected now: nothing").waitFor();
  }));

test("a preset is started, says what it replaces, and one click clears everything", () =>
  withConsole("#/faults", {}, async (page) => {
    await allow(page);
    await shown(page);
    const { presets } = await ask("GET", "/faults");
    const start = page.getByRole("button", { name: /^Start / });
    assert.equal(await start.count(), presets.length);
    await page.getByRole("button", { name: "Start slow-disk" }).click();
    await row(page, "store.commit").getByText("preset slow-disk").waitFor();
    assert.deepEqual((await ask("GET", "/faults/store.commit")).rule,
      { kind: "delay", delay_ms: [50, 200], lasts_s: 300 });
    await page.getByText("Replaces delay 50 to 200 ms there.").waitFor();
    await page.getByRole("button", { name: "Start stuck-disk" }).click();
    await row(page, "store.commit").getByText("preset stuck-disk").waitFor();
    await clearAll(page);
    await page.getByText("Injected now: nothing").waitFor();
    assert.equal((await ask("GET", "/faults/store.commit")).rule, null);
  }));

test("the effect of a fault is shown by operation, and leads to its traces", () =>
  withConsole("#/faults", {}, async (page) => {
    await ask("PUT", "/faults/avatar.reply", { kind: "delay", delay_ms: 40, lasts_s: 60 });
    await row(page, "avatar.reply").waitFor();
    const found = page.getByRole("row").filter({ hasText: "list_avatars" });
    await until(async () => {
      await ask("GET", `/cloud/games/${demo_game}/avatars`, undefined, { url: data });
      return await found.getByText(/→ [4-9]\d(\.\d)? ms/).count() > 0;
    }, "a latency of 40 ms and more");
    await found.getByRole("link", { name: "list_avatars" }).click();
    await page.waitForURL(/#\/traces\?operation=list_avatars/);
    await ask("DELETE", "/faults");
  }));

test("a viewer sees what is injected and since when, and no button that changes it", async () => {
  const { token } = await ask("POST", "/v1/tokens", { kind: "viewer", name: "faults viewer" });
  await ask("PUT", "/faults/geoip.lookup", { kind: "error" });
  // The audit log, to which the author leads, is not for viewers.
  await withConsole("#/faults", {}, (page) =>
    row(page, "geoip.lookup").getByRole("link", { name: "local" }).waitFor());
  await withConsole("#/faults?point=geoip.lookup", { token }, async (page) => {
    await row(page, "geoip.lookup").getByText(/^set \d/).waitFor();
    await marks(page).getByText(/geoip\.lookup: .*error/).waitFor();
    assert.equal(await page.getByRole("button", { name: /^(Start|Inject|Clear)/ }).count(), 0);
    await ask("DELETE", "/faults");
    await marks(page).getByText(/geoip\.lookup ended/).waitFor();
  });
});

test("the plans are those in plans/, with a command for this service", () =>
  withConsole("#/faults", { permissions: ["clipboard-read", "clipboard-write"] },
    async (page) => {
      const folder = new URL("../../plans/", import.meta.url);
      const found = readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder),
        "utf8")]).filter(([, text]) => text.includes("[[step]]"));
      assert.deepEqual(found.map(([name]) => name.replace(".toml", "")).sort(),
        plans.map(({ name }) => name).sort());
      for (const [name, text] of found) {
        const plan = plans.find((one) => `${one.name}.toml` === name);
        assert.equal(/^about = "(.*)"$/m.exec(text)[1], plan.about);
        assert.equal(/^lasts = "(.*)"$/m.exec(text)[1], plan.lasts);
        assert.deepEqual([...text.matchAll(/^inject = "(.*)"$/gm)].map(([, preset]) => preset),
          plan.presets);
        await page.getByText(plan.about, { exact: true }).waitFor();
      }
      await page.getByRole("button", { name: "Copy the command of slow-store" }).click();
      await page.getByText("Copied", { exact: true }).first().waitFor();
      const text = await page.evaluate(() => navigator.clipboard.readText());
      assert.match(text, /^matchcloud fault run .*slow-store\.toml --url http:\/\/127/);
    }));

test("an impossible value is explained next to it, and not sent", () =>
  withConsole("#/faults?point=avatar.receive", {}, async (page) => {
    await allow(page);
    const dialog = form(page);
    await dialog.getByRole("button", { name: "Inject delay" }).click();
    await dialog.getByText("A delay needs milliseconds.").waitFor();
    await dialog.getByLabel("Kind").selectOption("error");
    await dialog.getByText("How often").click();
    await dialog.getByLabel("Probability").fill("2");
    await dialog.getByText("Use a number from 0 to 1.").waitFor();
    assert.ok(await dialog.getByRole("button", { name: "Inject error" }).isDisabled());
    assert.equal((await ask("GET", "/faults/avatar.receive")).rule, null);
  }));

test("a rule that the service refuses stays in the form, with what the service says", () =>
  withConsole("#/faults?point=read", { expected: [/400/] }, async (page) => {
    await allow(page);
    const dialog = form(page);
    await dialog.getByLabel("Kind").selectOption("error");
    await dialog.getByLabel("Client").fill("nowhere");
    await dialog.getByRole("button", { name: "Inject error" }).click();
    await dialog.getByRole("alert").getByText("400 query_invalid").waitFor();
    assert.equal(await dialog.getByLabel("Client").inputValue(), "nowhere");
    assert.equal((await ask("GET", "/faults/read")).rule, null);
  }));

test("abort says that the process dies, asks for the name, and kills the process",
  async () => {
    const service = await startService({ dataDir: demoFolder(),
      flags: ["--enable-fault-injection"] });
    try {
      await withConsole("#/faults?point=administration.receive",
        { url: service.ops, expected: [/ERR_/] }, async (page) => {
          await allow(page);
          const dialog = form(page);
          await dialog.getByLabel("Kind").selectOption("abort");
          await dialog.getByText("The process will die.").waitFor();
          assert.ok(await dialog.getByRole("button", { name: "Inject abort" }).isDisabled());
          await dialog.getByLabel("Type administration.receive to continue")
            .fill("administration.receive");
          await dialog.getByRole("button", { name: "Inject abort" }).click();
          await fetch(new URL("/v1/games", service.ops)).catch(() => {});
          await page.getByText("No connection to the service.", { exact: true }).waitFor();
        });
    } finally {
      await service.stop();
    }
  });

test("without fault injection the panel says how to enable it, and shows the path", async () => {
  const service = await startService({ dataDir: demoFolder() });
  try {
    await withConsole("#/faults", { url: service.ops }, async (page) => {
      await page.getByText("matchcloud serve --enable-fault-injection").waitFor();
      for (const point of drawn) await path(page).getByText(`(${point})`).waitFor();
      assert.equal(await path(page).getByRole("link").count(), 0);
      assert.equal(await page.getByRole("button", { name: /^(Start|Inject|Clear)/ }).count(), 0);
      await judge(page);
    });
  } finally {
    await service.stop();
  }
});

test("the form looks right with a rule", async () => {
  await ask("PUT", "/faults/avatar.receive", { kind: "delay", delay_ms: [5, 20], game: demo_game });
  await looksRight("#/faults?point=avatar.receive", { name: "faults-form",
    ready: async (page) => {
      await allow(page);
      await form(page).getByRole("button", { name: "Replace with delay" }).waitFor();
    } });
});
