// Finds the fastest region for this player. It measures round trips to the nearest regions of a
// matchcloud service and reports them. The service orders its regions by them, and can predict
// latencies for others. For browsers, and Node.js 18 or later.

/** Round trips measured per region, and how many must succeed; regions in all, and at once. */
const samples_wanted = 5, samples_needed = 3, region_limit = 16, regions_at_once = 4;
/** The round trips of a new connection: DNS, TCP, TLS, request. */
const opening_factor = 4;

/** The service refused a request, or did not answer (`status` is 0). If `retryAfterMs` is not 0,
 * the service wants no further request before that time has passed. */
export class MatchcloudError extends Error {
  constructor(message, { status = 0, code = "", detail = "", retryAfterMs = 0, cause } = {}) {
    super(message, { cause });
    Object.assign(this, { name: "MatchcloudError", status, code, detail, retryAfterMs });
  }
}

/** A signal that aborts when `outer` does, or after `ms` milliseconds. Call `end` when done. */
function within(ms, outer) {
  const inner = new AbortController();
  const abort = () => inner.abort(outer.reason);
  const timer = setTimeout(() => inner.abort(new Error(`no answer within ${ms} ms`)), ms);
  outer?.addEventListener("abort", abort);
  if (outer?.aborted) abort();
  return { signal: inner.signal, end() {
    clearTimeout(timer);
    outer?.removeEventListener("abort", abort);
  } };
}

/** Waits; throws once `signal` aborts. */
function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** Sends a request. Returns when it started and how long it took, in ms; null if it failed. */
async function ping(url, timeoutMs, signal) {
  const limit = within(timeoutMs, signal);
  const started = performance.now();
  try {
    const response = await fetch(new URL(url), // Throws if the URL is relative.
      { cache: "no-store", credentials: "omit", redirect: "error", signal: limit.signal });
    const taken = performance.now() - started;
    await response.arrayBuffer();
    await new Promise((next) => setTimeout(next)); // Needed for Node.js to reuse the connection.
    return response.ok ? { started, taken } : null;
  } catch {
    return null;
  } finally {
    limit.end();
  }
}

/** The milliseconds that the browser measured, if the server allows it (Timing-Allow-Origin);
 * `taken` also includes the time until a busy page noticed the answer. */
function roundTripMs(entries, { started, taken }) {
  const entry = entries.find(({ startTime }) => startTime >= started);
  const exact = entry?.requestStart > 0 ? entry.responseStart - entry.requestStart : 0;
  return exact > 0 && exact < taken ? exact : taken;
}

/** The median of the round trips to `url` in ms, to 0.1; null if too few succeeded. */
async function medianMs(url, timeoutMs, signal) {
  const samples = [];
  for (let sent = 0, last = null; sent < samples_wanted; ++sent) {
    // The first request opens a connection and does not count. Nor does one after a failure.
    if (!(last ?? await ping(url, timeoutMs * opening_factor, signal))) break;
    last = await ping(url, timeoutMs, signal);
    if (last) samples.push(last);
  }
  if (samples.length < samples_needed) return null;
  const entries = performance.getEntriesByName?.(new URL(url).href, "resource") ?? [];
  const sorted = samples.map((sample) => roundTripMs(entries, sample)).sort((a, b) => a - b);
  const middle = (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
  return Math.max(0.1, Math.round(middle * 10) / 10); // 0 is no round trip.
}

/** The regions of one service as one player sees them. `signal` cancels. */
export class MatchcloudRegions {
  #base; #options;

  /**
   * `base` is the service's URL, `token` a player's token if the service wants one. The nearest
   * `count` regions are measured, 16 at most. `timeoutMs` limits a round trip; `limitMs` limits a
   * listing, a report, and measuring as a whole.
   */
  constructor(base, { token, count = 6, timeoutMs = 1000, limitMs = 5000 } = {}) {
    this.#base = `${base}`.replace(/\/+$/, "");
    this.#options = { token, count: Math.min(count, region_limit), timeoutMs, limitMs };
  }

  /** All that a game needs: lists, measures and reports. Returns the regions, best first. */
  async choose({ signal } = {}) {
    const regions = await this.list({ signal });
    const latencies = await this.measure(regions, { signal });
    if (Object.keys(latencies).length === 0) return regions;
    this.report(latencies, { signal }); // Never fails, and nobody waits for it.
    return this.list({ latencies, signal });
  }

  /** The regions as the service orders them: those in `latencies` first, with `latency_ms`. */
  async list({ latencies = {}, signal } = {}) {
    const rtt = Object.entries(latencies).filter(([, ms]) => ms > 0) // Others did not answer.
      .map(([id, ms]) => `${id}:${ms}`).join(",");
    const query = rtt && `&rtt=${encodeURIComponent(rtt)}`;
    const regions = await this.#ask(`regions?fields=ping_url${query}`, "regions", { signal });
    return regions.map((region) => Object.hasOwn(latencies, region.region_id)
      ? { ...region, latency_ms: latencies[region.region_id] } : region);
  }

  /** Milliseconds by id of the regions that answered ({lon: 23.1}). Throws only if cancelled. */
  async measure(regions, { signal } = {}) {
    const { count, timeoutMs, limitMs } = this.#options;
    const waiting = regions.filter((region) => region.ping_url).slice(0, count).values();
    const latencies = {};
    const limit = within(limitMs, signal);
    await Promise.all(Array.from({ length: regions_at_once }, async () => {
      for (const { region_id, ping_url } of waiting) {
        const median = await medianMs(ping_url, timeoutMs, limit.signal);
        if (median !== null) latencies[region_id] = median;
      }
    }));
    limit.end();
    signal?.throwIfAborted();
    return latencies;
  }

  /** Tells the service what was measured. Returns whether it learns from that; never throws. */
  report(latencies, { signal } = {}) {
    const body = JSON.stringify({ latencies });
    return this.#ask("latencies", "taken", { method: "POST", body, signal }).catch(() => false);
  }

  /** Sends a request and returns the `member` of the answer. Repeats it when the service says so
   * (Retry-After), if that is within `limitMs`. */
  async #ask(path, member, { signal, ...request }) {
    const { token, limitMs } = this.#options;
    const limit = within(limitMs, signal);
    const started = performance.now();
    const url = `${this.#base}/matchmaker/${path}`;
    const headers = { ...(token && { Authorization: `Bearer ${token}` }),
      ...(request.body && { "Content-Type": "application/json" }) };
    try {
      for (;;) {
        const response = await fetch(url,
          { ...request, headers, redirect: "error", signal: limit.signal });
        const said = await response.json().catch(() => null);
        if (response.ok && said?.[member] !== undefined) return said[member];
        const retryAfterMs = 1000 * (Number(response.headers.get("Retry-After")) || 0);
        if (retryAfterMs > 0 && performance.now() - started + retryAfterMs < limitMs) {
          await pause(retryAfterMs, limit.signal);
          continue;
        }
        const why = `${response.status}: ${said?.detail ?? "not an answer of matchcloud"}`;
        throw new MatchcloudError(`${url}: ${why}`,
          { ...said, status: response.status, retryAfterMs });
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error.status) throw error;
      throw new MatchcloudError(`${url}: ${error.message}`, { cause: error });
    } finally {
      limit.end();
    }
  }
}
