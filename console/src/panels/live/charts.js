// What the service did over the range, with one cursor for all charts.
import { Chart } from "../../core/chart.js";
import { Section } from "../../core/components.js";
import { bytesText, countText, microsText } from "../../core/components/values.js";
import { html } from "../../core/html.js";
import { linkTo } from "../../core/router.js";
import { columnsOfPoints, perSecond } from "../../core/series.js";
import { find, lineOf, operationsAt, slow_ms } from "./operations.js";

const colors = ["series-1", "series-2", "series-3", "series-4", "series-5"];
const decimal = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const rateText = (n) => `${decimal.format(n)}/s`;
const percent = (share) => `${Math.round(share * 100)} %`;
const rest = { label: "others", color: "faint", dash: [2, 4] };
const kinds = [["2xx", "series-3"], ["3xx", "series-4"], ["4xx", "series-2"],
  ["5xx", "series-bad"]];
const client_gone = { label: "client gone, 499", color: "faint" };
const percentiles = ["p50", "p90", "p99", "max"];

// The ids of charts that links lead to.
const ids = { Requests: "live-requests", "Event loops, busy": "live-loops" };

const answered = (kind) => (found, point) => perSecond(found?.answers[kind] ?? 0, point);
const latency = (name) => (found) =>
  (found?.latency_us.count ? Math.max(1, found.latency_us[name]) : null);

/** A line for each operation that is shown, and one for all others together. */
function eachOf({ columns, seen, shown }, pick, ofOthers, params) {
  const each = shown.map((operation) => ({
    label: operation, ...lineOf(operation), values: columns.of((point) =>
      pick(find(point, operation), point)),
    href: linkTo("traces", { operation, ...params }), title: `Show the traces of ${operation}`,
  }));
  if (seen.length <= shown.length) return each;
  return [...each, { ...rest, values: columns.of((point) => ofOthers(point, operationsAt(point)
    .filter(({ operation }) => seen.includes(operation) && !shown.includes(operation)))) }];
}

const sum = (pick) => (point, found) => found.reduce((all, one) => all + pick(one, point), 0);
const most = (pick) => (point, found) =>
  found.reduce((all, one) => Math.max(all ?? 0, pick(one) ?? 0) || null, null);

// What is stored is of one operation of the ops plane.
const ingest = "ingest_lobbies";

/** The chart of uploaded lobbies. */
function ingestionChart({ columns, seen }) {
  const rate = (pick) => columns.of((point) => perSecond(pick(point, find(point, ingest)), point));
  const failed = { status: "5xx", operation: ingest };
  return ["Ingestion", seen.includes(ingest) ? [
    { label: "lobbies stored", color: "series-1",
      values: rate(({ counts }) => counts.lobbies_ingested ?? 0) },
    { label: "uploads", color: "series-4", dash: [4, 2], title: `Show the traces of ${ingest}`,
      href: linkTo("traces", { operation: ingest }),
      values: rate((_, found) => found?.requests ?? 0) },
    { label: "failed, 5xx", color: "series-bad", href: linkTo("traces", failed),
      title: "Show the traces of failed uploads",
      values: rate((_, found) => found?.answers["5xx"] ?? 0) }] : [], rateText];
}

/**
 * The charts of requests by operation, of one operation, or of the data plane's together ("all").
 */
function requestCharts(of, operation) {
  if (!operation) {
    const rate = (found, point) => perSecond(found?.requests ?? 0, point);
    const slow = { slower: slow_ms };
    return [["Requests", eachOf(of, rate, sum(rate), {}), rateText, {}, html`<p class="faint">
        The data plane's operations and ingestion, and others of the ops plane that failed.</p>`],
      ["p99", eachOf(of, latency("p99"), most(latency("p99")), slow), microsText,
        { log: true, known: true }],
      ["Failed, 5xx", eachOf(of, answered("5xx"), sum(answered("5xx")), { status: "5xx" }),
        rateText],
      ["Refused, 4xx", eachOf(of, answered("4xx"), sum(answered("4xx")), { status: "4xx" }),
        rateText], ingestionChart(of)];
  }
  const from = (point) => (operation === "all" ? point.data_plane : find(point, operation));
  const line = (pick) => of.columns.of((point) => pick(from(point), point));
  return [
    ["Requests", kinds.slice(0, 2).map(([label, color]) => ({ label, color,
      values: line(answered(label)) })), rateText],
    ["Latency", percentiles.map((label, index) => ({ label, color: colors[index],
      dash: label === "max" ? [3, 3] : undefined, values: line(latency(label)) })), microsText,
    { log: true, known: true }],
    ["Errors", [...kinds.slice(2).map(([label, color]) => ({ label, color,
      values: line(answered(label)) })), { ...client_gone, values: line(answered("client_gone")) }],
    rateText],
  ];
}

function processCharts({ columns, points }, memory) {
  const loops = points.at(-1)?.loops ?? [];
  const busy = loops.map((_, index) => ({
    label: `loop ${index}`, color: colors[index % colors.length],
    dash: index < colors.length ? undefined : [4, 2],
    values: columns.of((point) => point.loops[index]),
  }));
  const waiting = { label: "the longest wait for a processor", color: "series-bad", dash: [2, 2],
    values: columns.of((point) => Math.max(0, ...point.loops_waiting)) };
  const resident = { label: "resident", color: "series-1",
    values: columns.of((point) => point.resident_bytes) };
  const connections = [
    { label: "connections", color: "series-1", values: columns.of((point) => point.connections) },
    { label: "requests in flight", color: "series-4", dash: [4, 2],
      values: columns.of((point) => point.in_flight) }];
  const leased = memory?.budget_bytes && html`<p class="faint">In use now: ${
    bytesText(memory.leased_bytes)} of the ${bytesText(memory.budget_bytes)} budget for
    requests.</p>`;
  const which = () => html`<p class="faint">Of the data plane.</p>`;
  return [["Event loops, busy", busy.length ? [...busy, waiting] : [], percent, {}, which()],
    ["Memory", [resident], bytesText, { unit: "bytes", least: 1 << 20 }, leased],
    ["Connections", connections, countText, { unit: "whole", least: 4 }, which()]];
}

/**
 * The charts of the points over `range`: by operation, or of the chosen operation. `changes` is the
 * card that explains their `marks`; `more` follows the last chart.
 */
export function Charts({ past, range, found, operation, marks, memory, changes, more }) {
  const columns = columnsOfPoints(past.points, range.step);
  const of = { columns, points: past.points, ...found };
  const { seconds } = range;
  const chart = ([title, series, format, more = {}, note]) => html`
    <div key=${title} id=${ids[title]} tabindex=${ids[title] && -1}><${Section} title=${title}>
      ${series.length ? html`<${Chart} ...${{ title, series, format, seconds, marks, sync: "live",
        times: columns.times, ...more }} />`
        : html`<p class="faint">There were no such requests in this time.</p>`}
      ${note}
    </${Section}></div>`;
  const requests = requestCharts(of, operation);
  return html`<div class="live-charts">
    ${requests.slice(0, 2).map(chart)}
    ${changes}
    ${requests.slice(2).map(chart)}
    ${processCharts(of, memory).map(chart)}
    ${more}
  </div>`;
}
