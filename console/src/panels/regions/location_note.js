// What is known about the location of a ranking, and what to do if nothing is.
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { placeText } from "./place.js";

/** What is known about an address besides its place. */
function Known({ country, asn, file }) {
  const said = [country && `Country ${country}`, asn && `internet provider AS${asn}`,
    file && `from ${file}`].filter(Boolean);
  return said.length > 0 && html` <bdi>${said.join(", ")}</bdi>.`;
}

/** Whether the service has no GeoIP file; null: not known. */
function useIsGeoipAbsent(isAsked) {
  const { value } = useQuery(isAsked ? "/v1/attention" : null);
  return value?.findings ? value.findings.some(({ cause }) => cause === "geoip_absent") : null;
}

function Advice({ isAbsent, hasFallback }) {
  const fallback = html`set <code>fallback-location</code>`;
  if (isAbsent) {
    return html`This service has no GeoIP file. Start it with <code>--geoip FILE</code>${
      hasFallback ? "" : html`, or ${fallback}`}.`;
  }
  return html`The GeoIP files do not contain it; private addresses are in none.
    ${!hasFallback && html` To rank such players by distance, ${fallback}.`}`;
}

/**
 * The line below the field.
 * @param {object} props
 * @param {object|null} props.ranking a reply to GET /v1/ranking
 * @param {string|null} props.address the requested address
 */
export function LocationNote({ ranking, address }) {
  const source = ranking?.source;
  const isUnknown = source === "fallback" || source === "unknown";
  const isAbsent = useIsGeoipAbsent(isUnknown);
  if (!ranking) {
    return html`<small>Type a city, click on the map, or enter 81.2.69.142 or 51.5, -0.12.</small>`;
  }
  const { place } = ranking;
  if (!isUnknown) {
    return html`<small>${place && placeText(place)}.<${Known} ...${ranking} /></small>`;
  }
  return html`<small class="warned"><strong>The location of <bdi>${address}</bdi> is
    unknown.</strong>${" "}<${Advice} isAbsent=${isAbsent} hasFallback=${source === "fallback"} />
    <${Known} ...${ranking} /></small>`;
}
