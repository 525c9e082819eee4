// What the documents leave out by design: HEAD and OPTIONS, and requests that reach no operation.
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
          assert.ok(answer.header('allow').split(', ').includes(of.method));
        });
        await t.test(`OPTIONS of ${of.path}`, async () => {
          const answer = await send({ method: 'OPTIONS', target });
          assert.equal(answer.status, 204);
          assert.ok(answer.header('allow').split(', ').includes(of.method));
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
