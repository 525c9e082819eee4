// The API page: both planes, operations by tag, search, links, and what is copied.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";

import { judge, looksRight, origin, startBrowser, until, withConsole } from "./support/browser.mjs";
import { sampleDocument } from "./support/openapi_sample.mjs";
import { demoFolder, startService } from "./support/service.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser?.close());

const path = "/docs";
const heading = (page, name) => page.getByRole("heading", { level: 1, name });

/** Runs `look` on a page with the sample document instead of the service's. */
const withSample = (hash, options, look) => withConsole(browser, hash, { path, ...options },
  async (page, opened) => {
    await page.route("**/openapi.json", (route) => route.fulfill({ json: sampleDocument(
      route.request().url().includes("/data/") ? "data plane" : "ops plane") }));
    await page.reload();
    await look(page, opened);
  });

test("each operation of both planes of this service is shown", async () => {
  await withConsole(browser, "", { path }, async (page) => {
    for (const [plane, url] of [["ops", "/openapi.json"], ["data", "/data/openapi.json"]]) {
      const document = await (await fetch(origin + url)).json();
      const ids = Object.values(document.paths).flatMap((item) => Object.values(item)
        .map((operation) => operation?.operationId).filter(Boolean));
      for (const id of ids) {
        await page.goto(`${origin}/docs#${plane}/${id}`);
        await page.locator(".operation p.faint code").getByText(id, { exact: true }).waitFor();
      }
    }
  });
});

