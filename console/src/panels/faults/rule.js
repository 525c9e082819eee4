// A rule as it is typed, as it is sent, and as a sentence.

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
    game: text(rule?.game),
  };
}

function number(text, { least, most = Infinity, whole }) {
  const n = Number(text);
  if (text.trim() === "" || Number.isNaN(n) || (whole && !Number.isSafeInteger(n))) return null;
  return n >= least && n <= most ? n : null;
}

/**
 * `{rule, errors}` of a draft: the body of PUT /faults/{point}, and sentences by field of what is
 * wrong. `rule` is null where anything is.
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
    const ms = "Milliseconds, 0 or more.";
    const least = take("least", { least: 0 }, ms);
    const most = take("most", { least: least ?? 0 }, "Milliseconds, not below the least.");
    if (draft.least === "") errors.least = "A delay needs milliseconds.";
    set("delay_ms", most === undefined ? least : [least, most]);
  }
  set("probability", take("probability", { least: 0, most: 1 }, "A number from 0 to 1."));
  set("every", take("every", { least: 1, whole: true }, "A whole number from 1."));
  set("first", take("first", { least: 1, whole: true }, "A whole number from 1."));
  if (draft.once) rule.once = true;
  if (draft.header) rule.header = true;
  const game = draft.game.trim();
  if (game !== "" && !uuid.test(game)) errors.game = "The id of a game.";
  if (game !== "") rule.game = game;
  return { rule: Object.keys(errors).length ? null : rule, errors };
}

/** A rule in a few words: "delay 5 to 20 ms, 1 %, one of 10 passes". */
export function ruleText(rule) {
  if (!rule) return "none";
  const { kind, delay_ms: delay, probability, every, first, once, header, game } = rule;
  const [least, most] = Array.isArray(delay) ? delay : [delay, delay];
  const words = [delay === undefined ? kind
    : `${kind} ${least === most ? least : `${least} to ${most}`} ms`];
  if (probability !== undefined) words.push(`${Number((probability * 100).toPrecision(6))} %`);
  if (every !== undefined) words.push(`one of ${every} passes`);
  if (first !== undefined) words.push(`the first ${first} at most`);
  if (once) words.push("once");
  if (header) words.push("where X-Fault names it");
  if (game) words.push(`of game ${game}`);
  return words.join(", ");
}
