// A game's lobbies over a span: the numbers, the chart, the long-running ones, and exports.
import { X } from "lucide-preact";
import { html, useEffect, useRef, useState } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { go, withParams } from "../../core/router.js";
import { visible } from "../../core/visibility.js";
import { Exports, useExporting } from "./exporting.js";
import { filtersOf, queryOf, unfiltered } from "./filters.js";
import { Headline } from "./headline.js";
import { History } from "./history.js";
import { LongRunning, useLongRunning } from "./long_running.js";
import { gamePath } from "./paths.js";
import { bucketed, least_span_ms, scaled, spanOf } from "./span.js";
import { SpanChoice } from "./span_choice.js";

const minute_ms = 60_000;
const lastMinute = () => Math.floor(Date.now() / minute_ms) * minute_ms;

/**
 * The last whole minute, and a function that updates it. It is also updated every `period` ms while
 * the page is visible (0: never).
 */
function useNow(period) {
  const [now, setNow] = useState(lastMinute);
  const refresh = () => setNow(lastMinute());
  const seen = visible.value;
  useEffect(() => {
    if (!period || !seen) return undefined;
    refresh();
    const timer = setInterval(refresh, period);
    return () => clearInterval(timer);
  }, [period, seen]);
  return [now, refresh];
}

/** The survey of a span: its query, and the last answer, which stays until the next one arrives. */
function useSurvey(game, span, filters, onCounted) {
  const { start, end, buckets } = bucketed(span);
  const path = `${gamePath(game)}/lobbies?start=${start}&end=${end}&buckets=${buckets}`
    + queryOf(filters);
  const survey = useQuery(path);
  const [shown, setShown] = useState(null);
  useEffect(() => {
    if (!survey.value) return;
    setShown({ ...survey.value, counted: Date.now() });
    onCounted(survey.value);
  }, [survey.value]);
  return { survey, path, history: shown };
}

/**
 * What the panel shows of a game, which `params` filter. `games` are those of the catalog;
 * `onCounted` gets each answer of the survey.
 */
export function Overview({ game, games, params, onCounted }) {
  // A span that ends now is counted again once another bucket of it is over.
  const sample = spanOf(params, 0);
  const [now, refresh] = useNow(sample.name ? bucketed(sample).bucket_ms : 0);
  const span = spanOf(params, now);
  const filters = filtersOf(params);
  const isFiltered = Object.keys(filters).length > 0;
  const { survey, path, history } = useSurvey(game, span, filters, onCounted);
  const long = useLongRunning(game, filters, params.get("longer"));
  const exporting = useExporting(game, span);
  const list = useRef(null);
  const change = (changes) => go("lobbies", withParams(params, changes));
  const onSpan = ({ start, end }) => change({ start, end, span: null });
  const onClear = () => change(unfiltered);
  const onName = (name) => change({ span: name, start: null, end: null });
  const onZoom = ({ start, end }) => onSpan(end - start < least_span_ms
    ? scaled({ start, end }, 1) : { start, end });
  const onLong = () => {
    list.current.scrollIntoView({ block: "nearest" });
    (list.current.querySelector("a") ?? list.current).focus({ preventScroll: true });
  };
  const onRefresh = () => {
    if (span.name) refresh();
    survey.reload();
    long.reload();
  };
  return html`
    <${SpanChoice} span=${span} onSpan=${onSpan} onName=${onName}>${isFiltered && html`<button
      type="button" onClick=${onClear}><${X} />Clear filters</button>`}</${SpanChoice}>
    <${Headline} history=${history} long=${long.value} longerText=${long.longerText}
      onLong=${onLong} />
    <div class="history-and-long">
      <${History} ...${{ survey, history, path, span, now, isFiltered, onZoom, onName, onRefresh }}
        onScale=${(factor) => onSpan(scaled(span, factor))} onClear=${onClear}
        exporting=${exporting} />
      <div ref=${list} tabindex="-1"><${LongRunning} long=${long}
        onLeast=${(ms) => change({ longer: ms })} /></div>
    </div>
    <${Exports} exporting=${exporting} games=${games} />`;
}
