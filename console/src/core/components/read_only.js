import { html } from "../html.js";
import { mayChange, token } from "../session.js";

/** Tells users without permission to change anything how to get it. `to` says what, as a verb. */
export function ReadOnly({ to }) {
  if (mayChange.value) return null;
  return html`<p class="faint">Read only. ${token.value ? "Sign in with an admin token"
    : "Press “Allow changes” above"} to ${to}.</p>`;
}
