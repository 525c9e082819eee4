import { useId, useState } from "preact/hooks";
import { send } from "../../core/api.js";
import {
  CopyCurl, Dialog, Field, Problem, Select, announce,
} from "../../core/components.js";
import { html } from "../../core/html.js";
import { draftOf, ruleOf } from "./rule.js";

const meanings = {
  delay: "It takes longer.",
  error: "It fails as it may fail by itself.",
  drop: "It does not happen, and nobody hears of it: requests get 504 at their deadline.",
  crash: "The actor dies and is replaced.",
  abort: "The process dies on the spot, without tidying up. Something else has to start it again.",
  "short-write": "Only a part is written.",
  corrupt: "Bytes are changed.",
  stall: "It does not happen until the fault is ended.",
};

function Check({ label, hint, checked, onChecked }) {
  const id = useId();
  return html`<div class="field"><span class="check">
    <input type="checkbox" id=${id} checked=${checked}
      onChange=${(event) => onChecked(event.currentTarget.checked)} />
    <label for=${id}>${label}</label></span><small>${hint}</small></div>`;
}

/**
 * The form of a rule for one point. The point's name has to be typed before it is sent, since from
 * then on the service fails. `onSet` gets the X-Request-Id of the change.
 */
export function RuleForm({ found, onSet, onClose }) {
  const { point, what, kinds, rule: current } = found;
  const [draft, setDraft] = useState(() => draftOf(current, kinds));
  const [typed, setTyped] = useState("");
  const [state, setState] = useState({ busy: false, error: null });
  const { rule, errors } = ruleOf(draft);
  const path = `/faults/${encodeURIComponent(point)}`;
  const put = (name) => (value) => setDraft((before) => ({ ...before, [name]: value }));
  const ready = rule && typed === point && !state.busy;
  const submit = async (event) => {
    event.preventDefault();
    if (!ready) return;
    setState({ busy: true, error: null });
    try {
      const answer = await send("PUT", path, { body: rule });
      announce(`The rule of ${point} is set.`);
      onSet(answer.headers.get("X-Request-Id"));
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  // What nobody has filled in yet is wrong only once the form is about to be sent.
  const wrong = (name) => (draft[name] !== "" || typed !== "" ? errors[name] : undefined);
  const field = (name, label, hint, inputmode = "decimal") => html`<${Field} key=${name}
    label=${label} hint=${hint} inputmode=${inputmode} value=${draft[name]} error=${wrong(name)}
    onValue=${put(name)} />`;
  return html`<${Dialog} title=${`Inject a fault at ${point}`} onClose=${onClose} wide=${true}>
    <form onSubmit=${submit}>
      <p><bdi>${what}</bdi></p>
      <div class="fields">
        <${Select} label="Kind" options=${kinds} value=${draft.kind} onValue=${put("kind")}
          hint=${meanings[draft.kind]} />
        ${draft.kind === "delay" && html`
          ${field("least", "Delay in ms", "Or the least of a span.")}
          ${field("most", "At most, in ms", "Empty: always the same.")}`}
      </div>
      <h3>Which passes it hits</h3>
      <p class="faint">All that is given has to hold. Without any of it every pass is hit.</p>
      <div class="fields">
        ${field("probability", "Probability", "0 to 1: by chance, from the seed.")}
        ${field("every", "Every", "3: the third, the sixth and so on.")}
        ${field("first", "First", "100: none after the hundredth.")}
        <${Check} label="Once" hint="One pass and no more." checked=${draft.once}
          onChecked=${put("once")} />
        <${Check} label="By header" hint=${`Only requests with X-Fault: ${point}`}
          checked=${draft.header} onChecked=${put("header")} />
        ${field("game", "Game", "The id of a game: only what is about it.", "text")}
      </div>
      ${draft.kind === "abort" && html`<p class="warning" role="alert"><strong>The process will
        die.</strong> ${" "}Every request that it has dies with it, and this page loses it until
        something starts it again.</p>`}
      <${Field} label=${`Type ${point} to go on`} value=${typed} onValue=${setTyped} />
      <${Problem} error=${state.error} />
      <footer>
        <${CopyCurl} method="PUT" path=${path} body=${rule ?? {}} />
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="danger" disabled=${!ready}>
          ${state.busy ? "Working …" : `Inject ${draft.kind}`}</button>
      </footer>
    </form>
  </${Dialog}>`;
}
