// The operations of an OpenAPI 3.1 document, with their references resolved.
import { resolved } from "../schema/resolve.js";

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];
const operations_limit = 1_000;
const untagged = "Other";

const listOf = (value) => (Array.isArray(value) ? value : []);
const entriesOf = (value) => (value && typeof value === "object" ? Object.entries(value) : []);

/** The id for an operation without one of its own, as in its link. */
const idFor = (method, path) => `${method}${path}`.replace(/[^A-Za-z0-9]+/g, "_")
  .replace(/_+$/, "");

/** The parameters of a path and of an operation; the operation's override the path's. */
function parametersOf(root, item, operation) {
  const byName = new Map();
  for (const parameter of [...listOf(item.parameters), ...listOf(operation.parameters)]) {
    const found = resolved(root, parameter);
    if (typeof found.name === "string") byName.set(`${found.in} ${found.name}`, found);
  }
  const order = ["path", "query", "header", "cookie"];
  return [...byName.values()].sort((one, other) => order.indexOf(one.in) - order.indexOf(other.in));
}

const said = /`([a-z0-9_]+)`: ([^`]*)/g;

/**
 * The codes of refusals that a response lists, as `x-codes` of texts or of objects. Their meanings
 * may be in the response's description, as "`code`: meaning."
 */
function codesOf(response) {
  const meanings = new Map([...String(response.description ?? "").matchAll(said)]
    .map(([, code, meaning]) => [code, meaning.replace(/[\s,;*-]+$/, "")]));
  return listOf(response["x-codes"]).map((code) => (typeof code === "string"
    ? { code, description: meanings.get(code) ?? "" }
    : { code: String(code?.code ?? ""), description: String(code?.description ?? "") }))
    .filter(({ code }) => code !== "");
}

/** A response's description, unless its codes say all of it. */
function descriptionOf(response, codes) {
  const text = String(response.description ?? "");
  const isSaid = codes.length > 0 && codes.every(({ description }) => description !== "")
    && text.startsWith("`");
  return isSaid ? "" : text;
}

/**
 * @typedef {object} Operation
 * @property {string} id operationId, or one that is made from method and path
 * @property {string} method in capitals
 * @property {string} path
 * @property {string} tag the first one; "Other" without one
 * @property {string} summary
 * @property {string} description
 * @property {boolean} isDeprecated
 * @property {object[]} parameters resolved, those of the path first
 * @property {object|null} requestBody resolved
 * @property {{status: string, response: object, codes: {code: string, description: string}[],
 *   description: string}[]} responses in the order of their status, "default" last
 * @property {boolean} isStream whether its answer never ends
 * @property {boolean} needsToken whether it cannot be called without one
 * @property {string[]} tokenKinds of tokens that may call it, if the document says so
 */

/**
 * All operations of a document, in its order; the first 1,000 if there are more.
 * @param {object} root the document
 * @returns {Operation[]}
 */
export function operationsOf(root) {
  const operations = [];
  for (const [path, reference] of entriesOf(root?.paths)) {
    const item = resolved(root, reference);
    for (const method of methods.filter((name) => item[name] && typeof item[name] === "object")) {
      if (operations.length >= operations_limit) return operations;
      const operation = item[method];
      const security = listOf(operation.security ?? root.security);
      const isStream = "text/event-stream" in (operation.responses?.[200]?.content ?? {});
      operations.push({
        isStream,
        id: typeof operation.operationId === "string" ? operation.operationId
          : idFor(method, path),
        method: method.toUpperCase(),
        path,
        tag: String(listOf(operation.tags)[0] ?? untagged),
        summary: String(operation.summary ?? ""),
        description: String(operation.description ?? ""),
        isDeprecated: operation.deprecated === true,
        parameters: parametersOf(root, item, operation),
        requestBody: operation.requestBody ? resolved(root, operation.requestBody) : null,
        responses: entriesOf(operation.responses).map(([status, found]) => {
          const response = resolved(root, found);
          const codes = codesOf(response);
          return { status, response, codes, description: descriptionOf(response, codes) };
        }),
        needsToken: security.length > 0
          && security.every((way) => entriesOf(way).length > 0),
        tokenKinds: listOf(operation["x-token-kinds"]).map(String),
      });
    }
  }
  return operations;
}

/**
 * Operations by tag: first the tags that the document lists, then the others in their order.
 * @returns {{tag: string, description: string, operations: Operation[]}[]} without empty ones
 */
export function groupsOf(root, operations) {
  const groups = new Map(listOf(root?.tags).filter((tag) => typeof tag?.name === "string")
    .map(({ name, description }) => [name, { tag: name, description: String(description ?? ""),
      operations: [] }]));
  for (const operation of operations) {
    if (!groups.has(operation.tag)) {
      groups.set(operation.tag, { tag: operation.tag, description: "", operations: [] });
    }
    groups.get(operation.tag).operations.push(operation);
  }
  return [...groups.values()].filter((group) => group.operations.length > 0);
}

/** Whether all words of a search occur in an operation's texts, names and codes. */
export function isFound(operation, search) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = [operation.id, operation.method, operation.path, operation.tag, operation.summary,
    operation.description, ...operation.parameters.map(({ name }) => name),
    ...operation.responses.flatMap(({ status, codes }) => [status,
      ...codes.map(({ code }) => code)])].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}
