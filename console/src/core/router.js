// The hash says which panel is shown, and its parameters: #/PANEL?name=value. It makes every link a
// permalink.
import { signal } from "@preact/signals";

const first = "live";

// Text that cannot be decoded stays as it is: no panel has such a name.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return { panel: decoded(path) || first, params: new URLSearchParams(query) };
}

/** `{panel, params}`: a panel's id and its URLSearchParams. A new object with each change. */
export const route = signal(read());

addEventListener("hashchange", () => {
  route.value = read();
});

/** The hash of a panel. `params` is an object or URLSearchParams; null and "" are left out. */
export function linkTo(panelId, params = {}) {
  const entries = params instanceof URLSearchParams ? [...params] : Object.entries(params);
  const said = entries.filter(([, value]) => value !== null && value !== undefined && value !== "");
  const query = new URLSearchParams(said).toString();
  return `#/${encodeURIComponent(panelId)}${query && `?${query}`}`;
}

/** URLSearchParams as an object, with some of them changed. */
export const withParams = (params, more) => ({ ...Object.fromEntries(params), ...more });

/** The hash of the panel that is shown, with some of its params changed. */
export function linkHere(more) {
  const { panel, params } = route.value;
  return linkTo(panel, withParams(params, more));
}

/** Changes some params of the panel that is shown, without a step for the back button. */
export function turn(more) {
  const { panel, params } = route.value;
  go(panel, withParams(params, more), { replace: true });
}

/** Shows a panel. With `replace` the back button does not lead to what was shown before. */
export function go(panelId, params = {}, { replace = false } = {}) {
  const hash = linkTo(panelId, params);
  if (hash === location.hash) return;
  if (!replace) {
    location.hash = hash;
    return;
  }
  history.replaceState(null, "", hash);
  route.value = read();
}
