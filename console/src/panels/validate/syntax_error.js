// The first place where a text stops being JSON, in words that say what to do. Browsers' own
// messages differ from each other and often name no place.

const blank = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const word = /[A-Za-z_$][A-Za-z0-9_$]*/y;
const bare = /[^\s,:{}[\]"]+/y;

/** The depth that the service reads. A deeper text is a finding, not a syntax error. */
const depth_limit = 1000;

class Malformed extends Error {
  constructor(message, from, to) {
    super(message);
    this.from = from;
    this.to = to;
  }
}

class Scanner {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  fail(message, from = this.at, to = from + 1) {
    const end = this.text.length;
    if (from >= end) throw new Malformed(message, Math.max(0, end - 1), end);
    throw new Malformed(message, from, Math.min(to, end));
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (!found) return "";
    this.at += found[0].length;
    return found[0];
  }

  skip() {
    this.match(blank);
  }

  next() {
    return this.text[this.at];
  }

  value(depth) {
    if (depth > depth_limit) this.fail(`This is nested deeper than ${depth_limit} levels.`);
    const start = this.at;
    const first = this.next();
    if (first === "{") return this.object(depth);
    if (first === "[") return this.array(depth);
    if (first === '"') return this.string();
    if (first === undefined) this.fail("The text ends where a value is expected.");
    if (first === "-" || (first >= "0" && first <= "9")) {
      if (this.match(number) === "" || /[0-9.A-Za-z_+]/.test(this.next() ?? "")) {
        this.at = start;
        const found = this.match(bare);
        this.fail(`${found} is not a JSON number.`, start, start + found.length);
      }
      return undefined;
    }
    const found = this.match(word);
    if (found === "true" || found === "false" || found === "null") return undefined;
    if (found) this.fail(`Put ${found} in double quotes.`, start, this.at);
    if (first === "'") this.fail("JSON strings need double quotes.", start);
    if (first === "/") this.fail("JSON has no comments. Remove this one.", start, start + 2);
    return this.fail(`A value is expected, found ${first}`, start);
  }

  string() {
    const start = this.at++;
    for (;;) {
      const next = this.next();
      if (next === undefined || next === "\n" || next === "\r") {
        this.fail("This string has no closing quote.", start, this.at);
      }
      if (next === '"') break;
      if (next < " ") this.fail("Write this control character as an escape such as \\t.");
      if (next === "\\") this.escape();
      else ++this.at;
    }
    ++this.at;
  }

  escape() {
    const start = this.at;
    const letter = this.text[start + 1];
    const length = letter === "u" ? 6 : 2;
    const found = this.text.slice(start, start + length);
    if (!/^\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})$/.test(found)) {
      this.fail(`${found} is not a JSON escape. Write a backslash as \\\\.`, start, start + 2);
    }
    this.at += length;
  }

  object(depth) {
    const open = this.at++;
    this.skip();
    if (this.next() === "}") return void ++this.at;
    for (;;) {
      if (this.next() !== '"') this.notAName(open);
      this.string();
      this.skip();
      if (this.next() !== ":") this.fail("A colon is expected after the name.");
      ++this.at;
      this.skip();
      if (this.next() === "," || this.next() === "}") this.fail("A value is expected here.");
      this.value(depth + 1);
      if (this.separator("}", open)) return undefined;
    }
  }

  notAName(open) {
    const start = this.at;
    if (this.next() === undefined) this.fail("This { is never closed.", open);
    const found = this.match(word);
    if (found) this.fail(`Names need double quotes: "${found}".`, start, this.at);
    this.fail("A name in double quotes is expected.", start);
  }

  array(depth) {
    const open = this.at++;
    this.skip();
    if (this.next() === "]") return void ++this.at;
    for (;;) {
      if (this.next() === ",") this.fail("A value is expected here.");
      this.value(depth + 1);
      if (this.separator("]", open)) return undefined;
    }
  }

  /** Reads what follows a member or an element; true if the container ends. */
  separator(close, open) {
    const behind = this.at;
    this.skip();
    const next = this.next();
    if (next === close) {
      ++this.at;
      return true;
    }
    if (next === undefined) this.fail(`This ${this.text[open]} is never closed.`, open);
    if (next !== ",") {
      if (next === '"' || next === "{" || next === "[") {
        this.fail("A comma is missing after this.", Math.max(0, behind - 1), behind);
      }
      this.fail(`A comma or ${close} is expected.`);
    }
    const comma = this.at++;
    this.skip();
    if (this.next() === close) this.fail(`Remove the comma before ${close}`, comma);
    return false;
  }
}

/**
 * The first syntax error of a JSON text, or null where the text is exactly one JSON value.
 * @param {string} text
 * @returns {{from: number, to: number, message: string}|null} UTF-16 offsets, the end not included
 */
export function firstSyntaxError(text) {
  const scanner = new Scanner(text);
  try {
    scanner.skip();
    scanner.value(0);
    scanner.skip();
    if (scanner.at < text.length) scanner.fail("Remove what follows the JSON value.");
    return null;
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { from: error.from, to: error.to, message: error.message };
  }
}

const encoder = new TextEncoder();

/**
 * Where in a text a byte of its UTF-8 form is.
 * @param {string} text
 * @param {number} offset in bytes; an offset beyond the end means the end
 * @returns {number} UTF-16 offset
 */
export function positionOfByte(text, offset) {
  const bytes = encoder.encode(text).subarray(0, Math.max(0, offset));
  return new TextDecoder().decode(bytes).length;
}
