// Regions: the ranking that a player gets, anywhere in the world.
import { MapPinPlus } from "lucide-preact";
import { html, useEffect, useMemo, useState } from "../core/html.js";
import { CopyCurl, Empty, Name, Panel as Frame, Picker, Problem, Section, announce }
  from "../core/components.js";
import { countText, durationText } from "../core/components/values.js";
import { go, linkTo, withParams } from "../core/router.js";
import { useQuery } from "../core/query.js";
import { mayChange, token } from "../core/session.js";
import { ordersOf, rowsOf } from "./regions/latency.js";
import { Groups, HowToLearn } from "./regions/latency_notes.js";
import { LocationField } from "./regions/location_field.js";
import { LocationNote } from "./regions/location_note.js";
import { Measuring, useMeasuring } from "./regions/measuring.js";
import { Ranking, Reply } from "./regions/ranking.js";
import { rankingPath, useRanking } from "./regions/use_ranking.js";
import { WorldMap } from "./regions/world_map.js";

const places_period_ms = 10_000;
const none = [];

/** What the location field shows for a link: a city by its name, if the link has one. */
function givenBy(params) {
  if (params.get("address")) return params.get("address");
  if (!params.get("latitude") || !params.get("longitude")) return "";
  return params.get("city") ?? `${params.get("latitude")}, ${params.get("longitude")}`;
}

/** The link's parameters for a location; the rest stays. */
const locatedAt = (params, { address, place, city }) => withParams(params, {
  address: address ?? null, city: city ?? null, latitude: place?.latitude ?? null,
  longitude: place?.longitude ?? null });

function Namespaces({ params }) {
  const { value } = useQuery("/v1/namespaces");
  const games = useQuery("/v1/games").value?.games ?? none;
  const nameOf = new Map(games.map((game) => [game.game_id, game.display_name]));
  const options = (value?.namespaces ?? none).map((one) => ({ value: one.namespace_id,
    label: `${nameOf.get(one.game_id) ?? one.game_id}: ${one.name}` }));
  return html`<${Picker} label="Namespace" options=${options} all="Default of the service"
    value=${params.get("namespace") ?? ""}
    onValue=${(id) => go("regions", withParams(params, { namespace: id }))} />`;
}

function Players({ places, params }) {
  const shown = params.get("players") === "1";
  const { value, error } = places;
  const toggle = (event) => go("regions",
    withParams(params, { players: event.currentTarget.checked ? "1" : null }), { replace: true });
  let said = null;
  if (shown && error) said = `Not known: ${error.detail ?? error.message}`;
  if (shown && value && !value.enabled) {
    said = "This service does not count where players are (count-places is false).";
  }
  if (shown && value?.enabled) {
    const count = value.cells.reduce((sum, { requests }) => sum + requests, 0);
    said = `${countText(count)} requests in the last ${durationText(value.window_s)}, in cells of `
      + `${value.cell_degrees}°; ${countText(value.unknown)} more from unknown places.`;
  }
  return html`<div class="players">
    <label><input type="checkbox" checked=${shown} onChange=${toggle} />
      ${" "}Where players are</label>
    ${said && html` <span class="faint" role="status">${said}</span>`}
    ${shown && html` <${CopyCurl} path="/v1/places" />`}</div>`;
}

/** The region that is marked on the map, in words. */
function Marked({ region, rank, isRanked }) {
  if (!region) {
    return html`<p class="marked faint">Click on the map to rank for that place, or on a region to
      mark it.</p>`;
  }
  const { region_id: id } = region;
  const said = rank ? `is number ${rank} here.` : "is not in this ranking.";
  return html`<p class="marked"><strong><${Name} text=${region.region_display_name} /></strong>
    ${" "}<code class="faint">${id}</code> ${isRanked && said} ${" "}
    <a href=${linkTo("catalog", { kind: "regions", id })}>Open in the catalog</a></p>`;
}

function AddRegion() {
  if (mayChange.value) {
    return html`<button type="button" onClick=${() => go("catalog", { kind: "regions", new: "1" })}>
      <${MapPinPlus} />Add region</button>`;
  }
  return html`<span class="faint">${token.value ? "Adding regions needs an admin token."
    : "To add a region, press Allow changes first."}</span>`;
}

