import { Copy } from "lucide-preact";
import { CopyText, Dialog, Name } from "../../core/components.js";
import { html } from "../../core/html.js";

/** Shows a token's text, only this once: it is gone when the dialog is closed. */
export function TokenText({ made, onClose }) {
  const { token, name, kind } = made;
  return html`<${Dialog} title=${`The ${kind} token is ready`} onClose=${onClose}>
    <p>This is the text of <strong><${Name} text=${name} /></strong>. <strong>It is shown
      once</strong> and kept nowhere: copy it now into a file that only its user may read.</p>
    <p><code class="exact token-text">${token}</code></p>
    <footer><${CopyText} text=${token} className="primary"
        label=${html`<${Copy} />Copy the token`} />
      <button type="button" onClick=${onClose}>Done</button></footer>
  </${Dialog}>`;
}
