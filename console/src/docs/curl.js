// An operation as a command for a shell.
import { examplesOf, valueOf } from "./examples.js";

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** What a parameter is in an example, as text. */
function valueText(root, parameter) {
  if (parameter.example !== undefined) return String(parameter.example);
  const [first] = Object.values(parameter.examples ?? {});
  if (first?.value !== undefined) return String(first.value);
  return String(valueOf(root, parameter.schema ?? {}) ?? "..");
}

/** The media type that is shown of a body: JSON where there is any. */
export function mediaOf(body) {
  const all = Object.entries(body?.content ?? {});
  return all.find(([type]) => type.includes("json")) ?? all[0] ?? null;
}

/**
 * The request of an operation with examples for its required parameters and its body.
 * @param {object} root the document
 * @param {import("./operations.js").Operation} operation
 * @param {string|null} base scheme, host and port; null: not known, a variable of the shell has it
 * @param {string} before what all paths of the plane begin with
 */
export function curlOf(root, operation, base, before = "") {
  const of = (place) => operation.parameters.filter((parameter) => parameter.in === place
    && (parameter.required || place === "path"));
  let { path } = operation;
  for (const parameter of of("path")) {
    const value = encodeURIComponent(valueText(root, parameter));
    path = path.replaceAll(`{${parameter.name}}`, () => value);
  }
  const query = new URLSearchParams(of("query").map((parameter) =>
    [parameter.name, valueText(root, parameter)])).toString();
  const words = ["curl -sS"];
  if (operation.method === "HEAD") words.push("-I");
  else if (operation.method !== "GET") words.push(`-X ${operation.method}`);
  if (operation.needsToken) words.push('-H "Authorization: Bearer $MATCHCLOUD_TOKEN"');
  for (const parameter of of("header")) {
    words.push(`-H ${quoted(`${parameter.name}: ${valueText(root, parameter)}`)}`);
  }
  const media = mediaOf(operation.requestBody);
  if (media) {
    const [type, found] = media;
    const [example] = examplesOf(root, type, found);
    words.push(`-H ${quoted(`Content-Type: ${type}`)}`);
    words.push(`--data-raw ${quoted(example?.text ?? "..")}`);
  }
  const target = before.replace(/\/$/, "") + path + (query && `?${query}`);
  words.push(base === null ? `"$MATCHCLOUD_DATA_URL"${quoted(target)}`
    : quoted(base.replace(/\/$/, "") + target));
  return words.join(" ");
}
