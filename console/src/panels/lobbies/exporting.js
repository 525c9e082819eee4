// The export of a span, and what the service exports now.
import { Download } from "lucide-preact";
import { html, useEffect, useState } from "../../core/html.js";
import {
  Badge, Bytes, CopyCurl, Count, Name, Problem, Section, Table, Time,
} from "../../core/components.js";
import { addressOf } from "../../core/address.js";
import { useQuery } from "../../core/query.js";
import { spanText } from "./span.js";
import { exportPath, useExport } from "./use_export.js";

const watch_ms = 1_000;
const last_date_ms = 8.64e15;

const tones = { complete: "good", running: "warn" };

function spanCell({ query_start, query_end }) {
  const [start, end] = [Number(query_start), Number(query_end)];
  return end <= last_date_ms ? spanText({ start, end }) : `${query_start} to ${query_end} ms`;
}

const columnsFor = (games) => [
  { id: "game", title: "Game", cell: (row) => html`<${Name} text=${games.find((game) =>
    game.game_id === row.game_id)?.display_name ?? row.game_id} />` },
  { id: "span", title: "Span", cell: spanCell },
  { id: "state", title: "State", cell: ({ state }) => html`<${Badge}
    tone=${tones[state] ?? "plain"}>${state}</${Badge}>` },
  { id: "rows", title: "Rows", numeric: true, cell: (row) => html`<${Count} n=${row.rows} />` },
  { id: "bytes", title: "Size", numeric: true, cell: (row) => html`<${Bytes} n=${row.bytes} />` },
];

/** An export of `span` of a game, its progress in the service, and the other exports. */
export function useExporting(game, span) {
  const { job, start, stop } = useExport();
  const query = { query_start: span.start, query_end: span.end };
  // Requested once a second while an export is under way, and again when it has ended.
  const isAsking = job.state === "asking";
  const [others, setOthers] = useState(false);
  const { value } = useQuery("/v1/exports", { every: isAsking || others ? watch_ms : 0 });
  const list = value?.exports ?? [];
  useEffect(() => setOthers(list.some(({ state }) => state !== "complete")), [value]);
  const mine = job.query && list.find((one) => one.game_id === game
    && Number(one.query_start) === job.query.query_start
    && Number(one.query_end) === job.query.query_end);
  return { game, span, job, stop, query, isAsking, list, mine, begin: () => start(game, query),
    again: () => start(game, job.query) };
}

/** The button that begins the export. */
export function ExportButton({ exporting }) {
  return html`<button type="button" class="primary" disabled=${exporting.isAsking}
    onClick=${exporting.begin}><${Download} />Export this span</button>`;
}

/** What became of the export. Shows nothing before an export is requested. */
export function ExportOutcome({ exporting, isFiltered = false }) {
  const { job, mine, again, stop } = exporting;
  const said = job.query && spanText({ start: job.query.query_start, end: job.query.query_end });
  if (job.state === "failed") return html`<${Problem} error=${job.error} onRetry=${again} />`;
  if (job.state === "expired") {
    return html`<div class="outcome"><p>The link has expired.</p>
      <button type="button" onClick=${again}>Create another</button></div>`;
  }
  if (job.state === "done") {
    return html`<div class="outcome">
      <p><a class="download" href=${addressOf(job.url)} download><${Download} />Download the
        file</a> ${" "}<span class="faint">CSV with all lobbies that were alive in ${said}${
        isFiltered && ", whatever the filters"}. The link works for a minute.</span></p>
      ${job.completeFrom && html`<p>Older history is not kept: the file is complete from ${" "}
        <${Time} at=${job.completeFrom} /> on.</p>`}</div>`;
  }
  if (job.state !== "asking") return null;
  return html`<div class="outcome"><p role="status">${mine ? html`Export ${mine.state}: ${" "}
    <${Count} n=${mine.rows} /> rows, <${Bytes} n=${mine.bytes} />` : "Export requested"} …
    ${job.waitsFor && html` <bdi>${job.waitsFor}</bdi>`}</p>
    <button type="button" onClick=${stop}>Stop waiting</button></div>`;
}

/** The exports of the service, and both requests as commands. */
export function Exports({ exporting, games }) {
  const { game, query, list } = exporting;
  return html`<${Section} title="Exports" actions=${html`
    <${CopyCurl} method="POST" path=${exportPath(game)} body=${query} />
    <${CopyCurl} path="/v1/exports" label="Copy curl of the list" />`}>
    <${Table} columns=${columnsFor(games)} rows=${list}
      keyOf=${(row) => `${row.game_id} ${row.query_start} ${row.query_end}`}
      caption="Exports of the service" empty="No exports yet. “Export this span” makes a CSV file
        of all lobbies that were alive in it." />
  </${Section}>`;
}
