// What the console costs: bytes and time until the first view, and the service's processor time.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { openConsole, startBrowser, until } from "./support/browser.mjs";
import { demoFolder, startService } from "./support/service.mjs";

const first_view_bytes = 75_000;
/** In ms; script/soak, which visits every state, expects a machine that does nothing else. */
const first_view_ms = process.env.MATCHCLOUD_ALL_STATES === "1" ? 600 : 2_000;
const open_consoles = 10;
const most_of_a_core = 0.03;
/** How long open consoles are watched, in s; script/soak watches them for a minute. */
const watched_s = Number(process.env.MATCHCLOUD_WATCHED_S ?? 15);
const ticks_per_s = 100;

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

const shown = (page) => page.getByRole("heading", { name: "Live", level: 1 }).waitFor();

test("the first view takes at most 75 kB", async () => {
  const { page, close } = await openConsole(browser, "#/live");
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

// The fastest of five, because other programs on the machine can only slow a page down.
test("the first view appears soon", async () => {
  const times = [];
  for (let n = 0; n < 5; n += 1) {
    const { page, close } = await openConsole(browser, "#/live");
    await shown(page);
    times.push(await page.evaluate(() => performance.now()));
    await close();
  }
  assert.ok(Math.min(...times) <= first_view_ms, `after ${times.map(Math.round)} ms`);
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
      opened.push(await openConsole(browser, "#/live", { url: service.ops }));
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
