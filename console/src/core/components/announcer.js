import { signal } from "@preact/signals";
import { html } from "../html.js";

const said = signal("");

/** Has screen readers say one sentence, at the next pause. Show the same on the page. */
export function announce(sentence) {
  said.value = sentence;
}

/** Where `announce` speaks from. The shell has one. */
export function Announcer() {
  return html`<div class="unseen" role="status" aria-live="polite">${said.value}</div>`;
}
