// Which parts of a history are incomplete, and why.

/**
 * The parts of a survey's answer with incomplete counts, the earliest first: `{from, to, why, at}`
 * in ms since 1970. A part consists of whole buckets. `why` is "expired" if lobbies are no longer
 * kept, "uncounted" if counting took too long, and "open" for the bucket that is not over at `now`
 * and all later ones. `at` is the exact time at which the part ends ("expired") or begins.
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

/** Why the bucket that begins at `from` is incomplete, or null. */
export const whyIncomplete = (parts, from) =>
  parts.find((part) => from >= part.from && from < part.to)?.why ?? null;