/** What the ranking is based on. */
function Behind({ ranking, rows, listing, path }) {
  return html`<${Section} title="Behind the ranking" className="behind"
    actions=${html`<${CopyCurl} path=${path} label="Copy curl of the ranking" />
    <${CopyCurl} path="/v1/regions" label="of the regions" />
    <${CopyCurl} path="/v1/namespaces" label="of the namespaces" />
    <${CopyCurl} path="/v1/games" label="of the games" />`}>
    <${HowToLearn} rows=${rows} /><${Groups} ranking=${ranking} rows=${rows} />
    ${listing && html`<${Reply} listing=${listing} />`}
  </${Section}>`;
}

/** Announces the outcome to screen readers. */
function useAnnouncement(rows, orders) {
  useEffect(() => {
    if (!rows.length) return;
    const { near: [nearest], fast: [fastest] } = orders;
    let said = `First: ${rows[0].region_display_name}.`;
    if (nearest) said = `Nearest: ${nearest.region_display_name}.`;
    if (fastest !== nearest) said += ` Fastest: ${fastest.region_display_name}.`;
    announce(said);
  }, [rows, orders]);
}

function Panel({ route: { params } }) {
  const path = rankingPath(params);
  const pinned = params.get("region");
  const asked = useRanking(path, pinned);
  const catalog = useQuery("/v1/regions");
  const regions = catalog.value?.regions ?? none;
  const isShown = params.get("players") === "1";
  const places = useQuery(isShown ? "/v1/places" : null, { every: places_period_ms });
  const measuring = useMeasuring(regions);
  const [pointed, setPointed] = useState(null);
  const marked = pointed ?? pinned;
  const { ranking, listing, error } = asked;
  const ranked = ranking?.listing.regions ?? null;
  const rows = useMemo(() => (ranking ? rowsOf(ranking) : none), [ranking]);
  const orders = useMemo(() => ordersOf(rows, ranking?.place), [rows, ranking]);
  const cells = isShown && places.value?.enabled ? places.value.cells : none;
  useAnnouncement(rows, orders);

  const locate = (meant) => go("regions", locatedAt(params, meant));
  const pin = (id) => go("regions", withParams(params, { region: id === pinned ? null : id }),
    { replace: true });
  const isEmpty = catalog.value && regions.length === 0;

  return html`<${Frame} title="Regions" actions=${html`<${AddRegion} />`}>
    <div class="card where"><${LocationField} given=${givenBy(params)} onLocation=${locate}
      refused=${error?.status === 400 ? error.detail : null}>
      <${LocationNote} ranking=${ranking} address=${params.get("address")} /></${LocationField}>
      <${Namespaces} params=${params} /></div>
    ${catalog.error && html`<${Problem} error=${catalog.error} onRetry=${catalog.reload} />`}
    ${isEmpty ? html`<${Empty} icon=${MapPinPlus} title="No regions yet."
      action=${html`<${AddRegion} />`}>A region is a datacenter that can run lobbies. Players get
      the list of regions with the best one for them first.</${Empty}>` : html`
    <div class="map-and-ranking">
      <${Section} className="ranking" title=${path ? html`Ranking for <${Name}
        text=${givenBy(params)} />` : "Ranking"}>
        <${Ranking} path=${path} asked=${asked} rows=${rows} orders=${orders}
          results=${measuring.results} pinned=${pinned} marked=${marked} onPoint=${setPointed}
          onRegion=${pin} onLocation=${({ city, ...place }) => locate({ city, place })} />
      </${Section}>
      <div class="geography">
        <${Section} title="Map" className="map-card">
          <${WorldMap} regions=${regions} ranked=${ranked} place=${ranking?.place ?? null}
            marked=${marked} pinned=${pinned} cells=${cells} onPoint=${setPointed} onRegion=${pin}
            onPlace=${(place) => locate({ place })} />
          <${Marked} region=${regions.find(({ region_id: id }) => id === marked)}
            rank=${rows.find(({ region_id: id }) => id === marked)?.rank}
            isRanked=${rows.length > 0} />
          <${Players} places=${places} params=${params} />
          <${Measuring} regions=${regions} measuring=${measuring} ranked=${ranked} />
        </${Section}>
        ${ranking && html`<${Behind} ...${{ ranking, rows, listing, path }} />`}
      </div>
    </div>`}
  </${Frame}>`;
}

export default { id: "regions", title: "Regions", Panel };
