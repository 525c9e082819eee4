// The ranking as a table: distance, what is predicted, and what was measured from here.
import { html } from "../../core/html.js";
import { Badge, Table } from "../../core/components.js";
import { confidenceText, disagreements, kilometersOf, kilometersText, msText, sourceText }
  from "./latency.js";
import { measuredOrder } from "./ping.js";

/** Columns for predicted latencies; none where nothing is predicted. */
function latencyColumns(rows) {
  if (!rows.some(({ latency }) => latency)) return [];
  return [
    { id: "latency", title: "Latency", numeric: true,
      sort: ({ latency }) => latency?.ms ?? Infinity,
      cell: ({ latency }) => (latency ? msText(latency.ms) : "–") },
    { id: "confidence", title: "Confidence", numeric: true,
      sort: ({ latency }) => latency?.confidence ?? -1,
      // The text says it all; the meter is a picture of it.
      cell: ({ latency }) => (latency ? html`<meter value=${latency.confidence}
        aria-hidden="true"></meter> ${confidenceText(latency.confidence)}` : "–") },
    { id: "source", title: "Based on", sort: ({ latency }) => latency?.reports ?? -1,
      cell: ({ latency }) => (latency ? sourceText(latency) : "–") },
  ];
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

/**
 * The regions of a listing in its order. `rows` and `orders` are those of latency.js; `onPoint`
 * gets the id of the one that is pointed at.
 */
export function RankingTable({ rows, orders, rankedBy, results, onPoint }) {
  const notes = disagreements(orders);
  const point = (row, text) => html`<span onMouseEnter=${() => onPoint(row.region_id)}
    onMouseLeave=${() => onPoint(null)}>${text}</span>`;
  const note = ({ region_id: id }) => notes.has(id) && html`<br /><${Badge}
    tone=${id === orders.fast[0].region_id ? "good" : "plain"}>${notes.get(id)}</${Badge}>`;
  const columns = [
    { id: "rank", title: "#", numeric: true, sort: (row) => row.rank, cell: (row) => row.rank },
    { id: "region", title: "Region", sort: (row) => row.region_display_name,
      cell: (row) => html`${point(row, html`<bdi>${row.region_display_name}</bdi> ${" "}
        <code class="faint">${row.region_id}</code>`)}${note(row)}` },
    { id: "distance", title: "Distance", numeric: true,
      sort: kilometersOf,
      cell: ({ datacenter_distance_from_client: { kilometers, miles } }) => html`<span
        title=${`${kilometers} km, ${miles} miles`}>${kilometersText(kilometers)}</span>` },
    ...latencyColumns(rows),
    ...(results.size > 0 ? [measuredColumn(results)] : []),
    { id: "provider", title: "Provider", sort: (row) => row.provider_display_name,
      cell: (row) => html`<bdi>${row.provider_display_name}</bdi>` },
  ];
  return html`<${Table} columns=${columns} rows=${rows} keyOf=${(row) => row.region_id}
    caption=${rankedBy === "latency" ? "Regions, fastest first" : "Regions, nearest first"}
    empty="This namespace has no region." />`;
}
