import { useState } from "preact/hooks";
import { jsonOf, send } from "../../core/api.js";
import {
  CopyCurl, CopyText, Dialog, Field, Name, Problem, Select, announce,
} from "../../core/components.js";
import { html } from "../../core/html.js";

const path = "/v1/tokens";
const day_s = 86_400;
const kinds = ["viewer", "admin", "metrics", "game", "studio", "player"];
const lifetimes = [["", "never"], [day_s, "in a day"], [30 * day_s, "in 30 days"],
  [90 * day_s, "in 90 days"], [365 * day_s, "in a year"]].map(([s, text]) => [String(s), text]);
const graces = [[0, "not at all"], [3_600, "for an hour"], [day_s, "for a day"],
  [7 * day_s, "for a week"], [30 * day_s, "for 30 days"]].map(([s, text]) => [String(s), text]);
const scopes = { game: "game_id", player: "namespace_id" };

// Sends a change and hands what came of it to onDone.
function useChange(onDone) {
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

function bodyOf({ kind, name, scope, lifetime, cheap, expensive }) {
  const body = { kind, name };
  if (scopes[kind]) body[scopes[kind]] = scope;
  if (lifetime) body.expires_in_s = Number(lifetime);
  const limits = {};
  if (cheap) limits.cheap = cheap;
  if (expensive) limits.expensive = expensive;
  if (Object.keys(limits).length) body.limits = limits;
  return body;
}

/** Makes a token. `onDone(requestId, made)` gets it with its text. */
export function NewToken({ onDone, onClose }) {
  const [draft, setDraft] = useState({ kind: "viewer", name: "", scope: "", cheap: "",
    expensive: "", lifetime: String(90 * day_s) });
  const [state, change] = useChange(onDone);
  const put = (name) => (value) => setDraft((before) => ({ ...before, [name]: value }));
  const body = bodyOf(draft);
  const submit = (event) => {
    event.preventDefault();
    if (!state.busy) change("POST", path, body, "The token is made.");
  };
  const limit = "QUOTA/SECONDS such as 100/10, or off. Empty: the service's.";
  return html`<${Dialog} title="New token" onClose=${onClose} wide=${true}>
    <form onSubmit=${submit}>
      <div class="fields">
        <${Select} label="Kind" options=${kinds} value=${draft.kind} onValue=${put("kind")}
          hint="viewer reads the ops plane, admin changes it too." />
        <${Field} label="Name" value=${draft.name} onValue=${put("name")} required maxlength="64"
          hint="Who will use it." />
        ${scopes[draft.kind] && html`<${Field} label=${scopes[draft.kind]} value=${draft.scope}
          onValue=${put("scope")} required hint="A UUID: the only one that it is for." />`}
        <${Select} label="Expires" options=${lifetimes} value=${draft.lifetime}
          onValue=${put("lifetime")} />
        <${Field} label="Limit of cheap requests" value=${draft.cheap} onValue=${put("cheap")}
          hint=${limit} />
        <${Field} label="Limit of expensive requests" value=${draft.expensive}
          onValue=${put("expensive")} hint=${limit} />
      </div>
      <${Problem} error=${state.error} />
      <footer>
        <${CopyCurl} method="POST" path=${path} body=${body} />
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="primary" disabled=${state.busy || !draft.name}>Make it</button>
      </footer>
    </form>
  </${Dialog}>`;
}

/** Gives a token a new text. `onDone(requestId, made)` gets it with its text. */
export function Rotation({ found, onDone, onClose }) {
  const [grace, setGrace] = useState(String(day_s));
  const [state, change] = useChange(onDone);
  const target = `${path}/${encodeURIComponent(found.token_id)}/rotate`;
  const body = { grace_s: Number(grace) };
  const submit = (event) => {
    event.preventDefault();
    if (!state.busy) change("POST", target, body, "The token is rotated.");
  };
  return html`<${Dialog} title="Rotate a token" onClose=${onClose}>
    <form onSubmit=${submit}>
      <p>The ${found.kind} token <strong><${Name} text=${found.name} /></strong> gets a new text. It
        keeps its id, name, limits and expiry.</p>
      <${Select} label="The former text works on" options=${graces} value=${grace}
        onValue=${setGrace} hint="Long enough to tell everybody who has it." />
      <${Problem} error=${state.error} />
      <footer>
        <${CopyCurl} method="POST" path=${target} body=${body} />
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="primary" disabled=${state.busy}>Rotate</button>
      </footer>
    </form>
  </${Dialog}>`;
}

/** Shows a token's text, this once: it is nowhere when the dialog is closed. */
export function TokenText({ made, onClose }) {
  return html`<${Dialog} title="The token's text" onClose=${onClose}>
    <p><strong>This is shown once.</strong> The service keeps no text: copy it now to where it is
      used, into a file that only its user may read.</p>
    <p><code class="exact token-text">${made.token}</code></p>
    <footer><${CopyText} text=${made.token} label="Copy the token" />
      <button type="button" onClick=${onClose}>I have it</button></footer>
  </${Dialog}>`;
}
