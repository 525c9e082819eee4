// How much of the past charts show. One range for all charts of a panel, in the hash.

/**
 * By what the hash calls them: `seconds` of width, `step` seconds of a point, and `every`, the ms
 * after which the newest points are asked for.
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
