// A service with demo data, and what the examples of operations need that only a running service
// makes.
import { ask, Connection } from './connection.mjs';
import { operations, sibling } from './document.mjs';
import { bytesOf, requestFor } from './request.mjs';
import { serve } from './service.mjs';
import { undocumented } from './witness.mjs';

const documentedCodes = (of) => new Set([...of.answers.values()].flatMap(({ codes }) => codes));
const byId = new Map(operations.map((each) => [`${each.plane} ${each.id}`, each]));

/** The parameters that no demo data has: a running service makes what they name. */
export const madeParameters = ['token_id', 'export_id', 'expires', 'signature', 'asset'];

/** The id of nothing. */
const noGame = '00000000-0000-4000-8000-0000000fffff';

/** The operation of a plane with this id. */
export function operation(plane, id) {
  const found = byId.get(`${plane} ${id}`);
  if (!found) throw new Error(`no operation ${id} on the ${plane} plane`);
  return found;
}

/** A service, what was made in it, and `wrong`: all that its answers had beyond the document. */
export class World {
  #made = new Map();
  /** Avatars of the demo's game that no example is about. */
  #incomplete = ['103', '105'].map((end) => `00000000-0000-4000-8000-000000000${end}`);
  wrong = [];

  constructor(service) {
    this.service = service;
    /** Headers that each request gets, by its operation. */
    this.headersFor = () => ({});
  }

  /** Starts a service with `flags`; `options` are those of `serve`. */
  static async start(flags, options) {
    return new World(await serve(flags, options));
  }

  stop() {
    return this.service.stop();
  }

  /** A connection to the plane of an operation. */
  connect(of) {
    return new Connection(this.service.ports[of.plane]);
  }

  /** The bytes of a request for an operation: `changes` as for `requestFor`. */
  async bytes(of, changes = {}) {
    return bytesOf(await this.request(of, changes));
  }

  async request(of, changes = {}) {
    const settled = this.settled?.get(of) ?? { parameters: await this.parametersFor(of) };
    const headers = { ...this.headersFor(of), ...changes.headers };
    const given = Object.entries(changes.parameters ?? {}).filter(([, each]) => each !== undefined);
    const parameters = { ...settled.parameters, ...Object.fromEntries(given) };
    const optional = changes.optional ?? await this.neededQuery(of);
    return requestFor(of, { ...settled, ...changes, headers, parameters, optional });
  }

  /** Sends a request for an operation and compares the answer with the document. */
  async ask(of, changes = {}) {
    return this.askWith(of, await this.bytes(of, changes));
  }

  /** The same for a request that is given as bytes. */
  async askWith(of, bytes) {
    return this.note(of, await ask(this.service.ports[of.plane], bytes));
  }

  /** Compares an answer to an operation with the document. */
  note(of, answer, hasBody = true) {
    this.wrong.push(...undocumented(of, answer, hasBody));
    return answer;
  }

  /** What stands for the parameters of an operation in place of their examples. */
  async parametersFor(of) {
    const names = of.parameters.map(({ name }) => name);
    const made = {};
    if (names.includes('token_id'))
      made.token_id = of.method === 'DELETE' ? await this.newToken() : await this.token();
    if (names.includes('export_id')) Object.assign(made, await this.exported());
    if (names.includes('asset')) made.asset = await this.asset();
    // Others need the demo's game.
    if (of.id === 'erase_game') made.game_id = noGame;
    return made;
  }

