// prism's validating proxy in front of the data plane, where violations are errors: neither a
// generated client's calls nor matchcloud-load's meet any.
import test from 'node:test';
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import readline from 'node:readline';
import { promisify } from 'node:util';
import { call } from './client.mjs';
import { documents, program, successesOf } from './document.mjs';
import { keep, newFolder } from './service.mjs';
import { documentFolder, tools } from './tools.mjs';
import { World } from './world.mjs';

const load = process.env.MATCHCLOUD_LOAD ?? path.join(path.dirname(program), 'matchcloud-load');

/** A port that was free just now: prism takes none of the kernel's choice. */
async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/**
 * Starts prism in front of `upstream`: its process, its URL, the violations that it has logged, and
 * `next`, which resolves when it logs one.
 */
async function startProxy(upstream) {
  const port = await freePort();
  const folder = documentFolder('proxy');
  const child = keep(spawn(path.join(tools, 'prism'), ['proxy', '--errors', '--cors=false',
    `--port=${port}`, path.join(folder, 'data.json'), upstream],
  { stdio: ['ignore', 'pipe', 'inherit'] }));
  const violations = [];
  let noticed = () => {};
  await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error('prism does not start')));
    readline.createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('Prism is listening')) resolve();
      if (!/✖|⚠|violat/.test(line)) return;
      violations.push(line);
      noticed();
    });
  });
  const next = () => new Promise((resolve) => { noticed = resolve; });
  return { child, url: `http://127.0.0.1:${port}`, violations, next };
}

const mix = ['regions', 'groups.validate', 'games.validate', 'versions.validate', 'avatars',
  'export'].map((name) => `[[operation]]\nname = "${name}"\nweight = 1\n`).join('\n');

test('a validating proxy in front of the data plane', { timeout: 300_000 }, async (t) => {
  const world = await World.start(['--enable-fault-injection']);
  const proxy = await startProxy(world.service.url('data'));
  try {
    for (const of of documents.data.operations)
      await t.test(`${of.id} by a generated client`, async () => {
        const status = await call(of, world, { baseUrl: proxy.url, via: fetch });
        assert.ok(successesOf(of).includes(status), `${status}`);
      });
    await t.test('a mix of requests by matchcloud-load', async () => {
      const file = path.join(newFolder('mix'), 'mix.toml');
      fs.writeFileSync(file, mix);
      const { stdout } = await promisify(execFile)(load, ['--rate', '30', '--duration', '3s',
        '--connections', '4', '--timeout', '60s', '--mix', file, '--assert', 'errors=0',
        proxy.url]);
      assert.match(stdout, /by status +20\d/);
    });
    await t.test('no violation, and what is one is seen', async () => {
      assert.deepEqual(proxy.violations, []);
      const said = proxy.next();
      const body = '{"display_name":5}';
      const headers = { 'Content-Type': 'application/json' };
      const url = `${proxy.url}/cloud/games/validate`;
      assert.equal((await fetch(url, { method: 'POST', headers, body })).status, 422);
      await said;
    });
  } finally {
    proxy.child.kill();
    await world.stop();
  }
});
