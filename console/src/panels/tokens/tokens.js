import { useState } from "preact/hooks";
import { send } from "../../core/api.js";
import {
  Badge, Confirm, CopyCurl, Loading, Name, Problem, Section, Table, Time, announce,
} from "../../core/components.js";
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkHere, turn } from "../../core/router.js";
import { mayChange } from "../../core/session.js";
import { AuditEntry } from "../audit/entry.js";
import { NewToken, Rotation, TokenText } from "./token_forms.js";

const path = "/v1/tokens";
const period_ms = 5_000;
const tones = { active: "good", expired: "plain", revoked: "plain" };

const pathOf = (id) => `${path}/${encodeURIComponent(id)}`;

function Revocation({ found, onDone, onClose }) {
  const target = pathOf(found.token_id);
  const revoke = async () => {
    const answer = await send("DELETE", target);
    announce("The token is revoked.");
    onDone(answer.headers.get("X-Request-Id"), null);
  };
  return html`<${Confirm} title="Revoke a token" expect=${found.name} action="Revoke"
    onConfirm=${revoke} onClose=${onClose}>
    <p>The ${found.kind} token <strong><${Name} text=${found.name} /></strong> (${found.token_id})
      ends for good, and so does a former text that still works.</p>
    <${CopyCurl} method="DELETE" path=${target} />
  </${Confirm}>`;
}

function Details({ found, onRotate, onRevoke }) {
  const live = found.state === "active" && mayChange.value;
  const actions = html`
    ${live && html`<button type="button" onClick=${onRotate}>Rotate</button>`}
    ${live && html`<button type="button" onClick=${onRevoke}>Revoke</button>`}
    <${CopyCurl} path=${pathOf(found.token_id)} />`;
  return html`<${Section} title="The token chosen" actions=${actions}>
    <dl class="members">${Object.entries(found).map(([name, value]) => html`<div key=${name}>
      <dt>${name}</dt><dd><${Name} text=${typeof value === "string" ? value
        : JSON.stringify(value)} /></dd></div>`)}</dl>
  </${Section}>`;
}

function columnsOf(params) {
  const chosen = params.get("id");
  const cell = (row) => html`<a href=${linkHere({ id: row.token_id })}
    aria-current=${row.token_id === chosen ? "true" : undefined}><${Name} text=${row.name} /></a>`;
  const time = (name, title, absent) => ({ id: name, title, sort: (row) => row[name] ?? "",
    cell: (row) => (row[name] ? html`<${Time} at=${row[name]} />` : absent) });
  return [
    { id: "name", title: "Name", cell, sort: ({ name }) => name },
    { id: "kind", title: "Kind", cell: ({ kind }) => kind, sort: ({ kind }) => kind },
    { id: "state", title: "State", sort: ({ state }) => state,
      cell: ({ state }) => html`<${Badge} tone=${tones[state]}>${state}</${Badge}>` },
    { id: "scope", title: "Only for",
      cell: (row) => html`<small>${row.game_id ?? row.namespace_id ?? "–"}</small>` },
    time("created", "Created", "–"), time("expires", "Expires", "never"),
    time("last_use", "Last use", "–"),
  ];
}

/** All tokens, the one that is chosen, and what makes, rotates and revokes them. */
export function Tokens({ route }) {
  const { value, error, reload } = useQuery(path, { every: period_ms });
  const [open, setOpen] = useState(null);
  const [made, setMade] = useState(null);
  const [requestId, setRequestId] = useState(null);
  const { params } = route;
  const tokens = value?.tokens ?? [];
  const found = tokens.find(({ token_id: id }) => id === params.get("id"));
  const close = () => setOpen(null);
  const done = (id, token) => {
    close();
    setRequestId(id);
    setMade(token);
    if (token) turn({ id: token.token_id });
    reload();
  };
  const actions = html`
    ${mayChange.value && html`<button type="button" class="primary"
      onClick=${() => setOpen("new")}>New token</button>`}
    <${CopyCurl} path=${path} />`;
  return html`
    <${Section} title=${value ? `Tokens, ${tokens.length}` : "Tokens"} actions=${actions}>
      <${Problem} error=${error} onRetry=${reload} />
      ${requestId && html`<${AuditEntry} key=${requestId} requestId=${requestId} />`}
      ${value ? html`<${Table} caption="Tokens" columns=${columnsOf(params)} rows=${tokens}
          keyOf=${({ token_id: id }) => id} empty="There is none."
          rowClass=${({ token_id: id }) => (id === params.get("id") ? "chosen" : "")} />`
        : !error && html`<${Loading} />`}
    </${Section}>
    ${found && html`<${Details} found=${found} onRotate=${() => setOpen("rotate")}
      onRevoke=${() => setOpen("revoke")} />`}
    ${open === "new" && html`<${NewToken} onDone=${done} onClose=${close} />`}
    ${open === "rotate" && found && html`<${Rotation} found=${found} onDone=${done}
      onClose=${close} />`}
    ${open === "revoke" && found && html`<${Revocation} found=${found} onDone=${done}
      onClose=${close} />`}
    ${made && html`<${TokenText} made=${made} onClose=${() => setMade(null)} />`}`;
}
