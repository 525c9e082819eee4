import { request, send } from "../../core/api.js";
import { CopyCurl, Dialog, Field, MemberDiff, Problem, announce } from "../../core/components.js";
import { differences } from "../../core/components/diff.js";
import { html, useEffect, useRef, useState } from "../../core/html.js";
import { plural } from "../../core/plural.js";
import { findingsOf, newUuid, proposedId } from "./checks.js";
import { Control } from "./controls.js";
import { kinds, pathOf, problemsOf } from "./kinds.js";

/** The element as it is now, or null if it does not exist. Throws ApiError. */
async function currentOf(kind, path) {
  // A tier has only its id, so there is nothing to compare.
  if (kinds[kind].isNameAlone) return null;
  try {
    return await request("GET", path);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

/** The object that a text of JSON stands for: `{value}`, or `{problem}` with a sentence. */
function objectOf(text) {
  try {
    const value = JSON.parse(text);
    if (value && typeof value === "object" && !Array.isArray(value)) return { value };
    return { problem: "This must be a JSON object: {..}." };
  } catch (error) {
    return { problem: `This is not JSON. ${error.message}` };
  }
}

/**
 * The content of a form, as fields and as JSON. `source` has the members that the form does not
 * show. Returns the state and the functions that change it.
 */
function useForm({ kind, element, preset, data }) {
  const { id: idName, name: nameOf, isUuid, draftOf, elementOf } = kinds[kind];
  const [start] = useState(() => ({ source: element ?? {}, json: null,
    draft: draftOf(element ?? preset),
    typedId: element?.[idName] ?? (isUuid ? newUuid() : null) }));
  const [form, setForm] = useState(start);
  const { source, draft, json, typedId } = form;
  const taken = new Set((data[kind] ?? []).map((one) => one[idName]));
  const id = typedId ?? proposedId(draft[nameOf] ?? "", taken);
  const parsed = json === null ? { value: elementOf(draft, source) } : objectOf(json);
  const { [idName]: _, ...members } = parsed.value ?? {};
  const problems = json === null ? problemsOf(kind, draft, { id, isNew: !element, data })
    : parsed.problem ? { json: parsed.problem } : {};
  return {
    id, draft, json, problems, body: { [idName]: id, ...members },
    isChanged: JSON.stringify(form) !== JSON.stringify(start),
    setId: (value) => setForm((now) => ({ ...now, typedId: value })),
    put: (name, value) => setForm((now) => ({ ...now, draft: { ...now.draft, [name]: value } })),
    setJson: (value) => setForm((now) => ({ ...now, json: value })),
    asJson: () => setForm((now) => ({ ...now, json: JSON.stringify(members, null, 2) })),
    asForm: () => setForm((now) => ({ ...now, json: null, source: parsed.value,
      draft: draftOf(parsed.value) })),
  };
}

/** Puts the focus on the first field, and whenever `asked` grows, on the first wrong field. */
function useFocus(form, asked) {
  useEffect(() => {
    form.current?.querySelector(asked ? '[aria-invalid="true"]' : "input:not([readonly])")?.focus();
  }, [asked]);
}

function Footer({ kind, form, path, body, busy, same, wrong }) {
  const leave = (event) => event.currentTarget.closest("dialog")
    .dispatchEvent(new Event("cancel", { cancelable: true }));
  const canTurn = form.json === null || !form.problems.json;
  return html`<footer>
    ${kinds[kind].fields.length > 0 && html`<button type="button" class="quiet" disabled=${!canTurn}
      onClick=${form.json === null ? form.asJson : form.asForm}>
      ${form.json === null ? "Edit as JSON" : "Edit as a form"}</button>`}
    <${CopyCurl} method="PUT" path=${path} body=${body} />
    <span class="wrong grow">${wrong > 0 && `${plural(wrong, "field")} to correct`}</span>
    <button type="button" onClick=${leave}>Cancel</button>
    <button type="submit" class="primary" disabled=${busy || same}>
      ${busy ? "Saving …" : "Save"}</button>
  </footer>`;
}

/**
 * The form for an element. If `element` is null, it makes a new one with the members of `preset`.
 * Before it saves, it shows what will change. `data` are the catalog's lists. `onDone(requestId,
 * body)` is called after the change.
 */
export function Editor({ kind, element, preset = {}, data, onDone, onClose }) {
  const { one, isNameAlone, isUuid, idHint, fields } = kinds[kind];
  const element_form = useRef(null);
  const form = useForm({ kind, element, preset, data });
  const [base, setBase] = useState(element);
  const [state, setState] = useState({ busy: false, error: null, moved: false });
  const [tried, setTried] = useState(0);
  const [refused, setRefused] = useState({});
  useFocus(element_form, tried);
  const { id, body } = form;
  const path = pathOf(kind, id);
  const sent = isNameAlone ? undefined : body;
  const same = base !== null && !differences(base, body).length;
  const wrong = tried ? { ...refused, ...form.problems } : refused;

  const fail = (error) => {
    const { byField, isWhole } = form.json === null ? findingsOf(error, fields)
      : { byField: {}, isWhole: false };
    setRefused(byField);
    setState({ busy: false, error: isWhole ? null : error, moved: false });
    if (Object.keys(byField).length) setTried(tried + 1);
  };
  const submit = async (event) => {
    event.preventDefault();
    if (same || state.busy) return;
    const count = Object.keys(form.problems).length;
    if (count) {
      setTried(tried + 1);
      announce(`Not saved: ${plural(count, "field")} to correct.`);
      return;
    }
    setState({ busy: true, error: null, moved: false });
    try {
      // Only what was reviewed may happen, but somebody else may have changed the element since.
      const now = await currentOf(kind, path);
      if (differences(base, now).length) {
        setBase(now);
        setState({ busy: false, error: null, moved: true });
        return;
      }
      const answer = await send("PUT", path, { body: sent });
      announce(`The ${one} is saved.`);
      onDone(answer.headers.get("X-Request-Id"), body);
    } catch (error) {
      fail(error);
    }
  };
  const put = (name) => (value) => {
    setRefused(({ [name]: _, ...rest }) => rest);
    (name === "id" ? form.setId : (now) => form.put(name, now))(value);
  };
  const idField = html`<${Field} label="Id" value=${id} readOnly=${Boolean(element)}
    onValue=${put("id")} error=${wrong.id}
    hint=${element ? undefined : idHint ?? (isUuid ? "A UUID, made for you." : undefined)} />`;
  return html`<${Dialog} title=${element ? `Edit ${one}` : `Add ${one}`} onClose=${onClose}
    changed=${form.isChanged}>
    <form ref=${element_form} onSubmit=${submit} noValidate class=${`catalog-form ${kind}`}>
      ${form.json === null ? html`<div class="fields">
          ${fields.map((field) => html`<${Control} key=${field.name} field=${field} data=${data}
            value=${form.draft[field.name]} error=${wrong[field.name]}
            onValue=${put(field.name)} />`)}
          ${idField}</div>`
        : html`${idField}<${Field} label=${`The ${one} as JSON`} multiline className="json-text"
          value=${form.json} error=${wrong.json} onValue=${form.setJson} />`}
      ${state.moved && html`<p class="warning" role="alert">The ${one} has changed since this form
        was opened. Check below what would change now, then save again.</p>`}
      ${base !== null && html`<h3>What changes</h3>
        <${MemberDiff} before=${base} after=${body} />`}
      <${Problem} error=${state.error} />
      <${Footer} kind=${kind} form=${form} path=${path} body=${sent} busy=${state.busy} same=${same}
        wrong=${Object.keys(wrong).length} />
    </form>
  </${Dialog}>`;
}
