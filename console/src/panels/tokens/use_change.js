import { useState } from "preact/hooks";
import { jsonOf, send } from "../../core/api.js";
import { announce } from "../../core/components.js";

/**
 * `[{busy, error}, change]`: `change(method, path, body, said)` sends a change, announces `said`
 * and passes the request's id and its answer to `onDone`.
 */
export function useChange(onDone) {
  const [state, setState] = useState({ busy: false, error: null });
  const change = async (method, target, body, said) => {
    setState({ busy: true, error: null });
    try {
      const answer = await send(method, target, { body });
      const requestId = answer.headers.get("X-Request-Id");
      const made = await jsonOf(answer);
      announce(said);
      onDone(requestId, made);
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return [state, change];
}
