import { html } from "../html.js";

// Control characters, and characters that change the direction of the text after them: with these,
// a name could look like another one. Joiners and plain direction marks are part of how names are
// written, so they stay.
const treacherous = /([\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069])/;

const codeOf = (mark) => `U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** A text that somebody else wrote, for places without elements, such as an image's label. */
export const harmless = (text) => String(text ?? "").split(treacherous)
  .map((part, index) => (index % 2 ? codeOf(part) : part)).join("");

/** A text that somebody else wrote, isolated from the text around it, with visible controls. */
export function Name({ text }) {
  const parts = String(text ?? "").split(treacherous);
  return html`<bdi class="name-text">${parts.map((part, index) => (index % 2
    ? html`<span class="control" key=${index}>${codeOf(part)}</span>` : part))}</bdi>`;
}
