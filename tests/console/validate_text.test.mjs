// Where findings are in a text, what may be written there, and what a click fixes.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";

import { choicesAt, explanationAt } from "../../console/src/panels/validate/completion.js";
import { rangesOf } from "../../console/src/panels/validate/finding_ranges.js";
import { pathOf } from "../../console/src/panels/validate/json_syntax.js";
import { mendsOf, suggestionOf } from "../../console/src/panels/validate/mends.js";
import { applied } from "../../console/src/panels/validate/moves.js";
import { distance, isOnlyNear } from "../../console/src/panels/validate/near.js";
import { nextMark } from "../../console/src/panels/validate/steps.js";
import { firstSyntaxError, positionOfByte }
  from "../../console/src/panels/validate/syntax_error.js";

const installed = createRequire(new URL("../../build/console/package.json", import.meta.url));
const { parser } = installed("@lezer/json");

const finding = (path, code, message = "") => ({ path, code, message });

function marked(text, ...findings) {
  return rangesOf(findings, parser.parse(text), text)
    .map(({ from, to, target }) => [text.slice(from, to), target]);
}

test("a finding about a value marks the value, one about a name its key", () => {
  const text = '{"a": {"b": ["x", 12]}, "max_playrs": {"c": 1}}';
  assert.deepEqual(marked(text, finding(["a", "b", "1"], "wrong-type"),
    finding(["max_playrs"], "unknown-member"), finding(["max_playrs", "c"], "too-high")), [
    ["12", "value"], ['"max_playrs"', "key"], ["1", "value"],
  ]);
});

test("the message says whether a finding is about a name in a map, whatever its code", () => {
  const text = '{"env": {"": 1, "1A": "x", "B": 2}}';
  assert.deepEqual(marked(text, finding(["env", ""], "too-short", "A name in `env` is empty."),
    finding(["env", "1A"], "invalid", "The name `1A` in `env` is not valid."),
    finding(["env", "B"], "wrong-type", "`env.B` must be a string, but is a number.")), [
    ['""', "key"], ['"1A"', "key"], ["2", "value"],
  ]);
});

test("what is wrong inside a repeated member is marked there", () => {
  const text = '{"a": {"b": 1}, "a": {"b": 2}}';
  assert.deepEqual(rangesOf([finding(["a"], "duplicate-member"), finding(["a", "b"], "too-high")],
    parser.parse(text), text).map(({ from, to }) => [from, text.slice(from, to)]),
  [[16, '"a"'], [27, "2"]]);
});

test("a missing member marks the key of its object, or the brace of one without a key", () => {
  const text = '{"config": {"list": [{ "x": 1 }]}}';
  assert.deepEqual(marked(text, finding(["config", "min"], "required"),
    finding(["display_name"], "required"), finding(["config", "list", "0", "y"], "required")), [
    ['"config"', "missing"], ["{", "missing"], ["{", "missing"],
  ]);
});

test("an object is marked at its key, not over its lines", () => {
  const text = '{"ports": {\n"game": {\n}\n}}';
  assert.deepEqual(marked(text, finding(["ports", "game"], "required")), [['"game"', "value"]]);
});

test("a repeated member is marked where it is repeated, and so is what is wrong with it", () => {
  const text = '{"port": 80, "port": "81", "port": 90}';
  const path = ["port"];
  const places = rangesOf([finding(path, "duplicate-member"), finding(path, "wrong-type"),
    finding(path, "duplicate-member")], parser.parse(text), text);
  assert.deepEqual(places.map(({ from, to }) => [from, text.slice(from, to)]), [
    [13, '"port"'], [21, '"81"'], [27, '"port"'],
  ]);
});

test("names are compared without escapes, and paths that lead nowhere mark what is there", () => {
  const text = '{"a\\u0062": {"\\n": 1}}';
  assert.deepEqual(marked(text, finding(["ab", "\n"], "too-low"),
    finding(["ab", "x", "y"], "required"), finding([], "too-many-errors")), [
    ["1", "value"], ['"a\\u0062"', "missing"], ["{", "value"],
  ]);
  assert.deepEqual(marked("", finding(["a"], "required")), [["", "value"]]);
});

const mended = (text, found, schema = null) => {
  const ranges = rangesOf([found], parser.parse(text), text);
  const [mend] = mendsOf(found, ranges[0], { text, schema, findings: [found], ranges });
  return mend && [mend.label, applied(text, mend.changes)];
};

