import { html } from "../core/html.js";

/** matchcloud's mark, as icon.svg has it. */
export function Mark() {
  return html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M7 22.5V13a4.5 4.5 0 0 1 9 0v6m0 0v-6a4.5 4.5 0 0 1 9 0v9.5" />
    <circle cx="16" cy="22.5" r="2.4" />
  </svg>`;
}
