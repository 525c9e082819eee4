// The audit log's entry of a change that this page has made.
import { useEffect, useState } from "preact/hooks";
import { CopyCurl, Loading, Name, Problem, Time } from "../../core/components.js";
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkTo } from "../../core/router.js";

const looked_through = 100;
// A change, such as the end of a fault, may happen before its entry is written.
const again_ms = 1_000;
const looks_limit = 10;

/** Who did something, in a few words. */
export function whoText({ kind, name }) {
  return name ? `${kind} ${name}` : kind;
}

/** Shows the entry of the request with this id, as soon as the audit log has it. */
export function AuditEntry({ requestId }) {
  const path = `/v1/audit?limit=${looked_through}`;
  const { value, error, reload } = useQuery(requestId ? path : null);
  const [looks, setLooks] = useState(1);
  const entry = value?.entries.find(({ request_id: id }) => id === requestId);
  const looksAgain = value && !entry && looks < looks_limit;
  useEffect(() => {
    if (!looksAgain) return undefined;
    const timer = setTimeout(() => {
      setLooks(looks + 1);
      reload();
    }, again_ms);
    return () => clearTimeout(timer);
  }, [looksAgain, looks]);
  if (!requestId) return null;
  if (error) return html`<${Problem} error=${error} onRetry=${reload} />`;
  if (!value || looksAgain) return html`<${Loading} what="Looking for the audit entry" />`;
  if (!entry) {
    return html`<p>The audit log has no entry for request <code>${requestId}</code> among its
      last ${looked_through}. <button type="button" onClick=${reload}>Look again</button></p>`;
  }
  const link = linkTo("audit", { entry: entry.entry });
  return html`<p class="audit-entry">Audit entry ${" "}<a href=${link}>${entry.entry}</a>: ${" "}
    <code>${entry.action}</code> of <${Name} text=${entry.subject} /> by ${" "}
    <${Name} text=${whoText(entry.who)} /> at ${" "}<${Time} at=${entry.at} />
    <${CopyCurl} path=${path} /></p>`;
}
