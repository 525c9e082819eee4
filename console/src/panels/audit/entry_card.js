import {
  CopyCurl, Loading, MemberDiff, Name, Problem, RequestId, Section, Time,
} from "../../core/components.js";
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkHere } from "../../core/router.js";
import { whoText } from "./entry.js";

/** The whole entry with this number (a text). */
export function EntryCard({ number }) {
  // The entries before the next number: the first one is this entry, if it is still kept.
  const path = `/v1/audit?limit=1&before=${Number(number) + 1}`;
  const { value, error, reload } = useQuery(path);
  const found = value?.entries[0];
  if (error) return html`<${Problem} error=${error} onRetry=${reload} />`;
  if (!value) return html`<${Loading} />`;
  if (!found || String(found.entry) !== number) {
    return html`<p>The audit log has no entry ${number}.</p>`;
  }
  const { who } = found;
  const actions = html`<a class="button" href=${linkHere({ entry: "" })}>Close</a>
    <${CopyCurl} path=${path} />`;
  const member = (title, content) => html`<div><dt>${title}</dt><dd>${content}</dd></div>`;
  return html`<${Section} title=${`Entry ${found.entry}`} actions=${actions}>
    <dl class="members">
      ${member("When", html`<${Time} at=${found.at} /> UTC`)}
      ${member("Who", html`<${Name} text=${whoText(who)} />${who.id && html` <small>(${who.id})
        </small>`}`)}
      ${found.address && member("From", found.address)}
      ${member("Action", html`<code>${found.action}</code>`)}
      ${found.subject && member("Subject", html`<${Name} text=${found.subject} /> ${" "}
        <a href=${linkHere({ subject: found.subject, entry: "", before: "" })}>all its
          entries</a>`)}
      ${found.request_id && member("Request", html`<${RequestId} id=${found.request_id} />`)}
    </dl>
    <${MemberDiff} before=${found.before} after=${found.after} caption="What it changed" />
  </${Section}>`;
}
