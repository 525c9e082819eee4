// Whether fixes leave less to do: the service checks the text that each one would make.
import { applied } from "./moves.js";

/** How much text is sent at most to check the fixes of one text, in UTF-16 units. */
const budget = 4 << 20;

/** The service lists at most this many findings, so this number does not say how many there are. */
const findings_limit = 1000;

/**
 * A finding about the shape of a value hides others that the service cannot see yet, so one such
 * finding counts more than all others.
 */
const shapes = new Set(["wrong-type", "required", "unknown-member"]);
const worth = (findings) => findings.reduce((sum, { code }) =>
  sum + (shapes.has(code) ? findings_limit : 1), 0);

const idOf = ({ changes }) => JSON.stringify(changes);

/**
 * The marks, with those of their fixes that leave less to do.
 * @param {import("./marks.js").Mark[]} marks all findings in `text`
 * @param {(text: string) => Promise<object[]>} ask returns the findings in a text
 * @param {() => boolean} isNewest false once the result is no longer needed
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

/** The marks, with those of their fixes that are known to help without asking the service. */
export const certainMarks = (marks) => marks.map((mark) =>
  ({ ...mark, mends: mark.mends.filter(({ isCertain }) => isCertain) }));

/** Whether the service must be asked about any fix. */
export const hasDoubts = (marks) => marks.some(({ mends }) =>
  mends.some(({ isCertain }) => !isCertain));
