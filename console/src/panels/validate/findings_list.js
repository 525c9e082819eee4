// The findings as a list. Each leads to its place and has buttons that fix it.
import { html, useEffect, useRef, useState } from "../../core/html.js";
import { Message, Name } from "../../core/components.js";

const shown_limit = 100;

const lineOf = (text, position) => text.slice(0, position).split("\n").length;

function Finding({ mark, text, isOld, isCurrent, onShow, onMend }) {
  const item = useRef(null);
  useEffect(() => {
    if (isCurrent) item.current.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  return html`<li ref=${item} aria-current=${isCurrent ? "true" : undefined}>
    <button type="button" class="place" onClick=${onShow}>
      Line ${lineOf(text, mark.from)}${mark.path.length > 0 && html`:
        ${" "}<${Name} text=${mark.path.join(" › ")} />`}</button>
    <p><${Message} text=${mark.message} /> <code class="faint">${mark.code}</code></p>
    ${mark.mends.length > 0 && html`<div class="actions">${mark.mends.map((mend) => html`<button
      type="button" key=${mend.label} disabled=${isOld} onClick=${() => onMend(mend)}><${Name}
        text=${mend.label} /></button>`)}</div>`}
  </li>`;
}

/**
 * @param {object} props
 * @param {import("./marks.js").Mark[]} props.marks
 * @param {string} props.text what the marks are about
 * @param {boolean} props.isOld whether the text has changed since; then nothing is fixed
 * @param {number} props.current the index of the mark that is shown now; -1: none
 * @param {(index: number) => void} props.onShow
 * @param {(mend: object) => void} props.onMend
 */
export function FindingsList({ marks, text, isOld, current, onShow, onMend }) {
  const [limit, setLimit] = useState(shown_limit);
  useEffect(() => setLimit(shown_limit), [text]);
  if (marks.length === 0) return null;
  const end = Math.max(limit, current + 1);
  return html`<ol class="findings" aria-label="Findings">
    ${marks.slice(0, end).map((mark, index) => html`<${Finding} key=${index} mark=${mark}
      text=${text} isOld=${isOld} isCurrent=${index === current} onShow=${() => onShow(index)}
      onMend=${onMend} />`)}
    ${marks.length > end && html`<li><button type="button"
      onClick=${() => setLimit(end + shown_limit)}>Show more: ${end} of ${marks.length} are
      shown</button></li>`}
  </ol>`;
}
