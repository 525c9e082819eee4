// What is on the map: datacenters and clusters of them, players, and great circles.
import { html } from "../../core/html.js";
import { harmless } from "../../core/components/name.js";
import { clustersOf, fannedOut, labelsOf, radiusOf } from "./clusters.js";
import { placeText } from "./place.js";
import { most_zoom, seenAt } from "./view.js";

const many = 40;
const arcs_limit = { few: 64, many: 8 };
const cells_limit = 2_592;
const label_limit = 22;
const gaps = { few: 8, many: 18 };

const pointOf = ({ latitude, longitude }) => [longitude, latitude];

/** The radius of a cell's mark in pixels: its area grows with the requests. */
export function cellRadius(requests, most, width) {
  const greatest = Math.max(5, width / 90);
  return Math.max(1.5, greatest * Math.sqrt(requests / Math.max(1, most)));
}

/** Where players are, on the whole map. */
export function Cells({ cells, projection, width }) {
  const shown = cells.slice(0, cells_limit);
  const most = Math.max(...shown.map(({ requests }) => requests), 1);
  return shown.map((cell) => {
    const point = projection(pointOf(cell));
    return point && html`<circle key=${`${cell.latitude},${cell.longitude}`} class="cell"
      cx=${point[0]} cy=${point[1]} r=${cellRadius(cell.requests, most, width)}>
      <title>${`${cell.requests} requests from around ${placeText(cell)}`}</title></circle>`;
  });
}

/** Great circles from a place to the first regions of its ranking, and to the marked one. */
export function Arcs({ from, regions, marked, path }) {
  const limit = regions.length > many ? arcs_limit.many : arcs_limit.few;
  return regions.map((region, index) => (index < limit || region.region_id === marked) && html`<path
    key=${region.region_id} class=${`arc ${index === 0 ? "nearest" : ""} ${
      marked === region.region_id ? "chosen" : ""}`}
    d=${path({ type: "LineString",
      coordinates: [pointOf(from), pointOf(region.datacenter_coord)] })} />`);
}

/** The box that the pin covers, without its tip. */
const boxOfPin = ([x, y]) => ({ left: x - 9, right: x + 9, top: y - 28, bottom: y - 8 });

function labelOf({ region_display_name: name }, rank) {
  const text = harmless(name);
  const short = [...text].length > label_limit ? `${[...text].slice(0, label_limit - 1).join("")}…`
    : text;
  return rank ? `${rank} ${short}` : short;
}

function Mark({ cluster, label, text, ranks, marked }) {
  const { x, y, members } = cluster;
  const { region } = members[0];
  const isOne = members.length === 1;
  const ids = members.map((member) => member.region.region_id);
  const isListed = !ranks || ids.some((id) => ranks.has(id));
  const names = members.slice(0, 12).map((member) => harmless(member.region.region_display_name));
  const title = names.join(", ") + (members.length > 12 ? " …" : "");
  return html`<g class=${`datacenter ${isOne ? "" : "cluster"} ${isListed ? "" : "unlisted"} ${
    ids.includes(marked) ? "chosen" : ""}`} data-region=${isOne ? region.region_id : undefined}
    data-cluster=${isOne ? undefined : ids.join("\n")}>
    ${isOne && html`<circle class="reach" cx=${x} cy=${y} r="9" />`}
    <circle cx=${x} cy=${y} r=${radiusOf(members.length)}><title>${title}</title></circle>
    ${!isOne && html`<text class="count" x=${x} y=${y + 4}>${members.length}</text>`}
    ${label && html`<text x=${label.x} y=${label.y} text-anchor=${label.anchor}>${text}</text>`}
  </g>`;
}

/**
 * What is drawn for each region or cluster in view, the best of the ranking first. The order does
 * not depend on what is marked: an element that moves while it is pressed gets no click.
 */
function seenClusters({ regions, projection, view, size, ranks }) {
  const rankOf = ({ region_id: id }) => ranks?.get(id) ?? Infinity;
  const marks = [];
  for (const region of [...regions].sort((one, other) => rankOf(one) - rankOf(other) || 0)) {
    const point = projection(pointOf(region.datacenter_coord));
    if (!point) continue;
    const [x, y] = seenAt(view, point);
    marks.push({ x, y, region });
  }
  const gap = regions.length > many ? gaps.many : gaps.few;
  const clusters = clustersOf(marks, gap);
  return (view.k < most_zoom ? clusters : clusters.flatMap((one) => fannedOut(one, gap)))
    .filter(({ x, y }) => x >= 0 && y >= 0 && x <= size.width && y <= size.height);
}

/**
 * The regions as marks. Those that would overlap are one mark with their number.
 * @param {object} props
 * @param {Map<string, number>|null} props.ranks by region_id; null before any ranking
 * @param {string|null} props.marked a region_id
 * @param {number[]|null} props.pin where the pin's tip is
 */
export function Datacenters(props) {
  const { size, ranks, marked, pin } = props;
  const clusters = seenClusters(props);
  const texts = clusters.map(({ members: [{ region }, another] }) =>
    (another ? "" : labelOf(region, ranks?.get(region.region_id))));
  const labels = labelsOf(clusters.map(({ x, y, members }, index) =>
    ({ x, y, radius: radiusOf(members.length), text: texts[index],
      isFirst: members[0].region.region_id === marked })), size, pin ? [boxOfPin(pin)] : []);
  // The most important marks are drawn last, so that they are on top.
  return clusters.map((cluster, index) => html`<${Mark} key=${
    cluster.members[0].region.region_id} cluster=${cluster} label=${labels.get(index)}
    text=${texts[index]} ranks=${ranks} marked=${marked} />`).reverse();
}

/** A cross at a point of the view. */
export function Cross({ point }) {
  if (!point) return null;
  const [x, y] = point;
  return html`<g class="aim"><circle cx=${x} cy=${y} r="6" />
    <path d=${`M${x - 10},${y}H${x + 10}M${x},${y - 10}V${y + 10}`} /></g>`;
}

/** A pin whose tip is at a point of the view, so that it hides no mark there. */
export function Pin({ point }) {
  if (!point) return null;
  return html`<g class="place" transform=${`translate(${point[0]} ${point[1]})`}>
    <path d="M0,0C-2,-8 -9,-11 -9,-19a9,9 0 0 1 18,0C9,-11 2,-8 0,0Z" />
    <circle cy="-19" r="3.5" /></g>`;
}
