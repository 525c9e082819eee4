// How long a ping from this browser to a region takes. The requests carry nothing: no token, no
// cookies, no referrer.

const rounds = 5;
const most_at_once = 3;
const patience_ms = 2_000;
const all_patience_ms = 20_000;
const regions_limit = 64;

const isLoopback = (host) =>
  host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);

/**
 * Whether a page may ping this URL: https, or http on this machine, without user information.
 * @param {*} text
 */
export function isPingable(text) {
  let url;
  try {
    url = new URL(text);
  } catch {
    return false;
  }
  if (url.username || url.password) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** The middle one of some numbers, or the mean of the two middle ones; null without numbers. */
export function median(numbers) {
  if (numbers.length === 0) return null;
  const sorted = [...numbers].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

async function ping(url, ending) {
  const signal = AbortSignal.any([ending, AbortSignal.timeout(patience_ms)]);
  const began = performance.now();
  const response = await fetch(url, {
    mode: "cors", credentials: "omit", cache: "no-store", redirect: "error",
    referrerPolicy: "no-referrer", signal,
  });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return performance.now() - began;
}

async function measureOne(url, signal) {
  // The first ping opens the connection. It shows whether the region answers, not how fast.
  await ping(url, signal);
  const times = [];
  for (let round = 0; round < rounds; ++round) times.push(await ping(url, signal));
  return median(times);
}

/**
 * Measures how long pings take: the median of five on an open connection. It pings three regions at
 * once, for at most two seconds per ping and twenty in total.
 * @param {{region_id: string, ping_url: string}[]} regions the first 64 that may be pinged are
 *   measured
 * @param {(regionId: string, result: {ms: number|null}) => void} onResult called once for each
 *   region; `ms` is null where a ping failed
 * @param {AbortSignal} signal ends it; then `onResult` is not called again
 * @returns {Promise<void>} resolves when all results are reported
 */
export async function measure(regions, onResult, signal) {
  const waiting = regions.filter(({ ping_url: url }) => isPingable(url)).slice(0, regions_limit);
  const ending = AbortSignal.any([signal, AbortSignal.timeout(all_patience_ms)]);
  const turn = async () => {
    for (let region = waiting.shift(); region; region = waiting.shift()) {
      let ms = null;
      try {
        ms = await measureOne(region.ping_url, ending);
      } catch {
        // It cannot be reached from here. A page does not learn more than that.
      }
      if (signal.aborted) return;
      onResult(region.region_id, { ms });
    }
  };
  await Promise.all(Array.from({ length: most_at_once }, turn));
}

/**
 * The place of each measured region among the measured ones, 1 for the nearest.
 * @param {Map<string, {ms: number|null}>} results
 * @returns {Map<string, number>} without those that failed
 */
export function measuredOrder(results) {
  const found = [...results].filter(([, { ms }]) => ms !== null);
  found.sort(([, one], [, other]) => one.ms - other.ms);
  return new Map(found.map(([id], index) => [id, index + 1]));
}
