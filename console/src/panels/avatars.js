import { html } from "../core/html.js";
import { Panel as Frame } from "../core/components.js";

function Panel() {
  return html`<${Frame} title="Avatars"><p class="faint">Not there yet.</p></${Frame}>`;
}

export default { id: "avatars", title: "Avatars", Panel };
