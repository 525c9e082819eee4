import { Badge, Count, CopyCurl, Table } from "../../core/components.js";
import { html } from "../../core/html.js";
import { linkHere } from "../../core/router.js";
import { mayChange } from "../../core/session.js";
import { ruleText } from "./rule.js";

function wanted({ point, rule }, params) {
  const text = (params.get("search") ?? "").toLowerCase();
  return point.includes(text) && (params.get("show") !== "armed" || rule);
}

/** The points of a listing as a table. `onEnd(point)` ends the fault of one. */
export function Points({ points, route, onEnd }) {
  const { params } = route;
  const actions = ({ point, rule }) => {
    if (!mayChange.value) return html`<${CopyCurl} path=${`/faults/${point}`} label="curl" />`;
    return html`<div class="actions">
      <a class="button" href=${linkHere({ point })}
        aria-label=${`${rule ? "Change" : "Set"} ${point}`}>
        ${rule ? "Change" : "Set"}</a>
      ${rule && html`<button type="button" aria-label=${`End ${point}`}
        onClick=${() => onEnd(point)}>End</button>`}
      </div>`;
  };
  const columns = [
    { id: "point", title: "Point", sort: ({ point }) => point,
      cell: ({ point, what }) => html`<code>${point}</code><br /><small>${what}</small>` },
    { id: "rule", title: "Rule", sort: ({ rule }) => (rule ? 0 : 1),
      cell: ({ rule }) => (rule ? html`<${Badge} tone="warn">${ruleText(rule)}</${Badge}>`
        : html`<span class="faint">none</span>`) },
    { id: "passes", title: "Passes", numeric: true, sort: ({ passes }) => passes,
      cell: ({ passes }) => html`<${Count} n=${passes} />` },
    { id: "hits", title: "Hits", numeric: true, sort: ({ hits }) => hits,
      cell: ({ hits }) => html`<${Count} n=${hits} />` },
    { id: "actions", title: html`<span class="unseen">Actions</span>`, cell: actions },
  ];
  return html`<${Table} caption="Fault points" columns=${columns} empty="No point is like that."
    rows=${points.filter((found) => wanted(found, params))} keyOf=${({ point }) => point}
    rowClass=${({ rule }) => (rule ? "armed" : "")} />`;
}
