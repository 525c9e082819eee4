// Validate: a payload is written, and what is wrong with it stands where it is wrong.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../core/html.js";
import { Badge, CopyCurl, CopyText, Panel as Frame, Problem, Section, Select }
  from "../core/components.js";
import { curlOf } from "../core/api.js";
import { useQuery } from "../core/query.js";
import { go } from "../core/router.js";
import { keepDraft, keptDraft } from "./validate/draft.js";
import { createEditor, treeOf } from "./validate/editor.js";
import { examples, kinds } from "./validate/examples.js";
import { FindingsList } from "./validate/findings_list.js";
import { diagnosticsOf } from "./validate/marks.js";
import { useFindings, validatePath } from "./validate/use_findings.js";

const said = {
  checking: () => ["plain", "checking"],
  valid: () => ["good", "valid"],
  findings: (count) => ["bad", count === 1 ? "1 finding" : `${count} findings`],
  syntax: () => ["bad", "no JSON yet"],
  failed: () => ["warn", "not checked"],
};

/** What the hash says: a kind, and an example of it or null. */
function chosen(params) {
  const kind = kinds.includes(params.get("kind")) ? params.get("kind") : kinds[0];
  const wanted = params.get("example");
  return { kind, wanted: examples[kind].some(({ id }) => id === wanted) ? wanted : null };
}

/** The text to show for a kind: what was being written here, else the example. */
function beginning(kind, wanted) {
  const kept = keptDraft(kind, wanted);
  if (kept) return kept;
  const example = examples[kind].find(({ id }) => id === wanted) ?? examples[kind][0];
  return { example: example.id, text: example.text };
}

function Choices({ kind, example, onReset }) {
  return html`<div class="choices">
    <${Select} label="Kind" options=${kinds} value=${kind}
      onValue=${(next) => go("validate", { kind: next })} />
    <${Select} label="Example" options=${examples[kind].map(({ id, title }) => [id, title])}
      value=${example} onValue=${(id) => go("validate", { kind, example: id })} />
    <button type="button" onClick=${onReset}>Start over</button>
  </div>`;
}

function Editor({ kind, wanted }) {
  const host = useRef(null);
  const editor = useRef(null);
  const schema = useRef(null);
  const begun = useRef(null);
  const [example, setExample] = useState(() => beginning(kind, wanted).example);
  const asked = useQuery(`/v1/schema/${encodeURIComponent(kind)}`);
  schema.current = asked.value;
  const { found, check, now } = useFindings(kind, treeOf, () => schema.current);
  // The editor is made once; what it calls is of the latest rendering.
  const changed = useRef(null);
  changed.current = (text) => {
    keepDraft(kind, begun.current, text);
    check(text);
  };

  useLayoutEffect(() => {
    editor.current = createEditor(host.current, { text: beginning(kind, wanted).text,
      schemaOf: () => schema.current, onChange: (text) => changed.current(text) });
    return () => editor.current.destroy();
  }, []);
  useEffect(() => {
    const next = beginning(kind, wanted);
    begun.current = next.example;
    setExample(next.example);
    editor.current.replace(next.text);
    check(next.text);
    now();
  }, [kind, wanted]);
  // Mends that add members need the schema: it may come after the findings.
  useEffect(() => {
    if (asked.value && editor.current.text()) check(editor.current.text());
  }, [asked.value]);

  const mend = (change) => {
    editor.current.change(change);
    now();
  };
  useEffect(() => {
    if (found.state === "checking") return;
    if (found.text === editor.current.text()) {
      editor.current.mark(diagnosticsOf(found.marks, found.text, mend));
    }
  }, [found]);
  const reset = () => {
    begun.current = example;
    editor.current.replace(examples[kind].find(({ id }) => id === example).text);
    now();
  };
  const isOld = editor.current !== null && found.text !== editor.current.text();
  const [tone, words] = said[found.state](found.marks.length);

  return html`<div class="validate">
    <${Section} title="Payload" actions=${html`
      <${CopyText} text=${() => curlOf("POST", validatePath(kind), editor.current.text())}
        label="Copy as curl" title=${`POST ${validatePath(kind)}`} className="curl" />
      <${CopyCurl} path=${`/v1/schema/${kind}`} label="Copy curl of the schema" />`}>
      <${Choices} kind=${kind} example=${example} onReset=${reset} />
      <div class="editor" ref=${host}></div>
      <p class="faint">Ctrl+Space completes, F8 goes to the next finding, Tab leaves the editor.
        ${asked.error && html` Completion is off: <bdi>${asked.error.detail}</bdi>`}</p>
    </${Section}>
    <${Section} title="Findings" actions=${html`<span role="status">
      <${Badge} tone=${tone}>${words}</${Badge}></span>`}>
      <${Problem} error=${found.error} onRetry=${() => {
        check(editor.current.text());
        now();
      }} />
      ${found.state === "valid" && html`<p>The service finds nothing wrong with this.</p>`}
      <${FindingsList} marks=${found.marks} text=${found.text} isOld=${isOld}
        onShow=${(mark) => editor.current.show(mark)} onMend=${mend} />
    </${Section}>
  </div>`;
}

function Panel({ route }) {
  const { kind, wanted } = chosen(route.params);
  return html`<${Frame} title="Validate"><${Editor} kind=${kind} wanted=${wanted} /></${Frame}>`;
}

export default { id: "validate", title: "Validate", Panel };
