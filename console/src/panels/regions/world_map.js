// The world map: land, datacenters, players, and great circles from a place.
import { Globe, Minus, Plus } from "lucide-preact";
import { geoEqualEarth, geoGraticule10, geoPath } from "d3-geo";
import { polygons, steps_per_degree } from "world-atlas/land-110m.json";
import { html, useEffect, useMemo, useRef, useState } from "../../core/html.js";
import { Arcs, Cells, Cross, Datacenters, Pin } from "./map_marks.js";
import { placeOf, placeText, stepped } from "./place.js";
import { useView } from "./use_view.js";
import { centered, fitting, isSeen, seenAt, whole, wholeAt, zoomed } from "./view.js";

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
const zoom_factor = 2;

/** The projection of the whole globe into a map of this width, with a margin for the marks. */
export function projectionFor(width) {
  const margin = 6;
  return geoEqualEarth().fitExtent(
    [[margin, margin], [width - margin, Math.round(width * aspect) - margin]], sphere);
}

/** The place at a point of the map, or null outside the globe. */
export function placeAt(projection, point) {
  const found = projection.invert(point);
  if (!found || Math.abs(found[0]) > 180 || Math.abs(found[1]) > 90) return null;
  // For a point outside the globe, the inverse of the projection is a place at another point.
  const [x, y] = projection(found);
  if (Math.hypot(x - point[0], y - point[1]) > 1) return null;
  return placeOf(found[1], found[0]);
}

const pointOf = ({ latitude, longitude }) => [longitude, latitude];

function useSize(element) {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const next = Math.round(entry.contentRect.width);
      setWidth(Math.max(least_width, Math.min(most_width, next)));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return useMemo(() => (width ? { width, height: Math.round(width * aspect) } : null), [width]);
}

function Ground({ path }) {
  return html`<path class="sea" d=${path(sphere)} />
    <path class="graticule" d=${path(graticule)} />
    <path class="land" d=${path(land)} />`;
}

function Zoom({ view, onZoom, onWhole }) {
  return html`<div class="zoom" role="group" aria-label="Zoom">
    <button type="button" class="icon-only" aria-label="Zoom in" title="Zoom in (+)"
      onClick=${() => onZoom(zoom_factor)}><${Plus} /></button>
    <button type="button" class="icon-only" aria-label="Zoom out" title="Zoom out (-)"
      onClick=${() => onZoom(1 / zoom_factor)}><${Minus} /></button>
    ${view.k > 1 && html`<button type="button" class="icon-only" aria-label="Whole world"
      title="Whole world (0)" onClick=${onWhole}><${Globe} /></button>`}
  </div>`;
}

/** Moves the map when a place outside the view is chosen. */
function useFollowing(point, what, { view, setView, size }) {
  useEffect(() => {
    if (point && !isSeen(view, point, size)) setView((now) => centered(now, point, size));
  }, [what, Boolean(point)]);
}

/** The keys of the map: zoom, and a cross that chooses a place. */
function keysOf({ aim, setAim, place, onPlace, onZoom, onWhole }) {
  const zooms = { "+": zoom_factor, "=": zoom_factor, "-": 1 / zoom_factor };
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in zooms) onZoom(zooms[event.key]);
    else if (event.key === "0") onWhole();
    else if (event.key === "Enter" && aim) {
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
}

/** What is below the pointer: `{region}`, `{cluster}` (ids) or nothing. */
function below(event) {
  const mark = event.target.closest?.(".datacenter");
  return { region: mark?.dataset.region ?? null,
    cluster: mark?.dataset.cluster?.split("\n") ?? null };
}

/**
 * The map. A click, or Enter after the arrow keys, chooses a place; a click on a region marks it,
 * one on a cluster zooms to its regions.
 * @param {object} props
 * @param {object[]} props.regions of the catalog
 * @param {object[]|null} props.ranked the listing's regions, best first; null before any
 * @param {import("./place.js").Place|null} props.place the place of the ranking
 * @param {string|null} props.marked id of the region that is marked
 * @param {string|null} props.pinned id of the region that was chosen; the map moves to it
 * @param {object[]} props.cells where players come from; empty while that is not shown
 * @param {(place: import("./place.js").Place) => void} props.onPlace
 * @param {(id: string|null) => void} props.onPoint gets the region below the pointer
 * @param {(id: string) => void} props.onRegion gets the region that is clicked
 */
