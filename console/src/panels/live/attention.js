// What needs attention: each line is a link to where the console shows more about it.
import { ChevronRight, CircleCheck, Info, OctagonAlert, TriangleAlert } from "lucide-preact";
import { Badge, Loading, Name, Problem } from "../../core/components.js";
import { html, useId } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkTo } from "../../core/router.js";
import { slow_ms } from "./operations.js";
import { commonOf } from "./problems.js";

const traces_ms = 10_000;
const labels = { bad: "Problem", warn: "Warning", note: "Notice" };
const icons = { bad: OctagonAlert, warn: TriangleAlert, note: Info };
const places = { fault: "in a fault at ", wait: "waiting for ", work: "in " };

/** What the slow requests have in common, in words. */
function Common({ common: { game, kind, place, of }, names }) {
  return html`${`Of the ${of} slowest, most `}
    ${game && html`belong to the game <${Name} text=${names?.get(game) ?? game} />`}
    ${game && place && " and "}
    ${place && html`spent their time ${places[kind] ?? "in "}<${Name} text=${place} />`}.`;
}

function Since({ ms }) {
  const iso = new Date(ms).toISOString();
  const isToday = iso.slice(0, 10) === new Date().toISOString().slice(0, 10);
  return html`<span class="faint">Since <time datetime=${iso} title=${iso}>${
    isToday ? iso.slice(11, 19) : iso.slice(0, 16).replace("T", " ")}</time>. </span>`;
}

function Line({ problem: { tone, what, todo, link, since, slow }, names }) {
  const { value } = useQuery(slow
    ? `/v1/traces?operation=${slow}&slower_than_ms=${slow_ms}` : null, { every: traces_ms });
  const common = commonOf(value?.traces);
  const content = html`<${icons[tone]} /><${Badge} tone=${tone}>${labels[tone]}</${Badge}>
    <span class="what"><${Name} text=${what} />${" "}${since
      && html`<${Since} ms=${since} />`}<span class="faint">${todo}${(common?.game
      || common?.place) && html`<${Common} common=${common} names=${names} />`}</span></span>`;
  const href = common?.game
    ? linkTo("traces", { operation: slow, slower: slow_ms, game: common.game }) : link;
  return html`<li class=${tone}>${href ? html`<a href=${href}>${content}<${ChevronRight} /></a>`
    : html`<div>${content}</div>`}</li>`;
}

/**
 * `found` is the result of problemsOf, `isKnown` says whether everything was checked, `names` are
 * the names of games.
 */
export function Attention({ found, isKnown, error, onRetry, names }) {
  const id = useId();
  const well = isKnown && !error && found.every(({ tone }) => tone === "note");
  return html`<section class="card attention" aria-labelledby=${id}>
    <h2 id=${id}>What needs attention</h2>
    ${well && html`<p class="all-well"><${CircleCheck} /><${Badge} tone="good">OK</${Badge}>
      Nothing is wrong.</p>`}
    ${!isKnown && !error && !found.length && html`
      <${Loading} what="Waiting for the first status" />`}
    <${Problem} error=${error} onRetry=${onRetry} />
    <ul>${found.map((problem) => html`
      <${Line} key=${problem.id} problem=${problem} names=${names} />`)}</ul>
  </section>`;
}
