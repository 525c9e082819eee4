// HTTP/1.1 over a socket, byte by byte as a test wants it: no client would send most of this.
import net from 'node:net';
import zlib from 'node:zlib';

const patience = 60_000;
const headEnd = '\r\n\r\n';

/** An answer: `headers` is a list of pairs as they came, `body` is decoded of gzip. */
export class Answer {
  constructor(status, headers, body = Buffer.alloc(0)) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }

  /** The value of a header, whatever the case of its name; undefined where it is missing. */
  header(name) {
    return this.headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
  }

  get text() {
    const isWhole = this.status !== 206 && this.body.length > 0 && !this.decoded;
    const isCoded = this.header('content-encoding') === 'gzip' && isWhole;
    return (isCoded ? zlib.gunzipSync(this.body) : this.body).toString();
  }

  get json() {
    return JSON.parse(this.text);
  }

  /** The code of a problem; undefined where the answer is none. */
  get code() {
    if (this.header('content-type') !== 'application/problem+json') return undefined;
    return this.body.length ? this.json.code : undefined;
  }
}

function parseHead(text) {
  const [line, ...fields] = text.split('\r\n');
  return new Answer(Number(line.split(' ')[1]), fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon), field.slice(colon + 1).trim()];
  }));
}

/** The body that chunks at the start of `bytes` make, once all are there; else undefined. */
function dechunk(bytes) {
  const parts = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const size = parseInt(bytes.subarray(at, end).toString(), 16);
    if (size === 0) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 4 + size;
    if (at > bytes.length) return undefined;
  }
}

/** One connection to a port of this machine. */
export class Connection {
  #received = Buffer.alloc(0);
  #ended = false;
  #changed = () => {};

  constructor(port) {
    this.socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#changed();
    });
    const over = () => {
      this.#ended = true;
      this.#changed();
    };
    for (const event of ['end', 'close', 'error']) this.socket.on(event, over);
  }

  /** Sends bytes, whether or not the service still reads. */
  send(bytes) {
    if (!this.socket.destroyed) this.socket.write(bytes);
    return this;
  }

  close() {
    this.socket.destroy();
  }

  /** Resolves with what `look` finds in what has arrived, as soon as it is not undefined. */
  #await(look, what) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no ${what} within a minute`)), patience);
      this.#changed = () => {
        let found;
        try {
          found = look();
        } catch (error) {
          clearTimeout(timer);
          return reject(error);
        }
        if (found === undefined && this.#ended) found = look(true) ?? null;
        if (found === undefined) return;
        clearTimeout(timer);
        this.#changed = () => {};
        if (found === null)
          reject(new Error(`closed before ${what}: ${this.#received.toString().slice(0, 200)}`));
        else
          resolve(found);
      };
      this.#changed();
    });
  }

  /** Reads the head of the next answer; skips 100 Continue. */
  async head() {
    const answer = await this.#await(() => {
      const end = this.#received.indexOf(headEnd);
      if (end < 0) return undefined;
      const head = this.#received.subarray(0, end).toString('latin1');
      this.#received = this.#received.subarray(end + headEnd.length);
      return parseHead(head);
    }, 'an answer');
    return answer.status === 100 ? this.head() : answer;
  }

  /** Reads `bytes` that contain `text`, of an answer without an end. */
  async until(text) {
    return this.#await(() => {
      const all = this.#received.toString();
      return all.includes(text) ? all : undefined;
    }, `"${text}"`);
  }

  /** Reads the next answer: whole, or up to its first event. `toHead`: it answers HEAD. */
  async answer(toHead = false) {
    const answer = await this.head();
    if (toHead || answer.status === 204 || answer.status === 304) return answer;
    if (answer.header('content-type') === 'text/event-stream') {
      answer.body = Buffer.from(await this.until('\n\n'));
      return answer;
    }
    const length = answer.header('content-length');
    answer.body = await this.#await((ended) => {
      if (answer.header('transfer-encoding') === 'chunked') return dechunk(this.#received);
      if (length === undefined) return ended ? this.#received : undefined;
      return this.#received.length >= Number(length)
        ? this.#received.subarray(0, Number(length)) : undefined;
    }, 'the end of a body');
    this.#received = this.#received.subarray(answer.body.length);
    return answer;
  }
}

/** Sends `bytes` on a connection of its own and reads the answer. */
export async function ask(port, bytes, toHead = false) {
  const connection = new Connection(port);
  try {
    return await connection.send(bytes).answer(toHead);
  } finally {
    connection.close();
  }
}
