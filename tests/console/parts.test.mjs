// Parts of the console that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "../../console/src/core/json.js";
import { eventsOf, joined } from "../../console/src/core/past.js";
import { columnsOf, columnsOfPoints, perSecond } from "../../console/src/core/series.js";
import { changedPlaces, treeOf } from "../../console/src/panels/actors/tree.js";
import { imageQueue } from "../../console/src/panels/avatars/image_queue.js";
import { filtered, imagePath } from "../../console/src/panels/avatars/list.js";
import { draftOf, ruleOf, ruleText } from "../../console/src/panels/faults/rule.js";
import { operations, operationsOf } from "../../console/src/panels/live/operations.js";
import { incompleteParts, whyIncomplete } from "../../console/src/panels/lobbies/incomplete.js";
import {
  bucketed, fieldText, fieldTime, moved, scaled, spanAround, spanOf, ticksOf,
} from "../../console/src/panels/lobbies/span.js";

test("integers beyond 2^53 are not rounded, and texts that look like them stay texts", () => {
  assert.deepEqual(parseJson('{"seed":18446744073709551615,"n":-9007199254740993}'),
    { seed: "18446744073709551615", n: "-9007199254740993" });
  assert.deepEqual(parseJson('{"a":"18446744073709551615","b":"\\"12345678901234567890,"}'),
    { a: "18446744073709551615", b: '"12345678901234567890,' });
  assert.deepEqual(parseJson("[9007199254740991,1234567890.12345678901,1e300]"),
    [9007199254740991, 1234567890.12345678901, 1e300]);
  assert.throws(() => parseJson('{"n":12345678901234567890'), SyntaxError);
});

const event = (at, requests_total) => ({ at, status: { requests_total } });
const total = (status) => status.requests_total;

test("rates are per second, and a restart or a gap has no rate", () => {
  const { times, rate } = columnsOf(
    [event(1_000, 10), event(2_000, 30), event(3_000, 5), event(4_000, 9), event(60_000, 10)], 600);
  assert.deepEqual(times, [1, 2, 2.999, 3, 4, 59.999, 60]);
  assert.deepEqual(rate(total), [null, 20, null, null, 4, null, null]);
});

test("members that the service does not send are unknown, not wrong", () => {
  const { now, rate } = columnsOf([event(1_000, 1), event(2_000, 2)], 60);
  assert.deepEqual(now(({ planes }) => planes.data.connections), [null, null]);
  assert.deepEqual(rate(({ planes }) => planes.data.answers["5xx"]), [null, null]);
});

test("the counts of the past lead up to the first event", () => {
  const answers = (n) => ({ "2xx": n, "3xx": 0, "4xx": 1, "5xx": 0, client_gone: 0 });
  const point = (at, n) => ({ at, covers_ms: 1_000, connections: 2, in_flight: 0,
    resident_bytes: 5, loops: [0.5], counts: { actor_restarts: 1 },
    data_plane: { requests: n + 1, answers: answers(n), latency_us: { count: n + 1, p50: 7 } },
    operations: [{ operation: "list_regions", requests: n + 1 }] });
  const first = { requests_total: 100, actor_restarts_total: 9,
    planes: { data: { answers: answers(50) } } };
  const past = eventsOf([point(5_000, 10), point(6_000, 20)], first, 500_000);
  assert.deepEqual(past.map(({ at }) => at), [497_000, 498_000, 499_000]);
  assert.deepEqual(past.map(({ status }) => status.requests_total), [68, 79, 100]);
  assert.deepEqual(past.map(({ status }) => status.planes.data.answers["2xx"]), [20, 30, 50]);
  assert.deepEqual(past.map(({ status }) => status.actor_restarts_total), [7, 8, 9]);
  assert.deepEqual(eventsOf([], first, 1), []);
});

const past = (at, found = {}, covers_ms = 2_000) => ({ at, covers_ms,
  operations: Object.entries(found).map(([operation, { requests, p99 = 1, failed = 0 }]) => ({
    operation, plane: operations.includes(operation) ? "data" : "ops", requests,
    answers: { "5xx": failed }, latency_us: { count: requests, p99 } })) });

test("newer points replace the last one, which grew, and old ones are dropped", () => {
  const kept = [past(0), past(2_000), past(4_000, {}, 500)];
  assert.deepEqual(joined(kept, [past(4_000), past(6_000)], 2_500),
    [past(2_000), past(4_000), past(6_000)]);
  assert.deepEqual(joined(kept, [], 0), kept);
  assert.deepEqual(joined([], [past(0)], 0), [past(0)]);
});

test("points become columns with a gap where nothing is known", () => {
  const { times, of } = columnsOfPoints([past(0), past(2_000), past(9_000, {}, 500)], 2);
  assert.deepEqual(times, [2, 4, 4.001, 9.5]);
  assert.deepEqual(of((point) => perSecond(3, point)), [1.5, 1.5, null, 6]);
});

test("the busiest operations are shown, and rare ones that fail or are slow", () => {
  const busy = Object.fromEntries(operations.slice(0, 9).map((name, index) =>
    [name, { requests: 100 - index }]));
  const points = [past(0, busy), past(2_000, { ...busy, get_history: { requests: 9_000 },
    ping: { requests: 1, failed: 1 }, download_export: { requests: 1, p99: 300_000 } })];
  const { seen, shown } = operationsOf(points);
  assert.equal(seen.length, 10);
  assert.deepEqual(shown, ["list_regions", "list_avatars", "rank_group", "validate_version",
    "ping", "download_export"]);
  assert.deepEqual(operationsOf([past(0, { ping: { requests: 1 } })]).shown, ["ping"]);
  assert.deepEqual(operationsOf([]), { seen: [], shown: [] });
});

