// The numbers that say how the service is doing. Each leads to where the console shows more.
import { Spark } from "../../core/components.js";
import { countText, durationText, microsText } from "../../core/components/values.js";
import { html } from "../../core/html.js";
import { plural } from "../../core/plural.js";
import { linkTo } from "../../core/router.js";
import { perSecond } from "../../core/series.js";
import { operationsAt } from "./operations.js";

const three = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const one = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
// What /v1/replicas has its numbers of.
const recent = "data plane, last 15 s";
const timeOf = (ms) => new Date(ms).toISOString().slice(11, 16);

/** A share as a text. 0 % means none at all: no failure is rounded away. */
export function shareText(share) {
  if (share > 0 && share < 0.0001) return "under 0.01 %";
  return `${three.format(share * 100)} %`;
}

/** The requests, failures and refusals of a point's operations that are in `seen`. */
function answersOf(point, seen) {
  const sums = { all: 0, failed: 0, refused: 0 };
  for (const { operation, requests, answers } of operationsAt(point)) {
    if (!seen.includes(operation)) continue;
    sums.all += requests;
    sums.failed += answers["5xx"];
    sums.refused += answers["4xx"];
  }
  return sums;
}

/**
 * The `requests` of the data plane in these points and its highest p99 with its time, and of the
 * operations in `seen`, of both planes, all requests, those that failed and those refused.
 */
export function sumsOf(points, seen) {
  const sums = { requests: 0, all: 0, failed: 0, refused: 0, worst: null };
  for (const point of points) {
    const { at, data_plane: { requests, latency_us: latency } } = point;
    sums.requests += requests;
    for (const [name, n] of Object.entries(answersOf(point, seen))) sums[name] += n;
    if (latency.count && !(latency.p99 <= sums.worst?.us)) {
      sums.worst = { us: Math.max(1, latency.p99), at };
    }
  }
  return sums;
}

function Tile({ label, value, note, href, tone = "", children }) {
  return html`<li><a href=${href} class=${`tile ${tone}`}>
    <span class="tile-label">${label}</span>
    <strong>${value ?? "–"}</strong>
    <small>${note}</small>
    ${children}
  </a></li>`;
}

function Lobbies({ running }) {
  const { sum, games, at, isPartial, values = [] } = running;
  const note = at ? `in ${plural(games, "game")}, at ${timeOf(at)}` : "Counting …";
  return html`<${Tile} label="Running lobbies" href=${linkTo("lobbies")} note=${note}
    value=${at && `${isPartial ? "at least " : ""}${countText(sum)}`}>
    <${Spark} values=${values} color="series-4" /></${Tile}>`;
}

function Replicas({ replicas }) {
  const ready = replicas?.filter(({ state, age_ms: age }) => state === "ready" && age < 30_000);
  const mine = replicas?.find(({ is_this: isThis }) => isThis);
  const up = mine && durationText((Date.now() - mine.began_ms) / 1_000);
  const alone = mine && html`<bdi>${mine.host}</bdi>, up ${up}`;
  return html`<${Tile} label="Replicas ready" tone=${replicas && ready.length < replicas.length
      ? "bad" : ""} href=${linkTo("live", { part: "replicas" })}
    value=${replicas && `${ready.length} of ${replicas.length}`}
    note=${replicas?.length === 1 && alone} />`;
}

/**
 * The row of five numbers. `sums` is sumsOf(points, seen), `replicas` is null until they are known.
 */
export function Headline({ points, seen, sums, range, replicas, running }) {
  const mine = replicas?.find(({ is_this: isThis }) => isThis);
  const here = replicas?.length > 1 ? ", this replica" : "";
  const rates = points.map((point) => perSecond(point.data_plane.requests, point));
  const shares = points.map((point) => {
    const { all, failed } = answersOf(point, seen);
    return all ? failed / all : 0;
  });
  const p99 = points.map(({ data_plane: { latency_us: latency } }) =>
    (latency.count ? latency.p99 : null));
  const { requests, all, failed, refused, worst } = sums;
  return html`<ul class="headline" aria-label="The service now">
    <${Tile} label=${`Requests${here}`} href=${linkTo("traces")}
      value=${mine && `${one.format(mine.requests_per_second)}/s`}
      note=${`${recent}; ${countText(requests)} in ${range.text}`}>
      <${Spark} values=${rates} /></${Tile}>
    <${Tile} label=${`p99${here}`}
      value=${mine && (mine.requests ? microsText(Math.max(1, mine.p99_us)) : "–")}
      href=${linkTo("traces", { slower: worst && (Math.floor(worst.us / 1_000) || null) })}
      note=${`${recent}; ${worst
        ? `highest ${microsText(worst.us)} at ${timeOf(worst.at)}` : "no requests"}`}>
      <${Spark} values=${p99} color="series-3" /></${Tile}>
    <${Tile} label=${`Failed, 5xx${here}`} tone=${failed ? "bad" : ""}
      href=${linkTo("traces", { status: "5xx" })}
      value=${shareText(all ? failed / all : 0)}
      note=${`${countText(failed)} of ${countText(all)}; ${countText(refused)} refused, 4xx, in ${
        range.text}, both planes`}>
      <${Spark} values=${shares} least=${0.01}
        color=${failed ? "series-bad" : "series-3"} /></${Tile}>
    <${Lobbies} running=${running} />
    <${Replicas} replicas=${replicas} />
  </ul>`;
}
