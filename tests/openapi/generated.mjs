// Types and clients that others generate from the documents: they compile, and calls of every
// operation by such a client get what is documented.
import test from 'node:test';
import assert from 'node:assert/strict';
import { guarded } from './access.mjs';
import { call, generatedCalls } from './client.mjs';
import { Answer } from './connection.mjs';
import { operations, successesOf } from './document.mjs';
import { World } from './world.mjs';

test('types and clients that are generated from the documents compile', async () => {
  await generatedCalls();
});

/** `fetch` that lets a world compare each answer with the document. */
const noted = (world, of) => async (...words) => {
  const response = await fetch(...words);
  const hasEnd = response.headers.get('content-type') !== 'text/event-stream';
  const body = hasEnd ? Buffer.from(await response.clone().arrayBuffer()) : undefined;
  const answer = new Answer(response.status, [...response.headers], body);
  // fetch has decoded the body, and tells of the coding nevertheless.
  answer.decoded = true;
  world.note(of, answer, hasEnd);
  return response;
};

test('a generated client gets what is documented of every operation', async (t) => {
  const world = await World.start(['--enable-fault-injection', ...guarded.flags],
    await guarded.options());
  try {
    await guarded.prepare(world);
    for (const of of operations)
      await t.test(`${of.plane} ${of.id}`, { timeout: 60_000 }, async () => {
        const baseUrl = world.service.url(of.plane);
        const status = await call(of, world, { baseUrl, via: noted(world, of) });
        assert.ok(successesOf(of).includes(status), `${status}`);
      });
    await t.test('all that was answered is documented',
      () => assert.deepEqual([...new Set(world.wrong)], []));
  } finally {
    await world.stop();
  }
});
