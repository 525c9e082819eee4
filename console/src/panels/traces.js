import { Panel as Frame } from "../core/components.js";
import { html } from "../core/html.js";
import { WalksCard } from "./traces/walks.js";

function Panel({ route }) {
  return html`<${Frame} title="Traces"><${WalksCard} route=${route} /></${Frame}>`;
}

export default { id: "traces", title: "Traces", Panel };