export function WorldMap(props) {
  const { regions, ranked, place, marked, pinned, cells, onPlace, onPoint, onRegion } = props;
  const element = useRef(null);
  const size = useSize(element);
  const [aim, setAim] = useState(null);
  const { view, setView, pointer, isDrag, pointOf: pointerAt } = useView(element, size);
  const projection = useMemo(() => size && projectionFor(size.width), [size]);
  const path = useMemo(() => projection && geoPath(projection).digits(1), [projection]);
  // Arcs stay round when the map is zoomed.
  const arcPath = useMemo(() => size && geoPath(projectionFor(size.width).precision(0.05))
    .digits(2), [size]);
  const ground = useMemo(() => path && html`<${Ground} path=${path} />`, [path]);
  const players = useMemo(() => projection && html`<${Cells} cells=${cells}
    projection=${projection} width=${size.width} />`, [projection, cells]);
  const arcs = useMemo(() => path && place && ranked && html`<${Arcs} from=${place}
    regions=${ranked} marked=${marked} path=${arcPath} />`, [path, place, ranked, marked]);
  const ranks = useMemo(() => ranked && new Map(ranked.map(({ region_id: id }, index) =>
    [id, index + 1])), [ranked]);
  const wholePoint = (at) => (at && projection ? projection(pointOf(at)) : null);
  const seen = (at) => (at && projection ? seenAt(view, wholePoint(at)) : null);
  const atPin = regions.find(({ region_id: id }) => id === pinned)?.datacenter_coord;
  const following = { view, setView, size };
  useFollowing(wholePoint(place), place, following);
  useFollowing(wholePoint(atPin), pinned, following);
  useFollowing(wholePoint(aim), aim, following);

  const zoom = (factor, at = aim ?? place) => {
    const point = seen(at) ?? [size.width / 2, size.height / 2];
    setView((now) => zoomed(now, factor, point, size));
  };
  const showWhole = () => setView(whole);
  const click = (event) => {
    if (!projection || isDrag()) return;
    const { region, cluster } = below(event);
    if (region) onRegion(region);
    if (cluster) {
      const its = regions.filter(({ region_id: id }) => cluster.includes(id));
      setView(fitting(its.map(({ datacenter_coord: at }) => wholePoint(at)), size));
    }
    const found = !region && !cluster && placeAt(projection, wholeAt(view, pointerAt(event)));
    if (!found) return;
    setAim(null);
    onPlace(found);
  };
  const press = keysOf({ aim, setAim, place, onPlace, onZoom: zoom, onWhole: showWhole });

  return html`<div class="map"><div class=${`world ${view.k > 1 ? "zoomed" : ""}`} ref=${element}
    tabindex="0" role="application"
    aria-label=${"World map. Arrow keys move the cross by 5 degrees, with Shift by 1; Enter ranks. "
      + "Plus and minus zoom, 0 shows the whole world."}
    onClick=${click} onKeyDown=${press} onBlur=${() => setAim(null)} ...${pointer}
    onMouseOver=${(event) => onPoint(below(event).region)} onMouseLeave=${() => onPoint(null)}>
    ${path && html`<svg width=${size.width} height=${size.height} aria-hidden="true"
      viewBox=${`0 0 ${size.width} ${size.height}`}>
      <g transform=${`translate(${view.x} ${view.y}) scale(${view.k})`}>
        ${ground}
        ${players}${arcs}
      </g>
      <${Pin} point=${seen(place)} />
      <${Datacenters} regions=${regions} projection=${projection} view=${view} size=${size}
        ranks=${place ? ranks : null} marked=${marked} pin=${seen(place)} />
      <${Cross} point=${seen(aim)} />
    </svg>`}
    <p class="unseen" aria-live="polite">${aim ? placeText(aim) : ""}</p>
  </div>
  ${size && html`<${Zoom} view=${view} onZoom=${zoom} onWhole=${showWhole} />`}</div>`;
}
