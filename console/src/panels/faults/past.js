// When rules were set and ended, and by whom: from their remaining time, from what this page saw,
// and from the audit log if this user may read it.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useQuery } from "../../core/query.js";
import { tokenKind } from "../../core/session.js";
import { ruleText, usual_s } from "./rule.js";

// The remaining time is in whole seconds, and answers take some time to arrive.
const same_ms = 4_000;
// The clocks of the service and of the browser's machine may differ.
const skew_ms = 60_000;
const fresh_ms = 10_000;
const ended_limit = 50;
const log_path = "/v1/audit?limit=100&action=fault";
// A fault may end a moment before its entry is written.
const entry_ms = 1_500;

let begun = new Map();
let seenAt = 0;
const own = new Set();

/** The rules that ended while this page watched: `{point, at}` with `at` in ms since 1970. */
const ended = signal([]);

/** Notes that a change was made by this page. */
export const noteOwn = (requestId) => own.add(requestId);

/** Whether a request was sent by this page. */
export const isOwn = (requestId) => own.has(requestId);

/**
 * The rules in a listing of points: the points that have one, with `at`, the time when the rule was
 * set, in ms since 1970. Call it with each new listing.
 */
export function rulesOf(points, now = Date.now()) {
  const next = new Map();
  const rules = points.filter(({ rule }) => rule).map((found) => {
    const { point, rule, heals_in_s: left } = found;
    const told = left === null ? now : now - ((rule.lasts_s ?? usual_s) - left) * 1_000;
    const before = begun.get(point);
    const same = before && before.text === ruleText(rule) && (left === null
      || Math.abs(before.at - told) < same_ms);
    next.set(point, same ? before : { at: told, text: ruleText(rule) });
    return { ...found, at: next.get(point).at };
  });
  const gone = [...begun.keys()].filter((point) => !next.has(point));
  // If nobody looked for a while, it is not known when a rule ended.
  if (gone.length && now - seenAt < fresh_ms) {
    const found = gone.map((point) => ({ point, at: now }));
    ended.value = [...ended.value, ...found].slice(-ended_limit);
  }
  begun = next;
  seenAt = now;
  return rules;
}

/** The audit log's entries about faults, the newest first; null where they cannot be read. */
export function useEntries(rules) {
  const may = tokenKind.value !== "viewer";
  const { value, reload } = useQuery(may && rules ? log_path : null);
  const signature = (rules ?? []).map(({ point, at }) => `${point} ${at}`).join();
  useEffect(() => {
    const timer = setTimeout(reload, entry_ms);
    return () => clearTimeout(timer);
  }, [signature]);
  return value?.entries ?? null;
}

const subjectOf = (point) => `faults/${point}`;

/**
 * The entry of a rule in force. Null if the rule was there from the start or the log is not read.
 */
export function entryOf({ point, at }, entries) {
  const last = entries?.find(({ subject }) => subject === subjectOf(point) || subject === "faults");
  const fits = last?.action === "fault.put" && Math.abs(Date.parse(last.at) - at) < skew_ms;
  return fits ? last : null;
}

const pointIn = (subject) => (subject === "faults" ? null : subject.slice("faults/".length));

const whats = { "fault.put": "", "fault.heal": "healed" };

function markOf(entry) {
  const { action, subject, after } = entry;
  return { at: Date.parse(entry.at), point: pointIn(subject), rule: after,
    text: whats[action] ?? "cleared", entry };
}

/**
 * What charts mark, from `from` (ms since 1970) on, the oldest first: `{at, sign, point, rule,
 * text, entry}`. `point` is null for all points, `rule` is the rule that was set or null, `text`
 * says what else happened, `entry` is from the audit log or null. Marks within the same second get
 * the same time.
 */
export function marksOf(rules, entries, from) {
  const told = (entries ?? []).map(markOf);
  const untold = rules.filter((rule) => !entryOf(rule, entries)).map(({ point, at, rule }) =>
    ({ at, point, rule, text: "", entry: null }));
  const seen = entries ? [] : ended.value.map(({ point, at }) =>
    ({ at, point, rule: null, text: "ended", entry: null }));
  return [...told, ...untold, ...seen].filter(({ at }) => at >= from)
    .sort((one, other) => one.at - other.at)
    .map((mark, index) => ({ ...mark, sign: String(index + 1),
      at: Math.floor(mark.at / 1_000) * 1_000 }));
}
