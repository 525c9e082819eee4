// Cities by name. The list (console/cities.mjs cuts it down) is loaded when a user types a letter.

/**
 * @typedef {object} City
 * @property {string} name such as "Tokyo", or "Suzhou, Anhui" if a country has two of that name
 * @property {string} code the country's ISO 3166 code
 * @property {string} country its English name
 * @property {import("./place.js").Place} place
 * @property {string} sought the text that is searched: name, code and country without diacritics
 */

// Letters whose marks Unicode does not count as diacritics.
const letters = { ł: "l", ø: "o", đ: "d", ı: "i", ß: "ss", æ: "ae", œ: "oe" };

/** A text as it is compared: in lower case and without diacritics. */
export const bare = (text) => text.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "")
  .replace(/[łøđıßæœ]/g, (letter) => letters[letter]);

/**
 * The cities of the columns that console/cities.mjs makes, the largest first.
 * @returns {City[]}
 */
export function citiesOf({ steps_per_degree: steps, names, latitudes, longitudes, sizes }) {
  const countries = new Intl.DisplayNames(["en"], { type: "region" });
  const cities = [];
  for (const line of names.split("\n")) {
    const [code, ...its] = line.split("|");
    const country = countries.of(code);
    for (const name of its) {
      const at = cities.length;
      cities.push({ name, code, country, size: sizes[at],
        sought: bare(`${name} ${code} ${country}`),
        place: { latitude: latitudes[at] / steps, longitude: longitudes[at] / steps } });
    }
  }
  return cities.sort((one, other) => (one.size < other.size ? 1 : one.size > other.size ? -1 : 0));
}

/**
 * The cities that match a text: first those whose name begins with it, then those in which each
 * word of the text begins some word, such as "paulo" or "york us"; larger ones first.
 * @param {City[]} cities
 * @param {string} text
 * @param {number} limit
 */
export function citiesNamed(cities, text, limit = 8) {
  const words = bare(text).split(/[\s,]+/).filter(Boolean);
  if (!words.length) return [];
  const start = words.join(" ");
  const [begin, other] = [[], []];
  for (const city of cities) {
    const sought = city.sought.replaceAll(",", "");
    if (sought.startsWith(start)) begin.push(city);
    else if (words.every((word) => ` ${sought}`.includes(` ${word}`))) other.push(city);
  }
  return [...begin, ...other].slice(0, limit);
}

/** A city's name as it is in links: "Tokyo, JP". */
export const cityText = ({ name, code }) => `${name}, ${code}`;

let loaded = null;

/** The list of cities. Rejects if it cannot be loaded; the next call tries again. */
export function loadCities() {
  loaded ??= import("city-timezones/data/cityMap.json").then(
    (module) => citiesOf(module.default),
    (error) => {
      loaded = null;
      throw error;
    },
  );
  return loaded;
}
