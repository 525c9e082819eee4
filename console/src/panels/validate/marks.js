// What the editor marks: the service's findings, or where the text is no JSON.
import { rangesOf } from "./finding_ranges.js";
import { mendOf } from "./mends.js";
import { positionOfByte } from "./syntax_error.js";

/**
 * @typedef {{from: number, to: number, code: string, path: string[], message: string,
 *   mend: import("./mends.js").Mend|null}} Mark
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
  return findings.map((finding, index) => {
    const { from, to } = ranges[index];
    return { ...finding, from, to, mend: mendOf(finding, ranges[index], text, schema) };
  });
}

/** The mark of a place where the text is no JSON. */
export const markOfSyntax = ({ from, to, message }) =>
  ({ from, to, code: "syntax", path: [], message, mend: null });

const place = /\(byte (\d+)\)/;

/** The mark of a body that the service could not read, if its refusal says which byte, or null. */
export function markOfRefusal(error, text) {
  const found = place.exec(error.detail ?? "");
  if (!found) return null;
  const at = Math.min(positionOfByte(text, Number(found[1])), Math.max(0, text.length - 1));
  return markOfSyntax({ from: at, to: Math.min(at + 1, text.length), message: error.detail });
}

/**
 * CodeMirror's diagnostics of marks. What it mends is a button of theirs.
 * @param {Mark[]} marks
 * @param {(mend: import("./mends.js").Mend) => void} onMend called with the mend where it is by now
 */
export function diagnosticsOf(marks, text, onMend) {
  return marks.map(({ from, to, code, message, mend }) => ({
    from, to, severity: "error", source: code, message,
    actions: mend ? [{ name: mend.label, apply(view, nowFrom) {
      // Whoever has typed elsewhere meanwhile has moved the place.
      const moved = nowFrom - from;
      const isSame = view.state.sliceDoc(mend.from + moved, mend.to + moved)
        === text.slice(mend.from, mend.to);
      if (isSame) onMend({ ...mend, from: mend.from + moved, to: mend.to + moved });
    } }] : [],
  }));
}
