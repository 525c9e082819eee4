// Filters for lobbies: in the hash, in requests, and as a row of choices.
import { html, useMemo } from "../../core/html.js";
import { Picker } from "../../core/components.js";
import { useQuery } from "../../core/query.js";

/** The names of the filters, both in the hash and in requests. */
export const filterNames = ["region", "version", "mode", "tier"];

/** The changes of a hash that clear all filters. */
export const unfiltered = Object.fromEntries(filterNames.map((name) => [name, null]));

/** The filters that are set in a hash, as an object. */
export function filtersOf(params) {
  return Object.fromEntries(filterNames.map((name) => [name, params.get(name)])
    .filter(([, value]) => value));
}

/** The filters as the end of a query string. */
export function queryOf(filters) {
  return Object.entries(filters).map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
    .join("");
}

/** Options without duplicates, sorted by their labels. `found` are `{value, label, note?}`. */
export function optionsOf(found) {
  const byValue = new Map(found.map((option) => [option.value, option]));
  return [...byValue.values()].sort((one, other) =>
    one.label.localeCompare(other.label, "en", { numeric: true }));
}

// The catalog does not list versions and modes, so the choices are those of the counted lobbies.
function useOptions(counted) {
  const regions = useQuery("/v1/regions").value?.regions;
  const tiers = useQuery("/v1/tiers").value?.tiers;
  return useMemo(() => ({
    region: optionsOf((regions ?? []).map((one) => ({ value: one.region_id,
      label: one.region_display_name || one.region_id, note: one.region_id }))),
    version: optionsOf((counted?.versions ?? []).map((one) => ({ value: one.version_id,
      label: one.version_name || one.version_id }))),
    mode: optionsOf((counted?.game_modes ?? []).map((mode) => ({ value: mode, label: mode }))),
    tier: (tiers ?? []).map((tier) => ({ value: tier, label: tier })),
  }), [regions, tiers, counted]);
}

const choices = [["region", "Region", "All regions"], ["version", "Version", "All versions"],
  ["mode", "Game mode", "All modes"], ["tier", "Tier", "All tiers"]];

/**
 * The choices of filters. `counted` is an answer of the survey, whose versions and modes can be
 * chosen, or null; `onFilters` gets changes of the hash.
 */
export function Filters({ filters, counted, onFilters }) {
  const options = useOptions(counted);
  return choices.map(([name, label, all]) => html`<${Picker} key=${name} label=${label}
    all=${all} options=${options[name]} value=${filters[name] ?? ""}
    onValue=${(value) => onFilters({ [name]: value })} />`);
}
