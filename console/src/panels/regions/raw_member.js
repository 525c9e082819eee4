// The bytes of a part of a reply. Parsing and printing them again would change them.

/** The end of the JSON value that begins at `from`, in a text that is JSON. */
function endOfValue(text, from) {
  let depth = 0;
  for (let at = from; at < text.length; ++at) {
    const mark = text[at];
    if (mark === '"') {
      for (++at; at < text.length && text[at] !== '"'; ++at) if (text[at] === "\\") ++at;
      if (depth === 0) return at + 1;
    } else if (mark === "{" || mark === "[") {
      ++depth;
    } else if (mark === "}" || mark === "]") {
      if (depth === 0) return at;
      if (--depth === 0) return at + 1;
    } else if (mark === "," && depth === 0) {
      return at;
    }
  }
  return text.length;
}

/**
 * The text of a member's value in a JSON object, unchanged.
 * @param {string} text a JSON object
 * @param {string} name without escapes
 * @returns {string|null} null where the object has no such member
 */
export function rawMember(text, name) {
  let at = text.indexOf("{") + 1;
  while (at > 0 && at < text.length) {
    const key = text.indexOf('"', at);
    if (key < 0) return null;
    const end = endOfValue(text, key);
    const begin = text.indexOf(":", end) + 1;
    if (begin === 0) return null;
    const value = begin + /^\s*/.exec(text.slice(begin))[0].length;
    const close = endOfValue(text, value);
    if (text.slice(key, end) === JSON.stringify(name)) return text.slice(value, close).trimEnd();
    const next = /^\s*,/.exec(text.slice(close));
    if (!next) return null;
    at = close + next[0].length;
  }
  return null;
}
