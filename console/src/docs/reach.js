// Whether this page may send a request: its Content-Security-Policy allows only some origins.
import { useEffect, useState } from "../core/html.js";
import { mayChange, token } from "../core/session.js";

let policy = null;

/** The sources of this page's connect-src. Requested once. */
function connectSources() {
  policy ??= fetch(location.href.split("#")[0], { method: "HEAD" })
    .then((answer) => answer.headers.get("Content-Security-Policy") ?? "")
    .then((text) => (/connect-src ([^;]*)/.exec(text)?.[1] ?? "").split(" "))
    .catch(() => []);
  return policy;
}

function isLet(base, sources) {
  const { origin, protocol } = new URL(base);
  return origin === location.origin || sources.includes(origin) || sources.includes(protocol);
}

/** Whether an operation changes something, so that viewers may not send it. */
const isChange = (plane, { method, tokenKinds }) => plane === "ops"
  && method !== "GET" && method !== "HEAD" && !tokenKinds.includes("viewer");

/**
 * What prevents sending an operation from here.
 * @returns {string|null} null: nothing
 */
export function useObstacle(plane, operation, base) {
  const [sources, setSources] = useState(null);
  useEffect(() => {
    if (plane === "data" && base) connectSources().then(setSources);
  }, [plane, base]);
  if (operation.isStream) return "The answer is an endless stream. Use curl.";
  if (plane === "data") {
    if (!base) return "Enter the base URL first.";
    if (sources === null || !isLet(base, sources)) {
      return `For safety, this page cannot send requests to ${new URL(base).origin}. `
        + "Use curl or JavaScript.";
    }
  }
  if (!isChange(plane, operation) || mayChange.value) return null;
  return token.value ? "Only an admin token may send this. Sign in with one above."
    : "This request changes the service. Press “Allow changes” above to send it.";
}
