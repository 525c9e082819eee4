import { html } from "../html.js";

// Controls, and the marks that turn the direction of what follows: a name could pose as another by
// them. Joiners and plain direction marks belong to how names are written, and stay.
const treacherous = /([\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069])/;

const codeOf = (mark) => `U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** A text that somebody else wrote, for where no element can be: an image's label, say. */
export const harmless = (text) => String(text ?? "").split(treacherous)
  .map((part, index) => (index % 2 ? codeOf(part) : part)).join("");

/** A text that somebody else wrote: apart from what is around it, controls made visible. */
export function Name({ text }) {
  const parts = String(text ?? "").split(treacherous);
  return html`<bdi class="name-text">${parts.map((part, index) => (index % 2
    ? html`<span class="control" key=${index}>${codeOf(part)}</span>` : part))}</bdi>`;
}
