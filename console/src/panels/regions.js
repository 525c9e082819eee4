import { html } from "../core/html.js";
import { Panel as Frame } from "../core/components.js";

function Panel() {
  return html`<${Frame} title="Regions"><p class="faint">Not there yet.</p></${Frame}>`;
}

export default { id: "regions", title: "Regions", Panel };