test("an operation shows its parameters, body, answers with codes, examples and curl", async () => {
  await withSample("#put_region", {}, async (page) => {
    await heading(page, "Adds or replaces a region.").waitFor();
    const main = page.locator("main");
    assert.match(await main.locator(".example").first().innerText(),
      /curl -sS -X PUT [\s\S]*\/v1\/regions\/lon'/);
    await main.getByRole("button", { name: "JavaScript" }).click();
    assert.match(await main.locator(".example").first().innerText(),
      /fetch\("http:\/\/127\.0\.0\.1:8080\/v1\/regions\/lon", \{\s+method: "PUT",/);
    await main.getByRole("rowheader", { name: "datacenter_coord required" }).first().waitFor();
    await main.locator("summary").getByText("Coordinates").first().click();
    await main.getByRole("rowheader", { name: "latitude required" }).first().waitFor();
    await main.getByText("-90 to 90").first().waitFor();
    await main.getByText("For people: <b>not bold</b>.").first().waitFor();
    const refusal = main.getByRole("rowheader", { name: "body_malformed" });
    assert.ok(!await refusal.isVisible());
    await main.getByText("Refusals").click();
    await refusal.waitFor();
    assert.match(await main.locator(".reference .example").last().innerText(),
      /London[\s\S]*"lon"/);
  });
});

test("curl commands for the data plane work with any address and base path", async () => {
  const service = await startService({ dataDir: demoFolder(), flags: ["--base-path", "/mm"] });
  try {
    await withConsole(browser, "#data/list_regions", { path, url: service.ops }, async (page) => {
      const curl = await page.locator(".example").first().locator("pre").innerText();
      const answer = execFileSync("bash", ["-c", curl], { encoding: "utf8",
        env: { ...process.env, MATCHCLOUD_DATA_URL: service.data } });
      assert.match(answer, /^{"regions":\[/);
    });
  } finally {
    await service.stop();
  }
});

test("a schema that refers to itself is opened as far as it says something new", async () => {
  await withSample("#ops/get_tree", {}, async (page) => {
    await page.getByText("One of:").waitFor();
    await page.locator(".schema summary").getByText("Tree").click();
    await page.getByText("Tree is described above.").waitFor();
  });
});

test("a search, keys and links lead to operations, and the heading has the focus", async () => {
  await withSample("#ops", {}, async (page) => {
    await heading(page, "Ops plane API").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("not_permitted");
    await until(async () => await page.locator("nav li").count() === 1, "one operation");
    await page.keyboard.press("ArrowDown");
    await heading(page, "Lists the regions.").waitFor();
    assert.match(page.url(), /#ops\/list_regions$/);
    await page.getByLabel("Search operations").fill("");
    await page.locator("nav a").last().click();
    await heading(page, "An operation without an id or a tag.").waitFor();
    await until(() => page.evaluate(() => document.activeElement.tagName === "H1"), "the focus");
    await page.keyboard.press("k");
    await heading(page, "A tree that refers to itself.").waitFor();
    await page.getByRole("link", { name: "Data plane" }).click();
    await heading(page, "Data plane API").waitFor();
    await page.goBack();
    await heading(page, "A tree that refers to itself.").waitFor();
    await page.goto(`${origin}/docs`);
    await heading(page, "Data plane API").waitFor();
    await page.goto(`${origin}/docs#nothing`);
    await page.getByText("There is no operation nothing.").waitFor();
  });
});

test("names with HTML are shown as text", async () => {
  await withSample("#remove_region", {}, async (page) => {
    await heading(page, "Removes <img src=x onerror=alert(1)>.").waitFor();
    assert.equal(await page.locator("img").count(), 0);
  });
});

test("a service that requires a token gets one", async () => {
  await withConsole(browser, "", { path, expected: [/401/] }, async (page) => {
    const token = `mc_viewer_${"a".repeat(49)}`;
    await page.route("**/openapi.json", (route) => (route.request().headers().authorization
      === `Bearer ${token}` ? route.fulfill({ json: sampleDocument("ops plane") })
      : route.fulfill({ status: 401, json: { status: 401, code: "token_missing",
        detail: "A token is needed." } })));
    await page.reload();
    await page.locator("main").getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("textbox", { name: "Token" }).fill(token);
    await page.keyboard.press("Enter");
    await heading(page, "Data plane API").waitFor();
  });
});

test("the page sends a request with the filled-in values, and shows its answer", async () => {
  await withConsole(browser, "#ops/get_region", { path }, async (page) => {
    await page.getByLabel("region_id path, required").fill("fra");
    await page.locator(".example").first().getByText("/v1/regions/fra'").waitFor();
    await page.getByRole("button", { name: "Send GET" }).click();
    await page.getByRole("status").getByText(/200 in [\d.]+ ms, \d+ B/).waitFor();
    await page.getByLabel("Answer 200").getByText('"region_id": "fra"').waitFor();
    await page.getByText(/Headers \(\d+\)/).first().click();
    await page.getByLabel("Headers of the answer").getByText("x-request-id").waitFor();
    await judge(page);
  });
});

test("changes are sent once they are allowed, and removals only once confirmed", () =>
  withConsole(browser, "#ops/remove_tier", { path, expected: [/404/] }, async (page) => {
    await page.getByText("This request changes the service.").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Send/ }).count(), 0);
    await page.getByRole("button", { name: "Allow changes" }).click();
    await page.getByLabel("tier path, required").fill("no-such-tier");
    await page.getByRole("button", { name: "Send DELETE" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Type DELETE to continue.").fill("DELETE");
    await dialog.getByRole("button", { name: "Send" }).click();
    await page.getByRole("status").getByText(/404 in/).waitFor();
    await dialog.waitFor({ state: "detached" });
  }));

test("a viewer is not offered changes of the service", () =>
  withConsole(browser, "#ops/put_region", { path, token: `mc_viewer_${"a".repeat(49)}`,
    expected: [/401/] }, async (page) => {
    await page.route("**/openapi.json", (route) => route.fulfill({
      json: sampleDocument("ops plane") }));
    await page.reload();
    await page.getByText("Only an admin token may send this.").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Send/ }).count(), 0);
  }));

test("the header is that of the console", async () => {
  const headerOf = async (page) => {
    await page.getByText("live", { exact: true }).waitFor();
    return page.locator("header.top").getByRole("button").evaluateAll((buttons) =>
      buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent.trim()));
  };
  let buttons;
  await withConsole(browser, "#/live", {}, async (page) => { buttons = await headerOf(page); });
  await withConsole(browser, "#ops", { path }, async (page) => {
    assert.deepEqual(await headerOf(page), buttons);
    await page.getByRole("button", { name: /^Theme/ }).click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
    await page.getByRole("button", { name: "Shortcuts" }).click();
    await page.getByRole("dialog", { name: "Shortcuts" }).getByText("Next operation").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "matchcloud", exact: true }).click();
    await page.waitForURL(`${origin}/#/live`);
  });
});

test("the data plane's base URL is typed once, and the page says what it may not request", () =>
  withConsole(browser, "#data/list_regions", { path }, async (page) => {
    const field = page.getByLabel("Base URL of the data plane");
    await page.getByText("Enter the base URL first.").waitFor();
    await field.fill("play.example");
    await page.getByText("This is not a base URL. Use one such as https://play.example.").waitFor();
    await field.fill("http://play.example:8080");
    await page.getByText("this page cannot send requests to http://play.example:8080.").waitFor();
    await page.reload();
    const code = page.locator(".example").first();
    await code.getByText("'http://play.example:8080/matchmaker/regions'").waitFor();
    await page.getByRole("button", { name: "JavaScript" }).click();
    await page.reload();
    await code.getByText('fetch("http://play.example:8080/matchmaker/regions")').waitFor();
  }));

test("it looks right in dark and light, at 400 and 3840 px", async () => {
  await looksRight(browser, "#data/validate_version", { path, name: "docs",
    ready: (page) => page.locator("main h1").waitFor() });
  await looksRight(browser, "#ops", { path, name: "docs-overview",
    ready: (page) => page.locator("main h1").waitFor() });
});
