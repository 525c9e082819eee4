import { html } from "../html.js";
import { mayChange, token } from "../session.js";

/** Says what would let somebody change something here who may not: `to` says what, as a verb. */
export function ReadOnly({ to }) {
  if (mayChange.value) return null;
  return html`<p class="faint">Read only. ${token.value ? "Sign in with an admin token"
    : "Press “Allow changes” above"} to ${to}.</p>`;
}
