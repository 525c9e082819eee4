// The faults panel: rules are set and ended here and elsewhere, and both see it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { looksRight, startBrowser, until, withConsole } from "./browser.mjs";
import { ask, demoFolder, startService } from "./service.mjs";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await ask("DELETE", "/faults");
  await browser?.close();
});

const row = (page, point) => page.getByRole("row").filter({ hasText: point });
const shown = (page) => row(page, "avatar.receive").waitFor();
const allow = (page) => page.getByRole("button", { name: "Allow changes" }).click();

test("the seed is shown with all of its 64 bits", () =>
  withConsole(browser, "#/faults", {}, async (page) => {
    await page.getByText("18446744073709551615", { exact: true }).waitFor();
  }));

test("every point is shown, and nothing can be set before changes are allowed", () =>
  withConsole(browser, "#/faults", {}, async (page) => {
    await shown(page);
    const { points } = await ask("GET", "/faults");
    for (const { point } of points) {
      assert.equal(await page.getByText(point, { exact: true }).count(), 1, point);
    }
    assert.equal(await page.getByRole("link", { name: /^Set / }).count(), 0);
    await allow(page);
    assert.equal(await page.getByRole("link", { name: /^Set / }).count(), points.length);
  }));

test("a rule that is set here is in force, is in the audit log, and is ended here", () =>
  withConsole(browser, "#/faults", {}, async (page) => {
    await allow(page);
    await page.getByRole("link", { name: "Set avatar.receive" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Kind").selectOption("delay");
    await dialog.getByLabel("Delay in ms").fill("5");
    await dialog.getByLabel("At most, in ms").fill("20.5");
    await dialog.getByLabel("Every").fill("3");
    await dialog.getByLabel("First").fill("100");
    await dialog.getByLabel("By header").check();
    const inject = dialog.getByRole("button", { name: "Inject delay" });
    assert.ok(await inject.isDisabled());
    await dialog.getByLabel("Type avatar.receive to go on").fill("avatar.receive");
    await inject.click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual((await ask("GET", "/faults/avatar.receive")).rule,
      { kind: "delay", delay_ms: [5, 20.5], every: 3, first: 100, header: true });
    await row(page, "avatar.receive").getByText("delay 5 to 20.5 ms").waitFor();
    await page.getByText("fault.put").waitFor();
    await page.getByRole("list", { name: "Rules that were set or ended" })
      .getByText(/avatar\.receive: delay/).waitFor();

    await page.getByRole("button", { name: "End avatar.receive" }).click();
    await page.getByText("fault.clear").waitFor();
    assert.equal((await ask("GET", "/faults/avatar.receive")).rule, null);
  }));

test("a rule is set and ended by keys alone", () =>
  withConsole(browser, "#/faults?search=geoip.lookup", {}, async (page) => {
    await row(page, "geoip.lookup").waitFor();
    const press = async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const focus = async (name) => {
      await until(async () => {
        await press("Tab");
        return page.evaluate((wanted) => {
          const { activeElement: element } = document;
          return (element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent)
            .trim() === wanted;
        }, name);
      }, `the focus on ${name}`);
    };
    await focus("Allow changes");
    await press("Space");
    await focus("Set geoip.lookup");
    await press("Enter");
    await page.getByRole("dialog").waitFor();
    await focus("Type geoip.lookup to go on");
    await page.keyboard.type("geoip.lookup");
    await press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.deepEqual((await ask("GET", "/faults/geoip.lookup")).rule, { kind: "error" });
    await page.getByRole("button", { name: "End geoip.lookup" }).waitFor();
    await focus("End geoip.lookup");
    await press("Enter");
    await page.getByText("fault.clear").waitFor();
    assert.equal((await ask("GET", "/faults/geoip.lookup")).rule, null);
  }));

test("a rule that is set and ended elsewhere shows here", () =>
  withConsole(browser, "#/faults?search=store", {}, async (page) => {
    await row(page, "store.read").waitFor();
    await ask("PUT", "/faults/store.read", { kind: "delay", delay_ms: 1, probability: 0.25 });
    await row(page, "store.read").getByText("delay 1 ms, 25 %").waitFor();
    await page.getByText("Fault points, 1 with a rule").waitFor();
    await ask("DELETE", "/faults");
    await page.getByText("Fault points, 0 with a rule").waitFor();
  }));

test("a value that cannot be is said beside it, and not sent", () =>
  withConsole(browser, "#/faults?point=avatar.receive", {}, async (page) => {
    await allow(page);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Kind").selectOption("error");
    await dialog.getByLabel("Probability").fill("2");
    await dialog.getByText("A number from 0 to 1.").waitFor();
    await dialog.getByLabel("Type avatar.receive to go on").fill("avatar.receive");
    assert.ok(await dialog.getByRole("button", { name: "Inject error" }).isDisabled());
  }));

test("a rule that the service refuses stays in the form, with what the service says", () =>
  withConsole(browser, "#/faults?point=read", { expected: [/400/] }, async (page) => {
    await allow(page);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Kind").selectOption("error");
    await dialog.getByLabel("By header").check();
    await dialog.getByLabel("Type read to go on").fill("read");
    await dialog.getByRole("button", { name: "Inject error" }).click();
    await dialog.getByRole("alert").getByText("400 query_invalid").waitFor();
    assert.equal((await ask("GET", "/faults/read")).rule, null);
  }));

test("abort says that the process dies, wants the name, and the page comes back with a new one",
  async () => {
    const dataDir = demoFolder();
    const flags = ["--enable-fault-injection"];
    const first = await startService({ dataDir, flags });
    let second;
    try {
      await withConsole(browser, "#/faults?point=administration.receive",
        { url: first.ops, expected: [/ERR_/] }, async (page) => {
          await allow(page);
          const dialog = page.getByRole("dialog");
          await dialog.getByLabel("Kind").selectOption("abort");
          await dialog.getByText("The process will die.").waitFor();
          await dialog.getByLabel("Type administration.receive to go on")
            .fill("administration.receive");
          await dialog.getByRole("button", { name: "Inject abort" }).click();
          await fetch(new URL("/v1/games", first.ops)).catch(() => {});
          await page.getByText("No connection to the service.", { exact: true }).waitFor();
          second = await startService({ dataDir, flags, opsPort: new URL(first.ops).port });
          await page.getByText("Fault points, 0 with a rule").waitFor();
          await page.getByText("live", { exact: true }).waitFor();
        });
    } finally {
      await first.stop();
      await second?.stop();
    }
  });

test("without fault injection the panel says how to enable it", async () => {
  const service = await startService({ dataDir: demoFolder() });
  try {
    await withConsole(browser, "#/faults", { url: service.ops }, async (page) => {
      await page.getByText("matchcloud serve --enable-fault-injection").waitFor();
    });
  } finally {
    await service.stop();
  }
});

test("the panel looks right, and so does its form", async () => {
  await looksRight(browser, "#/faults", { name: "faults", ready: shown });
  await looksRight(browser, "#/faults?point=avatar.receive", { name: "faults-form",
    ready: async (page) => {
      await allow(page);
      await until(() => page.getByRole("dialog").isVisible());
    } });
});
