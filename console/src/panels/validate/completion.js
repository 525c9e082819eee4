// What may be at a place of a payload, according to its schema.

import { allowsNull, limitsOf, typesOf } from "../../schema/resolve.js";
import { descriptionOf, membersAllowed, schemaAt, typeInWords, valuesAllowed }
  from "../../schema/walk.js";
import { isValue, membersOf, pathOf } from "./json_syntax.js";

/**
 * @typedef {{label: string, kind: "member"|"value", detail: string, info: string, insert: string,
 *   caret: number}} Choice `insert` replaces the range; `caret` is the position of the caret in it.
 */

/** The length of a list of choices. Further ones are found by typing. */
const choice_limit = 200;

/** The beginning of a value whose member is inserted, and where in it the caret goes. */
function beginning(root, schema) {
  const [type] = typesOf(schema);
  if (valuesAllowed(root, schema).some((value) => typeof value === "string")) return ['""', 1];
  if (type === "object") return ["{}", 1];
  if (type === "array") return ["[]", 1];
  if (type === "string") return ['""', 1];
  return ["", 0];
}

function infoOf(root, schema) {
  return [descriptionOf(root, schema), ...limitsOf(schema)].filter(Boolean).join(" · ");
}

/** The text's next character after `position` that is not blank. */
const nextMark = (text, position) => /\S/.exec(text.slice(position, position + 4000))?.[0] ?? "";

function memberChoices(root, schema, object, current, text, to, hasColon) {
  const present = new Set(membersOf(object, text)
    .filter((member) => member.key.from !== current?.from).map((member) => member.name));
  const next = nextMark(text, to);
  const comma = next === '"' ? "," : "";
  return membersAllowed(root, schema).filter(({ name }) => !present.has(name))
    .slice(0, choice_limit).map(({ name, schema: member, isRequired }) => {
      const key = JSON.stringify(name);
      const [value, caret] = hasColon ? ["", 0] : beginning(root, member);
      const insert = hasColon ? key : `${key}: ${value}${comma}`;
      return {
        label: name,
        kind: "member",
        detail: typeInWords(root, member) + (isRequired ? ", required" : ""),
        info: infoOf(root, member),
        insert,
        caret: hasColon ? insert.length : key.length + 2 + caret,
      };
    });
}

function valueChoices(root, schema) {
  const choices = valuesAllowed(root, schema).slice(0, choice_limit).map((value) => {
    const insert = JSON.stringify(value);
    return { label: String(value), kind: "value", detail: "", info: "", insert,
      caret: insert.length };
  });
  if (choices.length === 0) {
    const [insert, caret] = beginning(root, schema);
    if (insert) {
      choices.push({ label: insert, kind: "value", detail: typeInWords(root, schema),
        info: infoOf(root, schema), insert, caret });
    }
  }
  if (allowsNull(schema)) {
    choices.push({ label: "null", kind: "value", detail: "as if absent", info: "", insert: "null",
      caret: 4 });
  }
  return choices;
}

/** Whether `position` in a property is after its colon. */
const isBehindColon = (property, text, position) => {
  const key = property.getChild("PropertyName");
  return key !== null && text.slice(key.to, position).includes(":");
};

/**
 * What may be written at a position.
 * @param {import("@lezer/common").Tree} tree Lezer's tree of `text`
 * @param {string} text
 * @param {number} position UTF-16 offset
 * @param {object} schema of the whole payload
 * @returns {{from: number, to: number, choices: Choice[]}|null} the range that a choice replaces;
 *   null if the schema says nothing
 */
export function choicesAt(tree, text, position, schema) {
  let node = tree.resolveInner(position, -1);
  // After the end of a literal, nothing can be completed.
  const isInside = (one) => position > one.from &&
    (position < one.to || text[one.to - 1] !== '"' || one.to - one.from === 1);
  if (node.name === "PropertyName") {
    if (!isInside(node)) return null;
    const object = node.parent?.parent;
    const place = object ? schemaAt(schema, pathOf(object, text)) : null;
    if (!place) return null;
    const hasColon = nextMark(text, node.to) === ":";
    const choices = memberChoices(schema, place, object, node, text, node.to, hasColon);
    return { from: node.from, to: node.to, choices };
  }
  if (isValue(node) && node.name !== "Object" && node.name !== "Array") {
    if (node.name === "String" && !isInside(node)) return null;
    const place = schemaAt(schema, pathOf(node, text));
    return place ? { from: node.from, to: node.to, choices: valueChoices(schema, place) } : null;
  }
  // A word that is not JSON yet is replaced as a whole.
  const typed = /[A-Za-z0-9_.-]*$/.exec(text.slice(Math.max(0, position - 128), position))[0];
  const from = position - typed.length;
  if (typed) node = tree.resolveInner(from, -1);
  if (node.type.isError && node.parent) node = node.parent;
  while (node.parent && !["Object", "Array", "Property"].includes(node.name)) node = node.parent;
  if (node.name === "Property" && isBehindColon(node, text, from)) {
    const value = node.lastChild;
    if (value && isValue(value) && value.to <= from) node = node.parent;
    else {
      const place = schemaAt(schema, pathOf(node, text));
      return place ? { from, to: position, choices: valueChoices(schema, place) } : null;
    }
  }
  if (node.name === "Array") {
    const place = schemaAt(schema, [...pathOf(node, text), "0"]);
    return place ? { from, to: position, choices: valueChoices(schema, place) } : null;
  }
  if (node.name === "Property") node = node.parent;
  if (node?.name !== "Object" || from <= node.from) return null;
  const place = schemaAt(schema, pathOf(node, text));
  if (!place) return null;
  return { from, to: position,
    choices: memberChoices(schema, place, node, null, text, position, false) };
}

/**
 * What the schema says about the key or value under a position.
 * @returns {{from: number, to: number, title: string, lines: string[]}|null} null where it says
 *   nothing
 */
export function explanationAt(tree, text, position, schema) {
  let node = tree.resolveInner(position, 1);
  const isContainer = node.name === "Object" || node.name === "Array";
  if (isContainer || (node.name !== "PropertyName" && !isValue(node))) return null;
  const path = pathOf(node, text);
  const place = schemaAt(schema, path);
  if (!place || path.length === 0) return null;
  const owner = schemaAt(schema, path.slice(0, -1));
  const isRequired = owner?.required?.includes?.(path.at(-1)) ?? false;
  const lines = [];
  const description = descriptionOf(schema, place);
  if (description) lines.push(description);
  const limits = limitsOf(place);
  if (limits.length > 0) lines.push(limits.join(", "));
  const values = valuesAllowed(schema, place).slice(0, 32).map(String);
  if (values.length > 0) lines.push(`One of ${values.join(", ")}.`);
  const title = `${path.at(-1)}: ${typeInWords(schema, place)}${isRequired ? ", required" : ""}`;
  return { from: node.from, to: node.to, title, lines };
}
