// The world as it is drawn: land, datacenters, players, and great circles from a place.
import { geoEqualEarth, geoGraticule10, geoPath } from "d3-geo";
import { polygons, steps_per_degree } from "world-atlas/land-110m.json";
import { html, useEffect, useMemo, useRef, useState } from "../../core/html.js";
import { placeOf, placeText, stepped } from "./place.js";

/** The points of a ring of steps, which console/land.mjs has made. */
function ringOf(steps) {
  const points = [];
  let [x, y] = [0, 0];
  for (let at = 0; at < steps.length; at += 2) {
    x += steps[at];
    y += steps[at + 1];
    points.push([x / steps_per_degree, y / steps_per_degree]);
  }
  return points;
}

const land = { type: "MultiPolygon", coordinates: polygons.map((rings) => rings.map(ringOf)) };
const graticule = geoGraticule10();
const sphere = { type: "Sphere" };

const least_width = 240;
const most_width = 2_000;
/** Height by width of the projection. */
const aspect = 0.487;
const labels_limit = 40;
const arcs_limit = 64;
const cells_limit = 2_592;

/** The projection of the whole globe into a map of this width, with a margin for the marks. */
export function projectionFor(width) {
  const margin = 6;
  return geoEqualEarth().fitExtent(
    [[margin, margin], [width - margin, Math.round(width * aspect) - margin]], sphere);
}

/** The place at a point of the map, or null beside the globe. */
export function placeAt(projection, point) {
  const found = projection.invert(point);
  if (!found || Math.abs(found[0]) > 180 || Math.abs(found[1]) > 90) return null;
  // The inverse of the projection leads back to the globe from anywhere: to another point.
  const [x, y] = projection(found);
  if (Math.hypot(x - point[0], y - point[1]) > 1) return null;
  return placeOf(found[1], found[0]);
}

const pointOf = ({ latitude, longitude }) => [longitude, latitude];

/** The radius of a cell's mark in pixels: its area grows with the requests. */
export function cellRadius(requests, most, width) {
  const greatest = Math.max(5, width / 90);
  return Math.max(1.5, greatest * Math.sqrt(requests / Math.max(1, most)));
}

function useWidth(element) {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const next = Math.round(entry.contentRect.width);
      setWidth(Math.max(least_width, Math.min(most_width, next)));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

function Ground({ path }) {
  return html`<path class="sea" d=${path(sphere)} />
    <path class="graticule" d=${path(graticule)} />
    <path class="land" d=${path(land)} />`;
}

function Cells({ cells, projection, width }) {
  const shown = cells.slice(0, cells_limit);
  const most = Math.max(...shown.map(({ requests }) => requests), 1);
  return shown.map((cell) => {
    const point = projection(pointOf(cell));
    return point && html`<circle key=${`${cell.latitude},${cell.longitude}`} class="cell"
      cx=${point[0]} cy=${point[1]} r=${cellRadius(cell.requests, most, width)}>
      <title>${`${cell.requests} requests from around ${placeText(cell)}`}</title></circle>`;
  });
}

function Arcs({ from, regions, chosen, path }) {
  return regions.slice(0, arcs_limit).map((region, index) => html`<path key=${region.region_id}
    class=${`arc ${index === 0 ? "nearest" : ""} ${chosen === region.region_id ? "chosen" : ""}`}
    d=${path({ type: "LineString",
      coordinates: [pointOf(from), pointOf(region.datacenter_coord)] })} />`);
}

function Datacenters({ regions, projection, width, order, chosen }) {
  const hasLabels = regions.length <= labels_limit && width >= 480;
  return regions.map((region) => {
    const point = projection(pointOf(region.datacenter_coord));
    if (!point) return null;
    const [x, y] = point;
    const isRight = x < width - 60;
    return html`<g key=${region.region_id} class=${`datacenter ${
      order && !order.has(region.region_id) ? "unlisted" : ""} ${
      chosen === region.region_id ? "chosen" : ""}`}>
      <circle cx=${x} cy=${y} r="4"><title>${region.region_display_name}</title></circle>
      ${hasLabels && html`<text x=${x + (isRight ? 7 : -7)} y=${y + 4}
        text-anchor=${isRight ? "start" : "end"}>${region.region_id}</text>`}</g>`;
  });
}

function Cross({ at, projection, className }) {
  const point = at && projection(pointOf(at));
  if (!point) return null;
  const [x, y] = point;
  return html`<g class=${className}><circle cx=${x} cy=${y} r="6" />
    <path d=${`M${x - 10},${y}H${x + 10}M${x},${y - 10}V${y + 10}`} /></g>`;
}

/**
 * The map. A click, or Enter behind the arrow keys, chooses a place.
 * @param {object} props
 * @param {object[]} props.regions of the catalog
 * @param {object[]|null} props.ranked the listing's regions, nearest first; null before any
 * @param {import("./place.js").Place|null} props.place where the ranking is for
 * @param {string|null} props.chosen id of the region that is pointed at in the table
 * @param {object[]} props.cells where players come from; empty while that is not shown
 * @param {(place: import("./place.js").Place) => void} props.onPlace
 */
export function WorldMap({ regions, ranked, place, chosen, cells, onPlace }) {
  const element = useRef(null);
  const width = useWidth(element);
  const [aim, setAim] = useState(null);
  const projection = useMemo(() => (width ? projectionFor(width) : null), [width]);
  const path = useMemo(() => projection && geoPath(projection).digits(1), [projection]);
  const ground = useMemo(() => path && html`<${Ground} path=${path} />`, [path]);
  const order = useMemo(() => ranked && new Set(ranked.map((one) => one.region_id)), [ranked]);

  const click = (event) => {
    const box = element.current.getBoundingClientRect();
    const scale = width / box.width;
    const point = [event.clientX - box.left, event.clientY - box.top].map((at) => at * scale);
    const found = projection && placeAt(projection, point);
    if (!found) return;
    setAim(null);
    onPlace(found);
  };
  const press = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && aim) {
      onPlace(aim);
      setAim(null);
    } else if (event.key === "Escape" && aim) {
      setAim(null);
    } else {
      const from = aim ?? place ?? { latitude: 0, longitude: 0 };
      const next = stepped(from, event.key, event.shiftKey ? 1 : 5);
      if (!next) return;
      setAim(next);
    }
    event.preventDefault();
  };

  return html`<div class="world" ref=${element} tabindex="0" role="application"
    aria-label="World map. Arrow keys move the cross by 5 degrees, with Shift by 1; Enter ranks."
    onClick=${click} onKeyDown=${press} onBlur=${() => setAim(null)}>
    ${path && html`<svg width=${width} height=${Math.round(width * aspect)} aria-hidden="true"
      viewBox=${`0 0 ${width} ${Math.round(width * aspect)}`}>
      ${ground}
      <${Cells} cells=${cells} projection=${projection} width=${width} />
      ${place && ranked && html`<${Arcs} from=${place} regions=${ranked} chosen=${chosen}
        path=${path} />`}
      <${Datacenters} regions=${regions} projection=${projection} width=${width} order=${order}
        chosen=${chosen} />
      <${Cross} at=${place} projection=${projection} className="place" />
      <${Cross} at=${aim} projection=${projection} className="aim" />
    </svg>`}
    <p class="unseen" aria-live="polite">${aim ? placeText(aim) : ""}</p>
  </div>`;
}
