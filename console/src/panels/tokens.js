import { Panel as Frame } from "../core/components.js";
import { html } from "../core/html.js";
import { Tokens } from "./tokens/tokens.js";

function Panel({ route }) {
  return html`<${Frame} title="Tokens"><${Tokens} route=${route} /></${Frame}>`;
}

export default { id: "tokens", title: "Tokens", Panel };
