// What a ranking is ordered by, what is known about latencies there, and from which players.
import { html } from "../../core/html.js";
import { cellText, isLearned, kilometersOf, kilometersText, msText } from "./latency.js";

/** How the service can learn latencies. Shows nothing if it has learned some. */
export function HowToLearn({ rows }) {
  if (isLearned(rows)) return null;
  return html`<p class="faint">To learn latencies, let players report what they measure with${" "}
    <code>POST /matchmaker/latencies</code>, or with <code>rtt=</code> when they list regions (if
    ${" "}<code>learn-from-listings</code> is true): see docs/latency.md.</p>`;
}

/** How the order by latency differs from the order by distance, in one sentence. */
function Difference({ near, fast }) {
  if (!near.length) return "";
  if (near[0] === fast[0]) return "The nearest region is also the fastest.";
  return html`<strong><bdi>${fast[0].region_display_name}</bdi></strong> is the fastest: ${
    msText(near[0].latency.ms - fast[0].latency.ms)} faster than <bdi>${
    near[0].region_display_name}</bdi>, the nearest, though ${
    kilometersText(kilometersOf(fast[0]) - kilometersOf(near[0]))} farther.`;
}

function Learned({ rows, orders }) {
  if (isLearned(rows)) return html`<${Difference} ...${orders} />`;
  if (rows.some(({ latency }) => latency)) {
    return html`Nothing has been learned for this place yet, so latencies are guesses from
      distance.`;
  }
  return html`No latency is predicted, because the place is unknown and nothing has been learned
    about the network.`;
}

/** The lines above a ranking. `rows` and `orders` are those of latency.js. */
export function OrderedBy({ ranking, rows, orders }) {
  const { ranked_by: by } = ranking;
  // An older service does not say it.
  if (!by) return null;
  let said = by === "latency" ? "Ordered by predicted latency" : "Ordered by distance";
  if (by !== "latency" && ranking.source === "unknown") {
    said = "Ordered by id, because all distances count as 0";
  }
  if (ranking.source === "fallback") said += " from the fallback location";
  const isChosen = ranking.source !== "unknown" || by === "latency";
  return html`<p>${said}${isChosen && html` (<code>rank-by</code>)`}.${" "}
    ${rows.length > 0 && html`<${Learned} rows=${rows} orders=${orders} />`}</p>`;
}

/** The groups of players whose reports count for the place, one a line. */
export function Groups({ ranking, rows }) {
  const { cells = [] } = ranking;
  if (!isLearned(rows)) return null;
  return html`<div class="groups"><h3>Groups of players with reports</h3>
    ${cells.length === 0
      ? html`<p class="faint">None here: the latencies come from places nearby.</p>`
      : html`<ul>${cells.map((cell) => {
        const { group, said } = cellText(cell);
        return html`<li key=${group}><strong><bdi>${group}</bdi></strong>: ${said}</li>`;
      })}</ul>`}
    <p class="faint">At 0 % confidence only distance is known; 100 % is exact. Old reports count
      less. Networks with fewer than five reporters are not shown.</p></div>`;
}
