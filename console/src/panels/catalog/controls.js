// The controls of the catalog's forms that are not just a line of text.
import { X } from "lucide-preact";
import { Field, Name, Picker } from "../../core/components.js";
import { html, useId } from "../../core/html.js";
import { placeOf, placeText } from "./checks.js";
import { found } from "./use_catalog.js";

const regionOption = (region) => ({ value: region.region_id, label: region.region_display_name,
  note: region.region_id });

function Game({ field, value, error, data, onValue }) {
  const options = (data.games ?? []).map((game) => ({ value: game.game_id,
    label: game.display_name, note: game.game_id.slice(0, 8) }));
  return html`<${Picker} label=${field.label} placeholder="Choose a game"
    ...${{ options, value, error, onValue }} />`;
}

// A text field that suggests the providers of other regions.
function Provider({ field, value, error, data, onValue }) {
  const id = useId();
  const known = new Set((data.regions ?? []).map((region) => region.provider_display_name));
  return html`<div><${Field} label=${field.label} hint=${field.hint} list=${id}
      ...${{ value, error, onValue }} />
    <datalist id=${id}>${[...known].map((name) => html`<option key=${name} value=${name} />`)}
    </datalist></div>`;
}

// A wrong sign is the usual mistake, so the hint shows the place with N or S and E or W.
function Place({ field, value, error, onValue }) {
  const place = placeOf(value);
  return html`<${Field} label=${field.label} placeholder=${field.placeholder}
    hint=${place.problem ? field.hint : placeText(place)} ...${{ value, error, onValue }} />`;
}

// `value` is a list of ids, or null for all regions, also those that are added later.
function Regions({ value, error, data, onValue }) {
  const all = data.regions ?? [];
  const without = (id) => onValue(value.filter((one) => one !== id));
  const options = value && all.filter(({ region_id: id }) => !value.includes(id))
    .map(regionOption);
  return html`<fieldset class="regions-choice">
    <legend>Regions</legend>
    <label class="check"><input type="checkbox" checked=${value === null}
      onChange=${(event) => onValue(event.currentTarget.checked ? null : [])} />
      All regions, including those added later</label>
    ${value && html`
      ${value.length > 0 && html`<ul class="chips" aria-label="Chosen regions">${value.map((id) => {
        const name = found(all, "region_id", id)?.region_display_name ?? id;
        return html`<li key=${id}><${Name} text=${name} /> <code class="faint">${id}</code>
          <button type="button" class="quiet icon-only" aria-label=${`Remove ${name}`}
            onClick=${() => without(id)}><${X} /></button></li>`;
      })}</ul>`}
      <${Picker} label="Add a region" value="" options=${options} error=${error}
        hint=${value.length ? undefined : "None yet: players get an empty list of regions."}
        onValue=${(id) => onValue([...value, id])} />`}
    ${!value && error && html`<small class="wrong">${error}</small>`}
  </fieldset>`;
}

const controls = { game: Game, provider: Provider, place: Place, regions: Regions };

/** The control for a field of kinds.js. `data` are the catalog's lists. */
export function Control({ field, value, error, data, onValue }) {
  const Own = controls[field.control];
  if (Own) return html`<${Own} ...${{ field, value, error, data, onValue }} />`;
  const { label, hint, multiline, type, placeholder, inputmode } = field;
  return html`<${Field}
    ...${{ label, hint, multiline, type, placeholder, inputmode, value, error, onValue }} />`;
}
