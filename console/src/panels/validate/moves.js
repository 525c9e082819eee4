// Changes of a text that add, remove and move members of its objects and keep its layout. A change
// replaces a range; several of them are for the same text and do not overlap.
import { membersOf } from "./json_syntax.js";

/** @typedef {{from: number, to: number, insert: string}} Change */

const unit = "  ";

/** The blank text that a line begins with. */
function indentAt(text, position) {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))[0];
}

const isOnLines = (object, first, text) => text.slice(object.from, first.node.from).includes("\n");

/** A member's text, with the lines after the first moved to another indentation. */
function textOf(member, text, indent) {
  const { from, to } = member.node;
  return text.slice(from, to).replaceAll(`\n${indentAt(text, from)}`, `\n${indent}`);
}

/** The member of an object that a node is, or whose value it is; or null. */
export function memberOf(node, text) {
  const property = node?.name === "Property" ? node : node?.parent;
  if (property?.name !== "Property" || property.parent?.name !== "Object") return null;
  const object = property.parent;
  const found = membersOf(object, text).find((member) => member.node.from === property.from);
  return found ? { object, ...found } : null;
}

/** @returns {Change[]} the removal of members of an object, with their commas */
export function removal(object, removed, text) {
  const gone = new Set(removed.map((member) => member.node.from));
  const members = membersOf(object, text);
  const changes = [];
  for (let at = 0; at < members.length; ++at) {
    if (!gone.has(members[at].node.from)) continue;
    let end = at;
    while (end + 1 < members.length && gone.has(members[end + 1].node.from)) ++end;
    const [before, after] = [members[at - 1], members[end + 1]];
    if (before) changes.push({ from: before.node.to, to: members[end].node.to, insert: "" });
    else if (after) {
      changes.push({ from: members[at].node.from, to: after.node.from, insert: "" });
    } else changes.push({ from: object.from + 1, to: object.to - 1, insert: "" });
    at = end;
  }
  return changes;
}

/**
 * The insertion of members at an object's end, laid out as the object is.
 * @param {(indent: string) => string} make returns the members' text, with lines that begin with
 *   `indent`
 * @returns {Change}
 */
function inserted(object, make, text) {
  const members = membersOf(object, text);
  const last = members.at(-1);
  if (!last) {
    const end = text[object.to - 1] === "}" ? object.to - 1 : object.to;
    return { from: object.from + 1, to: end, insert: make(indentAt(text, object.from), ", ") };
  }
  const at = last.node.to;
  const indent = indentAt(text, last.node.from);
  const gap = isOnLines(object, last, text) ? `\n${indent}` : " ";
  return { from: at, to: at, insert: `,${gap}${make(indent, `,${gap}`)}` };
}

/** The insertion of one member whose text is given. */
export const insertion = (object, member, text) => inserted(object, () => member, text);

/** @returns {Change[]} members of an object become members of another one */
export function moved(object, members, target, text) {
  const make = (indent, comma) => members.map((one) => textOf(one, text, indent)).join(comma);
  return [...removal(object, members, text), inserted(target, make, text)];
}

/** @returns {Change[]} members of an object become those of a new member of it, `name` */
export function wrapped(object, members, name, text) {
  const [first, ...others] = members;
  const key = JSON.stringify(name);
  const indent = indentAt(text, first.node.from);
  const inner = indent + unit;
  const isTall = isOnLines(object, first, text);
  const [open, gap, close] = isTall ? [`{\n${inner}`, `,\n${inner}`, `\n${indent}}`]
    : ["{ ", ", ", " }"];
  const body = members.map((one) => textOf(one, text, isTall ? inner : indent)).join(gap);
  return [{ from: first.node.from, to: first.node.to, insert: `${key}: ${open}${body}${close}` },
    ...removal(object, others, text)];
}

/** @returns {Change[]} the members of a member's object take its place */
export function unwrapped(member, text) {
  const indent = indentAt(text, member.node.from);
  const gap = isOnLines(member.object, member, text) ? `,\n${indent}` : ", ";
  const insert = membersOf(member.value, text).map((one) => textOf(one, text, indent)).join(gap);
  return [{ from: member.node.from, to: member.node.to, insert }];
}

/** The text after changes. */
export function applied(text, changes) {
  let result = "";
  let at = 0;
  for (const { from, to, insert } of [...changes].sort((one, other) => one.from - other.from)) {
    result += text.slice(at, from) + insert;
    at = to;
  }
  return result + text.slice(at);
}

/** Whether a change of one list touches one of the other. */
export const overlap = (some, others) => some.some((one) => others.some((other) =>
  one.from <= other.to && other.from <= one.to));
