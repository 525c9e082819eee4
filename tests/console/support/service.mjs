// Services that tests start themselves, to end them, or with other flags than run.sh's.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const binary = process.env.MATCHCLOUD_BINARY;
const folder = process.env.MATCHCLOUD_TEST_FOLDER;
let started = 0;

/** The ops plane and the data plane of the service that run.sh has started for all tests. */
export const ops = process.env.MATCHCLOUD_OPS_URL;
export const data = process.env.MATCHCLOUD_DATA_URL;

// run.sh reads these files to end what a failed test left running.
function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"], ...options });
  writeFileSync(join(folder, `${started++}.pid`), String(child.pid));
  const lines = createInterface({ input: child.stdout });
  const stop = async (signal = "SIGTERM") => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  const said = (beginning) => new Promise((resolve, reject) => {
    lines.on("line", (line) => line.startsWith(beginning) && resolve(line.slice(beginning.length)));
    child.on("exit", (code) => reject(new Error(`${command} ended with ${code}`)));
  });
  return { said, stop, pid: child.pid };
}

/** A data directory with demo data of its own, of January 2026. */
export function demoFolder() {
  const made = mkdtempSync(join(folder, "demo-"));
  spawnSync(binary, ["demo", "--data-dir", made, "--until", "2026-02-01"], { stdio: "ignore" });
  return made;
}

/** Runs one of the program's commands and returns what it printed. */
export function command(...args) {
  return spawnSync(binary, args, { encoding: "utf8" }).stdout;
}

/**
 * Starts a service on `dataDir`, on ports of the kernel's choice unless `opsPort` is given. Returns
 * `{ops, data, stop, pid}` once it answers.
 */
export async function startService({ dataDir, flags = [], opsPort = 0 }) {
  const service = start(binary, ["serve", "--listen", "127.0.0.1:0", "--ops-listen",
    `127.0.0.1:${opsPort}`, "--data-dir", dataDir, ...flags]);
  const [listening, plane] = await Promise.all(
    [service.said("listening on "), service.said("ops plane on ")]);
  return { ops: plane, data: listening, stop: service.stop, pid: service.pid };
}

/** Asks a service as curl would; returns the parsed JSON, null without a body. */
export async function ask(method, path, body, { url = ops, token } = {}) {
  const answer = await fetch(new URL(path, url), {
    method,
    headers: { ...(body ? { "Content-Type": "application/json" } : {}),
      ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body: body ? JSON.stringify(body) : undefined,
  });
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}
