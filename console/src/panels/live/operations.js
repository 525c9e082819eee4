// The operations that charts tell apart: those of the data plane, ingestion, and others that fail.

// In the order of their colors: those that players use most come first. ingest_lobbies is of the
// ops plane, whose others, most of which this page requests, are shown only if they fail.
export const operations = [
  "list_regions", "list_avatars", "rank_group", "validate_version", "export_lobby_history",
  "validate_game", "download_media", "report_latencies", "ping", "validate_group",
  "download_export", "get_openapi", "unmatched", "ingest_lobbies",
];

// Its failures say why the service is not ready, which is a problem by itself.
const readiness = "get_readiness";

/** The service calls an operation slow from this latency on: see /v1/attention. */
export const slow_ms = 250;

const lines = [undefined, [6, 3], [2, 2]];
const colors = 5;
const shown_limit = 6;

/** The look of an operation's line, the same in all charts and ranges. */
export function lineOf(operation) {
  const index = operations.indexOf(operation);
  if (index < 0) return { color: "series-bad", dash: [2, 2] };
  return { color: `series-${index % colors + 1}`, dash: lines[Math.floor(index / colors)] };
}

/** What a point of /v1/history says of operations, without the ops plane's "unmatched". */
export const operationsAt = (point) => point.operations.filter(({ plane, operation }) =>
  plane === "data" || operation !== "unmatched");

export const find = (point, name) =>
  operationsAt(point).find(({ operation }) => operation === name);

/**
 * The operations with requests in these points, the busiest first: `{seen, shown}`. Those that are
 * not among `operations` are seen if they failed. Of more than seven, six are shown; those that
 * failed or were slow come before others.
 */
export function operationsOf(points) {
  const sums = new Map();
  for (const point of points) {
    for (const { operation, requests, answers, latency_us: latency } of operationsAt(point)) {
      const sum = sums.get(operation) ?? { requests: 0, failed: 0, troubled: false };
      sum.requests += requests;
      sum.failed += answers["5xx"];
      sum.troubled ||= answers["5xx"] > 0 || latency.p99 >= slow_ms * 1_000;
      sums.set(operation, sum);
    }
  }
  const busiest = ([, a], [, b]) => b.requests - a.requests;
  const all = [...sums].filter(([name, { failed }]) =>
    operations.includes(name) || (failed > 0 && name !== readiness)).sort(busiest);
  const chosen = all.length <= shown_limit + 1 ? all
    : all.toSorted((a, b) => b[1].troubled - a[1].troubled || busiest(a, b))
      .slice(0, shown_limit).sort(busiest);
  const names = (of) => of.map(([name]) => name);
  return { seen: names(all), shown: names(chosen) };
}
