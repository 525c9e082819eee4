// The history of a span: the chart with its numbers, and what to do if nothing ran.
import { Gamepad2 } from "lucide-preact";
import { html } from "../../core/html.js";
import { CopyCurl, Count, Empty, Loading, Problem, Section, Table, Time }
  from "../../core/components.js";
import { linkTo } from "../../core/router.js";
import { ExportButton, ExportOutcome } from "./exporting.js";
import { HistoryChart } from "./history_chart.js";
import { incompleteParts, whyIncomplete } from "./incomplete.js";
import { timeText } from "./span.js";

const whyTexts = { open: "not over", expired: "not all kept", uncounted: "not all counted" };

const bucketColumns = [
  { id: "from", title: "From (UTC)", cell: (row) => html`<${Time} at=${row.from} />${row.why
    && html` <span class="faint">(${whyTexts[row.why]})</span>`}` },
  { id: "started", title: "Started", numeric: true, sort: (row) => row.started,
    cell: (row) => html`<${Count} n=${row.started} />` },
  { id: "running", title: "Running", numeric: true, sort: (row) => row.running,
    cell: (row) => html`<${Count} n=${row.running} />` },
];

function Numbers({ history, parts }) {
  const rows = history.started.map((started, index) => {
    const from = history.start + index * history.bucket_ms;
    return { started, running: history.running[index], from, why: whyIncomplete(parts, from) };
  });
  return html`<details><summary>As a table</summary><${Table} columns=${bucketColumns} rows=${rows}
    page=${Infinity} keyOf=${(row) => row.from} caption="Lobbies in each bucket" /></details>`;
}

const partTexts = {
  open: ({ from }) => `the part from ${timeText(from, 16)} on is not over.`,
  expired: ({ at }) => `lobbies that ended before ${timeText(at, 16)} are not kept.`,
  uncounted: ({ at }) => `lobbies that started at ${timeText(at, 16)} or later are not counted.`,
};

/** What the user can do if there is nothing to see. */
function Nothing({ isFiltered, name, onName, onClear }) {
  const wider = { month: ["year", "Show the last year"] }[name] ?? ["month",
    "Show the last 30 days"];
  if (isFiltered) {
    return html`<${Empty} icon=${Gamepad2} title="No lobby in this span matches the filters"
      action=${html`<button type="button" onClick=${onClear}>Clear filters</button>`} />`;
  }
  return html`<${Empty} icon=${Gamepad2} title="No lobby ran in this span" action=${name !== "year"
    && html`<button type="button" onClick=${() => onName(wider[0])}>${wider[1]}</button>`}>
    Lobbies appear here once they are reported with <code>POST /v1/lobbies</code>. Import older
    ones with <code>matchcloud import lobbies</code>.</${Empty}>`;
}

/**
 * `survey` is the query of `path`, `history` its last answer or null, `span` the requested span and
 * `now` the time of the request. `onZoom` gets a span, `onScale` a factor, `onName` the name of a
 * span.
 */
export function History({ survey, history, path, span, now, isFiltered, onZoom, onScale, onName,
  onClear, onRefresh, exporting }) {
  const parts = history ? incompleteParts(history, now) : [];
  const ranAny = history && (history.peak?.running > 0
    || [...history.started, ...history.running].some((n) => n > 0));
  return html`<${Section} title="History" actions=${html`
    <${ExportButton} exporting=${exporting} />
    <button type="button" onClick=${onRefresh}>Refresh</button><${CopyCurl} path=${path} />`}>
    <${ExportOutcome} exporting=${exporting} isFiltered=${isFiltered} />
    <${Problem} error=${survey.error} onRetry=${survey.reload} />
    ${!history && !survey.error && html`<${Loading} what="Counting" />`}
    ${history?.is_partial && html`<p class="wrong">Counting took too long and was stopped: these
      numbers are too low. Choose a shorter span.</p>`}
    ${history && !ranAny && html`<${Nothing} ...${{ isFiltered, onName, onClear }}
      name=${span.name} />`}
    ${ranAny && html`<div aria-busy=${survey.loading}>
        <${HistoryChart} ...${{ history, parts, onZoom, onScale }} /></div>
      <p class="faint">${parts.map((part) => `Faded: ${partTexts[part.why](part)} `)}
        Drag over the chart to zoom in; the back button zooms out again.</p>
      <${Numbers} history=${history} parts=${parts} />`}
  </${Section}>`;
}

/** Shown if the catalog has no game. */
export function NoGame() {
  return html`<${Empty} icon=${Gamepad2} title="No games yet" action=${html`<a
    href=${linkTo("catalog", { kind: "games" })}>Create a game in the catalog</a>`}>
    Lobbies belong to a game. Once a game has a namespace, report its lobbies with${" "}
    <code>POST /v1/lobbies</code>.</${Empty}>`;
}
