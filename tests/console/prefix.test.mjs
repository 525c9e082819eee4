// The console below a path of a proxy, as docs/console.md sets it up: the proxy speaks TLS, removes
// the path, and keeps the Host of the request.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request as ask } from "node:http";
import { createServer } from "node:https";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { browser, withConsole } from "./support/browser.mjs";
import { command, demoFolder, startService } from "./support/service.mjs";

const prefix = "/match/cloud";
// To browsers, names with this ending mean this machine; to the service, they are like others.
const name = "ops.localhost";
let service;
let token;
let proxy;
let url;
const outside = [];

// As nginx does with `location /match/cloud/ { proxy_pass http://ops/; }`, the redirect included.
function pass(incoming, answer) {
  if (incoming.url === prefix) {
    answer.writeHead(301, { Location: `${prefix}/` }).end();
    return;
  }
  if (!incoming.url.startsWith(`${prefix}/`)) {
    outside.push(incoming.url);
    answer.writeHead(404, { "Content-Type": "text/plain" }).end("not of this proxy\n");
    return;
  }
  const outgoing = ask(new URL(incoming.url.slice(prefix.length), service.ops), {
    method: incoming.method,
    headers: { ...incoming.headers, "x-forwarded-for": "192.0.2.7" } });
  outgoing.on("response", (found) => {
    answer.writeHead(found.statusCode, found.headers);
    found.on("error", () => answer.destroy());
    found.pipe(answer);
  });
  outgoing.on("error", () => answer.destroy());
  answer.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

before(async () => {
  const dataDir = demoFolder();
  token = command("token", "create", "--data-dir", dataDir, "--kind", "admin", "--name", "console")
    .match(/mc_admin_[0-9A-Za-z]{49}/)[0];
  service = await startService({ dataDir, flags: ["--ops-hosts", `https://${name}`] });
  const pair = join(dataDir, "pair");
  command("tls", "self-signed", "--out-dir", pair);
  proxy = createServer({ cert: readFileSync(join(pair, "cert.pem")),
    key: readFileSync(join(pair, "key.pem")) }, pass);
  await new Promise((listening) => proxy.listen(0, "127.0.0.1", listening));
  url = `https://${name}:${proxy.address().port}`;
});
after(async () => {
  proxy?.closeAllConnections();
  proxy?.close();
  await service?.stop();
});

/**
 * Opens a page below the prefix, and fails if it requests anything that is not below the prefix.
 */
const below = (path, hash, test_page) => withConsole(hash,
  { url, path: prefix + path, token, ignoreHTTPSErrors: true }, async (page, opened) => {
    outside.length = 0;
    await test_page(page, opened);
    assert.deepEqual(outside, [], "requested outside the prefix");
    for (const { path: asked } of opened.requests) {
      assert.ok(asked === prefix || asked.startsWith(`${prefix}/`), asked);
    }
  });

test("the console works below a path: its files, its stream and its requests", () =>
  below("/", "#/live", async (page, { requests }) => {
    await page.getByText("live", { exact: true }).waitFor();
    assert.ok(requests.some(({ path }) => path === `${prefix}/events`));
    await page.evaluate(() => { location.hash = "#/catalog?kind=games"; });
    await page.getByRole("cell", { name: "00000000-0000-4000-8000-000000000001" }).or(
      page.getByRole("link", { name: "00000000-0000-4000-8000-000000000001" })).first().waitFor();
    assert.ok(requests.some(({ path }) => path === `${prefix}/v1/games`));
    assert.equal(await page.locator(".unstyled").isVisible(), false);
  }));

test("the API page is below it too, with links in both directions", () =>
  below("/docs", "", async (page) => {
    await page.getByRole("link", { name: "the document" }).first().waitFor();
    assert.equal(await page.getByRole("link", { name: "the document" }).first()
      .evaluate((link) => link.href), `${url}${prefix}/data/openapi.json`);
    await page.getByRole("link", { name: "Console", exact: true }).click();
    await page.waitForURL(`${url}${prefix}/`);
    await page.getByText("live", { exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, `${prefix}/`);
    await page.getByRole("link", { name: "API", exact: true }).click();
    await page.waitForURL(`${url}${prefix}/docs`);
  }));

test("a link to download names the prefix", () =>
  below("/", "#/lobbies?game=00000000-0000-4000-8000-000000000001", async (page, { requests }) => {
    await page.getByRole("button", { name: "Export this span" }).click();
    const link = page.getByRole("link", { name: "Download the file" });
    await link.waitFor();
    const href = await link.evaluate((found) => found.href);
    assert.ok(href.startsWith(`${url}${prefix}/exports/`), href);
    assert.equal(await page.evaluate(async (from) => (await fetch(from)).status, href), 200);
    assert.ok(requests.some(({ method, path }) => method === "POST"
      && path.startsWith(`${prefix}/v1/games/`)));
  }));

test("a page that does not find its files says so", async () => {
  const context = await (await browser()).newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.route(/\/assets\//, (route) => route.fulfill({ status: 404, body: "" }));
  await page.goto(`${url}${prefix}/`);
  await page.getByText("its address must end with a slash").waitFor();
  await context.close();
});
