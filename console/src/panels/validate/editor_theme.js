// How the editor looks. It uses the page's variables, because style sheets do not reach into its
// shadow tree, but variables do.
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const mono = 'ui-monospace, "DejaVu Sans Mono", monospace';

export const editorTheme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--card)", fontSize: "0.93rem",
    height: "100%", border: "1px solid var(--border)", borderRadius: "6px", overflow: "hidden" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: mono, lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-gutters": { color: "var(--faint)", backgroundColor: "var(--ground)",
    borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  ".cm-activeLineGutter": { color: "var(--text)", backgroundColor: "var(--raised)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection": {
    backgroundColor: "var(--flash) !important" },
  ".cm-matchingBracket": { backgroundColor: "var(--raised) !important",
    outline: "1px solid var(--border)" },
  ".cm-tooltip": { color: "var(--text)", backgroundColor: "var(--card)",
    border: "1px solid var(--border)", borderRadius: "6px", maxWidth: "min(34rem, 90vw)" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "0.1rem 0.5rem" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { color: "var(--on-accent)",
    backgroundColor: "var(--accent-ground)" },
  ".cm-completionDetail": { color: "var(--faint)", fontStyle: "normal", marginLeft: "0.75rem" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionInfo": { padding: "0.3rem 0.6rem", maxWidth: "20rem" },
  ".cm-explanation": { padding: "0.3rem 0.6rem", fontFamily: "system-ui, sans-serif",
    whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".cm-explanation b": { fontFamily: mono, fontWeight: "600" },
  ".cm-diagnostic": { padding: "0.3rem 0.6rem", fontFamily: "system-ui, sans-serif",
    whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--bad)" },
  ".cm-diagnosticAction": { color: "var(--on-accent)", backgroundColor: "var(--accent-ground)",
    padding: "0.15rem 0.5rem", borderRadius: "6px", font: "inherit", cursor: "pointer",
    border: "1px solid var(--accent-ground)" },
  ".cm-diagnosticSource": { color: "var(--faint)", opacity: "1", fontSize: "0.9em" },
  // CodeMirror's own marks are images in data: URLs, which the page's policy refuses.
  ".cm-lintRange-error, .cm-lintRange-warning, .cm-lintRange-info, .cm-lintRange-hint": {
    backgroundImage: "none" },
  ".cm-lint-marker": { content: "normal !important", width: "0", height: "0",
    margin: "0.45em 0.1em 0", borderRadius: "50%", border: "0.3em solid var(--bad)" },
  ".cm-shown": { outline: "2px solid var(--bad)", outlineOffset: "1px", borderRadius: "2px" },
  ".cm-diagnostic code": { fontFamily: mono, fontSize: "0.93em" },
  ".cm-lintRange-error": { textDecoration: "underline wavy var(--bad)",
    textDecorationSkipInk: "none", backgroundColor: "var(--bad-ground)" },
});

export const highlighting = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--series-1)" },
  { tag: tags.string, color: "var(--series-3)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--series-4)" },
]);
