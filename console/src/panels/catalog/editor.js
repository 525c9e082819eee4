import { useState } from "preact/hooks";
import { request, send } from "../../core/api.js";
import {
  CopyCurl, Dialog, Field, MemberDiff, Problem, Select, announce,
} from "../../core/components.js";
import { differences } from "../../core/components/diff.js";
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { elementsOf, kinds, pathOf } from "./kinds.js";

// crypto.randomUUID is there for https and localhost alone.
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The element as it is now, or null where it is not there. Throws ApiError. */
async function currentOf(kind, path) {
  // A tier is nothing but its id: there is nothing to compare.
  if (kinds[kind].fixed) return null;
  try {
    return await request("GET", path);
  } catch (error) {
    if (error.status === 404) return null;
    throw error;
  }
}

function Choice({ field, value, onValue }) {
  const { value: listing, error } = useQuery(`/v1/${field.choices}`);
  const { id, draftOf } = kinds[field.choices];
  const found = listing ? elementsOf(field.choices, listing) : [];
  const options = found.map((element) => [element[id],
    `${draftOf(element).display_name ?? ""} ${element[id]}`.slice(0, 120)]);
  if (!found.some((element) => element[id] === value)) {
    options.unshift([value, value || "Choose one"]);
  }
  return html`<${Select} label=${field.label} ...${{ options, value, onValue }} />
    <${Problem} error=${error} />`;
}

/**
 * The form of an element; `element` null makes a new one. Shows what differs from what is there
 * before it is sent. `onDone(requestId, id)` is called after the change.
 */
export function Editor({ kind, element, onDone, onClose }) {
  const definition = kinds[kind];
  const { one, id: idName, draftOf, elementOf, fields, fixed } = definition;
  const [id, setId] = useState(() => element?.[idName] ?? (definition.makesId ? newId() : ""));
  const [base, setBase] = useState(element);
  const [draft, setDraft] = useState(() => draftOf(element ?? {}));
  const [state, setState] = useState({ busy: false, error: null, moved: false });
  const path = pathOf(kind, id);
  const body = { [idName]: id, ...elementOf(draft, base ?? {}) };
  const sent = fixed ? undefined : body;
  const same = base !== null && !differences(base, body).length;
  const ready = id !== "" && !same && !state.busy;

  const submit = async (event) => {
    event.preventDefault();
    if (!ready) return;
    setState({ busy: true, error: null, moved: false });
    try {
      // What was reviewed must be what happens: somebody else may have changed it meanwhile.
      const now = await currentOf(kind, path);
      if (differences(base, now).length) {
        setBase(now);
        setState({ busy: false, error: null, moved: true });
        return;
      }
      const answer = await send("PUT", path, { body: sent });
      announce(`The ${one} is saved.`);
      onDone(answer.headers.get("X-Request-Id"), id);
    } catch (error) {
      setState({ busy: false, error, moved: false });
    }
  };
  const put = (name) => (value) => setDraft((before) => ({ ...before, [name]: value }));
  const control = (field) => (field.choices
    ? html`<${Choice} key=${field.name} field=${field} value=${draft[field.name]}
        onValue=${put(field.name)} />`
    : html`<${Field} key=${field.name} label=${field.label} hint=${field.hint}
        multiline=${field.multiline} value=${draft[field.name]} onValue=${put(field.name)} />`);
  return html`<${Dialog} title=${element ? `Edit a ${one}` : `New ${one}`} onClose=${onClose}
    wide=${true}>
    <form onSubmit=${submit}>
      <div class="fields">
        <${Field} label="Id" value=${id} readOnly=${Boolean(element)} onValue=${setId}
          hint=${definition.idHint ?? (definition.makesId ? "A UUID." : undefined)} />
        ${fields.map(control)}
      </div>
      <h3>What changes</h3>
      ${state.moved && html`<p class="warning" role="alert">It is not as it was when this form was
        opened. Below is what would change now: look at it, then save again.</p>`}
      <${MemberDiff} before=${base} after=${body} />
      <${Problem} error=${state.error} />
      <footer>
        <${CopyCurl} method="PUT" path=${path} body=${sent} />
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="primary" disabled=${!ready}>
          ${state.busy ? "Working …" : "Save"}</button>
      </footer>
    </form>
  </${Dialog}>`;
}
