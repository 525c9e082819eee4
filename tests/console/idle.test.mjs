// What an open console requests from a service while nobody uses it.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startBrowser, until, withConsole } from "./support/browser.mjs";
import { kinds, panels } from "./support/panels.mjs";

const watched_s = 6;
// The first request may be late, and the last one on time, on a busy machine.
const late_ms = 500;

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

/** The seconds that the service says it has been up, from the bar at the top. */
async function uptime(page) {
  const text = await page.locator(".health").getByText(/^up /).textContent();
  const units = { d: 86_400, h: 3_600, min: 60, s: 1 };
  return [...text.matchAll(/(\d+) (d|h|min|s)/g)].reduce((sum, [, n, unit]) =>
    sum + Number(n) * units[unit], 0);
}

// They mostly wait.
describe("an idle console", { concurrency: 5 }, () => {
  for (const panel of [...panels.filter((id) => id !== "catalog"),
    ...kinds.map((kind) => `catalog?kind=${kind}`)]) {
    test(`at ${panel} asks for nothing more often than once a second`, () =>
      withConsole(browser, `#/${panel}`, {}, async (page, { requests }) => {
        await page.getByRole("heading", { level: 2 }).first().waitFor();
        const began = await uptime(page);
        // What a view loads at first may take longer than a second on a busy machine.
        await until(async () => await uptime(page) >= began + 2, "the first seconds");
        const before_count = requests.length;
        await until(async () => await uptime(page) >= began + 2 + watched_s, "the last second");
        const idle = requests.slice(before_count);
        assert.ok(!idle.some(({ path }) => path === "/events"), "one stream, and no more");
        const paths = new Set(idle.map(({ path }) => path));
        for (const path of paths) {
          const times = idle.filter((request) => request.path === path).map(({ at }) => at);
          const took_ms = times.at(-1) - times[0];
          assert.ok(took_ms + late_ms >= (times.length - 1) * 1_000,
            `${times.length} requests of ${path} in ${took_ms} ms`);
        }
        assert.ok(idle.length <= 2 * watched_s, `${idle.length} requests in ${watched_s} s`);
      }));
  }
});

test("a hidden console disconnects from the service, and reconnects when it is visible", () =>
  withConsole(browser, "#/actors", { clock: true }, async (page, { requests }) => {
    await page.getByText("live", { exact: true }).waitFor();
    const see = (hidden) => page.evaluate((value) => {
      Object.defineProperty(document, "hidden", { value, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
    await see(true);
    await page.clock.fastForward("01:30");
    await page.getByText("paused", { exact: true }).waitFor();
    const asked = requests.length;
    await page.clock.fastForward("10:00");
    assert.equal(requests.length, asked);
    await see(false);
    await page.getByText("live", { exact: true }).waitFor();
    await until(() => requests.slice(asked).some(({ path }) => path === "/actors"), "the actors");
  }));
