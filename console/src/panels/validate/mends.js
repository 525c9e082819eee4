// What a click may mend. Each mend is one replacement of text, made from a finding and its place.

import { allowsNull, typesOf } from "../../schema/resolve.js";
import { schemaAt, valuesAllowed } from "../../schema/walk.js";
import { membersOf } from "./json_syntax.js";

/**
 * @typedef {{label: string, from: number, to: number, insert: string}} Mend
 */

const meant = /Did you mean `([^`]*)`\?/;

/** The word that a message says was probably meant, or null. */
export function suggestionOf(message) {
  return meant.exec(message)?.[1] ?? null;
}

/** A value to begin with, as JSON text. */
export function valueToBegin(root, schema) {
  if (!schema) return '""';
  const [value] = valuesAllowed(root, schema);
  if (value !== undefined) return JSON.stringify(value);
  const [type] = typesOf(schema);
  if (type === "object") return "{}";
  if (type === "array") return "[]";
  if (type === "integer" || type === "number") return String(Math.max(schema.minimum ?? 0, 0));
  if (type === "string") return '""';
  return allowsNull(schema) ? "null" : '""';
}

/** The blank text that a line begins with. */
function indentAt(text, position) {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))[0];
}

/** The insertion of a member at an object's end, laid out as the object is. */
function insertion(object, name, value, text) {
  const member = `${JSON.stringify(name)}: ${value}`;
  const members = membersOf(object, text);
  const last = members.at(-1);
  if (!last) {
    const end = text[object.to - 1] === "}" ? object.to - 1 : object.to;
    return { from: object.from + 1, to: end, insert: member };
  }
  const at = last.node.to;
  const isOnLines = text.slice(object.from, last.node.from).includes("\n");
  const gap = isOnLines ? `\n${indentAt(text, last.node.from)}` : " ";
  return { from: at, to: at, insert: `,${gap}${member}` };
}

/**
 * The mend of a finding, or null where the text does not show what was meant.
 * @param {{path: string[], code: string, message: string}} finding
 * @param {ReturnType<import("./finding_ranges.js").rangesOf>[number]} range where it is
 * @param {string} text
 * @param {object|null} schema of the whole payload; without it missing members have no mend
 * @returns {Mend|null}
 */
export function mendOf(finding, range, text, schema) {
  const { from, to } = range;
  const literal = text.slice(from, to);
  const word = suggestionOf(finding.message);
  if (word !== null) {
    const isWord = range.target === "key" || range.value?.name === "String";
    if (!isWord || !literal.startsWith('"')) return null;
    const label = range.target === "key" ? `Rename to ${word}` : `Change to ${word}`;
    return { label, from, to, insert: JSON.stringify(word) };
  }
  if (range.target === "missing" && finding.code === "required" && range.parent && schema) {
    const name = finding.path.at(-1);
    const place = schemaAt(schema, finding.path);
    const value = valueToBegin(schema, place);
    return { label: `Add ${name}`, ...insertion(range.parent, name, value, text) };
  }
  if (finding.code === "wrong-type" && range.target === "value") {
    if (range.value?.name === "String" && /without quotes\.$/.test(finding.message)) {
      return { label: "Remove the quotes", from, to, insert: literal.slice(1, -1) };
    }
    if (/in double quotes\.$/.test(finding.message)) {
      return { label: "Put it in quotes", from, to, insert: JSON.stringify(literal) };
    }
  }
  return null;
}