test("the suggested name replaces the key or the value", () => {
  assert.equal(suggestionOf("`a` has no member `b`. Did you mean `c`? It can have: `c`."), "c");
  assert.equal(suggestionOf("`a` has no member `b`."), null);
  assert.deepEqual(mended('{"max_playrs": 8}',
    finding(["max_playrs"], "unknown-member", "Did you mean `max_players`?")),
  ["Rename to max_players", '{"max_players": 8}']);
  assert.deepEqual(mended('{"tier": "basic-1d3"}',
    finding(["tier"], "unknown-tier", "Did you mean `basic-1d1`?")),
  ["Change to basic-1d1", '{"tier": "basic-1d1"}']);
});

test("a moved member takes the layout of the object that it moves to", () => {
  const text = '{\n  "cdn": {\n    "routes": []\n  },\n  "x": 1,\n  "kv": {}\n}';
  assert.deepEqual(mended(text, finding(["config"], "required",
    "Put it around `cdn`, `kv`, which belong in `config`.")), ["Wrap all 2 in config",
    '{\n  "config": {\n    "cdn": {\n      "routes": []\n    },\n    "kv": {}\n  },\n  "x": 1\n}']);
  assert.deepEqual(mended('{"a": 1, "b": {"c": 2}}', finding(["a"], "unknown-member",
    "`x` has no member `a`. It belongs in `b`.")), ["Move into b", '{"b": {"c": 2, "a": 1}}']);
  for (const [before, after] of [['{"a": 1}', "{}"], ['{"a": 1, "b": 2}', '{"b": 2}'],
    ['{"b": 2, "a": 1}', '{"b": 2}'], ['{\n  "b": 2,\n  "a": 1\n}', '{\n  "b": 2\n}']]) {
    assert.deepEqual(mended(before, finding(["a"], "unknown-member")), ["Remove a", after]);
  }
});

test("a name is certainly meant if no other one is as near", () => {
  assert.deepEqual([distance("max_playrs", "max_players"), distance("cnd", "cdn"),
    distance("", "abc"), distance("kitten", "sitting")], [1, 1, 3, 3]);
  assert.ok(isOnlyNear("gameModes", "game_modes", ["game_modes", "game_mode"]));
  assert.ok(isOnlyNear("max_playrs", "max_players", ["max_players", "max_players_party"]));
  assert.ok(!isOnlyNear("basic-1d3", "basic-1d1", ["basic-1d1", "basic-1d2"]));
  assert.ok(!isOnlyNear("ab", "abc", ["abc"]));
});

test("the next finding is after the caret, or after the one that is shown", () => {
  const marks = [{ from: 5 }, { from: 2 }, { from: 5 }, { from: 9 }];
  const step = (current, position, by) => nextMark(marks, current, position, by);
  assert.deepEqual([step(-1, 0, 1), step(1, 2, 1), step(0, 5, 1), step(2, 5, 1), step(3, 9, 1)],
    [1, 0, 2, 3, 1]);
  assert.deepEqual([step(1, 2, -1), step(-1, 6, -1), step(3, 0, -1), step(-1, 9, 1)],
    [3, 2, 3, 1]);
  assert.equal(nextMark([], -1, 0, 1), -1);
});

test("quotes are removed and added", () => {
  assert.deepEqual(mended('{"port": "81"}',
    finding(["port"], "wrong-type", "is a string. Write the number without quotes.")),
  ["Remove the quotes", '{"port": 81}']);
  assert.deepEqual(mended('{"tier": 7}',
    finding(["tier"], "wrong-type", "Put it in double quotes.")),
  ["Put it in quotes", '{"tier": "7"}']);
});

const schema = {
  type: "object",
  required: ["display_name"],
  properties: {
    display_name: { type: "string", minLength: 1, maxLength: 24, description: "For people." },
    config: {
      type: ["object", "null"],
      properties: {
        tier: { $ref: "#/$defs/tier" },
        oci: { description: "The same.", $ref: "#/$defs/runtime" },
        modes: { type: "object", additionalProperties: { $ref: "#/$defs/mode" } },
        args: { type: "array", items: { enum: ["-a", "-b"] } },
      },
    },
  },
  $defs: {
    tier: { type: ["string", "null"], enum: ["small", "large", null] },
    runtime: { type: "object", properties: { image: { type: "string" } } },
    mode: { type: "object", properties: { listable: { type: "boolean" } } },
  },
};

test("a missing member is added at the object's end, laid out as the object is", () => {
  const required = finding(["display_name"], "required", "is required, but is absent.");
  assert.deepEqual(mended("{}", required, schema), ["Add display_name", '{"display_name": ""}']);
  assert.deepEqual(mended('{\n  "config": {}\n}', required, schema),
    ["Add display_name", '{\n  "config": {},\n  "display_name": ""\n}']);
});

/** The labels of the choices at `|`, and the text that the first of them makes. */
function offered(marked) {
  const position = marked.indexOf("|");
  const text = marked.replace("|", "");
  const found = choicesAt(parser.parse(text), text, position, schema);
  if (!found) return null;
  const [first] = found.choices;
  return [found.choices.map(({ label }) => label),
    first && text.slice(0, found.from) + first.insert + text.slice(found.to)];
}

