import { signal } from "@preact/signals";
import { html } from "../html.js";

const said = signal("");

/** Makes screen readers say a sentence at the next pause. Show the same sentence on the page. */
export function announce(sentence) {
  said.value = sentence;
}

/** The element whose changes screen readers announce. The shell has one. */
export function Announcer() {
  return html`<div class="unseen" role="status" aria-live="polite">${said.value}</div>`;
}
