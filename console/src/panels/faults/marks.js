// When rules were set and ended, as far as this page saw it: by itself or by others.
import { signal } from "@preact/signals";
import { ruleText } from "./rule.js";

const marks_limit = 50;
const fresh_ms = 10_000;

/** `{at: ms since 1970, sign, text}`, the oldest first; signs are 1, 2 .. */
export const marks = signal([]);

let seen = new Map();
let seenAt = 0;
let count = 0;

/** Compares a listing of points with the one before, and marks what was set or ended since. */
export function observe(points) {
  const now = Date.now();
  const rules = new Map(points.map(({ point, rule }) => [point, rule ? ruleText(rule) : null]));
  // Nobody looked for a while: when something changed is not known.
  const known = now - seenAt < fresh_ms;
  const found = [];
  for (const [point, rule] of rules) {
    if (!known || !seen.has(point) || seen.get(point) === rule) continue;
    const text = rule ? `${point}: ${rule}` : `${point} ended`;
    found.push({ at: now, sign: String(++count), text });
  }
  seen = rules;
  seenAt = now;
  if (found.length) marks.value = [...marks.value, ...found].slice(-marks_limit);
}
