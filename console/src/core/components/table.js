import { useEffect, useState } from "preact/hooks";
import { html } from "../html.js";

const page_rows = 100;

function ordered(rows, column, down) {
  if (!column?.sort) return rows;
  const compare = (one, other) => {
    const [a, b] = [column.sort(one), column.sort(other)];
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a ?? "").localeCompare(String(b ?? ""));
  };
  const result = [...rows].sort(compare);
  return down ? result.reverse() : result;
}

const marks = { ascending: " ↑", descending: " ↓" };

/**
 * A table. `columns` are `{id, title, cell(row), sort?(row), numeric?}`, `keyOf(row)` is a row's
 * permanent key, `caption` describes the table to screen readers. A table that is too wide scrolls
 * on its own. It shows `page` rows until the user asks for more; `onShown` gets the shown rows.
 */
export function Table({ columns, rows, keyOf, caption, empty = "Nothing here.", rowClass,
  page = page_rows, onShown }) {
  const [by, setBy] = useState({ id: null, down: false });
  const [limit, setLimit] = useState(page);
  const shown = ordered(rows, columns.find(({ id }) => id === by.id), by.down).slice(0, limit);
  useEffect(() => onShown?.(shown), [onShown && shown.map(keyOf).join()]);
  const head = (column) => {
    const how = by.id === column.id ? (by.down ? "descending" : "ascending") : undefined;
    const turn = () => setBy({ id: column.id, down: by.id === column.id && !by.down });
    return html`<th key=${column.id} scope="col" class=${column.numeric ? "numeric" : ""}
      aria-sort=${how}>${column.sort ? html`<button type="button" class="sort" onClick=${turn}>
        ${column.title}${marks[how]}</button>` : column.title}</th>`;
  };
  if (!rows.length) return html`<p class="faint">${empty}</p>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${caption}>
    <table><caption class="unseen">${caption}</caption>
      <thead><tr>${columns.map(head)}</tr></thead>
      <tbody>${shown.map((row) => html`
        <tr key=${keyOf(row)} class=${rowClass?.(row) ?? ""}>${columns.map((column) => html`
          <td key=${column.id} class=${column.numeric ? "numeric" : ""}>${column.cell(row)}</td>`)}
        </tr>`)}</tbody>
    </table>
    ${rows.length > limit && html`<p><button type="button" onClick=${() => setLimit(limit + page)}>
      Show more: ${limit} of ${rows.length} are shown</button></p>`}
  </div>`;
}
