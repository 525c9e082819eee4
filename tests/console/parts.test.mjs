// Parts of the console that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "../../console/src/core/json.js";
import { eventsOf, joined } from "../../console/src/core/past.js";
import {
  columnsOf, columnsOfPoints, perSecond,
} from "../../console/src/core/series.js";
import { changedPlaces, treeOf } from "../../console/src/panels/actors/tree.js";
import { lineOf, operations, operationsOf } from "../../console/src/panels/live/operations.js";
import { draftOf, ruleOf, ruleText } from "../../console/src/panels/faults/rule.js";

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

test("no two operations have the same line", () => {
  const lines = operations.map((name) => JSON.stringify(lineOf(name)));
  assert.equal(new Set(lines).size, operations.length);
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
