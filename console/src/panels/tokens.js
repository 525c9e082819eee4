import { Plus } from "lucide-preact";
import { Panel as Frame } from "../core/components.js";
import { html, useState } from "../core/html.js";
import { turn } from "../core/router.js";
import { mayChange } from "../core/session.js";
import { Tokens } from "./tokens/tokens.js";

function Panel({ route: { params } }) {
  const [open, setOpen] = useState(null);
  const isNew = open === "new" || (open === null && params.has("new") && mayChange.value);
  const change = (what) => {
    if (what === null && params.has("new")) turn({ new: "" });
    setOpen(what);
  };
  const actions = mayChange.value && html`<button type="button" class="primary"
    onClick=${() => setOpen("new")}><${Plus} />Create token</button>`;
  return html`<${Frame} title="Tokens" actions=${actions}>
    <${Tokens} params=${params} open=${isNew ? "new" : open} setOpen=${change} />
  </${Frame}>`;
}

export default { id: "tokens", title: "Tokens", Panel };
