import { connection } from "../events.js";
import { html } from "../html.js";
import { asking, token } from "../session.js";
import { Message } from "./message.js";
import { RequestId } from "./request_id.js";

// What to do about a refusal. For other codes, the problem's detail already says it.
const advice = {
  unreachable: "Check whether the process is running, and read its log.",
  timed_out: "Check the current state before you try again.",
  outcome_unknown: "The change may have been made. Check before you try again.",
  token_expired: "Create another token, then sign in with that.",
  token_revoked: "Sign in with another token.",
  not_permitted: "Changes need an admin token; so does reading tokens and the audit log.",
  overloaded: "Try again in a few seconds.",
  draining: "The service is stopping. Try again in a few seconds.",
  store_failed: "Search the service's log for the request's id to find the cause.",
  origin_not_allowed: "Open the console at an address that the service accepts: see ops-hosts.",
  host_not_allowed: "Open the console at an IP address, localhost or a name in ops-hosts.",
  still_referred: "First remove everything that refers to it.",
};

/** Whether a request needs another token, so that repeating it gets the same answer. */
export const isDenied = (error) => error?.status === 403 && Boolean(token.value);

/** Shows an ApiError, what to do about it, and the request's id. Nothing without an error. */
export function Problem({ error, onRetry }) {
  // The banner above all panels already says it, and panels repeat their requests by themselves.
  const isSaid = error?.code === "unreachable" && onRetry && connection.value === "lost";
  if (!error || isSaid) return null;
  const unknown = error.status === 401 || isDenied(error);
  return html`<div class="problem" role="alert">
    <p><strong>${error.status || "No answer"} ${error.code ?? error.name}</strong> ${" "}
      <${Message} text=${error.detail ?? String(error)} /></p>
    ${advice[error.code] && html`<p>${advice[error.code]}</p>`}
    ${error.requestId && html`<p class="faint">Request <${RequestId} id=${error.requestId} /></p>`}
    <div class="actions">
      ${unknown && html`<button type="button" onClick=${() => { asking.value = true; }}>
        ${token.value ? "Sign in with another token" : "Sign in"}</button>`}
      ${onRetry && !isDenied(error) && html`<button type="button" onClick=${onRetry}>
        Try again</button>`}
    </div>
  </div>`;
}

/** Shown in place of content that is not there yet. */
export function Loading({ what = "Loading" }) {
  return html`<p class="faint" aria-busy="true">${what} …</p>`;
}
