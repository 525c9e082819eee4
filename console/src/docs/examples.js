// Examples: those that the document has, and one made from the schema where it has none.
import { partsOf, resolved, typesOf } from "../schema/resolve.js";

const depth_limit = 6;

/** What a string of a format looks like. */
const formats = {
  uuid: "00000000-0000-4000-8000-000000000001", "date-time": "2026-01-31T23:00:00Z",
  date: "2026-01-31", uri: "https://example.com/", ipv4: "81.2.69.142", hostname: "example.com",
};

function given(schema) {
  if (schema.example !== undefined) return { value: schema.example };
  if (Array.isArray(schema.examples) && schema.examples.length > 0) {
    return { value: schema.examples[0] };
  }
  for (const keyword of ["const", "default"]) {
    if (schema[keyword] !== undefined) return { value: schema[keyword] };
  }
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return { value: schema.enum[0] };
  return null;
}

/**
 * A value that a schema allows, as far as this can be found without a solver. It has the required
 * members, or the first ones if none is required.
 */
export function valueOf(root, schema, depth = 0) {
  const parts = partsOf(root, schema);
  for (const part of parts) {
    const found = given(part);
    if (found) return found.value;
  }
  const typed = parts.find((part) => typesOf(part).length > 0) ?? parts[0];
  const [type] = typesOf(typed);
  const isObject = type === "object" || parts.some((part) => part.properties);
  if (isObject) return depth >= depth_limit ? {} : objectOf(root, parts, depth);
  if (type === "array") {
    return depth >= depth_limit || !typed.items ? [] : [valueOf(root, typed.items, depth + 1)];
  }
  if (type === "integer" || type === "number") return typed.minimum ?? 0;
  if (type === "boolean") return true;
  if (type === "string") return formats[typed.format] ?? "..";
  return null;
}

function objectOf(root, parts, depth) {
  // The first part that has a member says what the member is.
  const members = new Map();
  const required = new Set();
  for (const part of parts) {
    for (const name of Array.isArray(part.required) ? part.required : []) required.add(name);
    for (const [name, member] of Object.entries(part.properties ?? {})) {
      if (!members.has(name)) members.set(name, member);
    }
  }
  const wanted = [...members].filter(([name]) => required.has(name));
  const shown = wanted.length > 0 ? wanted : [...members].slice(0, 8);
  return Object.fromEntries(shown.map(([name, member]) =>
    [name, valueOf(root, member, depth + 1)]));
}

/** Whether a media type is JSON of some kind. */
export const isJson = (type) => /[/+]json\b/.test(type);

/**
 * The examples of a media type object: named ones, one without a name, or one made from the schema.
 * @returns {{name: string, text: string, isMade: boolean}[]}
 */
export function examplesOf(root, type, media) {
  const textOf = (value) => (typeof value === "string" && !isJson(type) ? value
    : JSON.stringify(value, null, 2));
  const named = Object.entries(media.examples ?? {}).map(([key, reference]) => {
    const example = resolved(root, reference);
    return { name: String(example.summary ?? key), text: textOf(example.value), isMade: false };
  }).filter(({ text }) => text !== undefined);
  if (named.length > 0) return named;
  if (media.example !== undefined) {
    return [{ name: "Example", text: textOf(media.example), isMade: false }];
  }
  if (!media.schema || !isJson(type)) return [];
  const text = textOf(valueOf(root, media.schema));
  return [{ name: "Made from the schema", text, isMade: true }];
}