  /** A file that the console refers to; undefined where the program has no console. */
  asset() {
    return this.#once('asset', async () => {
      const { text } = await this.ask(operation('ops', 'get_console'));
      return /"assets\/([^"]+\.js)"/.exec(text)?.[1];
    });
  }

  /**
   * The parameters of the query without which an operation answers nothing: one of several, which a
   * document cannot say. Found out by asking without any.
   */
  neededQuery(of) {
    return this.#once(`query of ${of.plane} ${of.id}`, () => this.#findNeededQuery(of));
  }

  async #findNeededQuery(of) {
    const optional = of.parameters.filter((each) => each.in === 'query' && !each.required &&
      !madeParameters.includes(each.name)).map(({ name }) => name);
    if (!optional.length || !documentedCodes(of).has('query_invalid')) return [];
    const made = { parameters: await this.parametersFor(of), headers: this.headersFor(of) };
    const { code } = await ask(this.service.ports[of.plane], bytesOf(requestFor(of, made)));
    return code === 'query_invalid' ? optional : [];
  }

  /**
   * Makes what an operation needs, and no other request uses; what its request changes for that:
   * an element of its own where the operation adds or removes one.
   */
  async newFor(of) {
    const parameters = await this.parametersFor(of);
    const example = Object.values(of.body?.content ?? {})[0]?.example;
    // An export of a span that nobody has asked for.
    if (example?.query_start !== undefined) {
      const body = { ...example, query_end: example.query_end + ++used };
      return { parameters, body: JSON.stringify(body) };
    }
    if (of.id === 'erase_game') {
      const game = operation('ops', 'put_game');
      const own = ownElement(game);
      await this.put(game, own);
      return { parameters: own.parameters };
    }
    if (of.id === 'remove_avatar')
      return { parameters: { ...parameters, upload_id: this.#incomplete.shift() ?? noGame } };
    const put = of.method === 'DELETE' ? sibling(of, 'PUT') : of;
    if (put?.method !== 'PUT' || !put.answers.has(201)) return { parameters };
    const own = ownElement(put);
    if (put === of) return own;
    await this.put(put, own);
    return { parameters: own.parameters };
  }

  /** The same for every operation: each can then be asked for once nothing can be made any more. */
  async settle() {
    const settled = new Map();
    for (const of of operations) settled.set(of, await this.newFor(of));
    this.settled = settled;
  }

  /** Adds an element. */
  async put(of, own) {
    const answer = await this.ask(of, own);
    if (answer.status >= 300) throw new Error(`no element: ${answer.text}`);
  }

  #once(what, make) {
    if (!this.#made.has(what)) this.#made.set(what, make());
    return this.#made.get(what);
  }

  async newToken() {
    const answer = await this.ask(operation('ops', 'create_token'));
    if (answer.status !== 201) throw new Error(`no token: ${answer.text}`);
    return answer.json.token_id;
  }

  token() {
    return this.#once('token', () => this.newToken());
  }

  /** The parameters of the URL of an export: `export_id`, `expires` and `signature`. */
  exported() {
    return this.#once('export', async () => {
      let answer;
      // A request before it may still be in flight for the moment after its answer.
      do answer = await this.ask(operation('data', 'export_lobby_history'));
      while (answer.code === 'overloaded');
      if (answer.status !== 200) throw new Error(`no export: ${answer.text}`);
      return linkOf(answer.json.url);
    });
  }
}

/** The parameters in the URL of an export. */
export function linkOf(url) {
  const { pathname, searchParams } = new URL(url);
  return { export_id: pathname.split('/').at(-2), ...Object.fromEntries(searchParams) };
}

const unused = '00000000-0000-4000-8000-0000000f';
let used = 0;

/** A value of a parameter that nothing in the demo data has, each time another. */
function freshValue(parameter) {
  used += 1;
  if (parameter.schema.format === 'uuid') return unused + String(used).padStart(4, '0');
  return `${parameter.example}-${used}`;
}

/**
 * What a request needs to change so that it is about an element of its own: an id that is not in
 * use, in the path and in an example of the body, and what must be unique besides.
 */
export function ownElement(of) {
  const parameters = {};
  let body = Object.values(of.body?.content ?? {})[0]?.example;
  for (const each of of.parameters.filter((parameter) => parameter.in === 'path')) {
    parameters[each.name] = freshValue(each);
    const text = JSON.stringify(body)?.replaceAll(
      `${JSON.stringify(each.name)}:${JSON.stringify(each.example)}`,
      `${JSON.stringify(each.name)}:${JSON.stringify(parameters[each.name])}`);
    if (text) body = JSON.parse(text);
    if (body === each.example) body = parameters[each.name];
  }
  if (body?.domains) body.domains = [`${used}.example`];
  return { parameters, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}
