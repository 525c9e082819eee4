// Predicted latencies of a ranking in words, and where their order differs from the order by
// distance.
import { plural } from "../../core/plural.js";

/** @typedef {{ms: number, confidence: number, source: string, reports: number}} Latency */
/**
 * @typedef {object} Row a region of a listing
 * @property {number} rank its place in the listing, from 1
 * @property {Latency|null} latency null: nothing is predicted
 */

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** Kilometers without fractions: 5,571 km. */
export const kilometersText = (kilometers) => `${whole.format(kilometers)} km`;

/** Milliseconds with one decimal: 71.3 ms. */
export const msText = (ms) => `${ms.toFixed(1)} ms`;

/** How far a region is from the place. */
export const kilometersOf = (row) => row.datacenter_distance_from_client.kilometers;

/**
 * The regions of a reply to GET /v1/ranking, in its order.
 * @returns {Row[]}
 */
export function rowsOf({ listing, latencies = [] }) {
  const known = new Map(latencies.map(({ region_id: id, latency }) => [id, latency]));
  return listing.regions.map((region, index) => ({ ...region, rank: index + 1,
    latency: known.get(region.region_id) ?? null }));
}

/**
 * Both orders of the rows with a prediction, the best first. Empty where the place is unknown,
 * because all distances are 0 then.
 * @param {Row[]} rows
 * @param {object|null} place
 * @returns {{near: Row[], fast: Row[]}}
 */
export function ordersOf(rows, place) {
  const predicted = place ? rows.filter(({ latency }) => latency) : [];
  // The service sorts latencies in steps of 0.1 ms, and equal ones by distance.
  const near = [...predicted].sort((one, other) => kilometersOf(one) - kilometersOf(other));
  return { near, fast: [...near].sort((one, other) => one.latency.ms - other.latency.ms) };
}

/**
 * How each region's place in the order changes if latency decides instead of distance.
 * @param {{near: Row[], fast: Row[]}} orders
 * @returns {Map<string, string>} by id, without those that keep their place
 */
export function disagreements({ near, fast }) {
  const said = new Map();
  fast.forEach((row, index) => {
    const earlier = near.indexOf(row) - index;
    if (earlier === 0) return;
    let text = earlier > 0 ? `${plural(earlier, "place")} earlier by latency`
      : `${plural(-earlier, "place")} later by latency`;
    if (row === near[0]) {
      text = `nearest, though ${msText(row.latency.ms - fast[0].latency.ms)} slower`;
    }
    if (row === fast[0]) {
      const farther = kilometersOf(row) - kilometersOf(near[0]);
      text = `fastest, though ${kilometersText(farther)} farther`;
    }
    said.set(row.region_id, text);
  });
  return said;
}

const sources = {
  network: "this network", place: "this place", neighbours: "places nearby",
  distance: "distance alone",
};
const of_cells = ["network", "place"];

/** What a prediction comes from: this network, 12 reports. */
export function sourceText({ source, reports }) {
  const said = sources[source] ?? source;
  return of_cells.includes(source) ? `${said}, ${plural(reports, "report")}` : said;
}

/** A confidence of 0 to 1 as a percentage: 86 %. */
export const confidenceText = (confidence) => `${Math.round(confidence * 100)} %`;

const kinds = { network: "Network", place: "Place around" };

/**
 * A group of players and what it has reported: "Network 81.2.69.0/24" and "up to 12 reports of each
 * of 3 regions".
 */
export function cellText({ kind, cell, regions, reports }) {
  const count = plural(reports, "report");
  const many = `each of ${plural(regions, "region")}`;
  let said = regions === 1 ? `${count} of 1 region` : `up to ${count} of ${many}`;
  if (reports === 0) said = `old reports of ${plural(regions, "region")}`;
  return { group: `${kinds[kind] ?? kind} ${cell}`, said };
}

/** Whether predictions rest on more than distance. */
export const isLearned = (rows) =>
  rows.some(({ latency }) => latency && latency.source !== "distance");
