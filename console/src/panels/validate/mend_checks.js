// Whether mends leave less to do: the service is asked about the text that each would make.
import { applied } from "./moves.js";

/** So much text is sent at most to check the mends of one text, in UTF-16 units. */
const budget = 4 << 20;

/** From here on the service lists no more findings: their number says nothing. */
const findings_limit = 1000;

/**
 * Behind a finding about the shape of a value are others that the service cannot see yet, so that
 * one of these counts more than all others.
 */
const shapes = new Set(["wrong-type", "required", "unknown-member"]);
const worth = (findings) => findings.reduce((sum, { code }) =>
  sum + (shapes.has(code) ? findings_limit : 1), 0);

const idOf = ({ changes }) => JSON.stringify(changes);

/**
 * The marks with those of their mends that leave less to do.
 * @param {import("./marks.js").Mark[]} marks all findings in `text`
 * @param {(text: string) => Promise<object[]>} ask the findings in a text
 * @param {() => boolean} isNewest false once nobody wants to know any more
 */
export async function checkedMarks(marks, text, ask, isNewest = () => true) {
  const helps = new Map();
  let left = marks.length < findings_limit ? budget : 0;
  for (const mend of marks.flatMap(({ mends }) => mends)) {
    const id = idOf(mend);
    if (mend.isCertain || helps.has(id)) continue;
    const next = applied(text, mend.changes);
    left -= next.length;
    if (left < 0 || !isNewest()) break;
    helps.set(id, worth(await ask(next)) < worth(marks));
  }
  return marks.map((mark) => ({ ...mark, mends: mark.mends.filter((mend) =>
    mend.isCertain || helps.get(idOf(mend)) === true) }));
}

/** The marks with those of their mends of which it is known without asking. */
export const certainMarks = (marks) => marks.map((mark) =>
  ({ ...mark, mends: mark.mends.filter(({ isCertain }) => isCertain) }));

/** Whether any mend has to be asked about. */
export const hasDoubts = (marks) => marks.some(({ mends }) =>
  mends.some(({ isCertain }) => !isCertain));
