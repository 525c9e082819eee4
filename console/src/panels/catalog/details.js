// The element that is chosen, next to its list.
import { Pencil, Trash2, X } from "lucide-preact";
import { CopyCurl, Name, Section } from "../../core/components.js";
import { html, useEffect, useRef } from "../../core/html.js";
import { linkHere, linkTo } from "../../core/router.js";
import { mayChange } from "../../core/session.js";
import { placeText } from "./checks.js";
import { elementLink, gameName, regionName } from "./columns.js";
import { IdText } from "./id_text.js";
import { kinds, pathOf } from "./kinds.js";

/** The address of the Regions panel with the ranking for players at a region's datacenter. */
export const rankLink = ({ region_id: region, datacenter_coord: { latitude, longitude } }) =>
  linkTo("regions", { latitude, longitude, region });

/** Members and their values, as a description list. `rows` are pairs; null ones are left out. */
export function Members({ rows }) {
  return html`<dl class="members">${rows.filter(Boolean).map(([title, value]) => html`
    <div key=${title}><dt>${title}</dt><dd>${value}</dd></div>`)}</dl>`;
}

const linked = (items) => (items.length ? html`<ul class="linked">${items.map(([key, href, name]) =>
  html`<li key=${key}><a href=${href}><${Name} text=${name} /></a></li>`)}</ul>` : "–");

function namespaceRows(space, data) {
  const { game_id: game, domains = [], regions } = space;
  return [
    ["Game", html`<a href=${elementLink("games", game)}><${Name} text=${gameName(data, game)} />
      </a>`],
    ["Domains", domains.length ? domains.map((domain) => html`<div key=${domain}>
      <${Name} text=${domain} /></div>`) : "None. Players reach it with their tokens."],
    ["Regions", regions === undefined ? "All, including those added later"
      : linked(regions.map((id) => [id, elementLink("regions", id), regionName(data, id)]))],
  ];
}

function regionRows(region, data) {
  const naming = (data.namespaces ?? []).filter(({ regions }) =>
    regions?.includes(region.region_id));
  const open = (data.namespaces ?? []).filter(({ regions }) => regions === undefined).length;
  return [
    ["Provider", html`<${Name} text=${region.provider_display_name} />`],
    ["Place", placeText(region.datacenter_coord)],
    ["Ping URL", region.ping_url ? html`<${Name} text=${region.ping_url} />` : "–"],
    ["Namespaces", html`${open > 0 && html`<div>${open} that have all regions</div>`}
      ${(naming.length > 0 || !open) && linked(naming.map((space) => [space.namespace_id,
        elementLink("namespaces", space.namespace_id),
        `${gameName(data, space.game_id)}, ${space.name}`]))}`],
  ];
}

const rowsOf = { namespaces: namespaceRows, regions: regionRows, tiers: () => [] };

function leads(kind, element) {
  if (kind === "regions") return html`<a href=${rankLink(element)}>Ranking from there</a>`;
  if (kind !== "namespaces") return null;
  const { namespace_id: id } = element;
  return html`<a href=${linkTo("regions", { namespace: id })}>Its ranking</a>
    <a href=${linkTo("tokens", { namespace: id })}>Its tokens</a>`;
}

/** The chosen element of a kind other than games; `onOpen("edit" | "remove")` changes it. */
export function Details({ kind, element, data, onOpen }) {
  const { id, name, isNameAlone, one } = kinds[kind];
  const frame = useRef(null);
  useEffect(() => frame.current.scrollIntoView({ block: "nearest" }), [element[id]]);
  const actions = html`
    ${mayChange.value && !isNameAlone && html`<button type="button"
      onClick=${() => onOpen("edit")}><${Pencil} />Edit</button>`}
    ${mayChange.value && html`<button type="button" onClick=${() => onOpen("remove")}>
      <${Trash2} />Remove</button>`}
    <a class="button-like icon-only" href=${linkHere({ id: null })} aria-label="Close">
      <${X} /></a>`;
  return html`<div ref=${frame} class="details"><${Section} actions=${actions}
    title=${html`<${Name} text=${element[name]} />`}>
    ${!isNameAlone && html`<p><${IdText} id=${element[id]} of=${`${one} ${element[name]}`} /></p>`}
    <${Members} rows=${rowsOf[kind](element, data)} />
    <p class="leads">${leads(kind, element)}
      <${CopyCurl} path=${pathOf(kind, element[id])} /></p>
    <details><summary>JSON</summary>
      <pre class="json">${JSON.stringify(element, null, 2).split("\n").map((line, index) => html`
        <div key=${index}><${Name} text=${line} /></div>`)}</pre></details>
  </${Section}></div>`;
}
