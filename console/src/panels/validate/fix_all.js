// Applies all safe fixes to a text, in as many rounds as needed: one fix may move a member, and the
// next one rename it.
import { checkedMarks } from "./mend_checks.js";
import { applied, overlap } from "./moves.js";

const turns_limit = 8;

const safeOf = ({ mends }) => mends.find(({ isSafe }) => isSafe);

/** How many of the marks have a fix that loses nothing and cannot be meant otherwise. */
export const safeCount = (marks) => marks.filter(safeOf).length;

/** The marks' safe fixes that do not touch each other. */
function mendsOf(marks) {
  const mends = [];
  for (const mend of marks.map(safeOf).filter(Boolean)) {
    const changes = mends.flatMap((one) => one.changes);
    if (!overlap(mend.changes, changes)) mends.push(mend);
  }
  return mends;
}

/**
 * @param {string} text
 * @param {object[]} findings in it
 * @param {(text: string) => Promise<object[]>} ask returns the findings in a text
 * @param {(findings: object[], text: string) => import("./marks.js").Mark[]} marksOf
 * @returns {Promise<{text: string, fixes: number, after: number}>} `after` is the number of
 *   findings in the returned `text`
 */
export async function fixAll(text, findings, ask, marksOf) {
  let now = { text, findings, fixes: 0 };
  for (let turn = 0; turn < turns_limit; ++turn) {
    const marks = await checkedMarks(marksOf(now.findings, now.text), now.text, ask);
    const mends = mendsOf(marks);
    if (mends.length === 0) break;
    const next = applied(now.text, mends.flatMap(({ changes }) => changes));
    now = { text: next, findings: await ask(next), fixes: now.fixes + mends.length };
  }
  return { text: now.text, fixes: now.fixes, after: now.findings.length };
}

/** The one change that turns a text into another one. */
export function changeBetween(text, next) {
  const shorter = Math.min(text.length, next.length);
  let from = 0;
  while (from < shorter && text[from] === next[from]) ++from;
  let behind = 0;
  while (behind < shorter - from
    && text[text.length - 1 - behind] === next[next.length - 1 - behind]) ++behind;
  return { from, to: text.length - behind, insert: next.slice(from, next.length - behind) };
}
