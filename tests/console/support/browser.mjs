// The browser in which tests use the console. One is started for all tests of a file; each test has
// a page of its own, which fails the test on any error that a visitor would see only in the
// browser's tools: console errors, exceptions, violations of the Content-Security-Policy.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const tree = process.env.MATCHCLOUD_TREE ?? join(here, "../../..");
const require = createRequire(join(tree, "build/console/test/package.json"));
const { chromium } = require("playwright-core");
const screenshots = join(tree, "build/console/screenshots");

/** The page's origin: the ops plane of the service that run.sh has started. */
export const origin = process.env.MATCHCLOUD_OPS_URL;

/** How long a test waits for a condition, in ms. Generous: the machine may be compiling. */
export const patience_ms = 30_000;

/** The widths at which nothing may scroll sideways, in CSS pixels. */
export const widths = { narrow: 400, wide: 3840 };

let launched;
after(async () => (await launched)?.close());

/** The browser of this file's tests: the one that `CHROMIUM` names, else Debian's. */
export function browser() {
  launched ??= chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
    timeout: patience_ms,
  });
  return launched;
}

const source = (path) => readFileSync(new URL(`../../../console/src/${path}`, import.meta.url),
  "utf8");
const idsIn = (text, pattern) => [...text.matchAll(pattern)].map(([, id]) => id);

/** The ids of all panels. They are read from the sources, which import what only the build has. */
export const panels = idsIn(source("panels/list.js"), /\{ id: "(\w+)", title: "[^"]+", key:/g);

/** The kinds of the catalog. */
export const kinds = idsIn(
  /export const kinds = \{(.*?)\}/s.exec(source("panels/catalog/kinds.js"))[1], /(\w+)/g);

assert.ok(panels.length > 0 && kinds.length > 0, "the sources are as this file expects them");

/**
 * Opens `hash` (such as "#/live") in a page of its own. `options` are those of playwright's
 * newContext (colorScheme, viewport, reducedMotion ..), `expected` are patterns of console errors
 * that the test causes (the browser reports each 404 and each lost connection as one), `token` is a
 * token that was entered before. With `clock`, the test moves time by `page.clock`; put in place
 * later, that clock would stand at 1970 for an instant. Returns `{page, errors, requests, close}`;
 * `close` fails on errors that were not expected.
 */
export async function openConsole(hash = "#/live",
  { expected = [], url = origin, path = "/", token, clock, ...options } = {}) {
  const context = await (await browser()).newContext(
    { viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(patience_ms);
  const errors = [];
  const requests = [];
  const note = (text) => {
    if (!expected.some((pattern) => pattern.test(text))) errors.push(text);
  };
  page.on("console", (message) => {
    if (message.type() === "error") note(`${message.text()} (${message.location().url})`);
  });
  page.on("pageerror", (error) => note(`exception: ${error.stack ?? error}`));
  page.on("request", (request) => requests.push({ at: performance.now(), method: request.method(),
    path: new URL(request.url()).pathname, url: request.url() }));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
    });
  });
  if (token) {
    await page.addInitScript((text) => sessionStorage.setItem("matchcloud.token", text), token);
  }
  if (clock) await page.clock.install();
  await page.goto(`${url}${path}${hash}`);
  const close = async () => {
    await context.close();
    assert.deepEqual(errors, [], "the page reported errors");
  };
  return { page, errors, requests, close };
}

/** Runs `test` with a page, and closes it; see openConsole. */
export async function withConsole(hash, options, test) {
  const opened = await openConsole(hash, options);
  try {
    await test(opened.page, opened);
  } catch (error) {
    await screenshot(opened.page, "failed").catch(() => {});
    if (opened.errors.length) console.error(opened.errors.join("\n"));
    await opened.page.context().close().catch(() => {});
    throw error;
  }
  await opened.close();
}

/** Waits until `condition` (which may be async) is true; fails with `what` after 30 s. */
export async function until(condition, what = "a condition", deadline_ms = patience_ms) {
  const end = performance.now() + deadline_ms;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (performance.now() > end) assert.fail(`waited ${deadline_ms} ms for nothing: ${what}`);
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

let axe = null;

/** Checks the page with axe; fails on each violation, and names the element. */
export async function judge(page, what = page.url()) {
  axe ??= await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  // Through the debugger, because the page's policy allows only its own scripts.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document,
    { resultTypes: ["violations"] }));
  const said = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 5)
    .map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`).join("\n   ")}`);
  assert.deepEqual(said, [], `axe found in ${what}`);
}

/** Fails if the page as a whole scrolls sideways. */
export async function fits(page, what = page.url()) {
  const { content, view } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth, view: document.documentElement.clientWidth }));
  assert.ok(content <= view, `${what} is ${content} px wide in ${view} px`);
}

/** Keeps a picture of the page in build/console/screenshots/NAME.png. */
export async function screenshot(page, name) {
  await mkdir(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}

/**
 * The colors and widths in which panels are checked: all with MATCHCLOUD_ALL_STATES=1
 * (script/soak).
 */
const looks = ["light", "dark"].flatMap((colorScheme) => Object.keys(widths)
  .map((size) => ({ colorScheme, size })))
  .filter(({ colorScheme, size }) => process.env.MATCHCLOUD_ALL_STATES === "1"
    || (colorScheme === "dark") === (size === "narrow"));

/**
 * Checks the panel in dark at 400 px and in light at 3840 px: axe finds nothing, nothing scrolls
 * sideways, no error is reported. `ready(page)` waits until the panel is complete; `name` is the
 * name of its screenshots.
 */
export async function looksRight(hash, { ready, name, expected, path, url } = {}) {
  for (const { colorScheme, size } of looks) {
    const viewport = { width: widths[size], height: size === "wide" ? 2160 : 900 };
    await withConsole(hash, { colorScheme, viewport, expected, path, url,
      reducedMotion: "reduce" }, async (page) => {
      await ready(page);
      const what = `${hash} ${colorScheme} ${widths[size]} px`;
      await screenshot(page, `${name}-${colorScheme}-${size}`);
      await fits(page, what);
      await judge(page, what);
    });
  }
}
