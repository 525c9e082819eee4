// Spans of lobbies' history: what a hash says, and the buckets that it is counted in.
import assert from "node:assert/strict";
import { test } from "node:test";

import { bucketed, fieldText, fieldTime, moved, scaled, spanOf }
  from "../../console/src/panels/lobbies/span.js";

const hour = 3_600_000;
const day = 24 * hour;
const january = Date.UTC(2026, 0, 1);

test("a hash says a fixed span, the name of one that ends now, or nothing", () => {
  const of = (text) => spanOf(new URLSearchParams(text), january);
  assert.deepEqual(of("start=5&end=9"), { start: 5, end: 9, name: null });
  assert.deepEqual(of("span=day"), { start: january - day, end: january, name: "day" });
  for (const text of ["", "span=constructor", "start=9&end=5", "start=-1&end=5", "start=1e3&end=5",
    "start=0&end=999999999999999"]) {
    assert.deepEqual(of(text), { start: january - 7 * day, end: january, name: "week" }, text);
  }
});

test("buckets are whole hours, days and so on, at most 500, and hold the span", () => {
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

test("a span is zoomed around its middle, and moved; neither leaves time", () => {
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
