import { html } from "../html.js";
import { asking, token } from "../session.js";
import { Message } from "./message.js";
import { RequestId } from "./request_id.js";

// What somebody can do about a refusal. What is not here has all it needs in the problem's detail.
const advice = {
  unreachable: "This page tries again by itself. See whether the process runs, and its log.",
  timed_out: "Look at what is there now before you ask again.",
  outcome_unknown: "The change may have been made. Look what is there before you ask again.",
  token_expired: "Have it rotated or a new one made, then give that one here.",
  token_revoked: "Give another token.",
  not_permitted: "Changes need an admin token; so does reading tokens and the audit log.",
  overloaded: "It has too much to do. Ask again in some seconds.",
  draining: "The service is ending. Its successor will answer.",
  store_failed: "The service's log has the cause, with the request's id.",
  origin_not_allowed: "Reach the console by the address that the service knows: see ops-hosts.",
  host_not_allowed: "Reach the console by an IP address, localhost or a name of ops-hosts.",
  still_referred: "Remove what refers to it first, then this.",
};

/** Shows an ApiError, what to do about it, and the request's id. Nothing without an error. */
export function Problem({ error, onRetry }) {
  if (!error) return null;
  const unknown = error.status === 401 || (error.status === 403 && token.value);
  return html`<div class="problem" role="alert">
    <p><strong>${error.status || "No answer"} ${error.code ?? error.name}</strong> ${" "}
      <${Message} text=${error.detail ?? String(error)} /></p>
    ${advice[error.code] && html`<p>${advice[error.code]}</p>`}
    ${error.requestId && html`<p class="faint">Request <${RequestId} id=${error.requestId} /></p>`}
    <div class="actions">
      ${unknown && html`<button type="button" onClick=${() => { asking.value = true; }}>
        ${token.value ? "Sign in with another token" : "Sign in"}</button>`}
      ${onRetry && html`<button type="button" onClick=${onRetry}>Try again</button>`}
    </div>
  </div>`;
}

/** What stands where something will be. */
export function Loading({ what = "Loading" }) {
  return html`<p class="faint" aria-busy="true">${what} …</p>`;
}
