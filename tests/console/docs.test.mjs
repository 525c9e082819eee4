// The API page: both planes, operations by tag, search, links, and what is copied.
import assert from "node:assert/strict";
import { test } from "node:test";
import { examplesOf, valueOf } from "../../console/src/docs/examples.js";
import { groupsOf, isFound, operationsOf } from "../../console/src/docs/operations.js";
import { curlOf, requestOf, scriptOf, valuesToBegin } from "../../console/src/docs/request.js";
import { referred, resolved } from "../../console/src/schema/resolve.js";
import { typeInWords } from "../../console/src/schema/walk.js";
import { judge, origin, until, withConsole } from "./support/browser.mjs";
import { sampleDocument } from "./support/openapi_sample.mjs";

const path = "/docs";
const heading = (page, name) => page.getByRole("heading", { level: 1, name });

/** Runs `look` on a page with the sample document instead of the service's. */
const withSample = (hash, options, look) => withConsole(hash, { path, ...options },
  async (page, opened) => {
    await page.route("**/openapi.json", (route) => route.fulfill({ json: sampleDocument(
      route.request().url().includes("/data/") ? "data plane" : "ops plane") }));
    await page.reload();
    await look(page, opened);
  });

test("each operation of both planes of this service is shown", async () => {
  await withConsole("", { path }, async (page) => {
    for (const [plane, url] of [["ops", "/openapi.json"], ["data", "/data/openapi.json"]]) {
      const document = await (await fetch(origin + url)).json();
      const ids = Object.values(document.paths).flatMap((item) => Object.values(item)
        .map((operation) => operation?.operationId).filter(Boolean));
      for (const id of ids) {
        await page.goto(`${origin}/docs#${plane}/${id}`);
        await page.locator(".operation p.faint code").getByText(id, { exact: true }).waitFor();
      }
    }
  });
});

test("an operation shows its parameters, body, answers with codes, examples and curl", async () => {
  await withSample("#put_region", {}, async (page) => {
    await heading(page, "Adds or replaces a region.").waitFor();
    const main = page.locator("main");
    assert.match(await main.locator(".example").first().innerText(),
      /curl -sS -X PUT [\s\S]*\/v1\/regions\/lon'/);
    await main.getByRole("button", { name: "JavaScript" }).click();
    assert.match(await main.locator(".example").first().innerText(),
      /fetch\("http:\/\/127\.0\.0\.1:8080\/v1\/regions\/lon", \{\s+method: "PUT",/);
    await main.getByRole("rowheader", { name: "datacenter_coord required" }).first().waitFor();
    await main.locator("summary").getByText("Coordinates").first().click();
    await main.getByRole("rowheader", { name: "latitude required" }).first().waitFor();
    await main.getByText("-90 to 90").first().waitFor();
    await main.getByText("For people: <b>not bold</b>.").first().waitFor();
    const refusal = main.getByRole("rowheader", { name: "body_malformed" });
    assert.ok(!await refusal.isVisible());
    await main.getByText("Refusals").click();
    await refusal.waitFor();
    assert.match(await main.locator(".reference .example").last().innerText(),
      /London[\s\S]*"lon"/);
  });
});

test("a search, keys and links lead to operations, and the heading has the focus", async () => {
  await withSample("#ops", {}, async (page) => {
    await heading(page, "Ops plane API").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("not_permitted");
    await until(async () => await page.locator("nav li").count() === 1, "one operation");
    await page.keyboard.press("ArrowDown");
    await heading(page, "Lists the regions.").waitFor();
    assert.match(page.url(), /#ops\/list_regions$/);
    await page.getByLabel("Search operations").fill("");
    await page.locator("nav a").last().click();
    await heading(page, "An operation without an id or a tag.").waitFor();
    await until(() => page.evaluate(() => document.activeElement.tagName === "H1"), "the focus");
    await page.keyboard.press("k");
    await heading(page, "A tree that refers to itself.").waitFor();
    await page.getByRole("link", { name: "Data plane" }).click();
    await heading(page, "Data plane API").waitFor();
    await page.goBack();
    await heading(page, "A tree that refers to itself.").waitFor();
    await page.goto(`${origin}/docs`);
    await heading(page, "Data plane API").waitFor();
    await page.goto(`${origin}/docs#nothing`);
    await page.getByText("There is no operation nothing.").waitFor();
  });
});

test("a service that requires a token gets one", async () => {
  await withConsole("", { path, expected: [/401/] }, async (page) => {
    const token = `mc_viewer_${"a".repeat(49)}`;
    await page.route("**/openapi.json", (route) => (route.request().headers().authorization
      === `Bearer ${token}` ? route.fulfill({ json: sampleDocument("ops plane") })
      : route.fulfill({ status: 401, json: { status: 401, code: "token_missing",
        detail: "A token is needed." } })));
    await page.reload();
    await page.locator("main").getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("textbox", { name: "Token" }).fill(token);
    await page.keyboard.press("Enter");
    await heading(page, "Data plane API").waitFor();
  });
});

test("the page sends a request with the filled-in values, and shows its answer", async () => {
  await withConsole("#ops/get_region", { path }, async (page) => {
    await page.getByLabel("region_id path, required").fill("fra");
    await page.locator(".example").first().getByText("/v1/regions/fra'").waitFor();
    await page.getByRole("button", { name: "Send GET" }).click();
    await page.getByRole("status").getByText(/200 in [\d.]+ ms, \d+ B/).waitFor();
    await page.getByLabel("Answer 200").getByText('"region_id": "fra"').waitFor();
    await page.getByText(/Headers \(\d+\)/).first().click();
    await page.getByLabel("Headers of the answer").getByText("x-request-id").waitFor();
    await judge(page);
  });
});

test("changes are sent once they are allowed, and removals only once confirmed", () =>
  withConsole("#ops/remove_tier", { path, expected: [/404/] }, async (page) => {
    await page.getByText("This request changes the service.").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Send/ }).count(), 0);
    await page.getByRole("button", { name: "Allow changes" }).click();
    await page.getByLabel("tier path, required").fill("no-such-tier");
    await page.getByRole("button", { name: "Send DELETE" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Type DELETE to continue.").fill("DELETE");
    await dialog.getByRole("button", { name: "Send" }).click();
    await page.getByRole("status").getByText(/404 in/).waitFor();
    await dialog.waitFor({ state: "detached" });
  }));

test("a viewer is not offered changes of the service", () =>
  withConsole("#ops/put_region", { path, token: `mc_viewer_${"a".repeat(49)}`,
    expected: [/401/] }, async (page) => {
    await page.route("**/openapi.json", (route) => route.fulfill({
      json: sampleDocument("ops plane") }));
    await page.reload();
    await page.getByText("Only an admin token may send this.").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Send/ }).count(), 0);
  }));

test("the data plane's base URL is typed once, and the page says what it may not request", () =>
  withConsole("#data/list_regions", { path }, async (page) => {
    const field = page.getByLabel("Base URL of the data plane");
    await page.getByText("Enter the base URL first.").waitFor();
    await field.fill("play.example");
    await page.getByText("This is not a base URL. Use one such as https://play.example.").waitFor();
    await field.fill("http://play.example:8080");
    await page.getByText("this page cannot send requests to http://play.example:8080.").waitFor();
    await page.reload();
    const code = page.locator(".example").first();
    await code.getByText("'http://play.example:8080/matchmaker/regions'").waitFor();
    await page.getByRole("button", { name: "JavaScript" }).click();
    await page.reload();
    await code.getByText('fetch("http://play.example:8080/matchmaker/regions")').waitFor();
  }));
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
