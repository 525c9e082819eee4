// The clients of clients/ behind one interface, so that each case asks all of them: the ES module
// in Node.js and in Chromium, and the C# file in mono. run.sh has compiled that.
//
// run() begins a run and returns {result, cancel()}. What to run is {action, base, token, options,
// regions, latencies}; the `options` are the ES module's. The result is {regions} of the actions
// choose and list, {latencies} of measure, {taken} of report, or {error: {name, status, code,
// detail, message}}; a cancelled run is named "cancelled".
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { browser as chromium } from "../console/support/browser.mjs";

const tree = new URL("../..", import.meta.url).pathname;
const modulePath = join(tree, "clients/javascript/matchcloud-regions.mjs");

/** Runs in Node.js and, as text, in the page. Keeps what cancels the run in `globalThis.cancel`. */
async function runModule(module, { action, base, token, options, regions, latencies }) {
  const { MatchcloudRegions } = await import(module);
  const client = new MatchcloudRegions(base, { token, ...options });
  const controller = new AbortController();
  const { signal } = controller;
  globalThis.cancel = () => controller.abort();
  try {
    switch (action) {
      case "choose": return { regions: await client.choose({ signal }) };
      case "list": return { regions: await client.list({ latencies, signal }) };
      case "measure": return { latencies: await client.measure(regions, { signal }) };
      case "report": return { taken: await client.report(latencies, { signal }) };
    }
  } catch (error) {
    const { name, status, code, detail, message } = error;
    return { error: { name: name === "AbortError" ? "cancelled" : name, status, code, detail,
      message } };
  }
}

const node = {
  name: "Node.js",
  start: async () => {},
  stop: async () => {},
  run: (what) => ({ result: runModule(modulePath, what), cancel: () => globalThis.cancel() }),
};

/** A page of an origin of its own, in Chromium. */
const browser = {
  name: "Chromium",
  async start() {
    const script = await readFile(modulePath);
    this.server = createServer(({ url }, response) => url === "/"
      ? response.setHeader("Content-Type", "text/html").end("<!doctype html><title>A game</title>")
      : response.setHeader("Content-Type", "text/javascript").end(script));
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.browser = await chromium();
    this.page = await this.browser.newPage();
    await this.page.goto(`http://127.0.0.1:${this.server.address().port}/`);
    await this.page.evaluate(`globalThis.runModule = ${runModule}`);
  },
  async stop() {
    await this.browser?.close();
    this.server?.close();
  },
  run(what) {
    const result = this.page.evaluate((one) => runModule("/module.mjs", one), what);
    return { result, cancel: () => this.page.evaluate(() => globalThis.cancel()) };
  },
};

/** tests/client/RegionClient.cs around the C# file: one process, which starts slowly. */
const mono = {
  name: "C#",
  async start() {
    this.child = spawn("mono", [join(tree, "build/client/RegionClient.exe")],
      { stdio: ["pipe", "pipe", "inherit"] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    await this.run({ action: "list", base: "http://127.0.0.1:1" }).result; // Compiles most of it.
  },
  async stop() {
    this.child.stdin.end();
    await once(this.child, "exit");
  },
  run({ action, base, token = "", options = {}, regions = [], latencies = {} }) {
    const { count = 6, timeoutMs = 1000, limitMs = 5000 } = options;
    const words = [action, base, token, count, timeoutMs, limitMs,
      ...regions.map((one) => `${one.region_id}=${one.ping_url}`),
      ...Object.entries(latencies).map(([id, ms]) => `${id}=${ms}`)];
    this.child.stdin.write(`${words.join("\t")}\n`);
    const result = (async () => {
      const lines = [];
      for (;;) {
        const { value, done } = await this.lines.next();
        if (done) throw new Error("mono has ended");
        if (value === "end") return readResult(action, lines);
        lines.push(value.split("\t"));
      }
    })();
    return { result, cancel: () => this.child.stdin.write("cancel\n") };
  },
};

/** What RegionClient.cs printed, as the ES module would have returned it. */
function readResult(action, lines) {
  const [[word, name, status, code, detail, message] = ["nothing"]] = lines;
  if (word === "error") {
    return { error: { name, status: Number(status), code, detail, message } };
  }
  if (action === "report") return { taken: word === "true" };
  if (action === "measure") {
    return { latencies: Object.fromEntries(lines.map(([id, ms]) => [id, Number(ms)])) };
  }
  return { regions: lines.map(([region_id, region_display_name, latency_ms, ping_url]) =>
    ({ region_id, region_display_name, ...(latency_ms && { latency_ms: Number(latency_ms) }),
      ...(ping_url && { ping_url }) })) };
}

export { browser };
export const clients = [node, browser, mono];
