// What the page finds wrong in a form by itself, and where the service's findings belong in it.

const name_limit = 128;
const id_limit = 32;
const days_limit = 36_500;
const ping_url_limit = 2_048;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const identifier = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** The lines of a text that are not blank, without white space around them. */
export const linesOf = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** What is wrong with a name that people see, or undefined. */
export function nameProblem(text) {
  if (text.trim() === "") return "Enter a name.";
  const length = [...text].length;
  return length > name_limit ? `${length} characters: at most ${name_limit} are allowed.`
    : undefined;
}

/** What is wrong with the id of a region or a tier. */
export function identifierProblem(text) {
  if (text === "") return "Enter an id.";
  return text.length <= id_limit && identifier.test(text) ? undefined
    : "Use 1 to 32 of a-z, 0-9 and -, with no - at either end.";
}

/** What is wrong with the id of a game or a namespace. */
export const uuidProblem = (text) => (uuid.test(text) ? undefined
  : "Use a UUID of 36 characters.");

/** What is wrong with a number of days, which may be left out. */
export function daysProblem(text) {
  const typed = text.trim();
  return typed === "" || (/^\d+$/.test(typed) && Number(typed) <= days_limit) ? undefined
    : `Use a whole number from 0 to ${days_limit}, or leave it empty.`;
}

/** What is wrong with a text of host names, one a line. */
export function domainsProblem(text) {
  const lines = linesOf(text);
  const wrong = lines.find((line) => line.length > 253
    || !line.split(".").every((label) => hostLabel.test(label)));
  if (wrong !== undefined) {
    return `"${wrong.slice(0, 64)}" is not a host name. Leave out the scheme, port and path.`;
  }
  const twice = lines.find((line, index) => lines.indexOf(line) !== index);
  return twice && `"${twice}" is listed twice.`;
}

/** What is wrong with a ping URL, which may be left out. */
export function pingUrlProblem(text) {
  if (text === "") return undefined;
  if (text.length > ping_url_limit) return `At most ${ping_url_limit} characters are allowed.`;
  return /^https?:\/\/[^/\s#@]+(?:\/[^\s#]*)?$/i.test(text) ? undefined
    : "Use a URL that starts with https://, without a user name or fragment.";
}

/**
 * The coordinates that a text such as "52.52, 13.405" names: `{latitude, longitude}`, or
 * `{problem}` with a sentence.
 */
export function placeOf(text) {
  if (text.trim() === "") return { problem: "Enter the latitude and longitude." };
  const parts = text.trim().split(/\s*[,;\s]\s*/);
  const [latitude, longitude] = parts.map(Number);
  if (parts.length !== 2 || parts.includes("") || !Number.isFinite(latitude + longitude)) {
    return { problem: "Use two numbers in degrees, such as 52.52, 13.405." };
  }
  if (Math.abs(latitude) > 90) {
    return { problem: `The latitude is ${latitude}. It can be -90 to 90.` };
  }
  if (Math.abs(longitude) > 180) {
    return { problem: `The longitude is ${longitude}. It can be -180 to 180.` };
  }
  return { latitude, longitude };
}

/** A place as people say it, to about 10 m: 52.52° N, 13.405° E. */
export function placeText({ latitude, longitude }) {
  const side = (degrees, [positive, negative]) =>
    `${Math.abs(Number(degrees.toFixed(4)))}° ${degrees < 0 ? negative : positive}`;
  return `${side(latitude, "NS")}, ${side(longitude, "EW")}`;
}

/** The id that a name suggests: "São Paulo" is sao-paulo, and sao-paulo-2 if that one is taken. */
export function proposedId(name, taken) {
  const plain = name.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const base = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-+/, "").slice(0, id_limit - 3)
    .replace(/-+$/, "");
  if (base === "" || !taken.has(base)) return base;
  for (let n = 2; ; n++) if (!taken.has(`${base}-${n}`)) return `${base}-${n}`;
}

/** A random UUID. crypto.randomUUID exists only on https and localhost. */
export function newUuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

// A sentence from the service without the element and member, which its place in the form shows.
function sentenceOf(found) {
  const text = found.replace(/^(?:game|namespace|region) \S+: /, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/**
 * The service's findings by the field that each is about: `{byField, isWhole}`. `error` is an
 * ApiError of a PUT, `fields` have `at`, the path of their member, and `says`, a pattern for
 * findings without a path. `isWhole` says whether every finding has a field.
 */
export function findingsOf(error, fields) {
  const byField = {};
  if (error.status !== 400) return { byField, isWhole: false };
  if (error.code === "id_malformed") {
    return { byField: { id: sentenceOf(error.detail) }, isWhole: true };
  }
  let isWhole = true;
  for (const line of error.detail.split("\n")) {
    const [, path, text] = /^(\/[^:\s]*): (.*)$/.exec(line) ?? [null, null, line];
    const field = fields.find(({ at, says }) => (path ? path === at || path.startsWith(`${at}/`)
      : says?.test(text)));
    if (!field) isWhole = false;
    else byField[field.name] = [byField[field.name], sentenceOf(text)].filter(Boolean).join(" ");
  }
  return { byField, isWhole };
}
