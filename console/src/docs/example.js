// What several parts of the page show: a text to copy, and the tone of a status.
import { html } from "../core/html.js";
import { CopyText } from "../core/components.js";

export const toneOf = (status) => ({ 2: "good", 3: "plain", 4: "warn", 5: "bad" }[status[0]]
  ?? "plain");

/** A text with its name and a button that copies it; `children` replace the name. */
export function Example({ name, text, children }) {
  return html`<figure class="example"><figcaption><div>${children ?? name}</div>
      <${CopyText} text=${text} /></figcaption>
    <pre tabindex="0" aria-label=${name}>${text}</pre></figure>`;
}
