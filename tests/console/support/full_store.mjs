// The store of a large studio: 100 regions, 50 games, 100,000 lobbies of the last 30 days and
// avatars with pictures. It is the same each time, except for the time of its end.
import { mkdtempSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { command } from "./service.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const tree = process.env.MATCHCLOUD_TREE ?? join(here, "../../..");
const require = createRequire(join(tree, "build/console/package.json"));
const counts = { regions: 100, games: 50, lobbies: 100_000, avatars: 24 };
const day_ms = 86_400_000;

/** Numbers from 0 to below `most`, in the same order each time. */
function numbers(seed) {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

export const idOf = (kind, n) =>
  `0000000${kind}-0000-4000-8000-${String(n).padStart(12, "0")}`;

const words = [["Iron", "Neon", "Silent", "Frozen", "Golden", "Wild", "Astral", "Paper", "Hollow",
  "Crimson"], ["Harbor", "Legends", "Drift", "Kingdoms", "Protocol"]];

function gamesOf() {
  return Array.from({ length: counts.games }, (_, n) => ({
    game_id: idOf(1, n),
    display_name: `${words[0][n % 10]} ${words[1][Math.floor(n / 10) % 5]}`,
    namespaces: ["prod", "staging", "playtest"].slice(0, 1 + (n % 3)).map((name, k) => ({
      namespace_id: idOf(2, n * 10 + k), name, domains: [`${name}.game${n}.example`],
    })),
  }));
}

function regionsOf() {
  const { cityMapping } = require("city-timezones");
  const largest = [...cityMapping].sort((a, b) => b.pop - a.pop).slice(0, counts.regions);
  return largest.map(({ city, lat, lng }, n) => ({
    region_id: `r${String(n).padStart(3, "0")}`, region_display_name: city.slice(0, 24),
    provider_display_name: ["Northwind", "Contoso", "Fabrikam"][n % 3],
    datacenter_coord: { latitude: lat, longitude: lng },
  }));
}

function* lobbiesOf(now) {
  const random = numbers(7);
  const modes = ["ranked", "casual", "arena", "story"];
  for (let n = 0; n < counts.lobbies; ++n) {
    // The first game has most of them. Some are still running, a few of the first game for days.
    const isLong = n % 4_999 === 0;
    const game = isLong || random(5) < 3 ? 0 : Math.min(random(counts.games), random(counts.games));
    const start = now - random(30 * day_ms);
    const lasted = isLong ? 40 * day_ms : 300_000 + random(3_600_000);
    const stop = start + lasted;
    const version = random(5);
    yield JSON.stringify({
      lobby_id: idOf(3, n), namespace_id: idOf(2, game * 10),
      region_id: `r${String(Math.min(random(100), random(100))).padStart(3, "0")}`,
      tier: ["basic-1d1", "basic-1d4", "basic-2d1"][random(3)],
      version_id: idOf(4, game * 10 + version), version_name: `1.${version}.0`,
      game_mode: modes[random(4)], start_ts: start, ...(stop < now ? { stop_ts: stop } : {}),
    });
  }
}

/** The checksum of a PNG's parts. */
function crc32(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; ++bit) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

/** A PNG of `size` pixels: a soft disk on a ground, in colors of `hue` (0 to 360). */
function picture(size, hue) {
  const channel = (n, light) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (light - 0.35 * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  const rows = [];
  for (let y = 0; y < size; ++y) {
    const row = Buffer.alloc(1 + 3 * size);
    for (let x = 0; x < size; ++x) {
      const away = Math.hypot(x - size / 2, y - size * 0.42) / (size * 0.28);
      const light = Math.max(0.35, Math.min(0.65, 0.9 - away * 0.35)) + (y / size) * 0.1;
      [0, 8, 4].forEach((n, c) => {
        row[1 + 3 * x + c] = Math.max(0, Math.min(255, channel(n, light)));
      });
    }
    rows.push(row);
  }
  const part = (type, bytes) => {
    const made = Buffer.alloc(12 + bytes.length);
    made.writeUInt32BE(bytes.length);
    made.write(type, 4, "latin1");
    bytes.copy(made, 8);
    made.writeUInt32BE(crc32(made.subarray(4, 8 + bytes.length)), 8 + bytes.length);
    return made;
  };
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(size);
  head.writeUInt32BE(size, 4);
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), part("IHDR", head),
    part("IDAT", deflateSync(Buffer.concat(rows))), part("IEND", Buffer.alloc(0))]);
}

function writeAvatars(folder, now) {
  const lines = [];
  for (let n = 0; n < counts.avatars; ++n) {
    const bytes = picture(256, (n * 360) / counts.avatars);
    writeFileSync(join(folder, `avatar-${n}.png`), bytes);
    lines.push(JSON.stringify({ game_id: idOf(1, n % 3 ? 0 : 1), upload_id: idOf(5, n),
      display_name: ["Fox", "Owl", "Wolf", "Crane"][n % 4] + ` ${n}`, create_ts: now - n * day_ms,
      content_length: bytes.length, complete: true, file: `avatar-${n}.png` }));
  }
  writeFileSync(join(folder, "avatars.jsonl"), `${lines.join("\n")}\n`);
}

/** Makes the store below `folder` and returns its data directory. Takes some seconds. */
export function fullFolder(folder = process.env.MATCHCLOUD_TEST_FOLDER) {
  const made = mkdtempSync(join(folder, "full-"));
  const data = join(made, "data");
  const now = Date.now();
  const tiers = ["basic-1d1", "basic-1d4", "basic-2d1"];
  writeFileSync(join(made, "catalog.json"),
    JSON.stringify({ regions: regionsOf(), tiers, games: gamesOf() }));
  writeFileSync(join(made, "lobbies.jsonl"), `${[...lobbiesOf(now)].join("\n")}\n`);
  writeAvatars(made, now);
  for (const kind of ["catalog", "lobbies", "avatars"]) {
    const file = kind === "catalog" ? "catalog.json" : `${kind}.jsonl`;
    command("import", kind, "--data-dir", data, join(made, file));
  }
  return data;
}
