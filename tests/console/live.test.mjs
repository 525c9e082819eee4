// The live panel: what is wrong comes first, charts follow the service.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { looksRight, startBrowser, until, withConsole } from "./browser.mjs";
import { ask, data, demoFolder, startService } from "./service.mjs";

const demoGame = "00000000-0000-4000-8000-000000000001";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await ask("DELETE", "/faults");
  await browser?.close();
});

const drawn = (page) => page.locator(".plot canvas").first().waitFor();
const get = (path) => fetch(new URL(path, data)).then((answer) => answer.arrayBuffer());
const avatars = () => get(`/cloud/games/${demoGame}/avatars`);

/** The number that the legend of a chart has beside `label`, or null. */
async function legend(page, title, label) {
  const item = page.getByRole("region", { name: title }).locator(".legend li")
    .filter({ hasText: label });
  const text = await item.locator("strong").textContent();
  return /\d/.test(text) ? parseFloat(text.replaceAll(",", "")) : null;
}

test("with nothing wrong the page says so", async () => {
  // The tests before leave problems, which are told of for minutes.
  const service = await startService({ dataDir: demoFolder() });
  await withConsole(browser, "#/live", { url: service.ops }, async (page) => {
    await page.getByText("Nothing is wrong.").waitFor();
    // A notice: nobody's place is known.
    await page.getByText(/^There is no GeoIP file/).waitFor();
  });
  await service.stop();
});

test("charts begin with what happened before the page was opened", async () => {
  const since = Date.now();
  await Promise.all(Array.from({ length: 50 }, () => get("/matchmaker/regions")));
  await until(async () => {
    const { points } = await ask("GET", `/v1/history?step=1&from=${since}`);
    return points.at(-1)?.data_plane.requests === 0
      && points.some(({ data_plane: { requests } }) => requests >= 25);
  }, "a second that is over");
  await withConsole(browser, "#/live", {}, async (page) => {
    const chart = page.getByRole("region", { name: "Requests", exact: true });
    await chart.locator(".plot").focus();
    await until(async () => {
      await page.keyboard.press("ArrowLeft");
      return await legend(page, "Requests", "2xx") >= 25;
    }, "the requests of before");
  });
});

test("requests that somebody sends are in the charts a second later", () =>
  withConsole(browser, "#/live", {}, async (page) => {
    await page.getByRole("region", { name: "Requests", exact: true }).waitFor();
    await until(async () => {
      await Promise.all(Array.from({ length: 20 }, () => get("/matchmaker/regions")));
      return await legend(page, "Requests", "2xx") > 0
        && await legend(page, "Latency of the data plane", "p50") > 0;
    }, "the requests in the charts");
  }));

test("answers that are 5xx are a problem, and lead to the walks of such requests", () =>
  withConsole(browser, "#/live", {}, async (page) => {
    await page.getByRole("region", { name: "Requests", exact: true }).waitFor();
    await ask("PUT", "/faults/region_ranking.receive", { kind: "error" });
    await until(async () => {
      await get("/matchmaker/regions");
      return page.getByText(/^Requests were answered with 5xx/).isVisible();
    }, "the problem");
    await page.getByText("1 fault is injected").waitFor();
    await ask("DELETE", "/faults");
    await page.getByText("1 fault is injected").waitFor({ state: "detached" });
    await page.locator("li", { hasText: /^ProblemRequests were answered/ })
      .getByRole("link", { name: "Show it" }).click();
    await page.waitForURL(/#\/actors\?walks=failed/);
  }));

test("actors that were started again are a notice", () =>
  withConsole(browser, "#/live", {}, async (page) => {
    await page.getByRole("region", { name: "Requests", exact: true }).waitFor();
    await ask("PUT", "/faults/avatar.receive", { kind: "crash", every: 2 });
    await until(async () => {
      await avatars();
      return page.getByText(/^Actors died and were started again/).isVisible();
    }, "the notice");
    await ask("DELETE", "/faults");
  }));

test("the span of the charts is in the link", () =>
  withConsole(browser, "#/live?window=300", {}, async (page) => {
    const span = page.getByLabel("Span");
    assert.equal(await span.inputValue(), "300");
    await span.selectOption("600");
    await page.waitForURL(/window=600/);
    await page.reload();
    assert.equal(await page.getByLabel("Span").inputValue(), "600");
  }));

test("the arrow keys tell the values of a chart", () =>
  withConsole(browser, "#/live", {}, async (page) => {
    const card = page.getByRole("region", { name: "Connections" });
    await until(async () => /\d/.test(await card.locator(".legend").textContent()));
    await card.getByRole("group").focus();
    await page.keyboard.press("ArrowLeft");
    await card.locator(".legend").getByText(/^\d\d:\d\d:\d\d$/).waitFor();
  }));

test("the panel looks right", async () => {
  await looksRight(browser, "#/live", { name: "live", ready: drawn });
});
