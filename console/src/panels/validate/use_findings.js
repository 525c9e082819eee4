// Findings about a text that is being written.
import { useEffect, useMemo, useState } from "../../core/html.js";
import { request } from "../../core/api.js";
import { latestRequest } from "./latest_request.js";
import { fixAll } from "./fix_all.js";
import { certainMarks, checkedMarks, hasDoubts } from "./mend_checks.js";
import { markOfRefusal, markOfSyntax, marksOf } from "./marks.js";
import { firstSyntaxError } from "./syntax_error.js";

const pause_ms = 300;

/** The longest body that the service accepts by default (body-limit-bytes). */
export const text_limit_bytes = 1 << 20;

const nothing = { state: "checking", marks: [], text: "", error: null };

const answer = (marks, text) =>
  ({ state: marks.length > 0 ? "findings" : "valid", marks, text, error: null });

/** The path that a payload of a kind is sent to. */
export const validatePath = (kind) => `/v1/validate/${encodeURIComponent(kind)}`;

/**
 * Validates what `check` gets, with at most one request at a time, about the newest text.
 * @param {string} kind
 * @param {(text: string) => import("@lezer/common").Tree} treeOf
 * @param {() => object|null} schemaOf
 * @returns {{found: {state: "checking"|"valid"|"findings"|"syntax"|"failed", marks: object[], text:
 *   string, error: Error|null}, check: (text: string) => void, now: () => void, fixed: () =>
 *   ReturnType<typeof fixAll>}} `text` is what the marks are about; `now` validates it without a
 *   pause; `fixed` applies its safe fixes
 */
export function useFindings(kind, treeOf, schemaOf) {
  const [found, setFound] = useState(nothing);
  const ask = async (text) => (await request("POST", validatePath(kind), { body: text })).errors;
  const marksIn = (errors, text) => marksOf(errors, treeOf(text), text, schemaOf());
  const line = useMemo(() => latestRequest({
    delay_ms: pause_ms,
    async ask(text, isNewest) {
      const marks = marksIn(await ask(text), text);
      if (isNewest()) setFound(answer(certainMarks(marks), text));
      if (!hasDoubts(marks)) return marks;
      // Show the findings even if their fixes cannot be checked.
      return checkedMarks(marks, text, ask, isNewest).catch(() => certainMarks(marks));
    },
    onAnswer: (marks, text) => setFound(answer(marks, text)),
    onError(error, text) {
      const mark = markOfRefusal(error, text);
      setFound({ state: mark ? "syntax" : "failed", marks: mark ? [mark] : [], text,
        error: mark ? null : error });
    },
  }), [kind]);
  useEffect(() => () => line.drop(), [line]);

  const check = (text) => {
    const wrong = firstSyntaxError(text);
    if (wrong) {
      line.drop();
      setFound({ state: "syntax", marks: [markOfSyntax(wrong)], text, error: null });
    } else if (new TextEncoder().encode(text).length > text_limit_bytes) {
      line.drop();
      const message = "This is more than 1 MiB, which the service does not accept by default.";
      setFound({ state: "syntax", marks: [markOfSyntax({ from: 0, to: 1, message })], text,
        error: null });
    } else {
      setFound((before) => ({ ...before, state: "checking", error: null }));
      line.submit(text);
    }
  };
  const fixed = () => fixAll(found.text, found.marks, ask, marksIn);
  return { found, check, now: line.flush, fixed };
}