test("the members that an object does not have yet are offered, the required ones first", () => {
  assert.deepEqual(offered("{|}"), [["display_name", "config"], '{"display_name": ""}']);
  assert.deepEqual(offered('{"display_name": "a", |}'), [["config"],
    '{"display_name": "a", "config": {}}']);
  assert.deepEqual(offered('{"display_name": "a", con|}'), [["config"],
    '{"display_name": "a", "config": {}}']);
  assert.deepEqual(offered('{"con|": 1}'), [["display_name", "config"], '{"display_name": 1}']);
  assert.deepEqual(offered('{"config": {"oci": {|}}}'), [["image"],
    '{"config": {"oci": {"image": ""}}}']);
  assert.deepEqual(offered('{"config": {"modes": {"duel": {"|"}}}}'), [["listable"],
    '{"config": {"modes": {"duel": {"listable": }}}}']);
});

test("values are offered after a colon and in lists", () => {
  assert.deepEqual(offered('{"config": {"tier": |}}'), [["small", "large", "null"],
    '{"config": {"tier": "small"}}']);
  assert.deepEqual(offered('{"config": {"tier": "sm|"}}'), [["small", "large", "null"],
    '{"config": {"tier": "small"}}']);
  assert.deepEqual(offered('{"config": {"modes": {"duel": {"listable": tr|}}}}')?.[0],
    ["true", "false"]);
  assert.deepEqual(offered('{"config": {"args": ["-a", |]}}')?.[0], ["-a", "-b"]);
  assert.equal(offered('{"unknown": {|}}'), null);
});

test("the schema explains a key and its value", () => {
  const text = '{"display_name": "a", "config": {"oci": {}}}';
  const tree = parser.parse(text);
  const name = explanationAt(tree, text, 3, schema);
  assert.equal(name.title, "display_name: string, required");
  assert.deepEqual(name.lines, ["For people.", "1 to 24 characters"]);
  assert.equal(explanationAt(tree, text, text.indexOf("oci"), schema).lines[0], "The same.");
  assert.equal(explanationAt(tree, text, text.length - 1, schema), null);
});

test("a place has the path that leads to it", () => {
  const text = '{"a": [1, {"b": 2}]}';
  const node = parser.parse(text).resolveInner(text.indexOf("2"), 1);
  assert.deepEqual(pathOf(node, text), ["a", "1", "b"]);
});

test("the first syntax error is named where it is", () => {
  const at = (text) => {
    const error = firstSyntaxError(text);
    return error && [error.message, text.slice(error.from, error.to)];
  };
  assert.equal(at('{"a": [1, -2.5e3, true, null, "\\u00e9"]}\n'), null);
  assert.deepEqual(at('{"a": 1,}'), ["Remove the comma before }", ","]);
  assert.deepEqual(at('{"a": 1 "b": 2}'), ["A comma is missing after this.", "1"]);
  assert.deepEqual(at("{a: 1}"), ['Names need double quotes: "a".', "a"]);
  assert.deepEqual(at('{"a": tru}'), ["Put tru in double quotes.", "tru"]);
  assert.deepEqual(at('{"a": 01}'), ["01 is not a JSON number.", "01"]);
  assert.deepEqual(at('{"a": "x\n"}'), ["This string has no closing quote.", '"x']);
  assert.deepEqual(at('{"a": {"b": 1}'), ["This { is never closed.", "{"]);
  assert.deepEqual(at("[1] 2"), ["Remove what follows the JSON value.", "2"]);
  assert.deepEqual(at(""), ["The text ends where a value is expected.", ""]);
});

test("the syntax is exactly that of JSON", () => {
  const seeds = ['{"a":[1,-2.5e+3,"x\\n\\u00e9",{}],"b":null}', '[[],{"":0},true,false]', "-0"];
  const marks = [...'{}[]:,"\\/ \n0-1.eEu+tfn\u0001'];
  let state = 7;
  const random = (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
  for (let turn = 0; turn < 20_000; ++turn) {
    let text = seeds[random(seeds.length)];
    for (let edits = random(3); edits >= 0; --edits) {
      const from = random(text.length + 1);
      text = text.slice(0, from) + marks[random(marks.length)] + text.slice(from + random(2));
    }
    let isJson = true;
    try {
      JSON.parse(text);
    } catch {
      isJson = false;
    }
    assert.equal(firstSyntaxError(text) === null, isJson, JSON.stringify(text));
  }
});

test("an offset in bytes becomes one in the text", () => {
  assert.equal(positionOfByte('{"é😀": x}', 11), 8);
  assert.equal(positionOfByte("ab", 9), 2);
});
