// Which parts of a history are not all of it, and why.

/**
 * The parts of a survey's answer whose counts are not whole, the earliest first: `{from, to, why}`
 * in ms since 1970, of whole buckets. `why` is "expired" where lobbies are not kept any more,
 * "uncounted" where counting took too long, and "open" for the bucket that is not over at `now` and
 * all behind it. `at` is the time that the part begins or ends with.
 */
export function incompleteParts(survey, now) {
  const { start, bucket_ms, started, complete_from: kept, partial_from: counted } = survey;
  const end = start + started.length * bucket_ms;
  const bucketOf = (at) => start + Math.max(0, Math.floor((at - start) / bucket_ms)) * bucket_ms;
  const parts = [];
  if (kept > start) {
    parts.push({ from: start, to: Math.min(end, bucketOf(kept - 1) + bucket_ms), why: "expired",
      at: kept });
  }
  if ((counted ?? end) < end) {
    parts.push({ from: bucketOf(counted), to: end, why: "uncounted", at: counted });
  } else if (now < end) {
    parts.push({ from: bucketOf(now), to: end, why: "open", at: now });
  }
  return parts;
}

/** Why the bucket that begins at `from` is not whole, or null. */
export const whyIncomplete = (parts, from) =>
  parts.find((part) => from >= part.from && from < part.to)?.why ?? null;
