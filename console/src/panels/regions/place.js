// Places on the globe: what somebody typed, and where the arrow keys lead.

/** @typedef {{latitude: number, longitude: number}} Place degrees, north and east positive */

const rounded = (degrees) => Math.round(degrees * 1e4) / 1e4;

/** A longitude within -180 to 180. */
export function wrapped(longitude) {
  const turns = ((longitude + 180) % 360 + 360) % 360 - 180;
  return turns === -180 && longitude > 0 ? 180 : turns;
}

/** A place, rounded to four decimals (11 m), its longitude within -180 to 180. */
export function placeOf(latitude, longitude) {
  return { latitude: rounded(Math.max(-90, Math.min(90, latitude))),
    longitude: rounded(wrapped(longitude)) };
}

const coordinates = /^\s*(-?\d{1,3}(?:\.\d+)?)\s*[,; ]\s*(-?\d{1,3}(?:\.\d+)?)\s*$/;
const wrong = (why) => ({ wrong: why });
const address = /^[0-9A-Fa-f:.]{2,45}$/;

/**
 * What somebody typed: an address or coordinates. The service decides whether an address is valid.
 * @param {string} text
 * @returns {{address: string}|{place: Place}|{wrong: string}} `wrong` says what to type instead
 */
export function parsePlace(text) {
  const found = coordinates.exec(text);
  if (found) {
    const [latitude, longitude] = [Number(found[1]), Number(found[2])];
    if (Math.abs(latitude) > 90) return wrong("The latitude comes first and is -90 to 90 degrees.");
    if (Math.abs(longitude) > 180) return wrong("The longitude is -180 to 180 degrees.");
    return { place: placeOf(latitude, longitude) };
  }
  const typed = text.trim();
  if (address.test(typed) && /[:.]/.test(typed)) return { address: typed };
  return wrong("Type an address such as 81.2.69.142, or coordinates such as 51.5, -0.12.");
}

/** Coordinates for people: 51.5074° N, 0.1278° W. */
export function placeText({ latitude, longitude }) {
  const side = (degrees, positive, negative) =>
    `${Math.abs(rounded(degrees))}° ${degrees < 0 ? negative : positive}`;
  return `${side(latitude, "N", "S")}, ${side(longitude, "E", "W")}`;
}

const steps = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * Where a key leads from a place, around the globe from east to west but not over the poles.
 * @param {string} key a KeyboardEvent's
 * @param {number} degrees how far one press leads
 * @returns {Place|null} null for keys that lead nowhere
 */
export function stepped(place, key, degrees) {
  const step = steps[key];
  if (!step) return null;
  return placeOf(place.latitude + step[0] * degrees, place.longitude + step[1] * degrees);
}
