// Provocations by a store that is out of reach: a PostgreSQL server that ends.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { firstToken, useTokens, wantsTokens } from './access.mjs';
import { operations } from './document.mjs';
import { command, keep, newFolder } from './service.mjs';
import { operation } from './world.mjs';

const port = '5432'; // of a socket in a folder of its own

/** The folder of the newest PostgreSQL's programs, which Debian leaves out of PATH. */
function programs() {
  const all = '/usr/lib/postgresql';
  const newest = fs.readdirSync(all).sort((a, b) => Number(a) - Number(b)).at(-1);
  return path.join(all, newest, 'bin');
}

/** PostgreSQL does not run as root: it has a user for that. */
function runsAs() {
  if (process.getuid() !== 0) return {};
  const id = (what) => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Starts a server with an empty database; its process and the URL of the database. */
async function startServer() {
  const bin = programs();
  const user = runsAs();
  const folder = newFolder('postgres');
  if (user.uid !== undefined) fs.chownSync(folder, user.uid, user.gid);
  const data = path.join(folder, 'data');
  execFileSync(path.join(bin, 'initdb'), ['--pgdata', data, '--username=matchcloud',
    '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
  { ...user, cwd: folder, stdio: 'ignore' });
  const settings = ['listen_addresses=', 'fsync=off', 'dynamic_shared_memory_type=mmap'];
  const server = keep(spawn(path.join(bin, 'postgres'), ['-D', data, '-k', folder, '-p', port,
    ...settings.flatMap((each) => ['-c', each])], { ...user, cwd: folder, stdio: 'ignore' }));
  const ready = () =>
    spawnSync(path.join(bin, 'pg_isready'), ['-q', '-h', folder, '-p', port]).status === 0;
  while (!ready())
    if (server.exitCode !== null) throw new Error('PostgreSQL does not start');
  execFileSync(path.join(bin, 'createdb'), ['-h', folder, '-p', port, '-U', 'matchcloud', 'test']);
  const query = new URLSearchParams({ user: 'matchcloud', host: folder, port });
  return { server, url: `postgresql:///test?${query}` };
}

/** Has the server count to ten million before each look at lobbies. */
function slowDown(url) {
  execFileSync(path.join(programs(), 'psql'), ['--quiet', '-c', 'SET search_path = matchcloud',
    '-c', 'ALTER TABLE lobbies RENAME TO fast', '-c', 'CREATE VIEW lobbies AS SELECT * FROM fast ' +
    'WHERE (SELECT count(*) FROM generate_series(1, 10000000)) > 0', url]);
}

/** A history that the store's server cannot read in time. */
export const slow = {
  name: 'a slow lobby history',
  flags: ['--store-statement-timeout-ms', '400'],
  async options() {
    const { server, url } = await startServer();
    const dataDir = newFolder();
    const key = path.join(dataDir, 'master-key');
    fs.writeFileSync(key, `${'5a'.repeat(32)}\n`, { mode: 0o600 });
    command('demo', '--store', url, '--data-dir', dataDir, '--until', '2026-02-01');
    this.url = url;
    const env = { MATCHCLOUD_STORE: url, MATCHCLOUD_MASTER_KEY_FILE: key };
    return { dataDir, env, beside: [server] };
  },
  prepare() {
    slowDown(this.url);
  },
  codes: { history_too_slow: (of, world) => world.ask(of) },
};

/** A store that was there, and is so no longer, for longer than its tokens are believed in. */
export const unreachable = {
  name: 'a store out of reach',
  sweeps: true,
  atOnce: 8,
  flags: [...wantsTokens, '--stale-auth-limit-ms', '4000', '--store-wait-ms', '500'],
  async options() {
    const { server, url } = await startServer();
    const dataDir = newFolder();
    const key = path.join(dataDir, 'master-key');
    fs.writeFileSync(key, `${'5a'.repeat(32)}\n`, { mode: 0o600 });
    command('demo', '--store', url, '--data-dir', dataDir, '--until', '2026-02-01');
    this.admin = firstToken('--store', url);
    this.server = server;
    const env = { MATCHCLOUD_STORE: url, MATCHCLOUD_MASTER_KEY_FILE: key };
    return { dataDir, env, beside: [server] };
  },
  async prepare(world) {
    await useTokens(world, this.admin);
    await world.settle();
    // At once, but not without a trace: its shared memory goes as well.
    this.server.kill('SIGQUIT');
    const one = operations.find(({ id }) => id === 'ping');
    while ((await world.ask(one)).code !== 'store_failed') await new Promise(setImmediate);
  },
  codes: {
    store_failed: async (of, world) => {
      const answer = await world.ask(of);
      // Those for which nobody needs a token ask no store here: images and exports are files.
      return answer.status < 400 ? undefined : answer;
    },
  },
};

/** Every operation is asked for by half a request before the service is told to end. */
export const draining = {
  name: 'a service that ends',
  flags: ['--drain-timeout-ms', '1000', '--head-timeout-ms', '60000'],
  async prepare(world) {
    await world.settle();
    this.asked = new Map();
    for (const of of operations) {
      const bytes = await world.bytes(of);
      const half = bytes.subarray(0, bytes.indexOf('\r\n') + 2);
      this.asked.set(of, world.connect(of).send(half));
    }
    for (;;) {
      const { text } = await world.ask(operation('ops', 'get_metrics'));
      const open = [...text.matchAll(/^matchcloud_connections(?:{[^}]*})? (\d+)/gm)];
      const all = open.reduce((sum, [, count]) => sum + Number(count), 0);
      if (all >= operations.filter(({ plane }) => plane === 'data').length) break;
    }
    world.service.child.kill('SIGTERM');
  },
  atOnce: 100,
  codes: { draining: async (of, world) => world.note(of, await draining.asked.get(of).answer()) },
};
