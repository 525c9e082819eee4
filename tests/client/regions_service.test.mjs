// The clients of clients/ against the built service, which each of them has for itself: a service
// learns from one report per address and minute. run.sh calls this.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ask, command, demoFolder, startService } from "../console/support/service.mjs";
import { clients } from "./region_clients.mjs";

const demo_namespace = "00000000-0000-4000-8000-000000000011";
const in_london = ["--fallback-location", "51.5,-0.12"];
/** Limits that a busy machine keeps to. */
const options = { timeoutMs: 60_000, limitMs: 60_000 };

for (const client of clients) {
  describe(client.name, () => {
    let service;
    let token;
    const run = async (what) => client.run({ base: service.data, token, options, ...what }).result;

    before(async () => {
      await client.start();
      const dataDir = demoFolder();
      token = command("token", "create", "--data-dir", dataDir, "--kind", "player",
        "--name", "a game", "--namespace", demo_namespace).trim();
      service = await startService({ dataDir, flags: ["--auth", "required", ...in_london] });
      const path = "/v1/regions/iad";
      const region = await ask("GET", path, null, { url: service.ops });
      await ask("PUT", path, { ...region, ping_url: `${service.data}/ping` }, { url: service.ops });
      // The event loops hear of it a moment later.
      const isListed = async () => (await run({ action: "list" })).regions
        ?.some((each) => each.region_id === "iad" && each.ping_url);
      while (!await isListed());
    });
    after(async () => {
      await client.stop();
      await service?.stop();
    });

    test("reports, and says that a second report at once is not taken", async () => {
      const what = { action: "report", latencies: { iad: 75.5, lon: 9 } };
      assert.deepEqual(await run(what), { taken: true });
      assert.deepEqual(await run(what), { taken: false });
    });

    test("chooses the region that it could measure", async () => {
      const listed = await run({ action: "list" });
      assert.equal(listed.error, undefined);
      assert.equal(listed.regions[0].region_id, "lon", "the nearest one");
      const { regions } = await run({ action: "choose" });
      assert.equal(regions.length, listed.regions.length);
      assert.deepEqual([regions[0].region_id, regions[1].region_id], ["iad", "lon"]);
      assert.equal(regions[0].ping_url, `${service.data}/ping`);
      assert.ok(regions[0].latency_ms >= 0, `${regions[0].latency_ms} ms`);
      assert.equal(regions[1].latency_ms, undefined);
    });

    test("says that the service does not know the token", async () => {
      const { error } = await run({ action: "choose", token: "mc_player_x" });
      assert.deepEqual([error.name, error.status], ["MatchcloudError", 401]);
      assert.match(error.code, /^token_/);
      assert.match(error.message, /mc_KIND|token/);
    });
  });
}
