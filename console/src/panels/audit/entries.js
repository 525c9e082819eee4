// Entries of the audit log, by hour: who did what, and below it what changed.
import { Name, RequestId } from "../../core/components.js";
import { differences } from "../../core/components/diff.js";
import { html } from "../../core/html.js";
import { plural } from "../../core/plural.js";
import { linkHere, linkTo } from "../../core/router.js";
import { authorOf, deedOf, hoursOf } from "./words.js";

const shown_members = 4;
// Short ids help to tell things apart. UUIDs are only in the whole entry.
const uuid_length = 36;
const day = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long",
  year: "numeric", timeZone: "UTC" });

function hourText(hour) {
  const begin = new Date(`${hour}:00:00Z`);
  const end = new Date(begin.getTime() + 3_600_000);
  const time = (date) => date.toISOString().slice(11, 16);
  return `${day.format(begin)}, ${time(begin)} to ${time(end)} UTC`;
}

function Value({ text, tone }) {
  return html`<code class=${tone}><${Name} text=${text} /></code>`;
}

function Members({ entry }) {
  const { before, after } = entry;
  // For a removal the name is enough, and a token's hash and times say nothing here.
  if (after === null || entry.action.startsWith("token.")) return null;
  // The name of a new element is already in the line above.
  const named = before === null ? JSON.stringify(deedOf(entry).name) : null;
  const found = differences(before, after)
    .filter(({ path, after: value }) => !path.endsWith("_id") && value !== named);
  if (!found.length) return null;
  return html`<ul class="differences">${found.slice(0, shown_members).map((member) => html`
    <li key=${member.path}><${Name} text=${member.path} />${": "}
      ${member.before !== undefined && html`<${Value} text=${member.before} tone="old" />
        <span class="unseen">became</span><span aria-hidden="true">${" → "}</span>`}
      ${member.after === undefined ? html`<span class="faint">removed</span>`
        : html`<${Value} text=${member.after} tone="new" />`}</li>`)}
    ${found.length > shown_members && html`<li><a href=${linkHere({ entry: entry.entry })}>${
      plural(found.length - shown_members, "more member")}</a></li>`}</ul>`;
}

// A link to the subject of an entry, if it still exists.
function linkOf({ subject, after }) {
  const [kind, id, ...more] = subject?.split("/") ?? [];
  if (after === null || !id || more.length) return null;
  if (kind === "tokens") return linkTo("tokens", { id });
  if (kind === "faults") return linkTo("faults", { point: id });
  return ["games", "namespaces", "regions", "tiers"].includes(kind)
    ? linkTo("catalog", { kind, id }) : null;
}

function Deed({ entry }) {
  const { verb, noun, name, id } = deedOf(entry);
  const link = linkOf(entry);
  const called = name && html`<${Name} text=${name} />`;
  return html`${verb} ${noun} ${link ? html`<a href=${link}>${called}</a>` : html`<strong>${
    called}</strong>`} ${id && id.length < uuid_length && html`<small class="faint"><${Name}
    text=${id} /></small>`}`;
}

function Entry({ entry, chosen, kinds }) {
  const { entry: number, at, who, address, request_id: request } = entry;
  const { name, what } = authorOf(who, kinds);
  return html`<li class=${chosen ? "chosen" : ""}>
    <time datetime=${at} title=${at}>${at.slice(11, 19)}</time>
    <div><p><strong><${Name} text=${name} /></strong>${what && html` <span class="faint">(${what})
      </span>`} ${" "}<${Deed} entry=${entry} /></p>
      <${Members} entry=${entry} />
      ${(address || request) && html`<p class="source faint">${address && `from ${address}`}${
        address && request && ", "}${request && html`request <${RequestId} id=${request} />`}</p>`}
    </div>
    <a href=${linkHere({ entry: number })} aria-current=${chosen ? "true" : undefined}
      title="Show the whole entry">${number}</a>
  </li>`;
}

/** `entries`, the newest first, with a heading for each hour. `kinds`: see authorOf. */
export function Entries({ entries, chosen, kinds }) {
  return hoursOf(entries).map(({ hour, entries: of }) => html`<section key=${hour} class="hour">
    <h3>${hourText(hour)} <small>${plural(of.length, "change")}</small></h3>
    <ol class="entries">${of.map((entry) => html`<${Entry} key=${entry.entry} entry=${entry}
      chosen=${String(entry.entry) === chosen} kinds=${kinds} />`)}</ol>
  </section>`);
}
