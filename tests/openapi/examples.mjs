// The requests that the documents exemplify are sent to a service with demo data: each gets the
// first answer that is documented for its operation.
import test from 'node:test';
import assert from 'node:assert/strict';
import { operations, successesOf } from './document.mjs';
import { World, madeParameters } from './world.mjs';

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
