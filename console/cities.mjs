// The cities that the console finds by name: out of the 7,300 in the package, those that people are
// likely to type.
import { readFile } from "node:fs/promises";

const largest_count = 1_200;
const steps_per_degree = 10;
const code = /^[A-Z]{2}$/;

const bare = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Capitals are not marked as such, but most of them have a time zone named after them. */
const namesItsZone = ({ city_ascii: name, timezone }) =>
  bare((timezone ?? "").split("/").pop().replaceAll("_", " ")) === bare(name);

/**
 * The largest cities, the largest one of each country and those that time zones are named after.
 */
function chosenOf(cities) {
  const known = cities.filter(({ city, iso2, pop }) => city && code.test(iso2) && pop > 0)
    .sort((one, other) => other.pop - one.pop);
  const countries = new Set();
  return known.filter((city, index) => {
    const isFirst = !countries.has(city.iso2);
    countries.add(city.iso2);
    return index < largest_count || isFirst || namesItsZone(city);
  });
}

/** The names of one country's cities, with the province if a name occurs twice. */
function namesOf(cities) {
  const count = (name) => cities.filter(({ city }) => bare(city) === bare(name)).length;
  return cities.map(({ city, province }) => (count(city) > 1 && province
    ? `${city}, ${province}` : city));
}

/**
 * An esbuild plugin that loads `city-timezones/data/cityMap.json` as columns. `names` has a line
 * for each country: its code and its cities, separated by |. `latitudes` and `longitudes` are in
 * tenths of a degree. `sizes` has a character for each city; a later character means a larger city.
 */
export const cities = () => ({
  name: "cities",
  setup(build) {
    build.onLoad({ filter: /city-timezones[/\\]data[/\\]cityMap\.json$/ }, async ({ path }) => {
      const byCountry = new Map();
      for (const city of chosenOf(JSON.parse(await readFile(path, "utf8")))) {
        byCountry.set(city.iso2, [...byCountry.get(city.iso2) ?? [], city]);
      }
      const all = [...byCountry.values()].flat();
      const steps = (degrees) => Math.round(degrees * steps_per_degree);
      const contents = JSON.stringify({
        steps_per_degree,
        names: [...byCountry].map(([code, its]) => [code, ...namesOf(its)].join("|")).join("\n"),
        latitudes: all.map(({ lat }) => steps(lat)),
        longitudes: all.map(({ lng }) => steps(lng)),
        sizes: all.map(({ pop }) => String.fromCharCode(48 + Math.round(Math.log2(pop) * 2)))
          .join(""),
      });
      return { contents, loader: "json" };
    });
  },
});
