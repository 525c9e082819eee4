// Provocations by what is on the disk, and by a disk without room: by scenario, then by code.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { operations } from './document.mjs';
import { heal, inject } from './failures.mjs';
import { demoStore, newFolder, sql } from './service.mjs';
import { operation } from './world.mjs';

/**
 * Begins to read a store, and continues until the process that is returned ends: until then its
 * log cannot be tidied away.
 */
async function reader(dataDir, through = []) {
  const words = [...through, 'sqlite3', path.join(dataDir, 'matchcloud.db')];
  const child = spawn(words[0], words.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.write('BEGIN;\nSELECT count(*) FROM tokens;\n');
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', () => reject(new Error('sqlite3 does not read the store')));
  });
  return child;
}

/** Fills the disk of a file, to the last byte. */
function fill(file) {
  const into = fs.openSync(file, 'w');
  for (const size of [65_536, 1_024, 1])
    try {
      for (;;) fs.writeSync(into, Buffer.alloc(size));
    } catch (error) {
      if (error.code !== 'ENOSPC') throw error;
    }
  fs.closeSync(into);
}

/** A store on a disk in memory, in a mount namespace of the service's own. */
export const full = {
  name: 'a disk without room',
  sweeps: true,
  flags: [],
  async options() {
    const dataDir = newFolder('disk');
    this.asRoot = process.getuid() === 0 ? [] : ['--user', '--map-root-user'];
    const script = 'mount -t tmpfs -o size=24m,mode=700 tmpfs "$0" && cp -a "$1/." "$0" && ' +
      'shift && exec "$@"';
    return {
      dataDir,
      through: ['unshare', ...this.asRoot, '--mount', 'bash', '-c', script, dataDir, demoStore()],
    };
  },
  async prepare(world) {
    await world.settle();
    const { child, dataDir } = world.service;
    const within = ['nsenter', `--target=${child.pid}`, '--mount',
      ...(this.asRoot.length ? ['--user', '--preserve-credentials'] : [])];
    const reading = await reader(dataDir, within);
    child.once('exit', () => reading.kill());
    fill(`/proc/${child.pid}/root${dataDir}/filler`);
    // The store's log may have room of its own, until it is used up.
    for (;;) {
      const answer = await world.ask(operation('ops', 'create_token'));
      if (answer.status === 507) return;
    }
  },
  codes: { store_full: (of, world) => world.ask(of) },
};

/** The store was changed by a newer program while the service ran. */
export const newer = {
  name: 'a store of a newer version',
  sweeps: true,
  flags: [],
  async prepare(world) {
    await world.settle();
    // A session that is open goes on, until something fails in it.
    for (const point of ['store.commit', 'store.read'])
      await inject(world, point, { kind: 'error' });
    sql(world.service.dataDir,
      'UPDATE schema_version SET least_program = 1000000; PRAGMA user_version = 1000000;');
    for (const of of operations) await world.ask(of);
    await heal(world);
  },
  codes: { store_newer: (of, world) => world.ask(of) },
};

const lobby = (i) => JSON.stringify({
  lobby_id: `7d4f0c1e-52a8-4a0e-9a35-${String(i).padStart(12, '0')}`,
  namespace_id: '00000000-0000-4000-8000-000000000011', region_id: 'lon', tier: 'basic-1d1',
  version_id: '00000000-0000-4000-8000-000000000031', version_name: '1.4', game_mode: 'duel',
  start_ts: 1_769_900_400_000 + i,
});

/** Somebody reads the store for ever, while much is written. */
export const backlogged = {
  name: 'a store that cannot be tidied',
  flags: ['--store-backlog-limit-bytes', '1048576'],
  codes: {
    store_backlogged: async (of, world) => {
      const reading = await reader(world.service.dataDir);
      for (let i = 0; ; i += 5_000) {
        const lines = Array.from({ length: 5_000 }, (_, line) => `${lobby(i + line)}\n`);
        const answer = await world.ask(of, { body: lines.join('') });
        if (answer.status === 200 && i < 100_000) continue;
        reading.kill();
        return answer;
      }
    },
  },
};

/** As many tokens as a store may have. */
export const crowdedTokens = {
  name: 'ten thousand tokens',
  flags: [],
  async options() {
    const dataDir = demoStore();
    sql(dataDir, 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE ' +
      'i < 10000) INSERT INTO tokens (token_id, kind, name, digest, created_ms, created_by) ' +
      "SELECT randomblob(16), 'viewer', 'many', randomblob(32), 0, 'a test' FROM n");
    return { dataDir };
  },
  codes: { too_many_tokens: (of, world) => world.ask(of) },
};

/** Every file below a folder. */
const filesIn = (folder) => fs.readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
  const at = path.join(folder, each.name);
  return each.isDirectory() ? filesIn(at) : [at];
});

/** The files of images and of exports cannot be opened, by a user who is not root. */
export const unreadable = {
  name: 'files that cannot be opened',
  sweeps: true,
  flags: [],
  async options() {
    const dataDir = demoStore();
    const uid = process.getuid() === 0 ? 65_534 : undefined;
    if (uid === undefined) return { dataDir };
    for (const at of [dataDir, ...fs.readdirSync(dataDir, { recursive: true })
      .map((each) => path.join(dataDir, each))]) fs.chownSync(at, uid, uid);
    return { dataDir, uid };
  },
  async prepare(world) {
    await world.settle();
    for (const each of ['media', 'exports'])
      for (const file of filesIn(path.join(world.service.dataDir, each))) fs.chmodSync(file, 0);
  },
  codes: { io_failed: (of, world) => world.ask(of) },
};

/** The file of an export that was promised is gone. */
export const removed = {
  name: 'an export that was removed',
  flags: [],
  async prepare(world) {
    await world.settle();
    fs.rmSync(path.join(world.service.dataDir, 'exports'), { recursive: true });
  },
  codes: { export_not_found: (of, world) => world.ask(of) },
};
