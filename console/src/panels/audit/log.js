import {
  CopyCurl, Field, Loading, MemberDiff, Name, Problem, Section, Table, Time,
} from "../../core/components.js";
import { html, useState } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { go, linkHere, linkTo } from "../../core/router.js";
import { whoText } from "./entry.js";

const page_entries = 50;

// What the log is filtered by, with what each field is called.
const filters = [["action", "What"], ["subject", "Of"], ["who", "Who"]];

function filterOf(params) {
  return Object.fromEntries(filters.map(([name]) => [name, params.get(name) ?? ""]));
}

function pathOf(before, filter) {
  const said = Object.entries({ before: before ?? "", ...filter }).filter(([, value]) => value);
  return `/v1/audit?${new URLSearchParams([["limit", page_entries], ...said])}`;
}

/** Asks for the newest entries with these texts once the form is sent. */
function Filters({ filter }) {
  const [texts, setTexts] = useState(filter);
  const submit = (event) => {
    event.preventDefault();
    go("audit", texts);
  };
  return html`<form class="asking" role="search" onSubmit=${submit}>
    ${filters.map(([name, label]) => html`<${Field} key=${name} label=${label} type="search"
      value=${texts[name]} onValue=${(text) => setTexts({ ...texts, [name]: text })} />`)}
    <button type="submit">Filter</button>
  </form>`;
}

function Entry({ number }) {
  // The entries below the next number: the first of them is this one, if it is kept still.
  const path = `/v1/audit?limit=1&before=${Number(number) + 1}`;
  const { value, error, reload } = useQuery(path);
  const found = value?.entries[0];
  if (error) return html`<${Problem} error=${error} onRetry=${reload} />`;
  if (!value) return html`<${Loading} />`;
  if (!found || String(found.entry) !== number) return html`<p>There is no such entry.</p>`;
  const { who } = found;
  const actions = html`<${CopyCurl} path=${path} />`;
  return html`<${Section} title=${`Entry ${found.entry}`} actions=${actions}>
    <dl class="members">
      <div><dt>when</dt><dd><${Time} at=${found.at} /></dd></div>
      <div><dt>who</dt><dd><${Name} text=${whoText(who)} />${who.id && html` <small>(${who.id})
        </small>`}</dd></div>
      <div><dt>from</dt><dd>${found.address ?? "–"}</dd></div>
      <div><dt>what</dt><dd><code>${found.action}</code></dd></div>
      <div><dt>of</dt><dd><${Name} text=${found.subject ?? "–"} /></dd></div>
      <div><dt>request</dt><dd><code>${found.request_id ?? "–"}</code></dd></div>
    </dl>
    <${MemberDiff} before=${found.before} after=${found.after} caption="What it changed" />
  </${Section}>`;
}

const columns = [
  { id: "entry", title: "Entry",
    cell: ({ entry }) => html`<a href=${linkHere({ entry })}>${entry}</a>` },
  { id: "at", title: "When", cell: ({ at }) => html`<${Time} at=${at} />` },
  { id: "who", title: "Who", cell: ({ who }) => html`<${Name} text=${whoText(who)} />` },
  { id: "action", title: "What", cell: ({ action }) => html`<code>${action}</code>` },
  { id: "subject", title: "Of",
    cell: ({ subject }) => html`<${Name} text=${subject ?? "–"} />` },
  { id: "address", title: "From", cell: ({ address }) => address ?? "–" },
];

/** The audit log, the newest entries first, page by page, and the entry that is chosen. */
export function AuditLog({ route }) {
  const { params } = route;
  const before = params.get("before");
  const filter = filterOf(params);
  const path = pathOf(before, filter);
  const { value, error, reload } = useQuery(path);
  const chosen = params.get("entry");
  const actions = html`<button type="button" onClick=${reload}>Load again</button>
    <${CopyCurl} path=${path} />`;
  return html`
    ${chosen && html`<${Entry} key=${chosen} number=${chosen} />`}
    <${Section} title="Audit log" actions=${actions}>
      <${Filters} key=${JSON.stringify(filter)} filter=${filter} />
      <${Problem} error=${error} onRetry=${reload} />
      ${value ? html`<${Table} caption="Audit log" columns=${columns}
          rows=${value.entries} keyOf=${({ entry }) => entry} empty="There is no entry."
          rowClass=${({ entry }) => (String(entry) === chosen ? "chosen" : "")} />`
        : !error && html`<${Loading} />`}
      <p class="actions">
        ${before && html`<a class="button" href=${linkTo("audit",
          filter)}>The newest</a>`}
        ${value?.next_before && html`<a class="button" href=${linkTo("audit",
          { ...filter, before: value.next_before })}>Older</a>`}
      </p>
    </${Section}>`;
}
