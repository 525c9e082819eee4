// The field for a player's location: an address, coordinates or a city.
import { html, useEffect, useId, useRef, useState } from "../../core/html.js";
import { Name } from "../../core/components.js";
import { citiesNamed, cityText, loadCities } from "./cities.js";
import { parsePlace } from "./place.js";

const isName = (text) => /\p{L}/u.test(text) && Boolean(parsePlace(text).wrong);

/**
 * What a typed text means, once it is submitted: `{address}`, `{place, city}` or `{wrong}`.
 * `chosen` is the suggestion that is marked, if any.
 */
async function meantBy(text, chosen) {
  const parsed = parsePlace(text);
  if (!parsed.wrong || !isName(text)) return parsed;
  try {
    const city = chosen ?? citiesNamed(await loadCities(), text, 1)[0];
    if (city) return { place: city.place, city: cityText(city) };
  } catch {
    return { wrong: "The list of cities could not be loaded. Load the page again, or type an "
      + "address or coordinates." };
  }
  return { wrong: `No city in the list is called ${text.trim()}. Type a larger city nearby, an `
    + "address such as 81.2.69.142, or coordinates such as 51.5, -0.12." };
}

/** The cities that the text names, once somebody has typed a letter. */
function useSuggestions(text, isOpen) {
  const [cities, setCities] = useState(null);
  const isWanted = isOpen && isName(text);
  useEffect(() => {
    if (!isWanted || cities) return undefined;
    let here = true;
    // A failure is shown when the text is submitted.
    loadCities().then((found) => here && setCities(found), () => {});
    return () => {
      here = false;
    };
  }, [isWanted]);
  return isWanted && cities ? citiesNamed(cities, text) : [];
}

function Suggestions({ id, found, at, onTake }) {
  const list = useRef(null);
  useEffect(() => {
    list.current.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return html`<ul ref=${list} id=${`${id}-list`} role="listbox" aria-label="Cities"
    hidden=${!found.length}>
    ${found.map((city, index) => html`<li key=${cityText(city)} id=${`${id}-${index}`} role="option"
      aria-selected=${index === at} onMouseDown=${(event) => event.preventDefault()}
      onClick=${() => onTake(city)}><${Name} text=${city.name} />${" "}
      <span class="faint">${city.country}</span></li>`)}
  </ul>`;
}

/**
 * @param {object} props
 * @param {string} props.given the location of the current ranking
 * @param {string|null} props.refused what is wrong with it
 * @param {(meant: {address?: string, place?: object, city?: string}) => void} props.onLocation
 * @param {*} props.children what is known about the location: a line below the field
 */
export function LocationField({ given, refused, onLocation, children }) {
  const id = useId();
  const [text, setText] = useState(given);
  const [wrong, setWrong] = useState(null);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const found = useSuggestions(text, isOpen);
  useEffect(() => {
    setText(given);
    setWrong(null);
  }, [given]);

  const take = async (city) => {
    setOpen(false);
    const meant = city ? { place: city.place, city: cityText(city) }
      : await meantBy(text, found[at]);
    setWrong(meant.wrong ?? null);
    if (meant.wrong) return;
    setText(meant.city ?? text.trim());
    onLocation(meant);
  };
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      setAt(Math.min(found.length - 1, Math.max(0, at + step)));
    } else if (step) {
      setOpen(true);
    } else if (event.key === "Escape" && found.length) {
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };
  const type = (event) => {
    setText(event.currentTarget.value);
    setOpen(true);
    setAt(0);
  };
  const error = wrong ?? refused;
  return html`<form class="location" onSubmit=${(event) => {
    event.preventDefault();
    take(null);
  }}>
    <div class="field picker">
      <label for=${id}>Player location</label>
      <div class="input-and-button">
        <input id=${id} role="combobox" autocomplete="off" spellcheck=${false} value=${text}
          placeholder="City, address or coordinates" aria-expanded=${found.length > 0}
          aria-controls=${`${id}-list`} aria-autocomplete="list" aria-describedby=${`${id}-said`}
          aria-activedescendant=${found.length ? `${id}-${at}` : undefined}
          aria-invalid=${error ? "true" : undefined} onInput=${type} onKeyDown=${keys}
          onFocus=${(event) => event.currentTarget.select()} onBlur=${() => setOpen(false)} />
        <button type="submit" class="primary">Rank</button>
      </div>
      <${Suggestions} id=${id} found=${found} at=${at} onTake=${take} />
      <div id=${`${id}-said`} class="said" role="status">
        ${error ? html`<small class="wrong"><bdi>${error}</bdi></small>` : children}</div>
    </div>
  </form>`;
}
