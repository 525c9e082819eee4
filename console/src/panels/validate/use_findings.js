// Findings about a text that is being written.
import { useEffect, useMemo, useRef, useState } from "../../core/html.js";
import { request } from "../../core/api.js";
import { latestRequest } from "./latest_request.js";
import { markOfRefusal, markOfSyntax, marksOf } from "./marks.js";
import { firstSyntaxError } from "./syntax_error.js";

const pause_ms = 300;

/** What the service takes (body-limit-bytes) unless it is configured otherwise. */
const text_limit_bytes = 1 << 20;

const nothing = { state: "checking", marks: [], text: "", error: null };

/** The path that a payload of a kind is sent to. */
export const validatePath = (kind) => `/v1/validate/${encodeURIComponent(kind)}`;

/**
 * Validates what is given to `check`, at most one request at a time, and about the newest text.
 * @param {string} kind
 * @param {(text: string) => import("@lezer/common").Tree} treeOf
 * @param {() => object|null} schemaOf
 * @returns {{found: {state: "checking"|"valid"|"findings"|"syntax"|"failed", marks: object[],
 *   text: string, error: Error|null}, check: (text: string) => void, now: () => void}} `text` is
 *   what the marks are about; `now` asks without a pause
 */
export function useFindings(kind, treeOf, schemaOf) {
  const [found, setFound] = useState(nothing);
  const newest = useRef("");
  const line = useMemo(() => latestRequest({
    delay_ms: pause_ms,
    ask: (text) => request("POST", validatePath(kind), { body: text }),
    onAnswer({ errors }, text) {
      const marks = marksOf(errors, treeOf(text), text, schemaOf());
      setFound({ state: marks.length > 0 ? "findings" : "valid", marks, text, error: null });
    },
    onError(error, text) {
      const mark = markOfRefusal(error, text);
      setFound({ state: mark ? "syntax" : "failed", marks: mark ? [mark] : [], text,
        error: mark ? null : error });
    },
  }), [kind]);
  useEffect(() => () => line.drop(), [line]);

  const check = (text) => {
    newest.current = text;
    const wrong = firstSyntaxError(text);
    if (wrong) {
      line.drop();
      setFound({ state: "syntax", marks: [markOfSyntax(wrong)], text, error: null });
    } else if (new TextEncoder().encode(text).length > text_limit_bytes) {
      line.drop();
      const message = "This is more than 1 MiB, which the service does not take by default.";
      setFound({ state: "syntax", marks: [markOfSyntax({ from: 0, to: 1, message })], text,
        error: null });
    } else {
      setFound((before) => ({ ...before, state: "checking", error: null }));
      line.submit(text);
    }
  };
  return { found, check, now: line.flush };
}
