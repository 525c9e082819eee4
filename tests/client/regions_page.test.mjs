// The ES module in a page that is busy, as games are. run.sh calls this.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { browser } from "./region_clients.mjs";
import { answersAfter, startService } from "./scripted_service.mjs";

/** How long a frame of the page takes; it notices answers between frames only. */
const frame_ms = 100;
const delay_ms = 10;

before(() => browser.start());
after(() => browser.stop());

test("a busy page measures what the browser measured, if the server allows it", async () => {
  const measured = {};
  await browser.page.evaluate((ms) => {
    globalThis.frames = setInterval(() => {
      const end = performance.now() + ms;
      while (performance.now() < end);
    }, ms);
  }, frame_ms);
  // Without the browser's times, one may happen to end between two frames: the worst counts.
  for (const timing of [false, false, false, true]) {
    const service = await startService({ lon: answersAfter(delay_ms) }, { timing });
    const { result } = browser.run({ action: "choose", base: service.url,
      options: { timeoutMs: 60_000, limitMs: 60_000 } });
    measured[timing] = Math.max(measured[timing] ?? 0, (await result).regions[0].latency_ms);
    service.stop();
  }
  await browser.page.evaluate(() => clearInterval(globalThis.frames));
  assert.ok(measured.true >= delay_ms - 1 && measured.true < measured.false / 1.5,
    `${measured.true} ms, and ${measured.false} ms if the server does not allow it`);
});