test("ingestion is always shown, and others of the ops plane if they fail", () => {
  const { seen } = operationsOf([past(0, { ingest_lobbies: { requests: 3 },
    get_readiness: { requests: 9, failed: 9 }, list_tokens: { requests: 2 },
    get_history: { requests: 8 } }), past(2_000, { list_tokens: { requests: 1, failed: 1 } })]);
  assert.deepEqual(seen, ["ingest_lobbies", "list_tokens"]);
});

test("a rule that is edited without a change is the same rule", () => {
  for (const rule of [{ kind: "delay", delay_ms: [5, 20.5], every: 3 },
    { kind: "crash", probability: 0.01, once: true }, { kind: "error", first: 9, header: true },
    { kind: "stall", game: "00000000-0000-4000-8000-000000000001" }]) {
    assert.deepEqual(ruleOf(draftOf(rule, [])), { rule, errors: {} });
  }
  assert.equal(ruleOf(draftOf({ kind: "delay", delay_ms: [500, 500] }, [])).rule.delay_ms, 500);
});

test("an invalid rule has a sentence for each field that is wrong", () => {
  const draft = { ...draftOf(null, ["delay"]), probability: "1.5", every: "2.5", first: "0",
    game: "x" };
  const { rule, errors } = ruleOf(draft);
  assert.equal(rule, null);
  assert.deepEqual(Object.keys(errors).sort(), ["every", "first", "game", "least", "probability"]);
});

test("a rule is described in a few words", () => {
  assert.equal(ruleText({ kind: "delay", delay_ms: [5, 20], probability: 0.01, once: true }),
    "delay 5 to 20 ms, 1 %, once");
  assert.equal(ruleText(null), "none");
});

const actor = (place, loop, more = {}) => ({ place, kind: place.split("/")[0], loop,
  state: "running", depth: 0, restarts: 0, handled: 0, last_error: null, ...more });

test("actors stand below their supervisor by what they serve, with sums", () => {
  const { supervisors, groups } = treeOf([actor("supervisor", null), actor("catalog", null),
    actor("front/0", 0, { depth: 2, state: "waiting" }), actor("ops_front", 1)]);
  assert.deepEqual(supervisors.map(({ place }) => place), ["supervisor"]);
  assert.deepEqual(groups.map(({ title, troubled, depth }) => [title, troubled, depth]),
    [["Service-wide", 0, 0], ["Event loop 0", 1, 2], ["Event loop 1, ops plane", 0, 0]]);
});

test("an actor that only handled more has not changed", () => {
  const before = new Map([["a", actor("a", 0)], ["b", actor("b", 0)]]);
  const after = new Map([["a", actor("a", 0, { handled: 9 })], ["b", actor("b", 0, { depth: 1 })],
    ["c", actor("c", 0)]]);
  assert.deepEqual([...changedPlaces(before, after)], ["b"]);
});
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
const id = "00000000-0000-4000-8000-000000000104";

test("an image's path is made from the end of its URL, and other URLs have none", () => {
  const of = (url, complete = true) => imagePath({ url, complete });
  assert.equal(of(`https://cdn.example/base/media/avatars/${id}/2fbc.png`),
    `/v1/images/${id}/2fbc.png`);
  assert.equal(of(`/media/avatars/${id}/a.jpg?x=1#y`), `/v1/images/${id}/a.jpg`);
  for (const url of [undefined, "", "http://", `https://x/${id}`, `https://x/${id}/..%2fsecret`,
    `https://x/${id}/.hidden`, "https://x/no-uuid/a.png", `https://x/${id}/a b.png`]) {
    assert.equal(of(url), null, url);
  }
  assert.equal(of(`https://x/${id}/a.png`, false), null);
});

test("avatars are found by state, and by name or id", () => {
  const avatars = [{ upload_id: id, display_name: "Tide Turtle", complete: true },
    { upload_id: "ff", display_name: "Night Fox", complete: false }];
  const names = (wanted) => filtered(avatars, { state: "", text: "", ...wanted })
    .map(({ display_name: name }) => name);
  assert.deepEqual(names({}), ["Tide Turtle", "Night Fox"]);
  assert.deepEqual(names({ state: "incomplete" }), ["Night Fox"]);
  assert.deepEqual(names({ state: "complete", text: "fox" }), []);
  assert.deepEqual(names({ text: " TIDE " }), ["Tide Turtle"]);
  assert.deepEqual(names({ text: "0104" }), ["Tide Turtle"]);
});

test("a limited number is loaded at once, and what is given up is not loaded", async () => {
  const begun = [];
  const ends = [];
  const queue = imageQueue((path) => new Promise((resolve, reject) => {
    begun.push(path);
    ends.push({ resolve, reject });
  }), 2);
  const endings = Array.from({ length: 5 }, () => new AbortController());
  const all = endings.map(({ signal }, index) => queue(`${index}`, signal));
  assert.deepEqual(begun, ["0", "1"]);
  endings[2].abort();
  await assert.rejects(all[2], { name: "AbortError" });
  ends[0].reject(new Error("gone"));
  await assert.rejects(all[0], /gone/);
  ends[1].resolve("image 1");
  assert.equal(await all[1], "image 1");
  await new Promise(setImmediate);
  assert.deepEqual(begun, ["0", "1", "3", "4"]);
  ends.slice(2).forEach(({ resolve }) => resolve("image"));
  assert.deepEqual(await Promise.all(all.slice(3)), ["image", "image"]);
  await assert.rejects(queue("5", AbortSignal.abort()), { name: "AbortError" });
});
