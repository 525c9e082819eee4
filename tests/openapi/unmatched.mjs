// What the documents leave out by design: HEAD and OPTIONS, and requests that reach no operation.
// And headers that an operation may heed although its document does not say so.
import test from 'node:test';
import assert from 'node:assert/strict';
import { ask } from './connection.mjs';
import { documents, operations, planes } from './document.mjs';
import { bytesOf } from './request.mjs';
import { undocumentedAnywhere } from './witness.mjs';
import { World } from './world.mjs';

const plain = { headers: {}, body: null };

/** By code of the root's `x-codes`: requests that get it, of any operation's path. */
const provocations = {
  method_not_implemented: ['TRACE', 'get'].map((method) => ({ method, target: '/' })),
  target_malformed: [{ method: 'GET', target: '/%zz' }],
  route_not_found: [{ method: 'GET', target: '/no/such/path' }],
};

/** What clients and caches send with a GET of anything: by what was answered before. */
const usual = [
  (etag) => ({ 'If-None-Match': etag }),
  () => ({ 'If-None-Match': '*' }),
  () => ({ 'If-Match': '"another"' }),
  () => ({ 'If-Modified-Since': 'Fri, 31 Dec 9999 23:59:59 GMT' }),
  () => ({ Range: 'bytes=0-0' }),
  () => ({ Range: 'bytes=99999999-' }),
  () => ({ 'Accept-Encoding': 'gzip' }),
  () => ({ Accept: 'application/octet-stream' }),
];

/** The methods that the document has for the path of an operation, and those it leaves out. */
function methodsOf(of) {
  const documented = operations.filter(({ plane, path }) => plane === of.plane && path === of.path)
    .map(({ method }) => method);
  return [...documented, 'OPTIONS', ...documented.includes('GET') ? ['HEAD'] : []].sort();
}

const allowedBy = (answer) => answer.header('allow').split(', ').sort();

/** A request with a method that the path of an operation does not have. */
function otherMethod(of, target) {
  const taken = operations.filter(({ plane, path }) => plane === of.plane && path === of.path)
    .map(({ method }) => method);
  return { method: ['GET', 'PUT', 'POST', 'DELETE'].find((each) => !taken.includes(each)), target };
}

for (const plane of planes) {
  test(`requests that reach no operation of the ${plane} plane`, async (t) => {
    const world = await World.start(['--enable-fault-injection']);
    const send = (request, toHead) =>
      ask(world.service.ports[plane], bytesOf({ ...plain, ...request }), toHead);
    try {
      for (const [code, requests] of Object.entries(provocations))
        await t.test(code, async () => {
          assert.ok(documents[plane].codes.includes(code));
          for (const request of requests) {
            const answer = await send(request);
            assert.equal(answer.code, code);
            assert.deepEqual(undocumentedAnywhere(plane, answer), []);
          }
        });
      for (const of of documents[plane].operations) {
        const { target, headers } = await world.request(of);
        await t.test(`method_not_allowed at ${of.path}`, async () => {
          const answer = await send(otherMethod(of, target));
          assert.equal(answer.code, 'method_not_allowed');
          assert.deepEqual(undocumentedAnywhere(plane, answer), []);
          assert.deepEqual(allowedBy(answer), methodsOf(of));
        });
        await t.test(`OPTIONS of ${of.path}`, async () => {
          const answer = await send({ method: 'OPTIONS', target });
          assert.equal(answer.status, 204);
          assert.deepEqual(allowedBy(answer), methodsOf(of));
        });
        if (of.method === 'GET' && of.id !== 'watch_status')
          await t.test(`headers that ${of.path} may heed`, async () => {
            const before = world.wrong.length;
            const etag = (await world.ask(of)).header('etag') ?? '"none"';
            for (const each of usual) await world.ask(of, { headers: each(etag) });
            assert.deepEqual(world.wrong.slice(before), []);
          });
        if (of.method === 'GET' && of.id !== 'watch_status')
          await t.test(`HEAD of ${of.path}`, async () => {
            const answer = await send({ method: 'HEAD', target, headers }, true);
            world.note(of, answer, false);
            assert.equal(answer.status, (await world.ask(of)).status);
          });
      }
      await t.test('no code is left', () => assert.deepEqual(
        documents[plane].codes.filter((code) => !(code in provocations)), ['method_not_allowed']));
      await t.test('all that was answered is documented',
        () => assert.deepEqual([...new Set(world.wrong)], []));
    } finally {
      await world.stop();
    }
  });
}
