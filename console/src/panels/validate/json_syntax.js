// Members and elements in Lezer's syntax tree of a JSON text. Unfinished text has a tree, too, in
// which only the missing parts are missing.

/**
 * @typedef {{from: number, to: number}} Range UTF-16 offsets into the text, the end not included.
 * @typedef {{name: string, key: Range, value: import("@lezer/common").SyntaxNode|null,
 *   node: import("@lezer/common").SyntaxNode}} Member
 */

const valueNames = new Set(["Object", "Array", "String", "Number", "True", "False", "Null"]);

/** Whether a node is a JSON value, not a mark, a key or an error. */
export const isValue = (node) => valueNames.has(node.name);

/** The first child that is a value, or null. */
export function valueIn(node) {
  for (let child = node?.firstChild; child; child = child.nextSibling) {
    if (isValue(child)) return child;
  }
  return null;
}

/** The text's one value, or null where there is none yet. */
export const topValue = (tree) => valueIn(tree.topNode);

/** The characters that a string literal stands for, or its own if it is unfinished or malformed. */
export function literalText(text, { from, to }) {
  const literal = text.slice(from, to);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal.replace(/^"|"$/g, "");
  }
}

/**
 * The members of an object in the order of the text, with repeated ones. Empty for other nodes.
 * @returns {Member[]}
 */
export function membersOf(node, text) {
  const members = [];
  if (node?.name !== "Object") return members;
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.name !== "Property") continue;
    const key = child.getChild("PropertyName");
    if (!key) continue;
    members.push({
      name: literalText(text, key),
      key: { from: key.from, to: key.to },
      value: valueIn(child),
      node: child,
    });
  }
  return members;
}

/** The elements of an array in the order of the text. Empty for any other node. */
export function elementsOf(node) {
  const elements = [];
  if (node?.name !== "Array") return elements;
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (isValue(child)) elements.push(child);
  }
  return elements;
}

/**
 * The names and indexes that lead from the text's value to `node`, as strings.
 * A property and its key have the path of their value.
 */
export function pathOf(node, text) {
  const path = [];
  for (let at = node; at; at = at.parent) {
    if (at.name === "Property") {
      const key = at.getChild("PropertyName");
      path.unshift(key ? literalText(text, key) : "");
    } else if (at.parent?.name === "Array" && isValue(at)) {
      path.unshift(String(elementsOf(at.parent).findIndex((one) => one.from === at.from)));
    }
  }
  return path;
}
