// What the service did, also before this page was opened: GET /v1/history.

const kinds = ["2xx", "3xx", "4xx", "5xx", "client_gone"];

function countsOf(point) {
  const sum = (operations) => operations.reduce((all, { requests }) => all + requests, 0);
  return { requests_total: sum(point.operations), answers: point.data_plane.answers,
    actor_restarts_total: point.counts.actor_restarts ?? 0 };
}

/**
 * The points of `GET /v1/history` as `{at, status}`, the oldest first. Their counts lead up to the
 * counts of `first`, the first event of /events, which arrived at `at` (ms since 1970 by this
 * machine's clock).
 */
export function eventsOf(points, first, at) {
  const last = points.at(-1);
  if (!last || !first.planes) return [];
  // The service's clock and this machine's may differ.
  const shift = at - 1_000 - (last.at + last.covers_ms);
  const total = { ...first, answers: { ...first.planes.data.answers } };
  const counted = () => ({ requests_total: total.requests_total,
    actor_restarts_total: total.actor_restarts_total,
    planes: { data: { answers: { ...total.answers } } } });
  const events = points.toReversed().map((point) => {
    const now = counted();
    const event = { at: point.at + point.covers_ms + shift, status: { ...now,
      connections: point.connections,
      requests_in_flight: point.in_flight,
      planes: { data: { connections: point.connections, in_flight: point.in_flight,
        ...now.planes.data } },
      latency_us: point.data_plane.latency_us,
      loops: point.loops.map((busy, loop) => ({ loop, plane: "data", busy })),
      memory: { resident_bytes: point.resident_bytes },
    } };
    const counts = countsOf(point);
    total.requests_total -= counts.requests_total;
    total.actor_restarts_total -= counts.actor_restarts_total;
    for (const kind of kinds) total.answers[kind] -= counts.answers[kind];
    return event;
  });
  // The counts before the first point.
  return [{ at: points[0].at + shift, status: counted() }, ...events.reverse()];
}

/** The kept points and the newer ones, the first of which replaces the last kept point. */
export function joined(kept, found, from) {
  const first = found[0]?.at ?? Infinity;
  return [...kept.filter(({ at, covers_ms: ms }) => at < first && at + ms > from), ...found];
}
