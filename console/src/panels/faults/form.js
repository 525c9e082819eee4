import { X } from "lucide-preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { send } from "../../core/api.js";
import { CopyCurl, Field, Picker, Problem, Select, announce } from "../../core/components.js";
import { html } from "../../core/html.js";
import { turn } from "../../core/router.js";
import { mayChange } from "../../core/session.js";
import { Rule, leftText } from "./injected.js";
import { meaningOf } from "./kinds.js";
import { operationsAt, wordsOf } from "./path.js";
import { noteOwn } from "./past.js";
import { draftOf, ruleOf, spansWith } from "./rule.js";

function Check({ label, hint, checked, onChecked }) {
  const id = useId();
  return html`<div class="field"><span class="check">
    <input type="checkbox" id=${id} checked=${checked} aria-describedby=${`${id}-hint`}
      onChange=${(event) => onChecked(event.currentTarget.checked)} />
    <label for=${id}>${label}</label></span><small id=${`${id}-hint`}>${hint}</small></div>`;
}

/** The fields that limit a rule to some requests, by what the point knows about requests. */
function Whom({ found, draft, errors, put, field, games, tokens }) {
  const knows = (name) => (found.choose_by ?? []).includes(name);
  if (!found.choose_by?.length) {
    return html`<p class="faint">This point cannot tell who sent a request, so it hits all
      requests.</p>`;
  }
  const options = (list, id, label) => list.map((one) => ({ value: one[id], label: label(one),
    note: one[id] }));
  return html`<div class="fields">
    ${knows("game") && html`<${Picker} label="Game" all="All games" value=${draft.game}
      options=${options(games, "game_id", ({ display_name: name }) => name)}
      error=${errors.game} onValue=${put("game")} />`}
    ${knows("token") && tokens && html`<${Picker} label="Token" all="All tokens"
      options=${options(tokens, "token_id", ({ name, kind }) => `${name} (${kind})`)}
      value=${draft.token} error=${errors.token} onValue=${put("token")} />`}
    ${knows("client") && field("client", "Client", "An address, or a block such as 10.0.0.0/8.",
      "text")}
    ${knows("connections") && field("connections", "Share of connections", "0.1: always the same "
      + "tenth of them.")}
    ${knows("header") && html`<${Check} label="By header" checked=${draft.header}
      hint=${`Only requests with X-Fault: ${found.point}`} onChecked=${put("header")} />`}
  </div>`;
}

function HowOften({ draft, put, field }) {
  return html`<div class="fields">
    ${field("probability", "Probability", "0 to 1: by chance, from the seed.")}
    ${field("every", "Every", "3: the third, the sixth and so on.")}
    ${field("first", "First", "100: none after the hundredth.")}
    <${Check} label="Once" hint="One pass and no more." checked=${draft.once}
      onChecked=${put("once")} />
  </div>`;
}

function Editor({ found, games, tokens, onDone }) {
  const { point, kinds, rule: current } = found;
  const [draft, setDraft] = useState(() => draftOf(current, kinds));
  const [typed, setTyped] = useState("");
  const [tried, setTried] = useState(false);
  const [state, setState] = useState({ busy: false, error: null });
  const { rule, errors } = ruleOf(draft);
  const path = `/faults/${encodeURIComponent(point)}`;
  const put = (name) => (value) => setDraft((before) => ({ ...before, [name]: value }));
  const isSure = draft.kind !== "abort" || typed === point;
  const submit = async (event) => {
    event.preventDefault();
    setTried(true);
    if (!rule || !isSure || state.busy) return;
    setState({ busy: true, error: null });
    try {
      const answer = await send("PUT", path, { body: rule });
      noteOwn(answer.headers.get("X-Request-Id"));
      announce(`${draft.kind} is injected at ${wordsOf(point)}.`);
      setState({ busy: false, error: null });
      onDone();
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  // An empty field counts as wrong only once the user has tried to send the form.
  const wrong = (name) => (draft[name] !== "" || tried ? errors[name] : undefined);
  const field = (name, label, hint, inputmode = "decimal") => html`<${Field} key=${name}
    label=${label} hint=${hint} inputmode=${inputmode} value=${draft[name]} error=${wrong(name)}
    onValue=${put(name)} />`;
  const shared = { draft, put, field };
  return html`<form onSubmit=${submit}>
    <div class="fields">
      <${Select} label="Kind" options=${kinds} value=${draft.kind} onValue=${put("kind")}
        hint=${meaningOf(draft.kind)} />
      <${Select} label="Heals after" options=${spansWith(draft.lasts)} value=${draft.lasts}
        onValue=${put("lasts")} hint="Then the fault ends by itself." />
      ${draft.kind === "delay" && html`
        ${field("least", "Delay in ms", "Or the minimum of a range.")}
        ${field("most", "At most, in ms", "Empty: always the same delay.")}`}
    </div>
    <h3>Which requests it hits</h3>
    <${Whom} ...${shared} found=${found} errors=${errors} games=${games} tokens=${tokens} />
    <details open=${["probability", "every", "first"].some((name) => draft[name]) || draft.once}>
      <summary>How often</summary><${HowOften} ...${shared} /></details>
    ${draft.kind === "abort" && html`<p class="warning" role="alert"><strong>The process will
      die.</strong> ${" "}Its requests die with it, and this page loses the connection until
      something starts the process again.</p>
      <${Field} label=${`Type ${point} to continue`} value=${typed} onValue=${setTyped} />`}
    <${Problem} error=${state.error} />
    <footer class="actions">
      <button type="submit" class="danger" disabled=${state.busy || (tried && !rule) || !isSure}>
        ${state.busy ? "Working …"
          : `${current ? "Replace with" : "Inject"} ${draft.kind}`}</button>
      <${CopyCurl} method="PUT" path=${path} body=${rule ?? {}} /></footer>
  </form>`;
}

/**
 * One point: what it is, its rule, and the form for another rule. `onDone` is called after a
 * change, `onClear` ends the rule.
 */
export function PointForm({ found, names, games, tokens, onDone, onClear }) {
  const { point, what, rule } = found;
  const heading = useRef(null);
  const id = useId();
  // Moves the focus here, because on a narrow screen the form is far from the picture.
  useEffect(() => heading.current?.focus(), []);
  const operations = operationsAt(point);
  return html`<section class="card point-form" aria-labelledby=${id}>
    <header class="card-head"><h2 id=${id} ref=${heading} tabindex="-1">${wordsOf(point)} <code
        class="faint">${point}</code></h2>
      <button type="button" class="quiet icon-only" aria-label="Close the point"
        onClick=${() => turn({ point: "" })}><${X} /></button></header>
    <p>${what}${operations && html` <span class="faint">For: ${operations.join(", ")}.</span>`}</p>
    ${rule && html`<div class="now"><p><span class="badge warn"><${Rule} rule=${rule}
        names=${names} /></span></p>
      <p><strong>${found.hits}</strong> of ${found.passes} passes hit since it was set, ${
        leftText(found.heals_in_s)}</p>
      ${mayChange.value && html`<button type="button" onClick=${() => onClear(point)}>Clear
        it</button>`}</div>`}
    ${mayChange.value ? html`<${Editor} found=${found} games=${games} tokens=${tokens}
        onDone=${onDone} />`
      : html`<p class="faint">It can have: ${found.kinds.join(", ")}.</p>`}
  </section>`;
}
