// The picture of the path: stages with their points, which are links.
import { html } from "../../core/html.js";
import { linkHere } from "../../core/router.js";
import { KindIcon } from "./kinds.js";
import { actors, answering, arriving, background, drawn, resources } from "./path.js";
import { kindText } from "./rule.js";

const hitsText = (hits) => `${hits} ${hits === 1 ? "hit" : "hits"}`;

function Point({ id, words, alone, found, chosen }) {
  const rule = found?.rule;
  const state = rule ? `, ${kindText(rule)}, ${hitsText(found.hits)}` : "";
  const parts = id.split(".").flatMap((part, index) => (index ? [".", html`<wbr />`, part] : part));
  const shown = html`<span class="unseen">${`${alone} (${id})${state}`}</span>
    <span aria-hidden="true">${words}</span>
    ${!alone.endsWith(`: ${words}`) && html`<code aria-hidden="true">${parts}</code>`}
    ${rule && html`<span class="rule" aria-hidden="true"><${KindIcon} kind=${rule.kind} />
      ${rule.kind} ${" "}<strong>${found.hits}</strong></span>`}`;
  if (!found) return html`<li><span class="point">${shown}</span></li>`;
  return html`<li><a class=${`point${rule ? " armed" : ""}`} href=${linkHere({ point: id })}
    aria-current=${chosen === id ? "true" : undefined} title=${found.what}>${shown}</a></li>`;
}

/**
 * The path of a request with all fault points. `points` are the points of GET /faults by id;
 * without them, only the picture is shown. `chosen` is the id of the point whose form is open.
 */
export function Path({ points = new Map(), chosen }) {
  const point = ([id, words, alone]) => html`<${Point} key=${id} id=${id} words=${words}
    alone=${alone} found=${points.get(id)} chosen=${chosen} />`;
  const stage = ({ id, title, points: some }) => html`<li key=${id} class=${`stage ${id}`}>
    <h3>${title}</h3><ul>${some.map(point)}</ul></li>`;
  const unknown = [...points.keys()].filter((id) => !drawn.includes(id));
  return html`<ol class="path" aria-label="The path of a request">
    ${arriving.map(stage)}
    <li class="stage actors"><h3>Actors</h3><ul>
      ${actors.map(({ name, title, operations, points: some }) => html`<li key=${name}
        class="actor"><span><span>${title}</span> <small title=${operations.join(", ")}>${
          operations.join(", ")}</small></span><ul>${some.map(point)}</ul></li>`)}</ul></li>
    <li class="resources"><ul>${resources.map(stage)}</ul></li>
    ${stage(answering)}
    ${stage({ ...background,
      points: [...background.points, ...unknown.map((id) => [id, id, id])] })}
  </ol>`;
}
