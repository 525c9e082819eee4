import { useState } from "preact/hooks";
import { send } from "../../core/api.js";
import {
  Confirm, CopyCurl, Field, Loading, MemberDiff, Name, Problem, Section, Table, announce,
} from "../../core/components.js";
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkHere, turn } from "../../core/router.js";
import { mayChange } from "../../core/session.js";
import { AuditEntry } from "../audit/entry.js";
import { Editor } from "./editor.js";
import { ErasingDialog, Erasures } from "./erasing.js";
import { elementsOf, kinds, pathOf } from "./kinds.js";

const period_ms = 5_000;

function cellText(value) {
  if (value === undefined || value === null) return "–";
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? Object.values(value).join(", ") : String(value);
}

function matches(element, text) {
  return JSON.stringify(element).toLowerCase().includes(text.toLowerCase());
}

function Removal({ kind, element, onDone, onClose }) {
  const { one, id } = kinds[kind];
  const path = pathOf(kind, element[id]);
  const remove = async () => {
    const answer = await send("DELETE", path);
    announce(`The ${one} is removed.`);
    onDone(answer.headers.get("X-Request-Id"), null);
  };
  return html`<${Confirm} title=${`Remove a ${one}`} expect=${element[id]} action="Remove"
    onConfirm=${remove} onClose=${onClose}>
    <p>What is removed is hidden and kept for history; creating it again brings it back.</p>
    <${MemberDiff} before=${element} after=${null} caption="What is removed" />
    <${CopyCurl} method="DELETE" path=${path} />
  </${Confirm}>`;
}

function Details({ kind, element, onEdit, onRemove, onErase }) {
  const { id, fixed } = kinds[kind];
  const actions = html`
    ${mayChange.value && !fixed && html`<button type="button" onClick=${onEdit}>Edit</button>`}
    ${mayChange.value && html`<button type="button" onClick=${onRemove}>Remove</button>`}
    ${mayChange.value && kind === "games" && html`<button type="button"
      onClick=${onErase}>Erase everything</button>`}
    <${CopyCurl} path=${pathOf(kind, element[id])} />`;
  return html`<${Section} title=${`The ${kinds[kind].one} chosen`} actions=${actions}>
    <pre class="json">${JSON.stringify(element, null, 2).split("\n").map((line, index) => html`
      <div key=${index}><${Name} text=${line} /></div>`)}</pre>
  </${Section}>`;
}

/** The elements of one kind: a list, the one that is chosen, and what changes them. */
export function Elements({ kind, route }) {
  const definition = kinds[kind];
  const path = `/v1/${kind}`;
  const { value, error, reload } = useQuery(path, { every: period_ms });
  const [open, setOpen] = useState(null);
  const [requestId, setRequestId] = useState(null);
  const { params } = route;
  const search = params.get("search") ?? "";
  const chosen = params.get("id");
  const elements = value ? elementsOf(kind, value) : [];
  const element = elements.find((found) => found[definition.id] === chosen);
  const done = (id, shown) => {
    setOpen(null);
    setRequestId(id);
    turn({ id: shown });
    reload();
  };
  const cell = (name) => (row) => (name === definition.id
    ? html`<a href=${linkHere({ id: row[name] })}
        aria-current=${row[name] === chosen ? "true" : undefined}><${Name} text=${row[name]} /></a>`
    : html`<${Name} text=${cellText(row[name])} />`);
  const columns = definition.columns.map(([name, title]) => ({
    id: name, title, cell: cell(name), sort: (row) => cellText(row[name]) }));
  const actions = html`
    ${mayChange.value && html`<button type="button" class="primary"
      onClick=${() => setOpen("new")}>New ${definition.one}</button>`}
    <${CopyCurl} path=${path} />`;
  return html`
    <${Section} title=${value ? `${definition.title}, ${elements.length}` : definition.title}
      actions=${actions}>
      <${Problem} error=${error} onRetry=${reload} />
      ${requestId && html`<${AuditEntry} key=${requestId} requestId=${requestId} />`}
      <${Field} label="Search" type="search" className="search" value=${search}
        onValue=${(text) => turn({ search: text })} />
      ${value ? html`<${Table} key=${kind} caption=${definition.title} columns=${columns}
          rows=${elements.filter((row) => matches(row, search))}
          keyOf=${(row) => row[definition.id]} empty=${search ? "None has that." : "There is none."}
          rowClass=${(row) => (row[definition.id] === chosen ? "chosen" : "")} />`
        : !error && html`<${Loading} />`}
    </${Section}>
    ${element && html`<${Details} kind=${kind} element=${element}
      onEdit=${() => setOpen("edit")} onRemove=${() => setOpen("remove")}
      onErase=${() => setOpen("erase")} />`}
    ${chosen && value && !element && html`<p>There is no ${definition.one} with the id <code>
      <${Name} text=${chosen} /></code>.</p>`}
    ${open === "new" && html`<${Editor} kind=${kind} element=${null} onDone=${done}
      onClose=${() => setOpen(null)} />`}
    ${open === "edit" && element && html`<${Editor} kind=${kind} element=${element} onDone=${done}
      onClose=${() => setOpen(null)} />`}
    ${kind === "games" && html`<${Erasures} />`}
    ${open === "erase" && element && html`<${ErasingDialog} game=${element} onDone=${done}
      onClose=${() => setOpen(null)} />`}
    ${open === "remove" && element && html`<${Removal} kind=${kind} element=${element}
      onDone=${done} onClose=${() => setOpen(null)} />`}`;
}
