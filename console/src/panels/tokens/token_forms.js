import { useRef, useState } from "preact/hooks";
import {
  CopyCurl, Dialog, Field, Name, Picker, Problem, Select,
} from "../../core/components.js";
import { html } from "../../core/html.js";
import { errorsOf, kindOf, scopeOptions, tokenKinds } from "./kinds.js";
import { useChange } from "./use_change.js";

const path = "/v1/tokens";
const day_s = 86_400;
const lifetimes = [[day_s, "in a day"], [30 * day_s, "in 30 days"], [90 * day_s, "in 90 days"],
  [365 * day_s, "in a year"], ["", "never"]].map(([s, text]) => [String(s), text]);
const graces = [[0, "not at all"], [3_600, "for an hour"], [day_s, "for a day"],
  [7 * day_s, "for a week"], [30 * day_s, "for 30 days"]].map(([s, text]) => [String(s), text]);

function bodyOf({ kind, name, scope, lifetime, cheap, expensive }) {
  const body = { kind, name: name.trim() };
  const needed = kindOf(kind).scope;
  if (needed) body[needed] = scope;
  if (lifetime) body.expires_in_s = Number(lifetime);
  const limits = {};
  if (cheap) limits.cheap = cheap;
  if (expensive) limits.expensive = expensive;
  if (Object.keys(limits).length) body.limits = limits;
  return body;
}

function Kinds({ value, onValue }) {
  return html`<fieldset class="kinds"><legend>Kind</legend>
    ${tokenKinds.map(({ id, title }) => html`<label key=${id}>
      <input type="radio" name="kind" value=${id} checked=${id === value}
        onChange=${() => onValue(id)} />${title}</label>`)}
    <p class="faint" role="status">${kindOf(value).may}</p></fieldset>`;
}

function Limits({ draft, wrong, put }) {
  const field = (name, label) => html`<${Field} label=${label} value=${draft[name]}
    placeholder="the service's limit" error=${wrong[name]} onValue=${put(name)} />`;
  return html`<details open=${Boolean(wrong.cheap || wrong.expensive)}>
    <summary>Own rate limits</summary>
    <div class="fields">${field("cheap", "Cheap requests")}
      ${field("expensive", "Expensive requests")}</div>
    <p class="faint">Such as 100/10 for 100 requests in 10 s, or off.</p></details>`;
}

// The values with which the form begins: the requested game, or the only one.
function firstDraft(catalog, game) {
  const games = scopeOptions("game", catalog);
  const scope = games.find(({ value }) => value === game) ?? (games.length === 1 ? games[0] : null);
  return { kind: games.length ? "game" : "viewer", name: scope?.label ?? "",
    scope: scope?.value ?? "", cheap: "", expensive: "", lifetime: String(90 * day_s) };
}

/**
 * Creates a token. `catalog` is `{games, namespaces}`, `game` the id of the game that it is for, if
 * that is known. `onDone(requestId, made)` gets the token with its text.
 */
export function NewToken({ catalog, game, onDone, onClose }) {
  const [first] = useState(() => firstDraft(catalog, game));
  const [draft, setDraft] = useState(first);
  const [named, setNamed] = useState(false);
  const [sent, setSent] = useState(false);
  const [state, change] = useChange(onDone);
  const form = useRef(null);
  const wrong = sent ? errorsOf(draft) : {};
  const put = (name) => (value) => setDraft((before) => ({ ...before, [name]: value }));
  const options = scopeOptions(draft.kind, catalog);
  const choose = (scope, kind = draft.kind) => {
    const label = scopeOptions(kind, catalog).find(({ value }) => value === scope)?.label ?? "";
    setDraft((before) => ({ ...before, kind, scope, name: named ? before.name : label }));
  };
  const kindChosen = (kind) => {
    const scopes = kindOf(kind).scope ? scopeOptions(kind, catalog) : [];
    choose(scopes.length === 1 ? scopes[0].value : kind === first.kind ? first.scope : "", kind);
  };
  const submit = (event) => {
    event.preventDefault();
    if (state.busy) return;
    setSent(true);
    if (!Object.keys(errorsOf(draft)).length) {
      change("POST", path, bodyOf(draft), "The token is created.");
      return;
    }
    requestAnimationFrame(() => form.current?.querySelector('[aria-invalid="true"]')?.focus());
  };
  const isChanged = JSON.stringify(draft) !== JSON.stringify(first);
  const scoped = kindOf(draft.kind).scope;
  return html`<${Dialog} title="Create token" onClose=${onClose} wide=${true} changed=${isChanged}>
    <form ref=${form} class="token-form" onSubmit=${submit} novalidate>
      <${Kinds} value=${draft.kind} onValue=${kindChosen} />
      <div class="fields">
        ${scoped && html`<${Picker} key=${draft.kind} value=${draft.scope} options=${options}
          label=${scoped === "game_id" ? "Game" : "Namespace"} error=${wrong.scope}
          initiallyOpen=${draft === first && !draft.scope && options.length > 0}
          hint=${options.length ? "The token works only for this one."
            : "The catalog has none yet: add one first."} onValue=${(scope) => choose(scope)} />`}
        <${Field} label="Name" value=${draft.name} maxlength="64" error=${wrong.name}
          hint="Who or what will use it."
          onValue=${(name) => { setNamed(true); put("name")(name); }} />
        <${Select} label="Expires" options=${lifetimes} value=${draft.lifetime}
          onValue=${put("lifetime")} />
      </div>
      <${Limits} draft=${draft} wrong=${wrong} put=${put} />
      <${Problem} error=${state.error} />
      <footer>
        <${CopyCurl} method="POST" path=${path} body=${bodyOf(draft)} />
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="primary" disabled=${state.busy}>
          ${state.busy ? "Creating …" : "Create"}</button>
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
  return html`<${Dialog} title="Rotate token" onClose=${onClose}>
    <form onSubmit=${submit}>
      <p>The ${found.kind} token <strong><${Name} text=${found.name} /></strong> gets a new text. It
        keeps its id, name, limits and expiry.</p>
      <${Select} label="The old text still works" options=${graces} value=${grace}
        onValue=${setGrace} hint="Allow enough time to replace it everywhere." />
      <${Problem} error=${state.error} />
      <footer>
        <${CopyCurl} method="POST" path=${target} body=${body} />
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="primary" disabled=${state.busy}>Rotate</button>
      </footer>
    </form>
  </${Dialog}>`;
}
