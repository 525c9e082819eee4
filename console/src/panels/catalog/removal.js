import { send } from "../../core/api.js";
import { Confirm, CopyCurl, Name, announce } from "../../core/components.js";
import { html } from "../../core/html.js";
import { kinds, pathOf } from "./kinds.js";

// What stops working, by kind.
const effects = {
  games: () => html`<p>A game can be removed only once it has no namespaces. Its avatars and lobby
    history are kept. To remove these too, erase everything.</p>`,
  namespaces: ({ domains = [] }) => html`<p>Players at its domains${domains.length > 0
    && html`${" "}(<${Name} text=${domains.join(", ")} />)`} get the regions of the default
    namespace instead. Its domains can be given to another namespace.</p>`,
  regions: () => html`<p>Players no longer get it in their list of regions. First remove it from
    the namespaces that name it.</p>`,
  tiers: () => html`<p>Game versions that name it are no longer valid.</p>`,
};

/** Asks for the name of an element (or its id, if that is not a UUID), then removes it. */
export function Removal({ kind, element, onDone, onClose }) {
  const { one, id, name, isUuid } = kinds[kind];
  const path = pathOf(kind, element[id]);
  const remove = async () => {
    const answer = await send("DELETE", path);
    announce(`The ${one} is removed.`);
    onDone(answer.headers.get("X-Request-Id"));
  };
  return html`<${Confirm} title=${`Remove ${one}`} expect=${isUuid ? element[name] : element[id]}
    action="Remove" onConfirm=${remove} onClose=${onClose}>
    <p>This removes the ${one} <strong><${Name} text=${element[name]} /></strong>.</p>
    ${effects[kind](element)}
    <p class="faint">It is hidden and kept for history; adding it again with the same id brings it
      back.</p>
    <${CopyCurl} method="DELETE" path=${path} />
  </${Confirm}>`;
}
