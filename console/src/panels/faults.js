import { html } from "../core/html.js";
import { Panel as Frame } from "../core/components.js";

function Panel() {
  return html`<${Frame} title="Faults"><p class="faint">Not there yet.</p></${Frame}>`;
}

export default { id: "faults", title: "Faults", Panel };
