// How much of the past charts show: one range for all charts of a panel, kept in the hash.
import { useCallback, useRef } from "preact/hooks";
import { request } from "./api.js";
import { joined } from "./past.js";
import { useQuery } from "./query.js";

/**
 * The ranges by their names in the hash: `seconds` of width, `step` seconds for a point, and
 * `every`, the ms between requests for the newest points.
 */
export const ranges = {
  "10m": { text: "10 minutes", seconds: 600, step: 2, every: 2_000 },
  "1h": { text: "1 hour", seconds: 3_600, step: 10, every: 5_000 },
  "1d": { text: "1 day", seconds: 86_400, step: 240, every: 10_000 },
};

/** The range that `params` name, else ten minutes: `{id, text, seconds, step, every}`. */
export function rangeOf(params) {
  const asked = params.get("range");
  const id = Object.hasOwn(ranges, asked ?? "") ? asked : "10m";
  return { id, ...ranges[id] };
}

/**
 * The points of GET /v1/history over a range, the oldest first, as a query (query.js) whose value
 * is `{points, to}`, both by the service's clock. After the first answer it requests only the
 * newest points: the last one, whose counts may have grown, and those after it.
 */
export function usePast({ seconds, step, every }) {
  const path = `/v1/history?last=${seconds}&step=${step}`;
  const kept = useRef({});
  const ask = useCallback(async (_, signal) => {
    const { points = [], at, asked } = kept.current;
    const recent = asked === path && points.length && performance.now() - at < seconds * 1_000;
    const last = points.at(-1)?.at;
    const newest = recent ? `/v1/history?from=${last}&step=${step}` : path;
    const began = performance.now();
    let found = await request("GET", newest, { signal });
    let before = recent ? points : [];
    // If the service's clock was set back, some of the kept points are later than now.
    if (recent && found.to <= last) {
      found = await request("GET", path, { signal });
      before = [];
    }
    const value = { to: found.to,
      points: joined(before, found.points, found.to - seconds * 1_000) };
    kept.current = { points: value.points, at: began, asked: path };
    return value;
  }, [path]);
  return useQuery(path, { every, ask });
}
