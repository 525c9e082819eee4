import { History, RefreshCw, Search } from "lucide-preact";
import {
  CopyCurl, Empty, Field, Loading, Name, Problem, Section, Select, isDenied,
} from "../../core/components.js";
import { html, useEffect, useMemo, useState } from "../../core/html.js";
import { plural } from "../../core/plural.js";
import { useQuery } from "../../core/query.js";
import { go, linkTo, turn } from "../../core/router.js";
import { Entries } from "./entries.js";
import { EntryCard } from "./entry_card.js";
import { countsOf } from "./words.js";

const page_entries = 50;
const period_ms = 10_000;
const hour_ms = 3_600_000;

// The filters of the log, with the labels of their fields.
const filters = [["action", "Action"], ["subject", "Subject"], ["who", "Who"]];
const hints = { action: "token.create, or token", subject: "regions/lon, or regions",
  who: "a name, id or kind" };
const spans = [["", "any time"], ["1", "the last hour"], ["24", "the last day"],
  ["168", "the last 7 days"]];

function filterOf(params) {
  return Object.fromEntries(["hours", ...filters.map(([name]) => name)]
    .map((name) => [name, params.get(name) ?? ""]));
}

const sinceOf = (hours) => new Date(Date.now() - Number(hours) * hour_ms).toISOString();

function usePath(before, filter) {
  const { hours, ...texts } = filter;
  const since = useMemo(() => (Number(hours) > 0 ? sinceOf(hours) : ""), [hours, before]);
  const said = Object.entries({ before: before ?? "", since, ...texts })
    .filter(([, value]) => value);
  return `/v1/audit?${new URLSearchParams([["limit", page_entries], ...said])}`;
}

/** Requests the newest entries that match these texts, once the form is submitted. */
function Filters({ filter }) {
  const [texts, setTexts] = useState(filter);
  useEffect(() => setTexts(filter), [JSON.stringify(filter)]);
  const submit = (event) => {
    event.preventDefault();
    go("audit", texts);
  };
  return html`<form class="choices" role="search" onSubmit=${submit}>
    ${filters.map(([name, label]) => html`<${Field} key=${name} label=${label} type="search"
      value=${texts[name]} placeholder=${hints[name]}
      onValue=${(text) => setTexts({ ...texts, [name]: text })} />`)}
    <${Select} label="When" options=${spans} value=${filter.hours}
      onValue=${(hours) => turn({ ...texts, hours, before: "" })} />
    <button type="submit"><${Search} />Filter</button>
  </form>`;
}

// What changed in the last hour, and by whom, in one line.
function LastHour({ entries }) {
  const since = Date.now() - hour_ms;
  const recent = entries.filter(({ at }) => Date.parse(at) >= since);
  if (!recent.length) return html`<p>Nothing changed in the last hour.</p>`;
  const more = recent.length === entries.length && entries.length === page_entries;
  const by = countsOf(recent).map(([name, count], index) => html`${index > 0 && ", "}${count} by${
    " "}<${Name} text=${name} />`);
  return html`<p><strong>${more && "At least "}${plural(recent.length, "change")}</strong>${
    " in the last hour: "}${by}. ${more && html`<a href=${linkTo("audit", { hours: 1 })}>Show only
    these</a>`}</p>`;
}

function None({ isFiltered }) {
  return isFiltered ? html`<${Empty} icon=${Search} title="No entry matches."
      action=${html`<a class="button" href=${linkTo("audit")}>Show all</a>`} />`
    : html`<${Empty} icon=${History} title="Nothing has changed yet.">Every change to the
      catalog, tokens, faults, avatars and lobbies appears here, with its author.</${Empty}>`;
}

/** The audit log, the newest entries first, page by page, and the entry that is chosen. */
export function AuditLog({ route: { params } }) {
  const before = params.get("before");
  const filter = filterOf(params);
  const path = usePath(before, filter);
  const { value, error, reload } = useQuery(path, { every: before ? 0 : period_ms });
  const { tokens = [] } = useQuery("/v1/tokens").value ?? {};
  const kinds = new Map(tokens.map(({ token_id: id, kind }) => [id, kind]));
  const chosen = params.get("entry");
  const isFiltered = Boolean(before || Object.values(filter).some(Boolean));
  const mayRead = !isDenied(error);
  const actions = mayRead && html`<button type="button" onClick=${reload}><${RefreshCw} />
      Refresh</button>
    <${CopyCurl} path=${path} />`;
  return html`
    ${chosen && html`<${EntryCard} key=${chosen} number=${chosen} />`}
    <${Section} title="Changes" actions=${actions} className="audit">
      ${mayRead && html`<${Filters} filter=${filter} />`}
      <${Problem} error=${error} onRetry=${reload} />
      ${value && !isFiltered && html`<${LastHour} entries=${value.entries} />`}
      ${value ? html`<div role="group" aria-label="Audit log">${value.entries.length
          ? html`<${Entries} entries=${value.entries} chosen=${chosen} kinds=${kinds} />`
          : html`<${None} isFiltered=${isFiltered} />`}</div>`
        : !error && html`<${Loading} />`}
      <p class="actions">
        ${before && html`<a class="button" href=${linkTo("audit", filter)}>Newest</a>`}
        ${value?.next_before && html`<a class="button" href=${linkTo("audit",
          { ...filter, before: value.next_before })}>Older</a>`}
      </p>
    </${Section}>`;
}
