// What the console costs: bytes until the first view, requests and processor time.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { kinds, openConsole, panels, until, withConsole } from "./support/browser.mjs";
import { demoFolder, startService } from "./support/service.mjs";

const first_view_bytes = 75_000;
const open_consoles = 10;
const most_of_a_core = 0.03;
/** How long open consoles are watched, in s; script/soak watches them for a minute. */
const watched_s = Number(process.env.MATCHCLOUD_WATCHED_S ?? 15);
const ticks_per_s = 100;

const shown = (page) => page.getByRole("heading", { name: "Live", level: 1 }).waitFor();

test("the first view takes at most 75 kB", async () => {
  const { page, close } = await openConsole("#/live");
  await shown(page);
  await page.locator("canvas").first().waitFor();
  const files = await page.evaluate(() => [...performance.getEntriesByType("navigation"),
    ...performance.getEntriesByType("resource")]
    .filter(({ name }) => name.endsWith("/") || name.includes("/assets/") || name.includes("#"))
    .map(({ name, encodedBodySize }) => [name, encodedBodySize]));
  const sum = files.reduce((bytes, [, size]) => bytes + size, 0);
  assert.ok(files.length > 2, "files are counted");
  assert.ok(sum > 20_000 && sum <= first_view_bytes, `${sum} bytes: ${JSON.stringify(files)}`);
  await close();
});

/** Seconds of processor time that a process has taken. */
function processorSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticks_per_s;
}

test("ten open consoles take at most 3 % of a core", async () => {
  const service = await startService({ dataDir: demoFolder() });
  const opened = [];
  try {
    for (let n = 0; n < open_consoles; n += 1) {
      opened.push(await openConsole("#/live", { url: service.ops }));
    }
    for (const { page } of opened) await page.getByText("live", { exact: true }).waitFor();
    const end = (s) => {
      const from = performance.now();
      return until(() => performance.now() - from > s * 1_000, `${s} s`, 2 * s * 1_000);
    };
    await end(3);
    const before_s = processorSeconds(service.pid);
    await end(watched_s);
    const share = (processorSeconds(service.pid) - before_s) / watched_s;
    assert.ok(share <= most_of_a_core, `${(share * 100).toFixed(1)} % of a core`);
  } finally {
    for (const { close } of opened) await close();
    await service.stop();
  }
});
const idle_s = 6;
// The first request may be late, and the last one on time, on a busy machine.
const late_ms = 500;

/** The seconds that the service says it has been up, from the bar at the top. */
async function uptime(page) {
  const text = await page.locator(".health").getByText(/^up /).textContent();
  const units = { d: 86_400, h: 3_600, min: 60, s: 1 };
  return [...text.matchAll(/(\d+) (d|h|min|s)/g)].reduce((sum, [, n, unit]) =>
    sum + Number(n) * units[unit], 0);
}

// They mostly wait.
describe("an idle console", { concurrency: 8 }, () => {
  for (const panel of [...panels.filter((id) => id !== "catalog"),
    ...kinds.map((kind) => `catalog?kind=${kind}`)]) {
    test(`at ${panel} asks for nothing more often than once a second`, () =>
      withConsole(`#/${panel}`, {}, async (page, { requests }) => {
        await page.getByRole("heading", { level: 2 }).first().waitFor();
        const began = await uptime(page);
        // What a view loads at first may take longer than a second on a busy machine.
        await until(async () => await uptime(page) >= began + 2, "the first seconds");
        const before_count = requests.length;
        await until(async () => await uptime(page) >= began + 2 + idle_s, "the last second");
        const idle = requests.slice(before_count);
        assert.ok(!idle.some(({ path }) => path === "/events"), "one stream, and no more");
        const paths = new Set(idle.map(({ path }) => path));
        for (const path of paths) {
          const times = idle.filter((request) => request.path === path).map(({ at }) => at);
          const took_ms = times.at(-1) - times[0];
          assert.ok(took_ms + late_ms >= (times.length - 1) * 1_000,
            `${times.length} requests of ${path} in ${took_ms} ms`);
        }
        assert.ok(idle.length <= 2 * idle_s, `${idle.length} requests in ${idle_s} s`);
      }));
  }
});

test("a hidden console disconnects from the service, and reconnects when it is visible", () =>
  withConsole("#/actors", { clock: true }, async (page, { requests }) => {
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
