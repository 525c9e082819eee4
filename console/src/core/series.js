// From the events of `history`, or the points of the past, to columns of a chart.

const gap_ms = 3_500;

/** What `pick(status)` gives, or null where a member on the way to it is missing. */
function picked(pick, status) {
  try {
    return pick(status) ?? null;
  } catch {
    return null;
  }
}

/** Whether the service was started again, or nobody listened, between two events of `history`. */
function broken(before, after) {
  return after.at - before.at > gap_ms
    || after.status.requests_total < before.status.requests_total;
}

// A line must not be drawn over a time of which nothing is known.
function withGaps(events) {
  return events.flatMap((event, index) => {
    const before = events[index - 1];
    return before && broken(before, event) ? [{ at: event.at - 1, status: null }, event] : [event];
  });
}

/**
 * The events of the last `seconds`, as `{times, now(pick), rate(pick)}`: `times` in s since 1970,
 * `now` a column of what `pick(status)` gives, `rate` one of how much a count rose in a second.
 * Null stands where nothing is known.
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

/** The last value of a column that is known, or null. */
export function lastOf(column) {
  return column.findLast((value) => value !== null) ?? null;
}

/**
 * The points of /v1/history as `{times, of(pick)}`: `times` in s since 1970, where each point ends,
 * `of` a column of what `pick(point)` gives. Null stands where nothing is known.
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

/** What a count of a point is by the second. */
export const perSecond = (n, point) => n / Math.max(0.001, point.covers_ms / 1_000);
