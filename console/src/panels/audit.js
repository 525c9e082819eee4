import { Panel as Frame } from "../core/components.js";
import { html } from "../core/html.js";
import { AuditLog } from "./audit/log.js";

function Panel({ route }) {
  return html`<${Frame} title="Audit log"><${AuditLog} route=${route} /></${Frame}>`;
}

export default { id: "audit", title: "Audit log", Panel };
