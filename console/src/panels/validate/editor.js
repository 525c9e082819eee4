// The editor: CodeMirror with JSON, findings, and what the schema knows. It lives in a shadow tree,
// because there its styles are constructed style sheets; in the page itself they would be a style
// element, which the page's Content-Security-Policy refuses.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap }
  from "@codemirror/autocomplete";
import { history, historyKeymap, standardKeymap, undo } from "@codemirror/commands";
import { jsonLanguage } from "@codemirror/lang-json";
import { bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, highlightActiveLineGutter, highlightSpecialChars, hoverTooltip,
  keymap, lineNumbers } from "@codemirror/view";
import { choicesAt, explanationAt } from "./completion.js";
import { editorTheme, highlighting } from "./editor_theme.js";

/** Lezer's tree of a text, complete. */
export const treeOf = (text) => jsonLanguage.parser.parse(text);

const showing = StateEffect.define();
const shownMark = Decoration.mark({ class: "cm-shown" });

/** The last place that was shown, marked also while the editor has no focus. */
const shown = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    const found = transaction.effects.find((effect) => effect.is(showing));
    if (!found) return transaction.docChanged ? Decoration.none : marks;
    const { from, to } = found.value;
    return to > from ? Decoration.set([shownMark.range(from, to)]) : Decoration.none;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Inserts a choice. The range that it replaces is found again, as the text may have changed. */
function take(view, choice, schema) {
  const text = view.state.doc.toString();
  const position = view.state.selection.main.head;
  const found = choicesAt(treeOf(text), text, position, schema);
  const { from, to } = found ?? { from: position, to: position };
  view.dispatch({ changes: { from, to, insert: choice.insert },
    selection: { anchor: from + choice.caret }, userEvent: "input.complete" });
}

function completionsOf(schemaOf) {
  return (context) => {
    const schema = schemaOf();
    if (!schema) return null;
    const text = context.state.doc.toString();
    const found = choicesAt(treeOf(text), text, context.pos, schema);
    if (!found?.choices.length) return null;
    const from = found.from + (text[found.from] === '"' ? 1 : 0);
    // Without a request, choices are shown only for what is being typed, not next to every brace.
    if (!context.explicit && from === context.pos && text[from - 1] !== '"') return null;
    return {
      from,
      validFor: /^[\w.-]*$/,
      options: found.choices.map((choice, index) => ({
        label: choice.label, detail: choice.detail, info: choice.info || undefined,
        type: choice.kind === "member" ? "property" : "constant", boost: -index / 10,
        apply: (view) => take(view, choice, schema),
      })),
    };
  };
}

function explanations(schemaOf) {
  return hoverTooltip((view, position) => {
    const schema = schemaOf();
    if (!schema) return null;
    const text = view.state.doc.toString();
    const found = explanationAt(treeOf(text), text, position, schema);
    if (!found) return null;
    return { pos: found.from, end: found.to, above: true, create() {
      const dom = document.createElement("div");
      dom.className = "cm-explanation";
      const title = document.createElement("b");
      title.textContent = found.title;
      dom.append(title);
      for (const line of found.lines) dom.append(document.createElement("br"), line);
      return { dom };
    } };
  });
}

/**
 * Makes an editor in `host`, an element without a shadow tree.
 * @param {object} options
 * @param {string} options.text
 * @param {(text: string) => void} options.onChange after each change, by the user or the page
 * @param {() => object|null} options.schemaOf the payload's schema now; null: no completion
 * @param {(by: 1|-1) => void} options.onStep called to go to the next or the previous finding
 */
export function createEditor(host, { text, onChange, schemaOf, onStep }) {
  const step = (by) => () => {
    onStep(by);
    return true;
  };
  const root = host.attachShadow({ mode: "open" });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({ doc: text, extensions: [
      lineNumbers(), highlightActiveLineGutter(), highlightSpecialChars(), history(),
      EditorState.tabSize.of(2), indentUnit.of("  "), EditorView.lineWrapping,
      jsonLanguage, bracketMatching(), closeBrackets(), syntaxHighlighting(highlighting),
      autocompletion({ override: [completionsOf(schemaOf)], icons: false }),
      explanations(schemaOf), lintGutter(), shown, editorTheme,
      // Tab leaves the editor, as it leaves every other control.
      keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap,
        ...standardKeymap, { key: "F8", run: step(1), preventDefault: true, stopPropagation: true },
        { key: "Shift-F8", run: step(-1), preventDefault: true, stopPropagation: true }]),
      EditorView.contentAttributes.of({ "aria-label": "Payload, JSON", tabindex: "0" }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
    ] }),
  });
  return {
    text: () => view.state.doc.toString(),
    /** Replaces all of the text. Undoing brings it back. */
    replace(next) {
      if (next === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next },
        selection: { anchor: 0 }, scrollIntoView: true });
    },
    /** Makes replacements, which are one step to undo, and moves the focus to the first one. */
    change(changes) {
      const [first] = [...changes].sort((one, other) => one.from - other.from);
      view.dispatch({ changes, selection: { anchor: first.from + first.insert.length },
        scrollIntoView: true, userEvent: "input.mend" });
      view.focus();
    },
    undo: () => undo(view),
    position: () => view.state.selection.main.from,
    /** Selects a range, shows and marks it; moves the focus there if `focus` is true. */
    show({ from, to }, { focus = true } = {}) {
      const { length } = view.state.doc;
      const range = { from: Math.min(from, length), to: Math.min(to, length) };
      view.dispatch({ selection: { anchor: range.from, head: range.to },
        effects: [showing.of(range), EditorView.scrollIntoView(range.from, { y: "center" })] });
      if (focus) view.focus();
    },
    /** Marks what is wrong: CodeMirror's diagnostics. */
    mark(diagnostics) {
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    destroy: () => view.destroy(),
  };
}
