// Validate: an editor for a payload that shows what is wrong where it is wrong.
import { ChevronDown, ChevronUp, RotateCcw, Undo2, WandSparkles } from "lucide-preact";
import { html, useEffect, useLayoutEffect, useRef, useState } from "../core/html.js";
import { Badge, CopyCurl, CopyText, Message, Panel as Frame, Problem, Section, Select }
  from "../core/components.js";
import { curlOf } from "../core/api.js";
import { plural } from "../core/plural.js";
import { useQuery } from "../core/query.js";
import { go } from "../core/router.js";
import { keepDraft, keptDraft } from "./validate/draft.js";
import { createEditor, treeOf } from "./validate/editor.js";
import { examples, kinds } from "./validate/examples.js";
import { FindingsList } from "./validate/findings_list.js";
import { changeBetween, safeCount } from "./validate/fix_all.js";
import { KnownNames, knownNames, withoutLists } from "./validate/known_names.js";
import { diagnosticsOf } from "./validate/marks.js";
import { OpenFile, useFile } from "./validate/open_file.js";
import { nextMark } from "./validate/steps.js";
import { useFindings, validatePath } from "./validate/use_findings.js";

const said = {
  checking: () => ["plain", "checking"],
  valid: () => ["good", "valid"],
  findings: (count) => ["bad", plural(count, "finding")],
  syntax: () => ["bad", "not JSON yet"],
  failed: () => ["warn", "not checked"],
};

/** What the hash says: a kind, and an example of it or null. */
function chosen(params) {
  const kind = kinds.includes(params.get("kind")) ? params.get("kind") : kinds[0];
  const wanted = params.get("example");
  return { kind, wanted: examples[kind].some(({ id }) => id === wanted) ? wanted : null };
}

/** The text to show for a kind: the draft in this tab, or else the example. */
function beginning(kind, wanted) {
  const kept = keptDraft(kind, wanted);
  if (kept) return kept;
  const example = examples[kind].find(({ id }) => id === wanted) ?? examples[kind][0];
  return { example: example.id, text: example.text };
}

function Choices({ kind, example }) {
  return html`<${Select} className="inline" label="Kind" options=${kinds} value=${kind}
      onValue=${(next) => go("validate", { kind: next })} />
    <${Select} className="inline" label="Example" value=${example}
      options=${examples[kind].map(({ id, title }) => [id, title])}
      onValue=${(id) => go("validate", { kind, example: id })} />`;
}

/** The editor, made once. It calls the functions of the latest rendering. */
function useEditor(text, latest) {
  const host = useRef(null);
  const editor = useRef(null);
  useLayoutEffect(() => {
    editor.current = createEditor(host.current, { text,
      schemaOf: () => latest.current.schema, onChange: (now) => latest.current.changed(now),
      onStep: (by) => latest.current.step(by) });
    return () => editor.current.destroy();
  }, []);
  return { host, editor };
}

