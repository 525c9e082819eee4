// The export of a span, and what the service exports now.
import { html } from "../../core/html.js";
import {
  Badge, Bytes, CopyCurl, Count, Problem, Section, Table, Time,
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
  { id: "game", title: "Game", cell: (row) => html`<bdi>${games.find((game) =>
    game.game_id === row.game_id)?.display_name ?? row.game_id}</bdi>` },
  { id: "span", title: "Span", cell: spanCell },
  { id: "state", title: "State", cell: ({ state }) => html`<${Badge}
    tone=${tones[state] ?? "plain"}>${state}</${Badge}>` },
  { id: "rows", title: "Rows", numeric: true, cell: (row) => html`<${Count} n=${row.rows} />` },
  { id: "bytes", title: "Size", numeric: true, cell: (row) => html`<${Bytes} n=${row.bytes} />` },
];

function Outcome({ job, mine, onAgain }) {
  if (job.state === "failed") return html`<${Problem} error=${job.error} onRetry=${onAgain} />`;
  if (job.state === "expired") {
    return html`<p>The link has ended.${" "}
      <button type="button" onClick=${onAgain}>Make another</button></p>`;
  }
  if (job.state === "done") {
    const link = addressOf(job.url);
    return html`<p><a class="download" href=${link} download>Download the file</a> ${" "}
      <span class="faint">The link works for a minute.</span></p>
      ${job.completeFrom && html`<p>Older history is not kept: all lobbies are there from ${" "}
        <${Time} at=${job.completeFrom} /> on.</p>`}`;
  }
  if (job.state !== "asking") return null;
  return html`<p role="status">${mine ? html`${mine.state}: ${" "}
    <${Count} n=${mine.rows} /> rows, <${Bytes} n=${mine.bytes} />` : "Asked for"} …
    ${job.waitsFor && html` <bdi>${job.waitsFor}</bdi>`}</p>`;
}

/** Exports `span` of a game. `games` are those of the catalog. */
export function Exporting({ game, games, span }) {
  const { job, start, stop } = useExport();
  const query = { query_start: span.start, query_end: span.end };
  // Asked again once a second while something is under way, and when that has ended.
  const isAsking = job.state === "asking";
  const idle = useQuery(isAsking ? null : "/v1/exports");
  const others = (idle.value?.exports ?? []).some(({ state }) => state !== "complete");
  const watched = useQuery(isAsking || others ? "/v1/exports" : null, { every: watch_ms });
  const list = (watched.value ?? idle.value)?.exports ?? [];
  const mine = job.query && list.find((one) => one.game_id === game
    && Number(one.query_start) === job.query.query_start
    && Number(one.query_end) === job.query.query_end);
  return html`<${Section} title="Export" actions=${html`
    <${CopyCurl} method="POST" path=${exportPath(game)} body=${query} />
    <${CopyCurl} path="/v1/exports" label="Copy curl of the list" />`}>
    <p>All lobbies that were alive in ${spanText(span)}, as a CSV file.</p>
    <div class="actions">
      <button type="button" class="primary" disabled=${isAsking}
        onClick=${() => start(game, query)}>Export this span</button>
      ${isAsking && html`<button type="button" onClick=${stop}>Do not wait</button>`}
    </div>
    <${Outcome} job=${job} mine=${mine} onAgain=${() => start(game, job.query)} />
    ${list.length > 0 && html`<${Table} columns=${columnsFor(games)} rows=${list}
      keyOf=${(row) => `${row.game_id} ${row.query_start} ${row.query_end}`}
      caption="Exports of the service" />`}
  </${Section}>`;
}
