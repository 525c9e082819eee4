// Where in the text a finding is. The service says where by a path of names and indexes; the editor
// marks characters.

import { elementsOf, membersOf, topValue } from "./json_syntax.js";

/** Codes that are about a member's name, whatever its value is. */
const nameCodes = new Set(["unknown-member", "duplicate-member", "invalid-name", "unknown-region",
  "reserved"]);

/** Names in maps have the same rules as some values: only the message tells them apart. */
const isAboutName = ({ code, message }) =>
  nameCodes.has(code) || /^(The name .* in|A name in) `/.test(message);

/** What a step of a path leads to: a member or an element. Each container is read once. */
class Lookup {
  #members = new Map();
  #elements = new Map();

  constructor(text) {
    this.text = text;
  }

  /** The given occurrence of `name` in an object, or the last one if there are fewer, or null. */
  member(object, name, occurrence) {
    let byName = this.#members.get(object.from);
    if (!byName) {
      byName = new Map();
      for (const member of membersOf(object, this.text)) {
        const same = byName.get(member.name);
        if (same) same.push(member);
        else byName.set(member.name, [member]);
      }
      this.#members.set(object.from, byName);
    }
    const same = byName.get(name);
    return same ? same[Math.min(occurrence, same.length - 1)] : null;
  }

  element(array, index) {
    let elements = this.#elements.get(array.from);
    if (!elements) {
      elements = elementsOf(array);
      this.#elements.set(array.from, elements);
    }
    return /^\d+$/.test(index) ? (elements[Number(index)] ?? null) : null;
  }
}

/** A container is marked at its key, or else at its opening brace, but not over all its lines. */
function rangeOfContainer(value, key) {
  return key ?? { from: value.from, to: value.from + 1 };
}

/**
 * Finds the range of each finding. A missing member is marked at the key of the object that lacks
 * it, or at the object's brace. A wrong name is marked itself. Objects and arrays are marked at
 * their key. A text without a value is marked at its first character. The time grows with the
 * length of the text plus the number of findings.
 * @param {{path: string[], code: string, message: string}[]} findings in the order of the answer,
 *   because findings about a repeated member follow the one that says it is repeated
 * @param {import("@lezer/common").Tree} tree Lezer's tree of `text`
 * @param {string} text
 * @returns {{from: number, to: number, target: "key"|"value"|"missing", value:
 *   import("@lezer/common").SyntaxNode|null, parent: import("@lezer/common").SyntaxNode|null}[]}
 *   one for each finding. `parent` is the object that lacks the member, only for the target
 *   "missing".
 */
export function rangesOf(findings, tree, text) {
  const top = topValue(tree);
  const lookup = new Lookup(text);
  const repeated = new Map();
  return findings.map((finding) => {
    if (!top) {
      return { from: 0, to: Math.min(1, text.length), target: "value", value: null, parent: null };
    }
    const { path } = finding;
    if (finding.code === "duplicate-member") {
      const id = JSON.stringify(path);
      repeated.set(id, (repeated.get(id) ?? 0) + 1);
    }
    let value = top;
    let key = null;
    for (let depth = 0; depth < path.length; ++depth) {
      const name = path[depth];
      let next = null;
      let nextKey = null;
      if (value?.name === "Object") {
        const occurrence = repeated.size === 0 ? 0 :
          (repeated.get(JSON.stringify(path.slice(0, depth + 1))) ?? 0);
        const member = lookup.member(value, name, occurrence);
        if (member) {
          next = member.value ?? member.node;
          nextKey = member.key;
        }
      } else if (value?.name === "Array") {
        next = lookup.element(value, name);
      }
      if (!next) {
        const isLast = depth === path.length - 1 && value.name === "Object";
        return { ...rangeOfContainer(value, key), target: "missing", value: null,
          parent: isLast ? value : null };
      }
      value = next;
      key = nextKey;
    }
    if (key && isAboutName(finding)) return { ...key, target: "key", value, parent: null };
    if (value.name === "Object" || value.name === "Array" || value.name === "Property") {
      return { ...rangeOfContainer(value, key), target: "value", value, parent: null };
    }
    return { from: value.from, to: value.to, target: "value", value, parent: null };
  });
}
