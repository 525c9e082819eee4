// Lobbies: a game's history over a span, what runs, and exports of it.
import { html, useEffect, useState } from "../core/html.js";
import { Badge, CopyCurl, Count, Loading, Panel as Frame, Problem, Section, Table, Time }
  from "../core/components.js";
import { useGame } from "../core/games.js";
import { useQuery } from "../core/query.js";
import { go, withParams } from "../core/router.js";
import { visible } from "../core/visibility.js";
import { Exporting } from "./lobbies/exporting.js";
import { HistoryChart } from "./lobbies/history_chart.js";
import { LongRunning } from "./lobbies/long_running.js";
import { bucketed, least_span_ms, scaled, spanOf, spanText } from "./lobbies/span.js";
import { SpanChoice } from "./lobbies/span_choice.js";

const refresh_ms = 60_000;

/** The time now, moving on once a minute while a span that ends now can be seen. */
function useNow(isRunning) {
  const [now, setNow] = useState(Date.now());
  const seen = visible.value;
  useEffect(() => {
    if (!isRunning || !seen) return undefined;
    const timer = setInterval(() => setNow(Date.now()), refresh_ms);
    return () => clearInterval(timer);
  }, [isRunning, seen]);
  return [now, () => setNow(Date.now())];
}

const bucketColumns = [
  { id: "from", title: "From (UTC)", cell: (row) => html`<${Time} at=${row.from} />` },
  { id: "started", title: "Started", numeric: true, sort: (row) => row.started,
    cell: (row) => html`<${Count} n=${row.started} />` },
  { id: "running", title: "Running", numeric: true, sort: (row) => row.running,
    cell: (row) => html`<${Count} n=${row.running} />` },
];

function Numbers({ history }) {
  const rows = history.started.map((started, index) => ({ started, running: history.running[index],
    from: history.start + index * history.bucket_ms }));
  return html`<details><summary>As a table</summary><${Table} columns=${bucketColumns} rows=${rows}
    keyOf=${(row) => row.from} caption="Lobbies in each bucket" /></details>`;
}

function History({ game, span, onSpan, onRefresh }) {
  const { start, end, buckets } = bucketed(span);
  const path = `/v1/games/${encodeURIComponent(game)}/lobbies?start=${start}&end=${end}`
    + `&buckets=${buckets}`;
  const { value, error, loading, reload } = useQuery(path);
  const [shown, setShown] = useState(null);
  // What was shown stays until the next is there: zooming does not make the chart go.
  useEffect(() => {
    if (value) setShown({ game, value });
  }, [value]);
  const history = value ?? (shown?.game === game ? shown.value : null);
  const zoom = ({ start: from, end: to }) => onSpan(to - from < least_span_ms
    ? scaled({ start: from, end: to }, 1) : { start: from, end: to });
  return html`<${Section} title="History" actions=${html`
    ${history && html`<${Badge} tone="good">${history.running_now} running now</${Badge}>`}
    <button type="button" onClick=${span.name ? onRefresh : reload}>Refresh</button>
    <${CopyCurl} path=${path} />`}>
    <p class="faint" aria-busy=${loading}>${spanText({ start, end })}. Drag over the chart to zoom
      in; the back button leads out again.</p>
    <${Problem} error=${error} onRetry=${reload} />
    ${!history && !error && html`<${Loading} what="Counting" />`}
    ${history?.is_partial && html`<p class="wrong">There is more than could be counted, and these
      are not all. Choose a shorter span.</p>`}
    ${history && html`<${HistoryChart} history=${history} onZoom=${zoom}
      onScale=${(factor) => onSpan(scaled(span, factor))} />
      <${Numbers} history=${history} />`}
  </${Section}>`;
}

function Panel({ route }) {
  const { params } = route;
  const { catalog, games, game } = useGame(params);
  const isFixed = spanOf(params, 0).name === null;
  const [now, refresh] = useNow(!isFixed);
  const span = spanOf(params, now);
  const change = (changes) => go("lobbies", withParams(params, changes));
  const onSpan = ({ start, end }) => change({ start, end, span: null });
  return html`<${Frame} title="Lobbies" actions=${html`
    <${CopyCurl} path="/v1/games" label="Copy curl of the games" />`}>
    <${Problem} error=${catalog.error} onRetry=${catalog.reload} />
    ${catalog.value && games.length === 0 && html`<p>There is no game yet.</p>`}
    ${game && html`
      <${SpanChoice} games=${games} game=${game} span=${span} onSpan=${onSpan}
        onGame=${(id) => change({ game: id })}
        onName=${(name) => change({ span: name, start: null, end: null })} />
      <${History} game=${game} span=${span} onSpan=${onSpan} onRefresh=${refresh} />
      <${Exporting} key=${game} game=${game} games=${games} span=${span} />
      <${LongRunning} game=${game} least=${params.get("longer")}
        onLeast=${(ms) => change({ longer: ms })} />`}
  </${Frame}>`;
}

export default { id: "lobbies", title: "Lobbies", Panel };
