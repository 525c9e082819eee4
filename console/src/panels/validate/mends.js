// What a click can fix. A fix is made from a finding, its place and the other findings.
import { allowsNull, typesOf } from "../../schema/resolve.js";
import { membersAllowed, schemaAt, valuesAllowed } from "../../schema/walk.js";
import { elementsOf, literalText, membersOf } from "./json_syntax.js";
import { insertion, memberOf, moved, removal, unwrapped, wrapped } from "./moves.js";
import { isOnlyNear } from "./near.js";

/**
 * @typedef {object} Mend
 * @property {string} label
 * @property {import("./moves.js").Change[]} changes
 * @property {boolean} isSafe whether it loses nothing and cannot be meant otherwise
 * @property {boolean} isCertain whether its finding alone says that it helps; others are offered
 *   once the service has confirmed that
 */

const meant = /Did you mean `([^`]*)`\?/;
const belongs = /It belongs in `([^`]*)`/;
const around = /Put it around (.*?), which belongs? in/;
const listed = /(?:It can have|Allowed|Regions|Tiers|Known are): (.*?)\.$/;
const spaces = /with a space|spaces in a row/;
const isPlain = (text) => !/[^\S ]|\p{C}/u.test(text);

const namesIn = (text) => [...text.matchAll(/`([^`]*)`/g)].map(([, name]) => name);

/** The word that was probably meant, according to a message, or null. */
export function suggestionOf(message) {
  return meant.exec(message)?.[1] ?? null;
}

const offer = (label, changes, { isSafe = false, isCertain = false } = {}) =>
  ({ label, changes: Array.isArray(changes) ? changes : [changes], isSafe, isCertain });

/** A first value for a new member, as JSON text. */
function valueToBegin(root, schema) {
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

const samePath = (one, other) => one.length === other.length
  && one.every((name, at) => name === other[at]);

/** The findings with a code about members of the same object. */
const beside = (finding, findings, code) => findings.filter((one) => one.code === code
  && samePath(one.path.slice(0, -1), finding.path.slice(0, -1)));

/** Fixes members that were written next to the object that they belong in. */
function wrapOrMove(object, members, target, text) {
  if (!members.length) return [];
  // The service has said where they belong, and can check them only there.
  const sure = { isSafe: true, isCertain: true };
  const place = membersOf(object, text).find(({ name }) => name === target);
  const all = members.length > 1 ? `all ${members.length} ` : "";
  if (!place) {
    return [offer(`Wrap ${all}in ${target}`, wrapped(object, members, target, text), sure)];
  }
  const has = new Set(membersOf(place.value, text).map(({ name }) => name));
  if (place.value?.name !== "Object" || members.some(({ name }) => has.has(name))) return [];
  return [offer(`Move ${all}into ${target}`, moved(object, members, place.value, text),
    sure)];
}

/** Fixes a member that an object should not have, while it is missing further out. */
function moveOut(finding, member, { findings, ranges, text }) {
  const name = finding.path.at(-1);
  const at = findings.findIndex((one, index) => one.code === "required"
    && ranges[index].target === "missing" && one.path.at(-1) === name
    && one.path.length < finding.path.length
    && one.path.slice(0, -1).every((step, depth) => step === finding.path[depth]));
  const outer = ranges[at]?.parent;
  return outer ? [offer(`Move ${name} out`, moved(member.object, [member], outer, text),
    { isSafe: true })] : [];
}

/** Fixes an object around the wanted one, such as {"version": {..}}. */
function unwrap(finding, member, { findings, text }) {
  const inside = membersOf(member.value, text).map(({ name }) => name);
  const isWanted = beside(finding, findings, "required")
    .some(({ path }) => inside.includes(path.at(-1)));
  return isWanted ? [offer(`Unwrap ${member.name}`, unwrapped(member, text),
    { isSafe: true })] : [];
}

/**
 * The objects of the text, down to a depth in one, that may have a member but do not have it yet.
 */
function placesFor(name, object, path, depth, { text, schema }) {
  return membersOf(object, text).flatMap((member) => {
    if (depth === 0 || member.value?.name !== "Object") return [];
    const inner = [...path, member.name];
    const place = schemaAt(schema, inner);
    const isPlace = place && membersAllowed(schema, place).some((one) => one.name === name)
      && membersOf(member.value, text).every((one) => one.name !== name);
    return [...(isPlace ? [member] : []),
      ...placesFor(name, member.value, inner, depth - 1, { text, schema })];
  });
}

/** Fixes a member that is too far out. The service looks only one object deep. */
function moveIn(finding, member, context) {
  if (!context.schema || suggestionOf(finding.message) !== null) return [];
  const places = placesFor(member.name, member.object, finding.path.slice(0, -1), 2, context);
  return places.length === 1 ? [offer(`Move into ${places[0].name}`,
    moved(member.object, [member], places[0].value, context.text), { isSafe: true })] : [];
}

function mendsOfUnknown(finding, member, context) {
  const target = belongs.exec(finding.message)?.[1];
  if (target === undefined) {
    return [...unwrap(finding, member, context), ...moveOut(finding, member, context),
      ...moveIn(finding, member, context)];
  }
  const names = new Set(beside(finding, context.findings, finding.code)
    .filter(({ message }) => belongs.exec(message)?.[1] === target)
    .map(({ path }) => path.at(-1)));
  const members = membersOf(member.object, context.text).filter(({ name }) => names.has(name));
  return wrapOrMove(member.object, members, target, context.text);
}

function mendsOfWord(finding, range, { text }) {
  const word = suggestionOf(finding.message);
  const literal = text.slice(range.from, range.to);
  const isKey = range.target === "key";
  const isWord = isKey || range.value?.name === "String";
  if (word === null || !isWord || !literal.startsWith('"')) return [];
  const member = isKey ? memberOf(range.value, text) : null;
  if (member && membersOf(member.object, text).some(({ name }) => name === word)) return [];
  const list = listed.exec(finding.message)?.[1] ?? "";
  // If the list is cut, a name that is not in it may be as near.
  const isSafe = !/ and \d+ more$/.test(list)
    && isOnlyNear(literalText(text, range), word, namesIn(list));
  return [offer(isKey ? `Rename to ${word}` : `Change to ${word}`,
    { from: range.from, to: range.to, insert: JSON.stringify(word) },
    { isSafe, isCertain: isKey })];
}

const removable = new Set(["unknown-member", "unknown-region", "duplicate-member", "reserved"]);

function mendsOfMember(finding, range, context) {
  const member = range.value && memberOf(range.value, context.text);
  if (!member) return [];
  const better = finding.code === "unknown-member" ? mendsOfUnknown(finding, member, context) : [];
  const isNull = finding.code === "wrong-type" && range.value.name === "Null";
  if (!removable.has(finding.code) && !isNull) return better;
  return [...better, offer(`Remove ${member.name}`,
    removal(member.object, [member], context.text), { isCertain: removable.has(finding.code) })];
}

function mendsOfMissing(finding, range, context) {
  const { findings, ranges, text, schema } = context;
  const object = range.parent;
  const name = finding.path.at(-1);
  const names = around.exec(finding.message);
  if (names) {
    const wanted = namesIn(names[1]);
    const members = membersOf(object, text).filter((member) => wanted.includes(member.name));
    return wrapOrMove(object, members, name, text);
  }
  // If the member is already in another place, a second one would not help.
  const isThere = (one, index) => {
    const member = one.code === "unknown-member" && ranges[index].value
      && memberOf(ranges[index].value, text);
    if (!member) return [];
    if (samePath(one.path.slice(0, -1), finding.path.slice(0, -1))) {
      const target = belongs.exec(one.message)?.[1];
      if (target === name) return mendsOfUnknown(one, member, context);
      return membersOf(member.value, text).some((inner) => inner.name === name)
        ? unwrap(one, member, context) : [];
    }
    return one.path.at(-1) === name ? moveOut(one, member, context) : [];
  };
  const elsewhere = findings.flatMap(isThere);
  if (elsewhere.length > 0) return elsewhere.slice(0, 1);
  const place = schema && schemaAt(schema, finding.path);
  if (!place) return [];
  const member = `${JSON.stringify(name)}: ${valueToBegin(schema, place)}`;
  return [offer(`Add ${name}`, insertion(object, member, text),
    { isSafe: valuesAllowed(schema, place).length === 1 })];
}

/** Adds the member that a finding's message names to the value that the finding is about. */
function mendsOfLacking(finding, range, { text, schema }) {
  const name = /Add `([^`]*)`\.$/.exec(finding.message)?.[1];
  const place = name && schema && schemaAt(schema, [...finding.path, name]);
  if (!place) return [];
  const value = JSON.stringify(name) + ": " + valueToBegin(schema, place);
  return [offer(`Add ${name}`, insertion(range.value, value, text))];
}

/** Turns an array into an object: the only object in it, or its strings as names of empty ones. */
function objectOfList(value, text) {
  const elements = elementsOf(value);
  const [first] = elements;
  const all = { from: value.from, to: value.to };
  if (elements.length === 1 && first.name === "Object") {
    return [offer("Remove the brackets", { ...all, insert: text.slice(first.from, first.to) },
      { isSafe: true })];
  }
  const names = elements.map((one) => text.slice(one.from, one.to));
  const areNames = names.length > 0 && new Set(names).size === names.length
    && elements.every(({ name }) => name === "String");
  return areNames ? [offer("Turn into an object",
    { ...all, insert: `{ ${names.map((name) => `${name}: {}`).join(", ")} }` },
    { isSafe: true })] : [];
}

function mendsOfType(finding, range, { text }) {
  const { value } = range;
  const all = { from: value.from, to: value.to };
  const literal = text.slice(value.from, value.to);
  const { message } = finding;
  if (value.name === "String" && /without quotes\.$/.test(message)) {
    return [offer("Remove the quotes", { ...all, insert: literal.slice(1, -1) },
      { isSafe: true })];
  }
  if (/in double quotes\.$/.test(message)) {
    return [offer("Put it in quotes", { ...all, insert: JSON.stringify(literal) },
      { isSafe: true })];
  }
  if (/must be an array/.test(message)) {
    return value.name === "Null" ? [] : [offer("Wrap in a list",
      { ...all, insert: `[${literal}]` }, { isSafe: true })];
  }
  if (!/must be an object/.test(message)) return [];
  if (value.name === "Array" && elementsOf(value).length > 0) return objectOfList(value, text);
  return [offer("Change to {}", { ...all, insert: "{}" })];
}

function mendsOfSpaces(range, text) {
  const written = literalText(text, range);
  const short = written.trim().replace(/ {2,}/g, " ");
  if (range.value?.name !== "String" || short === "" || short === written) return [];
  return [offer("Remove the extra spaces",
    { from: range.from, to: range.to, insert: JSON.stringify(short) },
    { isSafe: true, isCertain: isPlain(short) })];
}

/**
 * The fixes for a finding, the best first.
 * @param {{path: string[], code: string, message: string}} finding
 * @param {ReturnType<import("./finding_ranges.js").rangesOf>[number]} range where it is
 * @param {object} context
 * @param {string} context.text
 * @param {object|null} context.schema of the whole payload; without it nothing can be added
 * @param {object[]} context.findings all of them
 * @param {object[]} context.ranges where they are
 * @returns {Mend[]}
 */
export function mendsOf(finding, range, context) {
  const { text } = context;
  const mends = mendsOfWord(finding, range, context);
  if (range.target === "missing") {
    const isMissing = finding.code === "required" && range.parent;
    return isMissing ? mendsOfMissing(finding, range, context) : mends;
  }
  if (finding.code === "required" && range.value?.name === "Object") {
    return mendsOfLacking(finding, range, context);
  }
  if (finding.code === "wrong-type" && range.value) {
    mends.push(...mendsOfType(finding, range, context));
  }
  if (spaces.test(finding.message)) mends.push(...mendsOfSpaces(range, text));
  return [...mends, ...mendsOfMember(finding, range, context)];
}
