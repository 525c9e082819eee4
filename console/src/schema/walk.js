// The schema of a place in a payload.

import { partsOf, resolved, typesOf } from "./resolve.js";

const isSchema = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** The schema of one member or element of what `schema` describes, unresolved; else undefined. */
function stepInto(root, schema, name, isElement) {
  for (const part of partsOf(root, schema)) {
    if (isElement) {
      const at = Number(name);
      if (Array.isArray(part.prefixItems) && at < part.prefixItems.length) {
        return part.prefixItems[at];
      }
      if (isSchema(part.items)) return part.items;
      continue;
    }
    if (isSchema(part.properties) && Object.hasOwn(part.properties, name)) {
      return part.properties[name];
    }
    for (const [pattern, found] of Object.entries(part.patternProperties ?? {})) {
      if (new RegExp(pattern, "u").test(name)) return found;
    }
    if (isSchema(part.additionalProperties)) return part.additionalProperties;
  }
  return undefined;
}

/**
 * The schema of the value at a path, with references followed.
 * @param {object} root the schema of the whole payload
 * @param {string[]} path names and indexes. The schema says whether a step is an index or a name.
 * @returns {object|null} null where the schema says nothing about the place
 */
export function schemaAt(root, path) {
  let schema = root;
  for (const name of path) {
    let next = stepInto(root, schema, name, false);
    if (next === undefined && /^\d+$/.test(name)) next = stepInto(root, schema, name, true);
    if (!isSchema(next)) return null;
    schema = next;
  }
  return resolved(root, schema);
}

/**
 * The members that an object of this schema may have.
 * @returns {{name: string, schema: object, isRequired: boolean}[]} the required ones first, else in
 *   the order of the schema
 */
export function membersAllowed(root, schema) {
  const required = new Set();
  const members = new Map();
  for (const [index, part] of partsOf(root, schema).entries()) {
    // What an alternative requires is not required of the whole.
    if (index === 0) part.required?.forEach?.((name) => required.add(name));
    for (const [name, member] of Object.entries(part.properties ?? {})) {
      if (!members.has(name)) members.set(name, resolved(root, member));
    }
    for (const name of part.propertyNames?.enum ?? []) {
      if (!members.has(name)) members.set(name, resolved(root, part.additionalProperties));
    }
  }
  const rows = [...members].map(([name, member]) =>
    ({ name, schema: member, isRequired: required.has(name) }));
  return [...rows.filter((row) => row.isRequired), ...rows.filter((row) => !row.isRequired)];
}

/**
 * The values that a schema lists, by `const`, `enum` or as a boolean, without null.
 * @returns {*[]} empty where there are too many to list
 */
export function valuesAllowed(root, schema) {
  for (const part of partsOf(root, schema)) {
    if (part.const !== undefined) return [part.const];
    if (Array.isArray(part.enum)) return part.enum.filter((value) => value !== null);
    if (typesOf(part)[0] === "boolean") return [true, false];
  }
  return [];
}

/** The first description of a schema or of what it is made of; empty without one. */
export function descriptionOf(root, schema) {
  for (const part of partsOf(root, schema)) {
    if (typeof part.description === "string") return part.description;
  }
  return "";
}

/** The types of a schema in words: `string`, `list of object`, `map of string`, `any value`. */
export function typeInWords(root, schema, depth = 0) {
  for (const part of partsOf(root, schema)) {
    const types = typesOf(part);
    if (types.length === 0) continue;
    return types.map((type) => {
      if (type === "array" && depth < 3 && isSchema(part.items)) {
        return `list of ${typeInWords(root, part.items, depth + 1)}`;
      }
      const isMap = type === "object" && !part.properties && isSchema(part.additionalProperties);
      if (!isMap || depth >= 3) return type;
      return `map of ${typeInWords(root, part.additionalProperties, depth + 1)}`;
    }).join(" or ");
  }
  return "any value";
}
