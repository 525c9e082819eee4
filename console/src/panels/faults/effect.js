import { Chart } from "../../core/chart.js";
import { Name, Section, Select, Table, Time } from "../../core/components.js";
import { microsText } from "../../core/components/values.js";
import { history } from "../../core/events.js";
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkTo, turn } from "../../core/router.js";
import { columnsOf } from "../../core/series.js";
import { whoText } from "../audit/entry.js";
import { Rule } from "./injected.js";
import { answeredAt, wordsOf } from "./path.js";
import { isOwn } from "./past.js";

const spans = [["60", "1 minute"], ["180", "3 minutes"], ["600", "10 minutes"]];
const listed_marks = 8;
const before_ms = 60_000;
// The service keeps about this much history in points of a second.
const since_limit_ms = 3_500_000;
const period_ms = 3_000;
const noticed = 2;
const noticed_us = 1_000;
const perSecond = (n) => `${Math.round(n * 10) / 10}/s`;
const percent = (share) => `${Number((share * 100).toPrecision(3))} %`;
const operations = new Set(answeredAt.map(([operation]) => operation));

function figuresOf(found, covers_ms) {
  const { requests, answers, latency_us: latency } = found;
  const rate = requests / Math.max(1, covers_ms / 1_000);
  return { requests: rate, errors: requests ? answers["5xx"] / requests : null,
    p50: latency.count ? latency.p50 : null, p99: latency.count ? latency.p99 : null };
}

/** Figures of a point of /v1/history by operation of the data plane; "" stands for all together. */
function figuresBy(point) {
  if (!point) return new Map();
  const { data_plane: all, operations: each, covers_ms: covers } = point;
  return new Map([["", figuresOf(all, covers)], ...each
    .filter(({ operation }) => operations.has(operation))
    .map((one) => [one.operation, figuresOf(one, covers)])]);
}

/**
 * What clients saw in the minute before `at` (ms since 1970) and since then, as rows `{operation,
 * before, since}`, all operations together first. If `at` is null, nothing is requested and there
 * are no rows.
 */
export function useFigures(at) {
  const second = at === null ? null : Math.floor(at / 1_000) * 1_000;
  const path = (query) => (second === null ? null
    : `/v1/history?${new URLSearchParams({ step: 3_600, ...query })}`);
  const before = useQuery(path({ from: second - before_ms, to: second }));
  const since = useQuery(path({ from: second }), { every: period_ms });
  const [was, is] = [before, since].map(({ value }) => figuresBy(value?.points.at(-1)));
  return [...new Set([...was.keys(), ...is.keys()])].map((operation) =>
    ({ operation, before: was.get(operation), since: is.get(operation) }));
}

/** When the first of the rules in force was set, or null without one. */
export const firstOf = (rules) => (rules.length
  ? Math.max(Date.now() - since_limit_ms, Math.min(...rules.map(({ at }) => at))) : null);

const figures = [["requests", "Requests", perSecond], ["errors", "5xx", percent],
  ["p50", "p50", microsText], ["p99", "p99", microsText]];

// Marks a figure that has grown several times over, so that it stands out.
function worse(name, was, is) {
  if (was === null || is === null || name === "requests") return null;
  if (name === "errors") return is > was ? "more" : null;
  return is > was * noticed && is - was > noticed_us && was > 0
    ? `×${Number((is / was).toPrecision(2))}` : null;
}

function Change({ row: { before, since }, figure: [name, , format] }) {
  const [was, is] = [before, since].map((found) => found?.[name] ?? null);
  const text = (value) => (value === null ? "–" : format(value));
  const mark = worse(name, was, is);
  return html`<span class="change"><span class="faint">${text(was)}</span> →${" "}
    <strong>${text(is)}</strong>${mark && html` <span class="badge bad">${mark}</span>`}</span>`;
}

/** The figures of the whole data plane, before the first rule and since. */
export function Headline({ rows }) {
  const all = rows.find(({ operation }) => operation === "");
  return html`<dl class="before-since">
    <div><dt>Data plane</dt><dd><small>a minute before → since</small></dd></div>
    ${figures.map((figure) => html`<div key=${figure[0]}><dt>${figure[1]}</dt>
      <dd><${Change} row=${all ?? {}} figure=${figure} /></dd></div>`)}</dl>`;
}

function ByOperation({ rows }) {
  const columns = [{ id: "operation", title: "Operation",
    cell: ({ operation }) => html`<a href=${linkTo("traces", { operation })}
      title="Show its traces"><code>${operation}</code></a>` },
  ...figures.map((figure) => ({ id: figure[0], title: figure[1], numeric: true,
    cell: (row) => html`<${Change} row=${row} figure=${figure} />` }))];
  const ratio = ({ before, since }) => (since?.p99 ?? 0) / (before?.p99 || Infinity);
  const shown = rows.filter(({ operation }) => operation !== "")
    .sort((one, other) => ratio(other) - ratio(one));
  if (!shown.length) return null;
  return html`<h3>By operation, a minute before and since</h3>
    <${Table} caption="Effect by operation" columns=${columns} rows=${shown}
      keyOf=${({ operation }) => operation} />`;
}

function Mark({ mark: { at, sign, point, rule, text, entry }, names }) {
  const by = entry && (isOwn(entry.request_id) ? "this page" : whoText(entry.who));
  return html`<li><span class="sign">${sign}</span> <${Time} at=${at} /> ${" "}
    ${point ? html`${wordsOf(point)} <code class="faint">${point}</code>` : "All faults"}${
      rule ? html`: <${Rule} rule=${rule} names=${names} />` : ` ${text}`}
    ${entry && html` <small>by <a href=${linkTo("audit", { entry: entry.entry })}><${Name}
      text=${by} /></a></small>`}</li>`;
}

/** What faults do to clients: latency and 5xx over time, with marks, and by operation. */
export function Effect({ route, marks, rows, names }) {
  const asked = route.params.get("window");
  const span = spans.some(([value]) => value === asked) ? asked : "180";
  const seconds = Number(span);
  const { times, now, rate } = columnsOf(history.value, seconds);
  const latency = (name) => now(({ latency_us: found }) =>
    (found.count ? Math.max(1, found[name]) : null));
  const lines = [{ label: "p50", color: "series-1", values: latency("p50") },
    { label: "p99", color: "series-3", values: latency("p99") }];
  const answers = [{ label: "requests", color: "series-1",
    values: rate(({ planes }) => Object.values(planes.data.answers)
      .reduce((sum, count) => sum + count, 0)) },
  { label: "5xx", color: "series-bad", values: rate(({ planes }) => planes.data.answers["5xx"]) }];
  const shared = { times, seconds, marks };
  const actions = html`<${Select} label="Span" className="inline" options=${spans} value=${span}
    onValue=${(value) => turn({ window: value })} />`;
  return html`<${Section} title="Effect on clients" className="effect" actions=${actions}>
    <div class="grid">
      <div><h3>Latency of the data plane</h3>
        <${Chart} title="Latency of the data plane" series=${lines} format=${microsText}
          log=${true} ...${shared} /></div>
      <div><h3>Requests and errors of the data plane</h3>
        <${Chart} title="Requests and errors of the data plane" series=${answers}
          format=${perSecond} ...${shared} /></div>
    </div>
    ${marks.length > 0 && html`<ul class="marks" aria-label="Rules that were set or ended">
      ${marks.slice(-listed_marks).reverse().map((mark) => html`<${Mark} key=${mark.sign}
        mark=${mark} names=${names} />`)}</ul>`}
    <${ByOperation} rows=${rows} />
  </${Section}>`;
}
