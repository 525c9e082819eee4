// Spans of time, and the buckets that they are counted in. All times are ms since 1970, in UTC.

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const last = (length) => (now) => ({ start: now - length, end: now });
const midnight = (now) => now - (now % day);

/** Spans by name, at a time `now`. All end at `now` except "yesterday", a whole day in UTC. */
export const spans = { hour: last(hour), day: last(day),
  yesterday: (now) => ({ start: midnight(now) - day, end: midnight(now) }),
  week: last(7 * day), month: last(30 * day), year: last(365 * day) };

/** The lengths that buckets may have, so that they end at round times. */
const lengths = [second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour,
  3 * hour, 6 * hour, 12 * hour, day, 5 * day, 7 * day, 28 * day, 364 * day];

const buckets_wanted = 160;
const buckets_limit = 500;
const last_ms = Date.UTC(9999, 11, 31);

/** The shortest span that is shown. */
export const least_span_ms = minute;

/**
 * The span rounded outwards to whole buckets: 162 at most, unless it is longer than a century. A
 * span with a name is as long as its name says, so it begins with a bucket, at whatever time.
 * @returns {{start: number, end: number, buckets: number, bucket_ms: number}}
 */
export function bucketed({ start, end, name = null }) {
  const span = Math.max(least_span_ms, end - start);
  const bucket_ms = lengths.find((length) => span / length <= buckets_wanted) ?? lengths.at(-1);
  const first = name ? start : Math.floor(start / bucket_ms) * bucket_ms;
  const buckets = Math.min(buckets_limit, Math.max(1, Math.ceil((end - first) / bucket_ms)));
  return { start: first, end: first + buckets * bucket_ms, buckets, bucket_ms };
}

const whole = (text) => (/^\d{1,15}$/.test(text ?? "") ? Number(text) : null);

/**
 * The span in a hash: its `start` and `end`, or its name; otherwise the last week.
 * @param {URLSearchParams} params
 * @param {number} now
 * @returns {{start: number, end: number, name: string|null}} the name is null for a fixed span
 */
export function spanOf(params, now) {
  const [start, end] = [whole(params.get("start")), whole(params.get("end"))];
  if (start !== null && end !== null && start < end && end <= last_ms) {
    return { start, end, name: null };
  }
  const name = Object.hasOwn(spans, params.get("span") ?? "") ? params.get("span") : "week";
  return { ...spans[name](now), name };
}

/** The span around the same middle that is `factor` times as long, but at least a minute. */
export function scaled({ start, end }, factor) {
  const half = Math.max(least_span_ms, (end - start) * factor) / 2;
  const begin = Math.max(0, Math.round((start + end) / 2 - half));
  return { start: begin, end: Math.min(last_ms, Math.round(begin + 2 * half)) };
}

/** The span moved by `part` of its length: -0.5 is half a span earlier. */
export function moved({ start, end }, part) {
  const by = Math.round((end - start) * part);
  const begin = Math.max(0, Math.min(last_ms - (end - start), start + by));
  return { start: begin, end: begin + end - start };
}

/** A time in the format of a field for date and time, to the second, in UTC. */
export const fieldText = (ms) => new Date(ms).toISOString().slice(0, 19);

/** The time in such a field, or null if it is not one. */
export function fieldTime(text) {
  const ms = Date.parse(`${text.length === 16 ? `${text}:00` : text}Z`);
  return Number.isNaN(ms) || ms < 0 || ms > last_ms ? null : ms;
}

/** A time for people, to the second or the minute: 2026-01-02 00:00:00. */
export const timeText = (ms, length = 19) =>
  new Date(ms).toISOString().slice(0, length).replace("T", " ");

/** A span for people: 2026-01-02 00:00 to 2026-01-03 00:00 UTC. */
export function spanText({ start, end }) {
  return `${timeText(start, 16)} to ${timeText(end, 16)} UTC`;
}

/** The span to look at around a lobby: its life, a day at most, and 10 minutes on each side. */
export function spanAround(start, end) {
  const margin = 10 * minute;
  return { start: Math.max(0, start - margin), end: Math.min(end, start + day) + margin };
}

const most_ticks = 4;

/**
 * Times of at most 4 ticks in a span, at whole minutes, hours, days .., and the length between
 * them.
 */
export function ticksOf(start, end) {
  const [wanted, quarter] = [(end - start) / most_ticks, 91 * day];
  const length = wanted > 28 * day ? Math.ceil(wanted / quarter) * quarter
    : lengths.find((one) => one >= wanted);
  const ticks = [];
  for (let at = Math.ceil(start / length) * length; at <= end; at += length) ticks.push(at);
  return { length, ticks: ticks.slice(0, most_ticks) };
}
