// A GET for a panel: its last answer, its last error, and when to repeat it.
import { useEffect, useRef, useState } from "preact/hooks";
import { request } from "./api.js";
import { connections } from "./events.js";
import { token } from "./session.js";
import { visible } from "./visibility.js";

const least_period_ms = 1_000;
const most_period_ms = 10_000;
const hopeless = new Set([401, 403, 404]);
const get = (path, signal) => request("GET", path, { signal });

/**
 * Requests `path`, and repeats that every `every` ms (not below 1,000; 0: never) while the page is
 * visible, and when the service is back. After an error it waits longer. It does not repeat a
 * request that would fail again: after a 404, or if the token may not make it. A null `path`
 * requests nothing. Returns `{value, error, loading, reload}`: `value` stays while the request is
 * repeated, `error` is an ApiError or null. `ask(path, signal)` replaces the GET, if one is not
 * enough.
 */
export function useQuery(path, { every = 0, ask = get } = {}) {
  const [state, setState] = useState({ path: null, value: null, error: null, loading: true });
  const again = useRef(null);
  const [asked, askAgain] = useState(0);
  const seen = visible.value;
  const came = connections.value;
  const who = token.value;

  useEffect(() => {
    if (path === null || !seen) return undefined;
    const ending = new AbortController();
    let failures = 0;
    const turn = async () => {
      const began = performance.now();
      let next;
      let isFinal = false;
      try {
        const value = await ask(path, ending.signal);
        next = { path, value, error: null, loading: false };
        failures = 0;
      } catch (error) {
        if (ending.signal.aborted) return;
        isFinal = hopeless.has(error.status);
        failures++;
        // Remove what an earlier token was allowed to see, if the current token is not.
        const refused = error.status === 401 || error.status === 403;
        next = (before) => ({ path, error, loading: false,
          value: before.path === path && !refused ? before.value : null });
      }
      if (ending.signal.aborted) return;
      setState(next);
      // A hopeless request is not repeated, because the browser reports each failure as an error.
      // Another token, or the service when it is back, starts it again.
      if (!every || isFinal) return;
      const longer = Math.max(least_period_ms, every) * 2 ** Math.min(failures, 8);
      const period = failures ? Math.max(every, Math.min(most_period_ms, longer)) : longer;
      again.current = setTimeout(turn, Math.max(least_period_ms / 4,
        period - (performance.now() - began)));
    };
    turn();
    return () => {
      clearTimeout(again.current);
      ending.abort();
    };
  }, [path, every, seen, came, who, asked]);

  const current = state.path === path;
  return {
    value: current ? state.value : null,
    error: current ? state.error : null,
    loading: path !== null && (!current || state.loading),
    reload: () => askAgain((count) => count + 1),
  };
}
