// The ranking as a table, with what was measured beside what was computed.
import { html } from "../../core/html.js";
import { Table } from "../../core/components.js";
import { measuredOrder } from "./ping.js";

const distances = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** The regions of a listing, nearest first. `onPoint` gets the id of the one that is pointed at. */
export function RankingTable({ ranked, results, onPoint }) {
  const order = measuredOrder(results);
  const rows = ranked.map((region, index) => ({ ...region, rank: index + 1 }));
  const point = (row, text) => html`<span onMouseEnter=${() => onPoint(row.region_id)}
    onMouseLeave=${() => onPoint(null)}>${text}</span>`;
  const columns = [
    { id: "rank", title: "#", numeric: true, sort: (row) => row.rank, cell: (row) => row.rank },
    { id: "region", title: "Region", sort: (row) => row.region_display_name,
      cell: (row) => point(row, html`<bdi>${row.region_display_name}</bdi> ${" "}
        <code class="faint">${row.region_id}</code>`) },
    { id: "provider", title: "Provider", sort: (row) => row.provider_display_name,
      cell: (row) => html`<bdi>${row.provider_display_name}</bdi>` },
    { id: "distance", title: "Distance", numeric: true,
      sort: (row) => row.datacenter_distance_from_client.kilometers,
      cell: ({ datacenter_distance_from_client: { kilometers, miles } }) => html`<span
        title=${`${kilometers} km, ${miles} miles`}>${distances.format(kilometers)} km</span>` },
  ];
  if (results.size > 0) {
    const msOf = (row) => results.get(row.region_id)?.ms;
    columns.push({ id: "measured", title: "Measured", numeric: true,
      sort: (row) => msOf(row) ?? Infinity,
      cell: (row) => {
        if (!results.has(row.region_id)) return "–";
        const ms = msOf(row);
        if (ms === null) return "not reached";
        return html`${ms.toFixed(1)} ms <span class="faint">#${order.get(row.region_id)}</span>`;
      } });
  }
  return html`<${Table} columns=${columns} rows=${rows} keyOf=${(row) => row.region_id}
    caption="Regions, nearest first" empty="This namespace has no region." />`;
}
