// Spans of lobbies' history: what a hash says, and the buckets that it is counted in.
import assert from "node:assert/strict";
import { test } from "node:test";

import { incompleteParts, whyIncomplete } from "../../console/src/panels/lobbies/incomplete.js";
import { bucketed, fieldText, fieldTime, moved, scaled, spanAround, spanOf, ticksOf }
  from "../../console/src/panels/lobbies/span.js";

const hour = 3_600_000;
const day = 24 * hour;
const january = Date.UTC(2026, 0, 1);

test("a hash has a fixed span, the name of one that ends now, or neither", () => {
  const of = (text) => spanOf(new URLSearchParams(text), january);
  assert.deepEqual(of("start=5&end=9"), { start: 5, end: 9, name: null });
  assert.deepEqual(of("span=day"), { start: january - day, end: january, name: "day" });
  assert.deepEqual(spanOf(new URLSearchParams("span=yesterday"), january + 5 * hour),
    { start: january - day, end: january, name: "yesterday" });
  for (const text of ["", "span=constructor", "start=9&end=5", "start=-1&end=5", "start=1e3&end=5",
    "start=0&end=999999999999999"]) {
    assert.deepEqual(of(text), { start: january - 7 * day, end: january, name: "week" }, text);
  }
});

test("buckets are whole hours, days and so on, at most 500, and cover the span", () => {
  for (const length of [1, 60_000, hour, 5 * hour, day, 30 * day, 365 * day, 8000 * 365 * day]) {
    const span = { start: january + 12_345, end: january + 12_345 + length };
    const found = bucketed(span);
    assert.ok(found.start <= span.start);
    assert.ok(found.buckets >= 1 && found.buckets <= 500, `${found.buckets}`);
    assert.equal(found.end - found.start, found.buckets * found.bucket_ms);
    assert.equal(found.start % found.bucket_ms, 0);
    if (length < 1000 * 365 * day) assert.ok(found.end >= span.end);
  }
  assert.equal(bucketed({ start: january, end: january + 30 * day }).bucket_ms, 6 * hour);
});

test("a span with a name is counted for exactly as long as its name says", () => {
  const now = january + 7 * hour + 60_000;
  const lengths = { hour, day, week: 7 * day, month: 30 * day, year: 365 * day };
  for (const [name, length] of Object.entries(lengths)) {
    const span = spanOf(new URLSearchParams({ span: name }), now);
    const { start, end, buckets, bucket_ms } = bucketed(span);
    assert.deepEqual([start, end], [now - length, now], name);
    assert.equal(buckets * bucket_ms, length, name);
    assert.ok(buckets <= 162, `${name}: ${buckets}`);
  }
  const { start, end } = bucketed(spanOf(new URLSearchParams("span=yesterday"), now));
  assert.deepEqual([start, end], [january - day, january]);
});

test("a span is zoomed around its middle, and moved, within the times that exist", () => {
  const span = { start: january, end: january + day };
  assert.deepEqual(scaled(span, 0.5), { start: january + 6 * hour, end: january + 18 * hour });
  assert.deepEqual(scaled({ start: 0, end: 10 }, 2), { start: 0, end: 60_000 });
  assert.deepEqual(moved(span, -0.5), { start: january - 12 * hour, end: january + 12 * hour });
  assert.deepEqual(moved({ start: 10, end: 110 }, -1), { start: 0, end: 100 });
});

test("fields hold times in UTC", () => {
  assert.equal(fieldText(january), "2026-01-01T00:00:00");
  assert.deepEqual([fieldTime("2026-01-01T00:00:00"), fieldTime("2026-01-01T00:00"), fieldTime("")],
    [january, january, null]);
});

test("incomplete parts are whole buckets: expired, not over, not counted", () => {
  const survey = { start: january, bucket_ms: hour, started: [1, 2, 3, 4], complete_from: null,
    partial_from: null };
  const end = january + 4 * hour;
  assert.deepEqual(incompleteParts(survey, end), []);
  assert.deepEqual(incompleteParts(survey, january + 3.5 * hour),
    [{ from: january + 3 * hour, to: end, why: "open", at: january + 3.5 * hour }]);
  const cut = { ...survey, complete_from: january + hour, partial_from: january + 2.5 * hour };
  const parts = incompleteParts(cut, end);
  assert.deepEqual(parts.map(({ from, to, why }) => [(from - january) / hour, (to - january) / hour,
    why]), [[0, 1, "expired"], [2, 4, "uncounted"]]);
  assert.deepEqual([0, 1, 2, 3].map((n) => whyIncomplete(parts, january + n * hour)),
    ["expired", null, "uncounted", "uncounted"]);
  assert.deepEqual(incompleteParts({ ...survey, complete_from: january - day }, end), []);
  const { complete_from: _, partial_from: __, ...older } = survey;
  assert.deepEqual(incompleteParts(older, end), [], "a service that does not tell");
});

test("the span around a lobby is its life, a day of it at most", () => {
  const minutes = 60_000;
  assert.deepEqual(spanAround(january, january + hour),
    { start: january - 10 * minutes, end: january + hour + 10 * minutes });
  assert.equal(spanAround(january, january + 300 * day).end, january + day + 10 * minutes);
});

test("a timeline has a few ticks, whatever its length", () => {
  for (const length of [2_000, hour, 5 * hour, day, 20 * day, 320 * day, 4000 * day]) {
    const { ticks } = ticksOf(january + 12_345, january + 12_345 + length);
    assert.ok(ticks.length >= 1 && ticks.length <= 4, `${length}: ${ticks.length}`);
  }
});
