// What the API page makes of an OpenAPI document.
import assert from "node:assert/strict";
import { test } from "node:test";

import { examplesOf, valueOf } from "../../console/src/docs/examples.js";
import { groupsOf, isFound, operationsOf } from "../../console/src/docs/operations.js";
import { curlOf, requestOf, scriptOf, valuesToBegin } from "../../console/src/docs/request.js";
import { referred, resolved } from "../../console/src/schema/resolve.js";
import { typeInWords } from "../../console/src/schema/walk.js";
import { sampleDocument } from "./support/openapi_sample.mjs";

const root = sampleDocument("ops plane");
const operations = operationsOf(root);
const byId = Object.fromEntries(operations.map((one) => [one.id, one]));

test("operations are grouped by tag, with their references resolved", () => {
  assert.deepEqual(groupsOf(root, operations).map(({ tag, operations: list }) =>
    [tag, list.map(({ id }) => id)]), [
    ["Regions", ["list_regions", "put_region", "remove_region"]], ["Games", ["get_tree"]],
    ["Other", ["get_healthz"]],
  ]);
  assert.equal(byId.get_tree.parameters[0].name, "game_id");
  assert.equal(byId.put_region.parameters[0].in, "path");
  assert.deepEqual(byId.list_regions.responses.map(({ status, codes }) =>
    [status, codes.map(({ code }) => code)]), [["200", []],
    ["401", ["token_missing", "token_unknown"]], ["403", ["not_permitted"]]]);
  assert.equal(byId.remove_region.isDeprecated, true);
});

test("codes are explained by the description that contains them", () => {
  const document = { paths: { "/a": { get: { responses: { 400: {
    description: "`one`: First thing. `two`: Second.", "x-codes": ["one", "two"] },
  401: { description: "Other.", "x-codes": [{ code: "three", description: "Third." }] } } } } } };
  const [{ responses }] = operationsOf(document);
  assert.deepEqual(responses.map(({ codes, description }) => [codes, description]), [
    [[{ code: "one", description: "First thing." }, { code: "two", description: "Second." }], ""],
    [[{ code: "three", description: "Third." }], "Other."]]);
});

test("anything that is not a document has no operations", () => {
  for (const broken of [null, {}, { paths: null }, { paths: { "/a": null } }, { paths: { "/a": {
    get: null, post: 7, put: { parameters: 3, responses: { 200: { $ref: "#/nothing" } } } } } },
  { paths: { "/a": { $ref: "#/paths/~1a" } } }]) {
    assert.ok(Array.isArray(operationsOf(broken)));
  }
});

test("references are followed, also to themselves and to nothing", () => {
  assert.equal(referred({ "a/b": { "c~d": 1 } }, "#/a~1b/c~0d"), 1);
  assert.equal(referred({}, "other.json#/a"), undefined);
  assert.deepEqual(resolved({ a: { $ref: "#/a" } }, { $ref: "#/a" }), {});
  assert.deepEqual(resolved({ a: { type: "string", description: "x" } },
    { $ref: "#/a", description: "here" }), { type: "string", description: "here" });
  assert.equal(typeInWords(root, root.components.schemas.Tree), "object");
});

test("examples are the document's, or made from the schema, where recursion ends", () => {
  const { content } = byId.put_region.requestBody;
  assert.deepEqual(examplesOf(root, "application/json", content["application/json"])
    .map(({ name, isMade }) => [name, isMade]), [["London", false]]);
  const made = valueOf(root, { $ref: "#/components/schemas/Region" });
  assert.deepEqual(made, { region_id: "..",
    datacenter_coord: { latitude: -90, longitude: -180 } });
  assert.ok(JSON.stringify(valueOf(root, { $ref: "#/components/schemas/Tree" })).length < 500);
});

test("a request becomes a command, with examples and correct quotes", () => {
  assert.equal(curlOf(root, byId.list_regions, "http://h:1/"), "curl -sS 'http://h:1/v1/regions'");
  const put = curlOf(root, byId.put_region, "http://h:1");
  assert.ok(put.startsWith("curl -sS -X PUT -H 'Content-Type: application/json' --data-raw '{"));
  assert.ok(put.endsWith("}' 'http://h:1/v1/regions/lon'"));
  const operation = { ...byId.get_tree, needsToken: true, parameters: [{ name: "game_id",
    in: "path", example: "it's $&" }, { name: "q", in: "query", required: true,
    schema: { enum: ["a b"] } }] };
  assert.equal(curlOf(root, operation, "http://h"), "curl -sS -H \"Authorization: Bearer "
    + "$MATCHCLOUD_TOKEN\" 'http://h/v1/games/it'\\''s%20%24%26/tree?q=a+b'");
  // The data plane's document says what its paths begin with, but not where the plane is.
  assert.equal(curlOf(root, byId.list_regions, null, "/mm"),
    "curl -sS \"$MATCHCLOUD_DATA_URL\"'/mm/v1/regions'");
  assert.equal(curlOf(root, byId.list_regions, null, "/"),
    "curl -sS \"$MATCHCLOUD_DATA_URL\"'/v1/regions'");
});

test("filled-in values are sent, and empty ones are left out", () => {
  const values = { ...valuesToBegin(root, byId.list_regions), "query limit": "7" };
  assert.equal(requestOf(byId.list_regions, values).path, "/v1/regions?limit=7");
  assert.equal(requestOf(byId.list_regions, valuesToBegin(root, byId.list_regions)).path,
    "/v1/regions");
  const put = { ...valuesToBegin(root, byId.put_region), "path id": "a b", body: "" };
  assert.deepEqual(requestOf(byId.put_region, put),
    { method: "PUT", path: "/v1/regions/a%20b", headers: [], body: undefined });
});

test("a request becomes JavaScript that sends the same", async () => {
  const sent = [];
  const run = (script) => new Function("fetch", "console", "token",
    `return (async () => { ${script} })()`)(async (url, options = {}) => {
    sent.push([url, options]);
    return { ok: true, json: async () => "answer" };
  }, { log: (text) => sent.push(text) }, "t");
  await run(scriptOf(root, byId.list_regions, "http://h:1/"));
  assert.deepEqual(sent.splice(0), [["http://h:1/v1/regions", {}], "answer"]);
  await run(scriptOf(root, { ...byId.put_region, needsToken: true }, null, "/mm"));
  const [[url, { method, headers, body }]] = sent;
  assert.deepEqual([url, method, headers], ["https://../mm/v1/regions/lon", "PUT",
    { Authorization: "Bearer t", "Content-Type": "application/json" }]);
  assert.equal(JSON.parse(body).region_id, "lon");
});

test("a search finds words anywhere in an operation", () => {
  const found = (text) => operations.filter((one) => isFound(one, text)).map(({ id }) => id);
  assert.deepEqual(found("token_unknown"), ["list_regions"]);
  assert.deepEqual(found("REGIONS put"), ["put_region"]);
  assert.equal(found("  ").length, operations.length);
  assert.deepEqual(found("nothing of this"), []);
});
