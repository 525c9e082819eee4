import { X } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { Field, Picker, Select } from "../../core/components.js";
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkHere, turn } from "../../core/router.js";

// One point that has every operation of the last hour.
const operations_path = "/v1/history?last=3600&step=3600";

const statuses = [["", "any"], ["5xx", "failed, 5xx"], ["4xx", "refused, 4xx"],
  ["499", "client gone, 499"]];

/** A text field that takes effect with Enter, or when it is left. */
function Typed({ value, name, ...more }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const put = () => turn({ [name]: text.trim() });
  return html`<form onSubmit=${(event) => { event.preventDefault(); put(); }}>
    <${Field} value=${text} onValue=${setText} onChange=${put} ...${more} /></form>`;
}

/** The operations that a filter can name: those with requests in the last hour, and `kept`. */
function useOperations(kept) {
  const { value } = useQuery(operations_path);
  const counts = new Map(kept.map(({ operation }) => [operation, 0]));
  for (const { operations } of value?.points ?? []) {
    for (const { operation, requests } of operations) {
      counts.set(operation, (counts.get(operation) ?? 0) + requests);
    }
  }
  return [...counts.keys()].sort().map((operation) => ({ value: operation, label: operation }));
}

/** Which requests are listed. What is chosen is in the hash. */
export function Filters({ params, games, kept }) {
  const operations = useOperations(kept);
  const place = params.get("place");
  const slower = params.get("slower") ?? "";
  const request = params.get("request") ?? "";
  return html`<div class="choices" role="search" aria-label="Which requests">
    <${Picker} label="Operation" all="all" options=${operations}
      value=${params.get("operation") ?? ""}
      onValue=${(operation) => turn({ operation, request: "" })} />
    <${Picker} label="Game" all="all" value=${params.get("game") ?? ""}
      options=${games.map(({ game_id: value, display_name: label }) => ({ value, label }))}
      onValue=${(game) => turn({ game, request: "" })} />
    <${Select} label="Status" options=${statuses} value=${params.get("status") ?? ""}
      className="short" onValue=${(status) => turn({ status, request: "" })} />
    <${Typed} name="slower" value=${slower} label="Slower than (ms)"
      type="number" min="0" max="86400000" className="short" />
    <${Typed} name="request" value=${request} label="Request id" type="search" />
    ${place && html`<p class="chip">Only those at <code><bdi>${place}</bdi></code> ${" "}
      <a href=${linkHere({ place: "" })} aria-label="Show those at all places"><${X} /></a></p>`}
  </div>`;
}
