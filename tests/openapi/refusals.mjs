// Provocations of what a request is refused for by itself, whatever the operation: by code.
import { bytesOf } from './request.mjs';

const nobody = '00000000-0000-4000-8000-0000000000ff';
const line = (text) => Buffer.from(`${text}\r\n`);

/** A request with a further header line, which may be anything. */
function withLine(bytes, text) {
  const end = bytes.indexOf('\r\n') + 2;
  return Buffer.concat([bytes.subarray(0, end), line(text), bytes.subarray(end)]);
}

const lineProvokes = (text) => async (of, world) =>
  world.askWith(of, withLine(await world.bytes(of), text));
const headerProvokes = (name, value) => (of, world) =>
  world.ask(of, { headers: { [name]: value } });
const bodyProvokes = (body) => (of, world) => world.ask(of, { body });
const ofPath = (of) => of.parameters.filter((each) => each.in === 'path');

/** With another value of each parameter of the path for which `choose` has one. */
const pathProvokes = (choose) => (of, world) => world.ask(of, {
  parameters: Object.fromEntries(ofPath(of).map((each) => [each.name, choose(each)])
    .filter(([, value]) => value !== undefined)),
});

const isUuid = (parameter) => parameter.schema.format === 'uuid';
const unknown = pathProvokes((each) => isUuid(each) ? nobody : 'nowhere');

/** Ids that nothing has: those of the path or, where that has none, of the query. */
function unknownElement(of, world) {
  if (of.parameters.some((each) => each.in === 'path')) return unknown(of, world);
  const ids = of.parameters.filter((each) => each.in === 'query' && isUuid(each));
  return world.ask(of, { parameters: Object.fromEntries(ids.map(({ name }) => [name, nobody])) });
}

/** A query or a body that an operation cannot read: what it has of both. */
async function askInvalidly(of, world) {
  const query = of.parameters.filter((each) => each.in === 'query').map(({ name }) => [name, '!']);
  if (!of.body) return world.ask(of, { parameters: Object.fromEntries(query) });
  return world.ask(of, { body: '{"no such member":1}' });
}

async function askWithoutEnd(of, world, headers) {
  const request = await world.request(of);
  return world.askWith(of,
    bytesOf({ ...request, body: null, headers: { ...request.headers, ...headers } }));
}

/** By code: sends a request for an operation and resolves with its answer. */
export const refusals = {
  request_malformed: lineProvokes('Host: 127.0.0.1'),
  target_too_long: async (of, world) => {
    const { target, ...rest } = await world.request(of);
    const more = (target.includes('?') ? '&' : '?') + 'x'.repeat(4_000);
    return world.askWith(of, bytesOf({ ...rest, target: target + more }));
  },
  head_too_large: lineProvokes(`X-Padding: ${'x'.repeat(10_000)}`),
  body_too_large: (of, world) => askWithoutEnd(of, world, { 'Content-Length': '99999999999999' }),
  version_unsupported: async (of, world) =>
    world.askWith(of, bytesOf({ ...await world.request(of), version: 'HTTP/2.0' })),
  transfer_coding_unsupported: (of, world) =>
    askWithoutEnd(of, world, { 'Transfer-Encoding': 'gzip, chunked' }),
  expectation_failed: headerProvokes('Expect', 'a miracle'),
  content_coding_unsupported: headerProvokes('Content-Encoding', 'gzip'),
  target_malformed: pathProvokes(() => '%zz'),
  id_malformed: pathProvokes(() => '!'),
  media_type_unsupported: (of, world) => world.ask(of, { type: 'text/plain' }),
  body_malformed: bodyProvokes('{'),
  body_too_deep: bodyProvokes(`{"x":${'['.repeat(500)}${']'.repeat(500)}}`),
  body_not_object: bodyProvokes('[]'),
  query_invalid: askInvalidly,
  import_invalid: bodyProvokes('{"no such member":1}'),
  host_not_allowed: headerProvokes('Host', 'matchcloud.example'),
  // On the data plane, a page of another origin must name the type of what it sends.
  origin_not_allowed: (of, world) => world.ask(of, {
    headers: { Origin: 'http://matchcloud.example' }, ...(of.plane === 'data' && { type: '' }) }),
  game_not_found: unknown,
  element_not_found: unknownElement,
  token_not_found: unknown,
  media_not_found: unknown,
  avatar_not_found: unknown,
  lobby_unknown: pathProvokes((each) => each.name === 'lobby_id' ? nobody : undefined),
  route_not_found: unknown,
  still_referred: (of, world) => world.ask(of),
  signature_invalid: (of, world) => world.ask(of, { parameters: { signature: '0a1b' } }),
  precondition_failed: headerProvokes('If-Match', '"another"'),
  range_not_satisfiable: headerProvokes('Range', 'bytes=99999999-'),
};
