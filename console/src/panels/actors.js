import { html } from "../core/html.js";
import { Panel as Frame } from "../core/components.js";

function Panel() {
  return html`<${Frame} title="Actors"><p class="faint">Not there yet.</p></${Frame}>`;
}

export default { id: "actors", title: "Actors", Panel };
