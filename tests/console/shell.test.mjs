// What is around the panels: size, policy, keys, theme, tokens, connection.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { origin, withConsole } from "./support/browser.mjs";
import { command, demoFolder, startService } from "./support/service.mjs";

const tree = join(dirname(fileURLToPath(import.meta.url)), "../..");
const dist = join(tree, "build/console/dist");
const limit_bytes = 320_000;
const lost = [/ERR_(CONNECTION_(REFUSED|RESET|CLOSED)|EMPTY_RESPONSE|INCOMPLETE_CHUNKED)/,
  /ERR_SOCKET_NOT_CONNECTED/];

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory()
    ? files(join(folder, entry.name)) : [join(folder, entry.name)]));
}

test("the page is at most 320 kB gzip with all its panels", () => {
  const packed = files(dist).filter((file) => file.endsWith(".gz"));
  const sum = packed.reduce((bytes, file) => bytes + statSync(file).size, 0);
  assert.ok(sum <= limit_bytes, `${sum} bytes`);
});

test("the pictures of the README are at most 300 kB", () => {
  const page = readFileSync(join(tree, "README.md"), "utf8");
  const named = page.matchAll(/\((docs\/images\/[^)]+)\)/g);
  const sum = [...named].reduce((bytes, [, file]) => bytes + statSync(join(tree, file)).size, 0);
  assert.ok(sum > 0 && sum <= 300_000, `${sum} bytes`);
});

test("the same sources give the same bytes", () => {
  const folder = mkdtempSync(join(tmpdir(), "console-"));
  try {
    execFileSync(process.execPath, [join(tree, "console/build.mjs"), folder]);
    const content = (root) => Object.fromEntries(files(root).sort()
      .map((file) => [file.slice(root.length), readFileSync(file).toString("base64")]));
    assert.deepEqual(content(folder), content(dist));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the page has no inline script or style", () => {
  for (const name of ["index.html", "docs.html"]) {
    const text = readFileSync(join(dist, name), "utf8");
    assert.doesNotMatch(text, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i);
  }
});

test("the policy allows nothing that is not from the page's origin", async () => {
  const answer = await fetch(`${origin}/`);
  const policy = answer.headers.get("Content-Security-Policy");
  // Tests of other panels may have given regions a ping_url; those of the demo have none.
  assert.match(policy, RegExp("^default-src 'none'; script-src 'self'; style-src 'self'; "
    + "img-src 'self' blob:; connect-src 'self'( https?://[a-z0-9.:-]+)*; base-uri 'none'; "
    + "form-action 'none'; frame-ancestors 'none'$"));
});

test("keys lead to panels, and ? shows them", () =>
  withConsole("#/live", {}, async (page) => {
    await page.waitForSelector("main h1");
    // The second one must not wait until the page has dealt with the first.
    await Promise.all([page.keyboard.press("g"), page.keyboard.press("c")]);
    await page.waitForURL("**/#/catalog");
    await page.waitForFunction(() => document.activeElement?.textContent === "Catalog");
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  }));

test("the Tab key reaches everything on the page", () =>
  withConsole("#/live", {}, async (page) => {
    await page.waitForSelector("main h1");
    await page.keyboard.press("Tab");
    const first = await page.evaluate(() => document.activeElement.textContent);
    assert.equal(first, "Skip to the panel");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  }));

test("a chosen theme stays", () => withConsole("#/live", {}, async (page) => {
  await page.getByRole("button", { name: /^Theme/ }).click();
  await page.reload();
  await page.getByRole("button", { name: "Theme: light" }).waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "light");
}));

test("#/api leads to the API page, and the back button to the panel before it", () =>
  withConsole("#/actors", {}, async (page) => {
    await page.getByRole("heading", { name: "Actors", level: 1 }).waitFor();
    await page.evaluate(() => { location.hash = "#/api"; });
    await page.waitForURL(`${origin}/docs`);
    await page.goBack();
    await page.getByRole("heading", { name: "Actors", level: 1 }).waitFor();
  }));

test("a token that the service requires is in no URL, cookie or permanent storage", async () => {
  const dataDir = demoFolder();
  const make = (kind) => command("token", "create", "--data-dir", dataDir, "--kind", kind,
    "--name", kind, "--expires", "1d").trim();
  const [admin, viewer] = [make("admin"), make("viewer")];
  const service = await startService({ dataDir, flags: ["--ops-auth", "required"] });
  const options = { url: service.ops, expected: [/401 \(Unauthorized\)/] };
  try {
    await withConsole("#/live", options, async (page, { requests }) => {
      await page.getByText("The service needs a token.").waitFor();
      await page.getByRole("status").getByRole("button", { name: "Sign in" }).click();
      const field = page.getByRole("dialog").getByLabel("Token", { exact: true });
      await field.fill("mc_admin_short");
      await page.keyboard.press("Enter");
      await page.getByText("This is not a token.").waitFor();
      await field.fill(viewer);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "viewer token, read only" }).waitFor();
      await page.getByText("live", { exact: true }).waitFor();

      await page.getByRole("button", { name: "viewer token, read only" }).click();
      await page.getByRole("dialog").getByLabel("Another token").fill(admin);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "admin token" }).waitFor();
      const kept = await page.evaluate(() => ({ cookie: document.cookie, url: location.href,
        local: JSON.stringify(localStorage), page: document.documentElement.outerHTML }));
      for (const text of Object.values(kept)) assert.doesNotMatch(text, /mc_(admin|viewer)_\w{20}/);
      for (const { url } of requests) assert.doesNotMatch(url, /mc_/);
      await page.reload();
      await page.getByRole("button", { name: "admin token" }).waitFor();
    });
  } finally {
    await service.stop();
  }
});

test("the page survives a restart of the service", async () => {
  const dataDir = demoFolder();
  const first = await startService({ dataDir });
  let second;
  try {
    await withConsole("#/live", { url: first.ops, expected: lost }, async (page) => {
      await page.getByText("live", { exact: true }).waitFor();
      await first.stop("SIGKILL");
      const banner = page.getByText("No connection to the service.", { exact: true });
      await banner.waitFor();
      second = await startService({ dataDir, opsPort: new URL(first.ops).port });
      await page.getByText("live", { exact: true }).waitFor();
      await banner.waitFor({ state: "detached" });
    });
  } finally {
    await first.stop();
    await second?.stop();
  }
});
