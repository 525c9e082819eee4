// What a panel shows of one GET: the last answer, the last error, and when to ask again.
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
 * Asks for `path` and again every `every` ms (not below 1,000; 0: once) while the page can be seen,
 * and after the service came back; less often after errors, not after what no time mends: a 404, or
 * that the token is not for it. `path` null asks nothing. Returns `{value, error, loading,
 * reload}`: `value` stays while it is asked again, `error` is an ApiError or null. `ask(path,
 * signal)` is what asks, where one GET is not all.
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
        // What a token may not see stays on no screen that another token had it on.
        const refused = error.status === 401 || error.status === 403;
        next = (before) => ({ path, error, loading: false,
          value: before.path === path && !refused ? before.value : null });
      }
      if (ending.signal.aborted) return;
      setState(next);
      // What is not there will not be there in a second; the browser reports each such answer as an
      // error. Another token, and the service when it is back, are asked again.
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
