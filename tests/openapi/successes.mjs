// The examples of the documents, sent to a service with demo data, and every status of every
// operation that is no refusal, with every header that is documented for it.
import test from 'node:test';
import assert from 'node:assert/strict';
import { operations, successesOf } from './document.mjs';
import { World, madeParameters } from './world.mjs';
import { withBucket } from './bucket.mjs';
import { seen } from './witness.mjs';

/** A request with the example of one parameter that may be left out. */
async function askWith(of, world, parameter) {
  const { name, example } = parameter;
  const headers = parameter.in === 'header' ? { [name]: example } : {};
  const { parameters } = await world.newFor(of);
  const optional = parameter.in === 'query' ? [name] : undefined;
  return world.ask(of, { parameters, headers, optional });
}

test('examples of requests get the first documented answer', { timeout: 300_000 }, async (t) => {
  const world = await World.start(['--enable-fault-injection']);
  try {
    for (const of of operations)
      await t.test(`${of.plane} ${of.id}`, async () => {
        const [first] = successesOf(of);
        // What is to be removed must be there, and nothing may refer to it.
        const answer = await world.ask(of, of.method === 'DELETE' ? await world.newFor(of) : {});
        assert.equal(answer.status, first, answer.text.slice(0, 300));
        if (of.method !== 'GET') return;
        // These were sent already.
        const sent = [...madeParameters, ...await world.neededQuery(of)];
        for (const each of of.parameters.filter(({ name, required, example }) =>
          !required && !sent.includes(name) && example !== undefined)) {
          const { status, text } = await askWith(of, world, each);
          assert.ok(successesOf(of).includes(status), `${each.name}: ${status} ${text}`);
        }
      });
    await t.test('all that was answered is documented',
      () => assert.deepEqual([...new Set(world.wrong)], []));
  } finally {
    await world.stop();
  }
});

/** What a client sends that wants all that an answer may depend on. */
const all = (of) => ({
  Connection: 'close',
  'Accept-Encoding': 'gzip',
  Origin: of.plane === 'ops' ? 'http://127.0.0.1' : 'https://demo-game.example',
});

/** By status: the headers that lead to it, if it is not the one that the example gets. */
const ways = {
  206: (etag) => ({ Range: 'bytes=0-9', 'If-Range': etag }),
  304: (etag) => ({ 'If-None-Match': etag }),
};

/** By status: the body that leads to it, if it is not the example. */
const bodies = { 422: '{}\n' };

/** The entity tag of the answer to a request, of the compressed one where there can be one. */
async function etagOf(of, world, headers) {
  const mayBeCoded = of.answers.get(200).headers.includes('Content-Encoding') &&
    'Accept-Encoding' in headers;
  const until = Date.now() + 5_000;
  for (;;) {
    const answer = await world.ask(of, { headers });
    // A compressed file is made when it is first asked for.
    const isThere = !mayBeCoded || answer.header('content-encoding');
    if (isThere || Date.now() > until) return answer.header('etag');
  }
}

async function visit(of, world, status, headers) {
  const changes = of.method === 'PUT' && status === 200 ? {} : await world.newFor(of);
  const way = ways[status]?.(await etagOf(of, world, headers)) ?? {};
  const body = status in bodies ? { body: bodies[status] } : {};
  const answer = await world.ask(of, { ...changes, ...body, headers: { ...headers, ...way } });
  assert.equal(answer.status, status, answer.text.slice(0, 300));
}

/** The documented headers of an answer that none had so far. */
function unseenHeaders(of, status) {
  return of.answers.get(status).headers.filter((header) =>
    !seen.has(`${of.plane} ${of.id} ${status} ${header.toLowerCase()}:`));
}

test('what operations answer where nothing is wrong', { timeout: 600_000 }, async (t) => {
  const world = await World.start(['--enable-fault-injection']);
  try {
    for (const of of operations)
      for (const status of successesOf(of).filter((each) => each !== 307))
        await t.test(`${of.plane} ${of.id}: ${status}`, { timeout: 60_000 }, async () => {
          await visit(of, world, status, {});
          await visit(of, world, status, all(of));
          for (const type of Object.keys(of.body?.content ?? {}))
            await visit(of, world, status, { 'Content-Type': type });
          assert.deepEqual(unseenHeaders(of, status), [], 'documented headers that no answer had');
        });
    await t.test('all that was answered is documented',
      () => assert.deepEqual([...new Set(world.wrong)], []));
  } finally {
    await world.stop();
  }
});

test('downloads of what is in a bucket lead there', { timeout: 300_000 }, async (t) => {
  const world = await World.start([], await withBucket());
  try {
    for (const of of operations.filter(({ answers }) => answers.has(307)))
      await t.test(`${of.plane} ${of.id}: 307`, async () => {
        await visit(of, world, 307, {});
        await visit(of, world, 307, all(of));
        assert.deepEqual(unseenHeaders(of, 307), [], 'documented headers that no answer had');
      });
    await t.test('all that was answered is documented',
      () => assert.deepEqual([...new Set(world.wrong)], []));
  } finally {
    await world.stop();
  }
});
