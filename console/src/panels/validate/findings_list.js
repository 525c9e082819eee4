// The findings as a list. Each leads to its place and mends it, if the text shows what was meant.
import { html, useEffect, useState } from "../../core/html.js";

const shown_limit = 100;

const lineOf = (text, position) => text.slice(0, position).split("\n").length;

/**
 * @param {object} props
 * @param {import("./marks.js").Mark[]} props.marks
 * @param {string} props.text what the marks are about
 * @param {boolean} props.isOld whether the text has changed since; then nothing is mended
 * @param {(mark: object) => void} props.onShow
 * @param {(mend: object) => void} props.onMend
 */
export function FindingsList({ marks, text, isOld, onShow, onMend }) {
  const [limit, setLimit] = useState(shown_limit);
  useEffect(() => setLimit(shown_limit), [text]);
  if (marks.length === 0) return null;
  return html`<ol class="findings" aria-label="Findings">
    ${marks.slice(0, limit).map((mark, index) => html`<li key=${index}>
      <button type="button" class="place" onClick=${() => onShow(mark)}>
        Line ${lineOf(text, mark.from)}${mark.path.length > 0 && html`:
          ${" "}<bdi>${mark.path.join(" › ")}</bdi>`}</button>
      <p><code>${mark.code}</code> <bdi>${mark.message}</bdi></p>
      ${mark.mend && html`<button type="button" class="mend" disabled=${isOld}
        onClick=${() => onMend(mark.mend)}><bdi>${mark.mend.label}</bdi></button>`}
    </li>`)}
    ${marks.length > limit && html`<li><button type="button"
      onClick=${() => setLimit(limit + shown_limit)}>Show more: ${limit} of ${marks.length} are
      shown</button></li>`}
  </ol>`;
}
