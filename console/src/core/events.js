// The service's status, once a second, over one connection for all panels. EventSource cannot send
// a token, so this is a fetch whose body is read as it arrives.
import { effect, signal } from "@preact/signals";
import { addressOf } from "./address.js";
import { ApiError, errorOf, headersOf } from "./api.js";
import { parseJson } from "./json.js";
import { eventsOf } from "./past.js";
import { refused, token } from "./session.js";
import { visible } from "./visibility.js";

const history_limit = 600;
const silence_ms = 6_000;
const hidden_ms = 60_000;
const least_wait_ms = 1_000;
const most_wait_ms = 10_000;
const line_limit = 1 << 20;

/** The last `status` event, or null before the first. Members may be missing: see docs. */
export const status = signal(null);

/**
 * The last 600 events, the oldest first: `{at, status}` with `at` in ms since 1970 by this
 * machine's clock. What happened before the first event is loaded on the first use.
 */
export const history = signal([], { watched: () => fill() });

/** "connecting", "live", "lost" (trying again), "refused" (needs a token) or "paused" (hidden). */
export const connection = signal("connecting");

/** Why the connection is lost or refused: an ApiError, or null. */
export const lostBecause = signal(null);

/** When the next try begins, in ms since 1970, or null. */
export const nextTry = signal(null);

/** How often a connection was made. When it changes, earlier data may have to be loaded again. */
export const connections = signal(0);

let running = null;
let filled = false;
let looked = false;
let timer = null;
let tries = 0;
let hiding = null;

function take(block) {
  let type = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) type = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trim());
  }
  if (type !== "status" || !data.length) return;
  const found = parseJson(data.join("\n"));
  history.value = [...history.value.slice(1 - history_limit), { at: Date.now(), status: found }];
  status.value = found;
  if (looked) fill();
}

// Loads what happened before the first event. With an older service, which cannot tell, charts
// begin empty.
async function fill() {
  looked = true;
  const first = history.peek()[0];
  if (filled || !first) return;
  filled = true;
  try {
    const response = await fetch(
      addressOf(`/v1/history?step=1&last=${history_limit}`),
      { headers: headersOf(), cache: "no-store" });
    if (!response.ok) return;
    const { points, to } = parseJson(await response.text());
    const began = to - (Date.now() - first.at);
    const before = points.filter(({ at, covers_ms: covers }) => at + covers <= began);
    history.value = [...eventsOf(before, first.status, first.at), ...history.value]
      .slice(-history_limit);
  } catch {
    // The charts fill as time passes.
  }
}

async function read(response, awake) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new ApiError(0, "ended", "The service ended the status stream.");
    awake();
    const blocks = (rest + value.replaceAll("\r", "")).split("\n\n");
    rest = blocks.pop();
    if (rest.length > line_limit) throw new ApiError(0, "malformed", "An event is too long.");
    blocks.forEach(take);
  }
}

function again(error) {
  running = null;
  lostBecause.value = error instanceof ApiError ? error
    : new ApiError(0, "unreachable", "The service does not answer.");
  if (error.status === 401 || error.status === 403) {
    connection.value = "refused";
    return;
  }
  connection.value = "lost";
  // Half to one and a half times the wait, so that pages do not all reconnect at once.
  const wait = Math.min(most_wait_ms, least_wait_ms * 2 ** tries++) * (0.5 + Math.random());
  const bounded = Math.max(least_wait_ms, wait);
  nextTry.value = Date.now() + bounded;
  timer = setTimeout(open, bounded);
}

async function open() {
  stop();
  const mine = new AbortController();
  running = mine;
  let dog;
  const awake = () => {
    clearTimeout(dog);
    dog = setTimeout(() => mine.abort(new Error("silent")), silence_ms);
  };
  try {
    awake();
    const response = await fetch(addressOf("/events"),
      { headers: headersOf(), signal: mine.signal, cache: "no-store" });
    if (!response.ok) throw await errorOf(response);
    connection.value = "live";
    lostBecause.value = null;
    nextTry.value = null;
    connections.value++;
    tries = 0;
    await read(response, awake);
  } catch (error) {
    if (running === mine) again(error);
  } finally {
    clearTimeout(dog);
    mine.abort();
  }
}

function stop() {
  clearTimeout(timer);
  nextTry.value = null;
  running?.abort();
  running = null;
}

/** Requests the status now instead of after the wait. */
export function reconnect() {
  tries = 0;
  connection.value = "connecting";
  open();
}

function pause() {
  stop();
  connection.value = "paused";
}

/** Starts watching, and keeps watching while the page is visible. Call it once. */
export function watch() {
  effect(() => {
    token.value;
    refused.value = null;
    reconnect();
  });
  effect(() => {
    clearTimeout(hiding);
    if (!visible.value) hiding = setTimeout(pause, hidden_ms);
    else if (connection.peek() === "paused") reconnect();
  });
}
