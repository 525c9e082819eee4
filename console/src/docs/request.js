// An operation as a request: as fields that begin with examples, as a shell command and as
// JavaScript.
import { examplesOf, isJson, valueOf } from "./examples.js";

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** The value of a parameter in an example, as text. */
function exampleText(root, parameter) {
  if (parameter.example !== undefined) return String(parameter.example);
  const [first] = Object.values(parameter.examples ?? {});
  if (first?.value !== undefined) return String(first.value);
  return String(valueOf(root, parameter.schema ?? {}) ?? "..");
}

/** The media type in which a body is shown: JSON if there is one. */
export function mediaOf(body) {
  const all = Object.entries(body?.content ?? {});
  return all.find(([type]) => type.includes("json")) ?? all[0] ?? null;
}

/** The name of a parameter among the values: the same name may be in the path and in the query. */
export const fieldOf = (parameter) => `${parameter.in} ${parameter.name}`;

/**
 * @typedef {Record<string, string>} Values by `fieldOf`, with the body as `body`; an empty text is
 *   not sent
 */

/** @returns {Values} examples for the required parameters and the body */
export function valuesToBegin(root, operation) {
  const values = {};
  for (const parameter of operation.parameters) {
    const isNeeded = parameter.required || parameter.in === "path";
    values[fieldOf(parameter)] = isNeeded ? exampleText(root, parameter) : "";
  }
  const media = mediaOf(operation.requestBody);
  if (media) values.body = examplesOf(root, ...media)[0]?.text ?? "..";
  return values;
}

/**
 * What is sent for values.
 * @returns {{method: string, path: string, headers: [string, string][], body: string|undefined}}
 */
export function requestOf(operation, values) {
  const given = (place) => operation.parameters.filter((one) => one.in === place)
    .map((one) => [one.name, values[fieldOf(one)] ?? ""]);
  let { path } = operation;
  for (const [name, value] of given("path")) {
    path = path.replaceAll(`{${name}}`, () => encodeURIComponent(value));
  }
  const query = new URLSearchParams(given("query").filter(([, value]) => value !== ""));
  const headers = given("header").filter(([, value]) => value !== "");
  const media = mediaOf(operation.requestBody);
  const body = media && values.body ? values.body : undefined;
  if (body !== undefined) headers.push(["Content-Type", media[0]]);
  return { method: operation.method, path: path + (query.size ? `?${query}` : ""), headers, body };
}

const join = (before, path) => before.replace(/\/$/, "") + path;

/**
 * The request of an operation as a command.
 * @param {object} root the document
 * @param {import("./operations.js").Operation} operation
 * @param {string|null} base scheme, host and port; null if it is not known; then a shell variable
 *   has it
 * @param {string} before what all paths of the plane begin with
 * @param {Values} values
 */
export function curlOf(root, operation, base, before = "",
  values = valuesToBegin(root, operation)) {
  const { method, path, headers, body } = requestOf(operation, values);
  const words = ["curl -sS"];
  if (operation.isStream) words.push("-N");
  if (method === "HEAD") words.push("-I");
  else if (method !== "GET") words.push(`-X ${method}`);
  if (operation.needsToken) words.push('-H "Authorization: Bearer $MATCHCLOUD_TOKEN"');
  for (const [name, value] of headers) words.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) words.push(`--data-raw ${quoted(body)}`);
  const target = join(before, path);
  words.push(base === null ? `"$MATCHCLOUD_DATA_URL"${quoted(target)}`
    : quoted(base.replace(/\/$/, "") + target));
  return words.join(" ");
}

function bodyInScript(text) {
  try {
    return `JSON.stringify(${JSON.stringify(JSON.parse(text), null, 2)
      .replaceAll("\n", "\n  ")})`;
  } catch {
    return JSON.stringify(text);
  }
}

/** The request of an operation as JavaScript, for browsers and Node.js; see curlOf. */
export function scriptOf(root, operation, base, before = "",
  values = valuesToBegin(root, operation)) {
  const { method, path, headers, body } = requestOf(operation, values);
  const target = join(before, path);
  const address = base === null ? `baseUrl + ${JSON.stringify(target)}`
    : JSON.stringify(base.replace(/\/$/, "") + target);
  const lines = base === null ? ['const baseUrl = "https://..";'] : [];
  const options = method === "GET" ? [] : [`  method: ${JSON.stringify(method)},`];
  const all = headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  if (operation.needsToken) all.unshift('"Authorization": `Bearer ${token}`');
  if (all.length > 0) options.push(`  headers: { ${all.join(", ")} },`);
  if (body !== undefined) options.push(`  body: ${bodyInScript(body)},`);
  lines.push(options.length === 0 ? `const answer = await fetch(${address});`
    : `const answer = await fetch(${address}, {\n${options.join("\n")}\n});`);
  const good = operation.responses.find(({ status }) => status.startsWith("2"));
  const types = Object.keys(good?.response.content ?? {});
  const read = types.length === 0 ? "answer.status"
    : `await answer.${types.some(isJson) ? "json" : "text"}()`;
  lines.push("if (!answer.ok) throw new Error((await answer.json()).detail);",
    `console.log(${read});`);
  return lines.join("\n");
}
