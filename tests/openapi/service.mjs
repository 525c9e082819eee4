// Services that tests start: each on ports of the kernel's choice, with a store of its own.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { program } from './document.mjs';

const folder = process.env.MATCHCLOUD_TEST_FOLDER;
const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

/** Sees that a process ends with this one. */
export function keep(child) {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** A new, empty folder of the suite's. */
export const newFolder = (name = 'store') => fs.mkdtempSync(path.join(folder, `${name}-`));

/** Runs a command of the program on a store; returns what it prints. */
export function command(...words) {
  return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

let seeded;
/** A new folder with demo data, which has the dates of the examples. */
export function demoStore() {
  if (!seeded) {
    seeded = newFolder('demo');
    command('demo', '--data-dir', seeded, '--until', '2026-02-01');
  }
  const copy = newFolder();
  fs.cpSync(seeded, copy, { recursive: true });
  fs.chmodSync(copy, 0o700);
  return copy;
}

/** A running service: `ports` by plane, `dataDir`, and how it ends. */
class Service {
  constructor(child, dataDir) {
    this.child = child;
    this.dataDir = dataDir;
    this.ports = {};
    this.log = '';
    this.ended = new Promise((resolve) => child.once('exit', resolve));
  }

  /** The URL of a plane. */
  url(plane) {
    return `http://127.0.0.1:${this.ports[plane]}`;
  }

  /** Ends it without ceremony: nothing in its folder is needed again. */
  async stop() {
    this.child.kill('SIGKILL');
    await this.ended;
    this.beside?.forEach((each) => each.kill('SIGKILL'));
    fs.rmSync(this.dataDir, { recursive: true, force: true });
  }
}

async function readPorts(service) {
  const before = [[/^listening on http:\/\/.*:(\d+)/, 'data'],
    [/^ops plane on http:\/\/.*:(\d+)/, 'ops']];
  for await (const line of readline.createInterface({ input: service.child.stdout })) {
    for (const [pattern, plane] of before) {
      const found = pattern.exec(line);
      if (found) service.ports[plane] = Number(found[1]);
    }
    if (service.ports.ops) break;
  }
  service.child.stdout.resume();
  if (!service.ports.ops) throw new Error(`a service did not start: ${service.log}`);
}

/**
 * Starts a service with `flags` on a store (one with demo data, unless `dataDir` is given).
 * `through`: words before its command line, of a program that becomes it; `uid`: as another user;
 * `beside`: processes that end when it does.
 */
export async function serve(flags = [], options = {}) {
  const { dataDir = demoStore(), through = [], uid, env, beside } = options;
  const words = [...through, path.resolve(program), 'serve', '--listen', '127.0.0.1:0',
    '--ops-listen', '127.0.0.1:0', '--data-dir', dataDir, ...flags];
  const child = spawn(words[0], words.slice(1),
    { stdio: ['ignore', 'pipe', 'pipe'], uid, gid: uid, env: { ...process.env, ...env } });
  keep(child);
  const service = new Service(child, dataDir);
  service.beside = beside;
  child.stderr.on('data', (text) => { service.log = (service.log + text).slice(-4000); });
  await readPorts(service);
  return service;
}

/** Runs SQL on the SQLite store of a folder, with a service running or without. */
export function sql(dataDir, text) {
  const file = path.join(dataDir, 'matchcloud.db');
  const done = spawnSync('sqlite3', ['-cmd', '.timeout 20000', file, text], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`sqlite3: ${done.stderr}`);
  return done.stdout;
}
