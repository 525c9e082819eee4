import { useRef, useState } from "preact/hooks";
import { Badge, Count } from "../../core/components.js";
import { html } from "../../core/html.js";
import { linkTo } from "../../core/router.js";
import { changedPlaces, toneOf, treeOf } from "./tree.js";

const filters = {
  all: () => true,
  troubled: ({ state }) => state !== "running",
  restarted: ({ restarts }) => restarts > 0,
  busy: ({ depth }) => depth > 0,
};

// The previous listing, and how often each row has changed. Odd and even counts have animations
// with different names, so that a row that changes twice flashes twice.
function useChanges(actors) {
  const kept = useRef({ actors: null, before: new Map(), turns: new Map(), changed: new Set() });
  const { current } = kept;
  if (current.actors !== actors) {
    const after = new Map(actors.map((actor) => [actor.place, actor]));
    current.changed = changedPlaces(current.before, after);
    current.turns = new Map(actors.map(({ place }) =>
      [place, (current.turns.get(place) ?? 0) + (current.changed.has(place) ? 1 : 0)]));
    current.before = after;
    current.actors = actors;
  }
  return (place) => (current.changed.has(place)
    ? `changed turn-${current.turns.get(place) % 2}` : "");
}

function Row({ actor, level, flash, route }) {
  const { place, state, depth, restarts, handled, last_error: error } = actor;
  const chosen = route.params.get("place") === place;
  return html`<tr class=${`${flash(place)} ${chosen ? "chosen" : ""}`}>
    <th scope="row" class=${`level-${level}`}>${level === 0 ? place
      : html`<a href=${linkTo("traces", { place })} title="Traces of its requests"
        aria-current=${chosen ? "true" : undefined}>${place}</a>`}</th>
    <td><${Badge} tone=${toneOf(state)}>${state}</${Badge}></td>
    <td class="numeric"><${Count} n=${depth} /></td>
    <td class="numeric"><${Count} n=${restarts} /></td>
    <td class="numeric"><${Count} n=${handled} /></td>
    <td>${error === null ? html`<span class="faint">–</span>` : html`<bdi>${error}</bdi>`}</td>
  </tr>`;
}

function Group({ group, closed, onToggle, flash, route }) {
  const { id, title, actors, depth, restarts, troubled } = group;
  return html`<tbody>
    <tr class="group">
      <th scope="rowgroup" class="level-1"><button type="button" class="sort"
        aria-expanded=${String(!closed)} onClick=${() => onToggle(id)}>
        <span aria-hidden="true">${closed ? "▸" : "▾"}</span> ${title}</button></th>
      <td><${Badge} tone=${troubled ? "bad" : "plain"}>${troubled
        ? `${troubled} of ${actors.length} down` : `${actors.length} running`}</${Badge}></td>
      <td class="numeric"><${Count} n=${depth} /></td>
      <td class="numeric"><${Count} n=${restarts} /></td><td></td><td></td>
    </tr>
    ${!closed && actors.map((actor) => html`<${Row} key=${actor.place} level=${2}
      ...${{ actor, flash, route }} />`)}
  </tbody>`;
}

/** The supervision tree of `actors` (GET /actors) as a table; rows that changed flash. */
export function TreeTable({ actors, route }) {
  const flash = useChanges(actors);
  const [closed, setClosed] = useState(new Set());
  const wanted = filters[route.params.get("show")] ?? filters.all;
  const { supervisors, groups } = treeOf(actors.filter(wanted));
  const toggle = (id) => setClosed((before) => {
    const after = new Set(before);
    if (!after.delete(id)) after.add(id);
    return after;
  });
  if (!supervisors.length && !groups.length) return html`<p class="faint">No actor matches.</p>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Supervision tree">
    <table class="tree"><caption class="unseen">Actors below their supervisor</caption>
      <thead><tr><th scope="col">Place</th><th scope="col">State</th>
        <th scope="col" class="numeric">Mailbox</th><th scope="col" class="numeric">Restarts</th>
        <th scope="col" class="numeric">Handled</th><th scope="col">Last error</th></tr></thead>
      ${supervisors.length > 0 && html`<tbody>${supervisors.map((actor) => html`
        <${Row} key=${actor.place} level=${0} ...${{ actor, flash, route }} />`)}</tbody>`}
      ${groups.map((group) => html`<${Group} key=${group.id} closed=${closed.has(group.id)}
        onToggle=${toggle} ...${{ group, flash, route }} />`)}
    </table>
  </div>`;
}
