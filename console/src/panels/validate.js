// CodeMirror puts its styles into a <style> element, which the page's policy refuses, unless its
// `root` is a shadow root: there it adopts constructed style sheets, which the policy allows.
import { html } from "../core/html.js";
import { Panel as Frame } from "../core/components.js";

function Panel() {
  return html`<${Frame} title="Validate"><p class="faint">Not there yet.</p></${Frame}>`;
}

export default { id: "validate", title: "Validate", Panel };
