// Regions: the ranking that a player gets, anywhere in the world.
import { html, useEffect, useMemo, useState } from "../core/html.js";
import { CopyCurl, CopyText, Field, Loading, Panel as Frame, Problem, Section, Select, announce }
  from "../core/components.js";
import { countText, durationText } from "../core/components/values.js";
import { go, withParams } from "../core/router.js";
import { useQuery } from "../core/query.js";
import { ordersOf, rowsOf } from "./regions/latency.js";
import { Groups, OrderedBy } from "./regions/latency_notes.js";
import { Measuring, useMeasuring } from "./regions/measuring.js";
import { parsePlace, placeText } from "./regions/place.js";
import { RankingTable } from "./regions/ranking_table.js";
import { rankingPath, useRanking } from "./regions/use_ranking.js";
import { WorldMap } from "./regions/world_map.js";

const places_period_ms = 10_000;
const none = [];

const bytesOf = (text) => new TextEncoder().encode(text).length.toLocaleString("en");

const sources = {
  address: "where the address is",
  coordinates: "for these coordinates",
  fallback: "the place of the address is not known: the service's fallback-location is taken",
  unknown: "the place of the address is not known: all distances are 0, ids give the order",
};

/** The hash's parameters with some changed; null and "" take one away. */
function Asking({ params }) {
  const given = params.get("address")
    ?? (params.get("latitude") ? `${params.get("latitude")}, ${params.get("longitude")}` : "");
  const [text, setText] = useState(given);
  const [wrong, setWrong] = useState(null);
  useEffect(() => {
    setText(given);
    setWrong(null);
  }, [given]);
  const submit = (event) => {
    event.preventDefault();
    const found = parsePlace(text);
    setWrong(found.wrong ?? null);
    if (found.wrong) return;
    go("regions", withParams(params, { address: found.address ?? null,
      latitude: found.place?.latitude ?? null, longitude: found.place?.longitude ?? null }));
  };
  return html`<form class="asking" onSubmit=${submit}>
    <${Field} label="Address or coordinates" value=${text} onValue=${setText} error=${wrong}
      placeholder="81.2.69.142 or 51.5, -0.12" />
    <button type="submit" class="primary">Rank</button>
  </form>`;
}

function Namespaces({ params }) {
  const { value } = useQuery("/v1/namespaces");
  const games = useQuery("/v1/games").value?.games ?? none;
  const nameOf = new Map(games.map((game) => [game.game_id, game.display_name]));
  const options = (value?.namespaces ?? none).map((one) => [one.namespace_id,
    `${nameOf.get(one.game_id) ?? one.game_id}: ${one.name}`]);
  return html`<${Select} label="Namespace" options=${[["", "None: the default"], ...options]}
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
  if (shown && value && !value.enabled) said = "This service does not count where they are.";
  if (shown && value?.enabled) {
    const count = value.cells.reduce((sum, { requests }) => sum + requests, 0);
    said = `${countText(count)} requests of the last ${durationText(value.window_s)} in cells of `
      + `${value.cell_degrees}°, ${countText(value.unknown)} more from unknown places.`;
  }
  return html`<div class="players">
    <label><input type="checkbox" checked=${shown} onChange=${toggle} />
      ${" "}Where players are</label>
    ${said && html` <span class="faint" role="status">${said}</span>`}
    ${shown && html` <${CopyCurl} path="/v1/places" />`}</div>`;
}

function Reply({ listing }) {
  return html`<details class="reply"><summary>The reply: ${bytesOf(listing)} bytes</summary>
    <div class="actions"><${CopyText} text=${listing} label="Copy the reply" /></div>
    <pre tabindex="0" aria-label="The reply">${listing}</pre>
  </details>`;
}

/** What is known of an address besides its place. */
function Known({ ranking }) {
  const { country, asn, file } = ranking;
  const said = [country && `Country ${country}`, asn && `internet provider AS${asn}`,
    file && `from ${file}`].filter(Boolean);
  return said.length > 0 && html`<p class="faint"><bdi>${said.join(", ")}</bdi></p>`;
}

function Ranking({ path, asked, rows, orders, measuring, onPoint }) {
  const { ranking, listing, error, loading, retry } = asked;
  if (path === null) {
    return html`<p class="faint">Click on the map, or type an address, to see in which order a
      player there gets the regions.</p>`;
  }
  if (error) return html`<${Problem} error=${error} onRetry=${retry} />`;
  if (!ranking) return html`<${Loading} what="Ranking" />`;
  const { place, source } = ranking;
  return html`<div aria-busy=${loading}>
    <p>${place ? html`<strong>${placeText(place)}</strong>, ` : ""}${sources[source] ?? source}.</p>
    <${Known} ranking=${ranking} />
    <${OrderedBy} ranking=${ranking} rows=${rows} orders=${orders} />
    <${RankingTable} rows=${rows} orders=${orders} rankedBy=${ranking.ranked_by}
      results=${measuring.results} onPoint=${onPoint} />
    <${Groups} ranking=${ranking} rows=${rows} />
    ${listing && html`<${Reply} listing=${listing} />`}
  </div>`;
}

function Panel({ route }) {
  const { params } = route;
  const path = rankingPath(params);
  const asked = useRanking(path);
  const catalog = useQuery("/v1/regions");
  const regions = catalog.value?.regions ?? none;
  const isShown = params.get("players") === "1";
  const places = useQuery(isShown ? "/v1/places" : null, { every: places_period_ms });
  const measuring = useMeasuring(regions);
  const [chosen, setChosen] = useState(null);
  const { ranking } = asked;
  const ranked = ranking?.listing.regions ?? null;
  const rows = useMemo(() => (ranking ? rowsOf(ranking) : none), [ranking]);
  const orders = useMemo(() => ordersOf(rows, ranking?.place), [rows, ranking]);
  const cells = isShown && places.value?.enabled ? places.value.cells : none;

  useEffect(() => {
    if (!rows.length) return;
    const { near: [nearest], fast: [fastest] } = orders;
    let said = `First: ${rows[0].region_display_name}.`;
    if (nearest) said = `Nearest: ${nearest.region_display_name}.`;
    if (fastest !== nearest) said += ` Fastest: ${fastest.region_display_name}.`;
    announce(said);
  }, [rows, orders]);

  return html`<${Frame} title="Regions" actions=${html`
    <${CopyCurl} path="/v1/regions" label="Copy curl of the regions" />
    <${CopyCurl} path="/v1/namespaces" label="of the namespaces" />
    <${CopyCurl} path="/v1/games" label="of the games" />`}>
    <div class="map-and-ranking"><${Section} title="Where from">
      <div class="choices"><${Asking} params=${params} /><${Namespaces} params=${params} /></div>
      ${catalog.error && html`<${Problem} error=${catalog.error} onRetry=${catalog.reload} />`}
      <${WorldMap} regions=${regions} ranked=${ranked} place=${ranking?.place ?? null}
        chosen=${chosen} cells=${cells}
        onPlace=${(place) => go("regions", withParams(params, { ...place, address: null }))} />
      <${Players} places=${places} params=${params} />
      <${Measuring} regions=${regions} measuring=${measuring} ranked=${ranked} />
    </${Section}>
    <${Section} title="Ranking" actions=${path && html`<${CopyCurl} path=${path} />`}>
      <${Ranking} path=${path} asked=${asked} rows=${rows} orders=${orders} measuring=${measuring}
        onPoint=${setChosen} />
    </${Section}></div>
  </${Frame}>`;
}

export default { id: "regions", title: "Regions", Panel };