/** F8 goes to the next finding from anywhere on the page; the editor has a binding of its own. */
function useStepKeys(latest) {
  useEffect(() => {
    const press = (event) => {
      if (event.key !== "F8" || event.defaultPrevented) return;
      event.preventDefault();
      latest.current.step(event.shiftKey ? -1 : 1);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function Steps({ count, current, onStep }) {
  return html`<button type="button" class="icon-only" title="Shift+F8" disabled=${!count}
      aria-label="Previous finding" onClick=${() => onStep(-1)}><${ChevronUp} /></button>
    <span class="faint">${current >= 0 && `${current + 1} of ${count}`}</span>
    <button type="button" class="icon-only" title="F8" disabled=${!count}
      aria-label="Next finding" onClick=${() => onStep(1)}><${ChevronDown} /></button>`;
}

const doneText = ({ fixes, after }) =>
  `Made ${plural(fixes, "fix", "fixes")}; ${plural(after, "finding")} left.`;

/** Applies all safe fixes in one step, which one click undoes. */
function FixAll({ found, isOld, fixed, editor, onChanged }) {
  const [outcome, setOutcome] = useState(null);
  const [isBusy, setBusy] = useState(false);
  const count = safeCount(found.marks);
  const isDone = outcome?.text !== undefined && outcome.text === editor.current?.text();
  const fix = async () => {
    setBusy(true);
    try {
      const made = await fixed();
      const now = editor.current.text();
      if (now !== found.text || made.text === now) return;
      editor.current.change([changeBetween(now, made.text)]);
      setOutcome(made);
      onChanged();
    } catch (error) {
      setOutcome({ error });
    } finally {
      setBusy(false);
    }
  };
  const undo = () => {
    editor.current.undo();
    onChanged();
  };
  return html`${count > 0 && html`<button type="button" class="primary" disabled=${isOld || isBusy}
      onClick=${fix} title="Fixes that lose nothing and are unambiguous">
      <${WandSparkles} />Fix ${count} safely</button>`}
    <span role="status" class="made">${isDone && doneText(outcome)}</span>
    ${isDone && html`<button type="button" onClick=${undo}><${Undo2} />Undo</button>`}
    <${Problem} error=${outcome?.error} />`;
}

function Payload({ kind, editor, host, file, completion, onReset }) {
  return html`<${Section} title="Payload" actions=${html`
    <${OpenFile} onFile=${file.take} />
    <button type="button" onClick=${onReset}><${RotateCcw} />Start over</button>`}>
    <p class=${file.error ? "wrong" : "faint"} role="status">${file.error || file.said
      || "Drop a JSON file here (up to 1 MiB), or type."}</p>
    <div class=${`editor ${file.isOver ? "dropping" : ""}`} ref=${host}></div>
    <div class="card-head"><p class="faint"><span class="wide-only">Ctrl+Space completes, F8 goes
      to the next finding, Tab leaves the editor.</span>${completion
      && html` Completion is off: <${Message} text=${completion.detail} />`}</p>
      <div class="actions"><${CopyText} text=${() => curlOf("POST", validatePath(kind),
        editor.current.text())} label="Copy as curl" title=${`POST ${validatePath(kind)}`}
        className="curl" />
      <${CopyCurl} path=${`/v1/schema/${kind}`} label="Copy curl of the schema" /></div></div>
  </${Section}>`;
}

function Editor({ kind, wanted }) {
  const area = useRef(null);
  const begun = useRef(null);
  const latest = useRef({});
  const [example, setExample] = useState(() => beginning(kind, wanted).example);
  const [current, setCurrent] = useState(-1);
  const { host, editor } = useEditor(beginning(kind, wanted).text, latest);
  const asked = useQuery(`/v1/schema/${encodeURIComponent(kind)}`);
  const schema = asked.value;
  const { found, check, now, fixed } = useFindings(kind, treeOf, () => latest.current.schema);
  const show = (index, options) => {
    setCurrent(index);
    editor.current.show(found.marks[index], options);
  };
  const step = (by, options) => {
    const next = nextMark(found.marks, current, editor.current.position(), by);
    if (next >= 0) show(next, options);
  };
  Object.assign(latest.current, { schema, step, changed: (text) => {
    keepDraft(kind, begun.current, text);
    setCurrent(-1);
    check(text);
  } });
  useStepKeys(latest);
  const put = (text) => {
    editor.current.replace(text);
    now();
  };
  const file = useFile(area, put);

  useEffect(() => {
    const next = beginning(kind, wanted);
    begun.current = next.example;
    setExample(next.example);
    editor.current.replace(next.text);
    check(next.text);
    now();
  }, [kind, wanted]);
  // Fixes that add members need the schema, which may arrive after the findings.
  useEffect(() => {
    if (!schema || !editor.current.text()) return;
    check(editor.current.text());
    now();
  }, [schema]);

  const mend = ({ changes }) => {
    editor.current.change(changes);
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
    put(examples[kind].find(({ id }) => id === example).text);
  };
  const isOld = editor.current !== null && found.text !== editor.current.text();
  const [tone, words] = said[found.state](found.marks.length);
  const known = knownNames(found.marks, schema);

  return html`<${Frame} title="Validate" actions=${html`<${Choices} kind=${kind}
      example=${example} />`}><div class="validate" ref=${area}>
    <${Payload} kind=${kind} editor=${editor} host=${host} file=${file} onReset=${reset}
      completion=${asked.error} />
    <${Section} className="found" title="Findings" actions=${html`<span role="status">
      <${Badge} tone=${tone}>${words}</${Badge}></span>
      <${Steps} count=${found.marks.length} current=${current}
        onStep=${(by) => step(by, { focus: false })} />`}>
      <${Problem} error=${found.error} onRetry=${() => {
        check(editor.current.text());
        now();
      }} />
      <div class="actions"><${FixAll} found=${found} isOld=${isOld} fixed=${fixed}
        editor=${editor} onChanged=${now} /></div>
      ${found.state === "valid" && html`<p>The service finds nothing wrong with this.</p>`}
      <div class="findings-scroll">
        <${KnownNames} known=${known} />
        <${FindingsList} marks=${withoutLists(found.marks, known)} text=${found.text}
          isOld=${isOld} current=${current} onShow=${show} onMend=${mend} /></div>
    </${Section}>
  </div></${Frame}>`;
}

function Panel({ route }) {
  const { kind, wanted } = chosen(route.params);
  return html`<${Editor} kind=${kind} wanted=${wanted} />`;
}

export default { id: "validate", title: "Validate", Panel };
