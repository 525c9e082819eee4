// What the editor marks: the service's findings, or where the text is not JSON.
import { piecesOf } from "../../core/components/message.js";
import { rangesOf } from "./finding_ranges.js";
import { mendsOf } from "./mends.js";
import { positionOfByte } from "./syntax_error.js";

/**
 * @typedef {{from: number, to: number, code: string, path: string[], message: string,
 *   mends: import("./mends.js").Mend[]}} Mark
 */

/**
 * The marks of the service's findings, in their order.
 * @param {{path: string[], code: string, message: string}[]} findings
 * @param {import("@lezer/common").Tree} tree of `text`, which is what the findings are about
 * @param {object|null} schema
 * @returns {Mark[]}
 */
export function marksOf(findings, tree, text, schema) {
  const ranges = rangesOf(findings, tree, text);
  const context = { text, schema, findings, ranges };
  return findings.map((finding, index) => {
    const { from, to } = ranges[index];
    return { ...finding, from, to, mends: mendsOf(finding, ranges[index], context) };
  });
}

/** The mark of a place where the text is not JSON. */
export const markOfSyntax = ({ from, to, message }) =>
  ({ from, to, code: "syntax", path: [], message, mends: [] });

const place = /\(byte (\d+)\)/;

/** The mark for a body that the service could not read, or null if its refusal names no byte. */
export function markOfRefusal(error, text) {
  const found = place.exec(error.detail ?? "");
  if (!found) return null;
  const at = Math.min(positionOfByte(text, Number(found[1])), Math.max(0, text.length - 1));
  return markOfSyntax({ from: at, to: Math.min(at + 1, text.length), message: error.detail });
}

function rendered(message) {
  const words = document.createElement("span");
  words.append(...piecesOf(message).map((piece, index) => {
    const node = document.createElement(index % 2 ? "code" : "span");
    node.textContent = piece;
    return node;
  }));
  return words;
}

/**
 * CodeMirror's diagnostics for marks. Their fixes are buttons.
 * @param {Mark[]} marks
 * @param {(mend: import("./mends.js").Mend) => void} onMend
 */
export function diagnosticsOf(marks, text, onMend) {
  return marks.map(({ from, to, code, message, mends }) => ({
    from, to, severity: "error", source: code, message,
    renderMessage: () => rendered(message),
    actions: mends.map((mend) => ({ name: mend.label, apply(view) {
      // If the text has changed since, these marks are out of date.
      if (view.state.doc.toString() === text) onMend(mend);
    } })),
  }));
}
