// Programs of others that read the documents: those of package.json.
import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { documents, planes } from './document.mjs';
import { newFolder } from './service.mjs';

/** Where the programs are. */
export const tools = path.join(import.meta.dirname, 'node_modules/.bin');
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Runs a tool of package.json in a folder; what it prints, and its exit code. */
export function runTool(name, words, cwd) {
  const done = spawnSync(path.join(tools, name), words,
    { cwd, env, encoding: 'utf8', maxBuffer: 64 << 20 });
  if (done.error) throw done.error;
  return { code: done.status, out: done.stdout, all: done.stdout + done.stderr };
}

/** The same without waiting here; fails with what the tool prints where it fails. */
export async function startTool(name, words, cwd) {
  await promisify(execFile)(path.join(tools, name), words,
    { cwd, env, encoding: 'utf8', maxBuffer: 64 << 20 }).catch(({ message, stdout, stderr }) => {
    throw new Error(`${name}: ${message}\n${stdout}${stderr}`);
  });
}

/** A new folder with the documents, as PLANE.json. */
export function documentFolder(name) {
  const folder = newFolder(name);
  for (const plane of planes) fs.writeFileSync(path.join(folder, `${plane}.json`),
    documents[plane].text);
  return folder;
}
