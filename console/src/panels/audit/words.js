// Entries of the audit log in words.
const nouns = { games: "game", namespaces: "namespace", regions: "region", tiers: "tier",
  tokens: "token", faults: "fault at", avatars: "avatar", hosts: "host" };

// Actions that need no subject, and verbs for actions about one subject.
const deeds = {
  "demo.seed": "added the demo data", "catalog.import": "imported a catalog",
  "avatars.import": "imported avatars", "lobbies.import": "imported lobbies",
  "lobbies.ingest": "began to report lobbies", "lobbies.close": "closed lobbies",
  "retention.confirm": "let lobbies expire", "store.copy": "copied the store",
  "signing-key.rotate": "rotated the signing keys", "token.expire": "removed expired tokens",
  "audit.expire": "removed expired entries of the audit log", "log-levels.put": "changed",
};
const verbs = {
  "catalog.remove": "removed", "token.create": "created", "token.rotate": "rotated",
  "token.revoke": "revoked", "fault.clear": "ended", "fault.heal": "ended the expired",
  "avatar.remove": "removed", "game.erase": "began to erase", "game.erased": "erased",
  "lobbies.expire": "removed old lobbies of", "service.start": "started the service on",
  "service.reload": "changed the service's protections on",
};

function verbOf({ action, before }) {
  if (action === "catalog.put") return before === null ? "created" : "changed";
  if (action === "fault.put") return before === null ? "set" : "changed";
  return verbs[action];
}

function nameOf(value) {
  if (value === null || typeof value !== "object") return null;
  return value.display_name ?? value.region_display_name ?? value.name ?? null;
}

/**
 * What was done according to an entry: `{verb, noun, name, id}`. All except `verb` may be null.
 * `name` is the subject's name for people, `id` its id if that differs. An action without words is
 * its own verb.
 */
export function deedOf(entry) {
  const { action, subject, before, after } = entry;
  const nothing = { noun: null, name: null, id: null };
  const parts = subject?.split("/") ?? [];
  const verb = verbOf(entry);
  const noun = nouns[parts.at(-2)] ?? null;
  if (action === "lobbies.ingest.sum") {
    const count = after?.lobbies ?? 0;
    const lobbies = `${count.toLocaleString("en")} ${count === 1 ? "lobby" : "lobbies"}`;
    return { ...nothing, verb: `reported ${lobbies} in an hour` };
  }
  if (!verb || !noun) {
    return { ...nothing, verb: deeds[action] ?? verb ?? action, name: subject };
  }
  const id = parts.at(-1);
  const called = nameOf(after) ?? nameOf(before);
  const kind = parts.at(-2) === "tokens" ? after?.kind ?? before?.kind : null;
  return { verb, noun: kind ? `${kind} ${noun}` : noun, name: called ?? id,
    id: called === null ? null : id };
}

/** Who did it, in a few words. `kinds` maps ids of tokens to their kinds, as far as known. */
export function authorOf({ kind, name, id }, kinds = new Map()) {
  if (kind === "service") return { name: "The service", what: null };
  if (kind === "certificate") return { name: name ?? "?", what: "certificate" };
  if (kind === "token") {
    const of = kinds.get(id);
    return { name: name ?? id, what: of ? `${of} token` : "token" };
  }
  return name ? { name, what: "command on this machine" }
    : { name: "Someone on this machine", what: "no token" };
}

/** Entries by hour, in their order: `{hour: "2026-11-28T03", entries}`. */
export function hoursOf(entries) {
  const hours = [];
  for (const entry of entries) {
    const hour = entry.at.slice(0, 13);
    if (hours.at(-1)?.hour !== hour) hours.push({ hour, entries: [] });
    hours.at(-1).entries.push(entry);
  }
  return hours;
}

/** How many of the entries each author made, the most first: `[name, count]`. */
export function countsOf(entries) {
  const counts = new Map();
  for (const { who } of entries) {
    const { name } = authorOf(who);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]);
}
