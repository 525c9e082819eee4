// A string or a number. Strings are matched so that the digits in them stay as they are.
const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

function exact(text) {
  const integer = /^-?\d+$/.test(text);
  return integer && !Number.isSafeInteger(Number(text)) ? `"${text}"` : text;
}

/**
 * Parses JSON without rounding: an integer beyond 2^53 (a fault seed, a content length) becomes the
 * string of its digits, because JavaScript would round the number. Throws SyntaxError.
 */
export function parseJson(text) {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(token, (found) => (found[0] === '"' ? found : exact(found))));
}
