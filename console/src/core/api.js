// Requests to the ops plane that serves this page.
import { addressOf } from "./address.js";
import { parseJson } from "./json.js";
import { refused, token } from "./session.js";

const patience_ms = 30_000;

/**
 * A request that was refused or not answered. `status` is 0 if no answer arrived. `code` is the
 * problem's stable code ("unreachable" and "timed_out" are the page's own), `detail` a sentence for
 * people. `requestId` is the request's id in the service's log and audit log, or null.
 */
export class ApiError extends Error {
  constructor(status, code, detail, requestId = null) {
    super(detail);
    Object.assign(this, { name: "ApiError", status, code, detail, requestId });
  }
}

/** The headers of a request from this page, with the token if one is in use. */
export function headersOf(more = {}) {
  return token.value ? { ...more, Authorization: `Bearer ${token.value}` } : more;
}

/** The ApiError for an answer that is not 2xx. Reads the answer's body. */
export async function errorOf(response) {
  const id = response.headers.get("X-Request-Id");
  let problem = {};
  try {
    problem = parseJson(await response.text()) ?? {};
  } catch {
    // Not a problem document, such as a proxy's page: only the status is known.
  }
  const error = new ApiError(response.status, problem.code ?? "unknown",
    problem.detail ?? `The answer was ${response.status}, without an explanation.`,
    problem.request_id ?? id);
  if (error.status === 401) refused.value = error;
  return error;
}

function unanswered(error, timeout) {
  if (timeout.aborted) {
    return new ApiError(0, "timed_out", `No answer within ${patience_ms / 1000} s. `
      + "A change may have been made: check before you try again.");
  }
  if (error.name === "AbortError") return error;
  return new ApiError(0, "unreachable",
    "The service does not answer. Is it running, and can this browser reach it?");
}

function bodyOf(body) {
  return typeof body === "string" ? body : JSON.stringify(body);
}

/**
 * Sends one request and returns the Response if its status is 2xx. `path` is a path of the ops
 * plane and begins with /. `body` is an object, or a string of JSON. Throws ApiError, or an
 * AbortError if `signal` aborted the request.
 */
export async function send(method, path, { body, signal } = {}) {
  const timeout = AbortSignal.timeout(patience_ms);
  const json = body === undefined ? {} : { "Content-Type": "application/json" };
  let response;
  try {
    response = await fetch(addressOf(path), {
      method,
      headers: headersOf({ Accept: "application/json, */*;q=0.5", ...json }),
      body: body === undefined ? undefined : bodyOf(body),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      credentials: "same-origin",
      cache: "no-store",
      referrerPolicy: "no-referrer",
    });
  } catch (error) {
    throw unanswered(error, timeout);
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** The parsed JSON of a response (see parseJson about big integers); null without a body. */
export async function jsonOf(response) {
  const text = await response.text();
  return text === "" ? null : parseJson(text);
}

/**
 * Sends one request and returns the parsed JSON of its answer, or the Response with `raw`. Throws
 * ApiError; see `send`.
 */
export async function request(method, path, { raw = false, ...options } = {}) {
  const response = await send(method, path, options);
  return raw ? response : jsonOf(response);
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The request as a shell command. A token in use appears as $MATCHCLOUD_TOKEN, never as its text.
 */
export function curlOf(method, path, body) {
  const words = ["curl -sS"];
  if (method !== "GET") words.push(`-X ${method}`);
  if (path === "/events") words.push("-N");
  if (token.value) words.push('-H "Authorization: Bearer $MATCHCLOUD_TOKEN"');
  if (body !== undefined) {
    words.push("-H 'Content-Type: application/json'", `--data-raw ${quoted(bodyOf(body))}`);
  }
  words.push(quoted(addressOf(path)));
  return words.join(" ");
}
