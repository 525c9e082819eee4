// The ranking of a location: what it is ordered by, and its regions.
import { MapPin } from "lucide-preact";
import { html, useEffect, useRef, useState } from "../../core/html.js";
import { CopyText, Empty, Field, Loading, Problem } from "../../core/components.js";
import { OrderedBy } from "./latency_notes.js";
import { RankingTable } from "./ranking_table.js";

const search_from = 40;
const examples = [
  { city: "Sao Paulo, BR", latitude: -23.6, longitude: -46.6 },
  { city: "London, GB", latitude: 51.5, longitude: -0.1 },
  { city: "Tokyo, JP", latitude: 35.7, longitude: 139.8 },
];

const bytesOf = (text) => new TextEncoder().encode(text).length.toLocaleString("en");

/** The listing that a client gets, byte for byte. */
export function Reply({ listing }) {
  return html`<details class="reply"><summary>The reply: ${bytesOf(listing)} bytes</summary>
    <div class="actions"><${CopyText} text=${listing} label="Copy the reply" /></div>
    <pre tabindex="0" aria-label="The reply">${listing}</pre>
  </details>`;
}

/** Shown while no location is chosen yet. */
function FirstSteps({ onLocation }) {
  return html`<${Empty} icon=${MapPin} title="No location yet."
    action=${examples.map((example) => html`<button type="button" key=${example.city}
      onClick=${() => onLocation(example)}>${example.city}</button>`)}>
    Type where a player is, or click on the map, to see the order in which a player there gets
    the regions. Or start with a city:
  </${Empty}>`;
}

const isFound = ({ region_display_name: name, region_id: id, provider_display_name: provider },
  words) => {
  const all = `${name} ${id} ${provider}`.toLocaleLowerCase();
  return words.every((word) => all.includes(word));
};

/** Brings the row of a region into view, without scrolling the page. */
function useRowInSight(element, id, rows) {
  useEffect(() => {
    const table = element.current?.querySelector(".scroll");
    const row = table?.querySelector("tr.chosen");
    if (!id || !row) return;
    const [seen, its] = [table.getBoundingClientRect(), row.getBoundingClientRect()];
    const head = table.querySelector("thead").getBoundingClientRect().height;
    if (its.top < seen.top + head) table.scrollTop -= seen.top + head - its.top;
    else if (its.bottom > seen.bottom) table.scrollTop += its.bottom - seen.bottom;
  }, [id, rows]);
}

/**
 * @param {object} props
 * @param {object} props.asked what useRanking returned
 * @param {string|null} props.path the path that it requested
 * @param {import("./latency.js").Row[]} props.rows all of the ranking
 * @param {string|null} props.pinned id of the region that was clicked
 */
export function Ranking(props) {
  const { path, asked, rows, orders, results, pinned, marked, onPoint, onRegion } = props;
  const { ranking, error, loading, retry } = asked;
  const [text, setText] = useState("");
  const element = useRef(null);
  useRowInSight(element, pinned, rows);
  if (path === null) return html`<${FirstSteps} onLocation=${props.onLocation} />`;
  if (error?.status === 400) {
    return html`<p class="faint">No ranking, because the location was refused.</p>`;
  }
  if (error) return html`<${Problem} error=${error} onRetry=${retry} />`;
  if (!ranking) return html`<${Loading} what="Ranking" />`;
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const shown = rows.length > search_from ? rows.filter((row) => isFound(row, words)) : rows;
  return html`<div class="ranking-body" ref=${element} aria-busy=${loading}>
    <${OrderedBy} ranking=${ranking} rows=${rows} orders=${orders} />
    ${rows.length > search_from && html`<div class="find"><${Field} label="Find a region"
      className="inline" type="search" value=${text} onValue=${setText} />
      <span class="faint" role="status">${words.length > 0
        && `${shown.length} of ${rows.length}`}</span></div>`}
    <${RankingTable} rows=${shown} orders=${orders} rankedBy=${ranking.ranked_by}
      hasPlace=${Boolean(ranking.place)} results=${results} marked=${marked}
      pinned=${pinned} onPoint=${onPoint} onRegion=${onRegion}
      empty=${rows.length ? "No region has this name." : "This namespace has no regions."} />
  </div>`;
}
