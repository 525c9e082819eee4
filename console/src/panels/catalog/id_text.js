import { Copy } from "lucide-preact";
import { CopyText, Name } from "../../core/components.js";
import { html } from "../../core/html.js";

/** A faint id with a button that copies it. `of` is the name of the element with this id. */
export function IdText({ id, of }) {
  return html`<span class="id-text"><code class="faint"><${Name} text=${id} /></code>
    <${CopyText} text=${id} className="icon-only" title=${`Copy the id of ${of}`}
      label=${html`<${Copy} />`} /></span>`;
}
