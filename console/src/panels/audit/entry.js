// The audit log's entry of a change that this page has made.
import { CopyCurl, Loading, Name, Problem, Time } from "../../core/components.js";
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkTo } from "../../core/router.js";

const looked_through = 100;

/** Who did something, in a few words. */
export function whoText({ kind, name }) {
  return name ? `${kind} ${name}` : kind;
}

/** Shows the entry of the request with this id, as soon as the audit log has it. */
export function AuditEntry({ requestId }) {
  const path = `/v1/audit?limit=${looked_through}`;
  const { value, error, reload } = useQuery(requestId ? path : null);
  if (!requestId) return null;
  if (error) return html`<${Problem} error=${error} onRetry=${reload} />`;
  if (!value) return html`<${Loading} what="Looking for the audit entry" />`;
  const entry = value.entries.find(({ request_id: id }) => id === requestId);
  if (!entry) {
    return html`<p>The audit log has no entry of request <code>${requestId}</code> among its last ${
      looked_through}. <button type="button" onClick=${reload}>Look again</button></p>`;
  }
  const link = linkTo("catalog", { kind: "audit", entry: entry.entry });
  return html`<p class="audit-entry">Audit entry ${" "}<a href=${link}>${entry.entry}</a>: ${" "}
    <code>${entry.action}</code> of <${Name} text=${entry.subject} /> by ${" "}
    <${Name} text=${whoText(entry.who)} /> at ${" "}<${Time} at=${entry.at} />
    <${CopyCurl} path=${path} /></p>`;
}
