// JSON Schemas usually refer from one place of a document to another. What is shown or completed is
// the schema that the references lead to.

/** The most references that are followed one after the other; a circle of them means nothing. */
const reference_limit = 32;

const unescapePointer = (part) => {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part;
  }
};

/**
 * What a reference within a document leads to: `#`, or `#` and a JSON pointer (RFC 6901).
 * @returns {*} undefined for references to other documents and to nothing
 */
export function referred(root, reference) {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let at = root;
  for (const part of reference.slice(2).split("/").map(unescapePointer)) {
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}

/** The last part of a reference: the name that people know the schema by. */
export const nameOfReference = (reference) =>
  typeof reference === "string" ? unescapePointer(reference.split("/").pop() ?? "") : "";

/**
 * A schema with its `$ref` followed. Keywords next to the reference stay and override those that it
 * leads to. For example, a description there says what the schema means in this place.
 * @param {object} root the document that the references are of
 * @param {*} schema `true`, `false` and values that are not schemas become an empty one
 */
export function resolved(root, schema) {
  let at = schema;
  for (let steps = 0; steps < reference_limit; ++steps) {
    if (at === null || typeof at !== "object" || Array.isArray(at)) return {};
    if (typeof at.$ref !== "string") return at;
    const { $ref, ...beside } = at;
    const target = referred(root, $ref);
    if (target === null || typeof target !== "object") return beside;
    at = { ...target, ...beside };
  }
  return {};
}

/**
 * A schema, followed by those that it is made of (`allOf`, `anyOf`, `oneOf`), all resolved. The
 * first that says something is the one to show.
 */
export function partsOf(root, schema, depth = 0) {
  const whole = resolved(root, schema);
  const parts = [whole];
  if (depth >= reference_limit / 4) return parts;
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    if (!Array.isArray(whole[keyword])) continue;
    for (const part of whole[keyword]) parts.push(...partsOf(root, part, depth + 1));
  }
  return parts;
}

/** The JSON types that a schema allows, without null: `["string"]`. Empty where it says nothing. */
export function typesOf(schema) {
  const types = Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : [];
  return types.filter((type) => type !== "null");
}

/** Whether null is allowed besides other values. */
export const allowsNull = (schema) => Array.isArray(schema.type) && schema.type.includes("null");

/** What a schema says about sizes and forms, as short phrases: `["1 to 256", "one of ..."]`. */
export function limitsOf(schema) {
  const limits = [];
  const span = (lowest, highest, unit) => {
    const [low, high] = [schema[lowest], schema[highest]];
    if (low === undefined && high === undefined) return;
    if (low !== undefined && high !== undefined) limits.push(`${low} to ${high}${unit}`);
    else if (low !== undefined) limits.push(`at least ${low}${unit}`);
    else limits.push(`at most ${high}${unit}`);
  };
  span("minimum", "maximum", "");
  if (schema.exclusiveMinimum !== undefined) limits.push(`above ${schema.exclusiveMinimum}`);
  if (schema.exclusiveMaximum !== undefined) limits.push(`below ${schema.exclusiveMaximum}`);
  if (schema.multipleOf !== undefined) limits.push(`a multiple of ${schema.multipleOf}`);
  span("minLength", "maxLength", " characters");
  span("minItems", "maxItems", " elements");
  span("minProperties", "maxProperties", " members");
  if (schema.uniqueItems === true) limits.push("unique elements");
  if (typeof schema.format === "string") limits.push(schema.format);
  return limits;
}
