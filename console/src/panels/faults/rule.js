// A rule as it is typed, as it is sent, and as a sentence.

/** The service's default for how long a rule lasts, in seconds. */
export const usual_s = 3_600;

const page_usual_s = 300;
const spans = [["60", "1 minute"], ["300", "5 minutes"], ["3600", "1 hour"]];

/**
 * Choices of how long a rule lasts: the usual ones, and `lasts` (seconds as text) if it differs.
 */
export function spansWith(lasts = "") {
  if (lasts === "" || spans.some(([value]) => value === lasts)) return spans;
  const text = lasts % 60 ? `${lasts} seconds` : `${lasts / 60} minutes`;
  return [...spans, [lasts, text]];
}

/** The page's default for how long a fault lasts, in seconds. */
export const usual_span = String(page_usual_s);

/** What a rule chooses requests by, besides X-Fault: the members that are texts in a form. */
const choices = ["game", "token", "client", "connections"];

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a form begins with: a rule that is in force, or nothing. All are texts or booleans. */
export function draftOf(rule, kinds) {
  const delay = rule?.delay_ms;
  const [least, most] = Array.isArray(delay) ? delay : [delay, delay];
  const text = (value) => (value === undefined || value === null ? "" : String(value));
  return {
    kind: rule?.kind ?? kinds[0], least: text(least), most: most === least ? "" : text(most),
    probability: text(rule?.probability), every: text(rule?.every), first: text(rule?.first),
    once: Boolean(rule?.once), header: Boolean(rule?.header),
    lasts: rule ? text(rule.lasts_s ?? usual_s) : usual_span,
    ...Object.fromEntries(choices.map((name) => [name, text(rule?.[name])])),
  };
}

function number(text, { least, most = Infinity, whole }) {
  const n = Number(text);
  if (text.trim() === "" || Number.isNaN(n) || (whole && !Number.isSafeInteger(n))) return null;
  return n >= least && n <= most ? n : null;
}

/**
 * `{rule, errors}` of a draft: the body of PUT /faults/{point}, and sentences by field that say
 * what is wrong. `rule` is null if anything is.
 */
export function ruleOf(draft) {
  const errors = {};
  const rule = { kind: draft.kind };
  const take = (name, bounds, sentence) => {
    if (draft[name] === "") return undefined;
    const n = number(draft[name], bounds);
    if (n === null) errors[name] = sentence;
    return n;
  };
  const set = (name, value) => {
    if (value !== undefined && value !== null) rule[name] = value;
  };
  if (draft.kind === "delay") {
    const ms = "Use milliseconds, 0 or more.";
    const least = take("least", { least: 0 }, ms);
    const most = take("most", { least: least ?? 0 }, "Use milliseconds, not below the minimum.");
    if (draft.least === "") errors.least = "A delay needs milliseconds.";
    set("delay_ms", most === undefined ? least : [least, most]);
  }
  set("probability", take("probability", { least: 0, most: 1 }, "Use a number from 0 to 1."));
  set("every", take("every", { least: 1, whole: true }, "Use a whole number, 1 or more."));
  set("first", take("first", { least: 1, whole: true }, "Use a whole number, 1 or more."));
  if (draft.once) rule.once = true;
  if (draft.header) rule.header = true;
  for (const name of ["game", "token"]) {
    const id = draft[name].trim();
    if (id !== "" && !uuid.test(id)) errors[name] = `Use the id of a ${name}.`;
    if (id !== "") rule[name] = id;
  }
  if (draft.client.trim() !== "") rule.client = draft.client.trim();
  set("connections", take("connections", { least: Number.MIN_VALUE, most: 1 },
    "Use a number above 0, at most 1."));
  if (Number(draft.lasts) !== usual_s) rule.lasts_s = Number(draft.lasts);
  return { rule: Object.keys(errors).length ? null : rule, errors };
}

const percent = (share) => `${Number((share * 100).toPrecision(6))} %`;

/** Which passes a rule hits, in a few words each, without its game, client and token. */
function howOften({ probability, every, first, once, header, connections }) {
  const said = [];
  if (probability !== undefined) said.push(percent(probability));
  if (every !== undefined) said.push(`one in ${every} passes`);
  if (first !== undefined) said.push(`the first ${first} at most`);
  if (once) said.push("once");
  if (header) said.push("where X-Fault names it");
  if (connections !== undefined) said.push(`on ${percent(connections)} of connections`);
  return said;
}

/** What a rule does: "delay 5 to 20 ms". */
export function kindText({ kind, delay_ms: delay }) {
  const [least, most] = Array.isArray(delay) ? delay : [delay, delay];
  return delay === undefined ? kind : `${kind} ${least === most ? least
    : `${least} to ${most}`} ms`;
}

/** A rule in a few words: "delay 5 to 20 ms, 1 %, one in 10 passes". */
export function ruleText(rule) {
  if (!rule) return "none";
  const { game, client, token } = rule;
  return [kindText(rule), ...howOften(rule), ...(game ? [`of game ${game}`] : []),
    ...(client ? [`from ${client}`] : []), ...(token ? [`with token ${token}`] : [])].join(", ");
}

/** Whether two rules do the same, however long they last. */
export function sameRule(one, other) {
  const text = (rule) => JSON.stringify(Object.entries({ ...rule, lasts_s: undefined,
    delay_ms: rule.delay_ms === undefined ? undefined : [rule.delay_ms].flat() })
    .sort(([a], [b]) => a.localeCompare(b)));
  return Boolean(one && other) && (text(one) === text(other));
}
