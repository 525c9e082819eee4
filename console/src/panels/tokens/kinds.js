// The kinds of tokens: what each may do, and what one is for.

export const tokenKinds = [
  { id: "game", title: "Game", scope: "game_id", may: "Validates versions, lists avatars and "
    + "exports lobbies of one game. For its build servers and back ends." },
  { id: "player", title: "Player", scope: "namespace_id", may: "Lists the regions of one namespace "
    + "and reports latencies. Clients ship it, so treat it as public." },
  { id: "studio", title: "Studio", scope: null, may: "Validates games and groups. For a studio's "
    + "tools." },
  { id: "viewer", title: "Viewer", scope: null, may: "Reads the ops plane and this console, except "
    + "tokens and the audit log. Changes nothing." },
  { id: "admin", title: "Admin", scope: null, may: "Reads and changes everything on the ops "
    + "plane." },
  { id: "metrics", title: "Metrics", scope: null, may: "Reads /metrics. For Prometheus." },
];

export const kindOf = (id) => tokenKinds.find((kind) => kind.id === id);

/** Games and namespaces as options of a Picker, by name. */
export function scopeOptions(kind, { games, namespaces }) {
  if (kind === "game") {
    return games.map(({ game_id: value, display_name: label }) => ({ value, label }));
  }
  const nameOf = new Map(games.map(({ game_id: id, display_name: name }) => [id, name]));
  return namespaces.map(({ namespace_id: value, game_id: game, name }) => (
    { value, label: `${nameOf.get(game) ?? game} / ${name}` }));
}

/**
 * The name of the only game or namespace that a token is for, or its id without a name, or null.
 */
export function scopeName(token, catalog) {
  const value = token.game_id ?? token.namespace_id;
  if (!value) return null;
  const kind = token.game_id ? "game" : "player";
  return scopeOptions(kind, catalog).find((option) => option.value === value)?.label ?? value;
}

const limit = /^(\d+\/\d+|off)$/;

/** What is wrong with a draft of a token: sentences by field, all at once. */
export function errorsOf({ kind, name, scope, cheap, expensive }) {
  const errors = {};
  if (!name.trim()) errors.name = "Enter a name. The list and the audit log show it.";
  const needed = kindOf(kind).scope;
  if (needed && !scope) errors.scope = `Choose a ${kind === "game" ? "game" : "namespace"}.`;
  for (const [field, text] of Object.entries({ cheap, expensive })) {
    if (text && !limit.test(text)) {
      errors[field] = `${text} is not a limit. Use QUOTA/SECONDS such as 100/10, or off.`;
    }
  }
  return errors;
}

const day_ms = 86_400_000;
const soon_ms = 7 * day_ms;

/** Whether a token that works will expire within a week. */
export function expiresSoon({ state, expires }, now = Date.now()) {
  return state === "active" && expires !== null && Date.parse(expires) - now < soon_ms;
}
