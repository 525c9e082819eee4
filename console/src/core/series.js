// Turns the events of `history`, or the points of the past, into columns of a chart.

const gap_ms = 3_500;

/** What `pick(status)` returns, or null if a member on the way is missing. */
function picked(pick, status) {
  try {
    return pick(status) ?? null;
  } catch {
    return null;
  }
}

/** Whether the service was restarted, or this page did not listen, between two events. */
function broken(before, after) {
  return after.at - before.at > gap_ms
    || after.status.requests_total < before.status.requests_total;
}

// A line must not be drawn across a time without data.
function withGaps(events) {
  return events.flatMap((event, index) => {
    const before = events[index - 1];
    return before && broken(before, event) ? [{ at: event.at - 1, status: null }, event] : [event];
  });
}

/**
 * The events of the last `seconds`, as `{times, now(pick), rate(pick)}`: `times` in s since 1970,
 * `now` a column of what `pick(status)` returns, `rate` a column of how much a count rose per
 * second. Unknown values are null.
 */
export function columnsOf(history, seconds, until_ms = history.at(-1)?.at ?? 0) {
  const from = until_ms - seconds * 1_000;
  const events = withGaps(history.filter(({ at }) => at >= from - 2_000));
  const values = (pick) => events.map(({ status }) => (status ? picked(pick, status) : null));
  return {
    times: events.map(({ at }) => at / 1_000),
    now: values,
    rate: (pick) => {
      const counts = values(pick);
      return counts.map((count, index) => {
        const before = counts[index - 1];
        if (index === 0 || count === null || before === null || count < before) return null;
        const seconds_between = (events[index].at - events[index - 1].at) / 1_000;
        return (count - before) / Math.max(0.5, seconds_between);
      });
    },
  };
}

/** The last known value of a column, or null. */
export function lastOf(column) {
  return column.findLast((value) => value !== null) ?? null;
}

/**
 * The points of /v1/history as `{times, of(pick)}`: `times` in s since 1970, where each point ends,
 * `of` a column of what `pick(point)` returns. Unknown values are null.
 */
export function columnsOfPoints(points, step) {
  const rows = points.flatMap((point, index) => {
    const before = points[index - 1];
    const end = before && before.at + before.covers_ms;
    return before && point.at - end > step * 500 ? [{ time: (end + 1) / 1_000 }, { point }]
      : [{ point }];
  });
  return {
    times: rows.map(({ point, time }) => time ?? (point.at + point.covers_ms) / 1_000),
    of: (pick) => rows.map(({ point }) => (point ? pick(point) ?? null : null)),
  };
}

/** A count of a point as a rate per second. */
export const perSecond = (n, point) => n / Math.max(0.001, point.covers_ms / 1_000);
