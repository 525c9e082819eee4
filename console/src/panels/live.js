import { Chart } from "../core/chart.js";
import {
  Badge, CopyCurl, Loading, Panel as Frame, Problem, Section, Select,
} from "../core/components.js";
import { bytesText, countText, microsText } from "../core/components/values.js";
import { connection, history } from "../core/events.js";
import { html } from "../core/html.js";
import { useQuery } from "../core/query.js";
import { turn } from "../core/router.js";
import { columnsOf } from "../core/series.js";
import { problemsOf } from "./live/problems.js";

const attention_ms = 2_000;
const windows = [["60", "1 minute"], ["300", "5 minutes"], ["600", "10 minutes"]];
const colors = ["series-1", "series-2", "series-3", "series-4", "series-5"];
const decimal = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const perSecond = (n) => `${decimal.format(n)}/s`;
const percent = (share) => `${Math.round(share * 100)} %`;

const labels = { bad: "Problem", warn: "Warning", note: "Notice" };

function Problems({ found, looked }) {
  const well = looked && found.every(({ tone }) => tone === "note");
  return html`${well && html`
    <p class="all-well"><${Badge} tone="good">OK</${Badge}> Nothing is wrong.</p>`}
    <ul class="problems">${found.map(({ id, tone, what, todo, link, open }) => html`
    <li key=${id}><${Badge} tone=${tone}>${labels[tone]}</${Badge}>
      <p><bdi>${what}</bdi> <span class="faint">${todo}</span></p>
      ${link && html`<a href=${link}>${open}</a>`}</li>`)}</ul>`;
}

function ratesOf({ rate }) {
  const answers = (kind) => rate((status) => status.planes.data.answers[kind]);
  const all = rate(({ requests_total: total }) => total);
  return {
    rate: [{ label: "all, both planes", color: "series-1", values: all },
      { label: "2xx", color: "series-3", values: answers("2xx") },
      { label: "3xx", color: "series-4", values: answers("3xx") }],
    errors: [{ label: "4xx", color: "series-2", values: answers("4xx") },
      { label: "5xx", color: "series-bad", values: answers("5xx") }],
  };
}

function latencyOf({ now }) {
  const of = (name) => now(({ latency_us: found }) =>
    (found.count ? Math.max(1, found[name]) : null));
  return ["p50", "p90", "p99", "max"].map((name, index) => ({
    label: name, color: colors[index], values: of(name), dash: name === "max" ? [3, 3] : undefined,
  }));
}

function loopsOf({ now }, last) {
  return (last?.loops ?? []).map(({ loop, plane }, index) => ({
    label: `${loop} ${plane}`, color: colors[index % colors.length],
    dash: index < colors.length ? undefined : [4, 2],
    values: now(({ loops }) => loops.find((other) => other.loop === loop)?.busy),
  }));
}

function memoryOf({ now }) {
  return [
    { label: "resident", color: "series-1", values: now(({ memory }) => memory.resident_bytes) },
    { label: "leased", color: "series-2", values: now(({ memory }) => memory.leased_bytes) },
    { label: "budget", color: "series-4", dash: [4, 4],
      values: now(({ memory }) => memory.budget_bytes) },
  ];
}

function connectionsOf({ now }, last) {
  const all = { label: "all", color: "series-1", values: now((status) => status.connections) };
  const flight = { label: "requests in flight", color: "series-4", dash: [4, 2],
    values: now((status) => status.requests_in_flight) };
  if (!last?.planes) return [all, flight];
  return [
    { label: "data", color: "series-1", values: now(({ planes }) => planes.data.connections) },
    { label: "ops", color: "series-3", values: now(({ planes }) => planes.ops.connections) },
    flight,
  ];
}

function Charts({ seen, seconds }) {
  const columns = columnsOf(seen, seconds);
  const last = seen.at(-1)?.status;
  const { rate, errors } = ratesOf(columns);
  const chart = (title, series, format, more = {}) => html`<${Section} key=${title} title=${title}>
    <${Chart} ...${{ title, series, format, seconds, times: columns.times, ...more }} />
  </${Section}>`;
  return html`<div class="grid">
    ${chart("Requests", rate, perSecond)}
    ${last?.latency_us && chart("Latency of the data plane", latencyOf(columns), microsText,
      { log: true })}
    ${last?.planes && chart("Errors of the data plane", errors, perSecond)}
    ${last?.loops && chart("Event loops, busy", loopsOf(columns, last), percent)}
    ${last?.memory && chart("Memory", memoryOf(columns), bytesText,
      { unit: "bytes", least: 1 << 20 })}
    ${chart("Connections", connectionsOf(columns, last), countText,
      { unit: "whole", least: 4 })}
  </div>`;
}

function Panel({ route }) {
  const seen = history.value;
  const { value: attention, error, reload } = useQuery("/v1/attention", { every: attention_ms });
  const asked = route.params.get("window");
  const window = windows.some(([value]) => value === asked) ? asked : "60";
  const actions = html`<${Select} label="Span" className="inline" options=${windows} value=${window}
      onValue=${(value) => turn({ window: value })} />
    <${CopyCurl} path="/events" />`;
  return html`<${Frame} title="Live" actions=${actions}>
    <${Section} title="What needs attention">
      ${(seen.length && (attention || error)) || connection.value === "lost"
        ? html`<${Problem} error=${error} onRetry=${reload} /><${Problems} looked=${attention}
          found=${problemsOf(seen, attention, connection.value)} />`
        : html`<${Loading} what="Waiting for the first status" />`}
    </${Section}>
    ${seen.length > 0 && html`<${Charts} seen=${seen} seconds=${Number(window)} />`}
  </${Frame}>`;
}

export default { id: "live", title: "Live", Panel };
