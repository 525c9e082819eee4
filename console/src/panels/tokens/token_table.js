import { RotateCw, Trash2 } from "lucide-preact";
import {
  Badge, CopyCurl, CopyText, Name, Section, Table, Time,
} from "../../core/components.js";
import { html } from "../../core/html.js";
import { linkHere, linkTo } from "../../core/router.js";
import { mayChange } from "../../core/session.js";
import { expiresSoon, kindOf, scopeName } from "./kinds.js";

const tones = { active: "good", expired: "plain", revoked: "plain" };

function Expiry({ token }) {
  if (!token.expires) return "never";
  return html`<${Time} at=${token.expires} />${expiresSoon(token) && html` <${Badge}
    tone="warn">soon</${Badge}>`}`;
}

function columnsOf(params, catalog) {
  const chosen = params.get("id");
  const name = (row) => html`<a href=${linkHere({ id: row.token_id })}
    aria-current=${row.token_id === chosen ? "true" : undefined}><${Name} text=${row.name} /></a>`;
  const scope = (row) => {
    const text = scopeName(row, catalog);
    return text ? html`<${Name} text=${text} />` : html`<span class="faint">–</span>`;
  };
  const time = (id, title, absent) => ({ id, title, sort: (row) => row[id] ?? "",
    cell: (row) => (row[id] ? html`<${Time} at=${row[id]} />` : absent) });
  return [
    { id: "name", title: "Name", cell: name, sort: (row) => row.name },
    { id: "kind", title: "Kind", cell: ({ kind }) => kind, sort: ({ kind }) => kind },
    { id: "scope", title: "Only for", cell: scope, sort: (row) => scopeName(row, catalog) ?? "" },
    { id: "state", title: "State", sort: ({ state }) => state,
      cell: ({ state }) => html`<${Badge} tone=${tones[state]}>${state}</${Badge}>` },
    { id: "expires", title: "Expires", sort: ({ expires }) => expires ?? "never",
      cell: (row) => html`<${Expiry} token=${row} />` },
    time("last_use", "Last used", html`<span class="faint">never</span>`),
    time("created", "Created", "–"),
  ];
}

/** Tokens as a table; the one in `params` is marked. */
export function TokenTable({ tokens, params, catalog }) {
  return html`<${Table} caption="Tokens" columns=${columnsOf(params, catalog)} rows=${tokens}
    keyOf=${({ token_id: id }) => id} empty="No token matches."
    rowClass=${({ token_id: id }) => (id === params.get("id") ? "chosen" : "")} />`;
}

/** All about one token, and what can be done with it. */
export function TokenDetails({ found, catalog, onRotate, onRevoke }) {
  const live = found.state === "active" && mayChange.value;
  const { token_id: id, kind, limits, former_works_until: former } = found;
  const actions = html`
    ${live && html`<button type="button" onClick=${onRotate}><${RotateCw} />Rotate</button>`}
    ${live && html`<button type="button" onClick=${onRevoke}><${Trash2} />Revoke</button>`}
    <a class="button" href=${linkHere({ id: "" })}>Close</a>
    <${CopyCurl} path=${`/v1/tokens/${encodeURIComponent(id)}`} />`;
  const member = (title, value) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`;
  const time = (title, at, absent) => member(title, at ? html`<${Time} at=${at} />` : absent);
  const scope = scopeName(found, catalog);
  return html`<${Section} title="Token details" actions=${actions}>
    <p><strong><${Name} text=${found.name} /></strong>, a ${kind} token. ${kindOf(kind)?.may}</p>
    <dl class="members">
      ${scope && member("Only for", html`<${Name} text=${scope} />`)}
      ${member("State", html`<${Badge} tone=${tones[found.state]}>${found.state}</${Badge}>`)}
      ${member("Expires", html`<${Expiry} token=${found} />`)}
      ${found.revoked && time("Revoked", found.revoked)}
      ${former && time("Old text works until", former)}
      ${time("Last used", found.last_use, "never")}
      ${time("Created", found.created, "–")}
      ${member("Created by", html`<${Name} text=${found.created_by} />`)}
      ${limits && member("Limits", Object.entries(limits)
        .map(([cost, text]) => `${cost} ${text}`).join(", "))}
      ${member("Id", html`<code>${id}</code> ${" "}<${CopyText} text=${id} label="Copy the id" />`)}
      ${member("SHA-256", html`<code>${found.sha256}</code>`)}
    </dl>
    <p><a href=${linkTo("audit", { subject: `tokens/${id}` })}>Its changes in the audit
      log</a></p>
  </${Section}>`;
}
