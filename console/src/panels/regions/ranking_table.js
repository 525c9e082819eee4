// The ranking as a table: distance, what is predicted, and what was measured from here.
import { html } from "../../core/html.js";
import { Badge, Name, Table } from "../../core/components.js";
import { confidenceText, disagreements, isLearned, kilometersOf, kilometersText, msText,
  sourceText } from "./latency.js";
import { measuredOrder } from "./ping.js";

/** What a prediction is based on, and how certain it is. The text says the same as the meter. */
function Basis({ latency }) {
  return html`<small class="basis"><meter value=${latency.confidence} aria-hidden="true"></meter>
    ${" "}${confidenceText(latency.confidence)} ${sourceText(latency)}</small>`;
}

/** A column for predicted latencies; none where nothing is predicted. */
function latencyColumns(rows) {
  if (!rows.some(({ latency }) => latency)) return [];
  // If all are guesses from distance, a line above the table says so once.
  const hasBasis = isLearned(rows);
  return [{ id: "latency", title: "Latency", numeric: true,
    sort: ({ latency }) => latency?.ms ?? Infinity,
    cell: ({ latency }) => (latency ? html`${msText(latency.ms)} ${hasBasis
      && html`<${Basis} latency=${latency} />`}` : "–") }];
}

function measuredColumn(results) {
  const order = measuredOrder(results);
  const msOf = (row) => results.get(row.region_id)?.ms;
  return { id: "measured", title: "Measured", numeric: true,
    sort: (row) => msOf(row) ?? Infinity,
    cell: (row) => {
      if (!results.has(row.region_id)) return "–";
      const ms = msOf(row);
      if (ms === null) return "not reached";
      return html`${msText(ms)} <span class="faint">#${order.get(row.region_id)}</span>`;
    } };
}

/** The region whose row an event of the table is in, or null. */
const regionBelow = ({ target }) =>
  target.closest("tr")?.querySelector("[data-region]")?.dataset.region ?? null;

/**
 * The regions of a listing in its order.
 * @param {object} props
 * @param {import("./latency.js").Row[]} props.rows those that are shown
 * @param {boolean} props.hasPlace whether distances say anything
 * @param {string|null} props.marked id of the region whose row is marked
 * @param {string|null} props.pinned id of the region that was clicked
 * @param {(id: string|null) => void} props.onPoint gets the region that is pointed at
 * @param {(id: string) => void} props.onRegion gets the region that is clicked
 */
export function RankingTable(props) {
  const { rows, orders, hasPlace, rankedBy, results, marked, pinned, onPoint, onRegion } = props;
  const notes = disagreements(orders);
  const note = ({ region_id: id }) => notes.has(id) && html`<br /><${Badge}
    tone=${id === orders.fast[0].region_id ? "good" : "plain"}>${notes.get(id)}</${Badge}>`;
  const columns = [
    { id: "rank", title: "#", numeric: true, sort: (row) => row.rank, cell: (row) => row.rank },
    { id: "region", title: "Region", sort: (row) => row.region_display_name,
      cell: (row) => html`<button type="button" class="region-name" data-region=${row.region_id}
        aria-current=${row.region_id === pinned ? "true" : undefined} title="Show on the map"
        onClick=${() => onRegion(row.region_id)}><${Name}
        text=${row.region_display_name} /></button>
        ${" "}<code class="faint">${row.region_id}</code>
        ${" "}<small><${Name} text=${row.provider_display_name} /></small>${note(row)}` },
    { id: "distance", title: "Distance", numeric: true, sort: kilometersOf,
      cell: (row) => {
        const { kilometers, miles } = row.datacenter_distance_from_client;
        return hasPlace ? html`<span title=${`${kilometers} km, ${miles} miles`}>${
          kilometersText(kilometers)}</span>` : "–";
      } },
    ...latencyColumns(rows),
    ...(results.size > 0 ? [measuredColumn(results)] : []),
  ];
  return html`<div class="rows" onMouseOver=${(event) => onPoint(regionBelow(event))}
    onMouseLeave=${() => onPoint(null)} onFocusIn=${(event) => onPoint(regionBelow(event))}
    onFocusOut=${() => onPoint(null)}>
    <${Table} columns=${columns} rows=${rows} keyOf=${(row) => row.region_id} empty=${props.empty}
      rowClass=${(row) => (row.region_id === marked ? "chosen" : "")}
      caption=${rankedBy === "latency" ? "Regions, fastest first" : "Regions, nearest first"} />
  </div>`;
}
