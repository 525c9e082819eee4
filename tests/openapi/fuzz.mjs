// Requests at random get what is documented, whatever they are: never 500, never a status, a code,
// a header or a body that the document does not have.
import test from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { operations } from './document.mjs';
import { changesOf } from './generation.mjs';
import { World, operation } from './world.mjs';

const seed = Number(process.env.MATCHCLOUD_OPENAPI_SEED ?? 1);
const runs = Number(process.env.MATCHCLOUD_OPENAPI_RUNS ?? 30);

test(`requests at random, seed ${seed}`, { timeout: 600_000 }, async (t) => {
  const world = await World.start(['--enable-fault-injection']);
  const clear = operation('ops', 'clear_faults');
  let sent = 0;
  let good = 0;
  try {
    for (const of of operations)
      await t.test(`${of.plane} ${of.id}`, async () => {
        const property = fc.asyncProperty(changesOf(of), async (changes) => {
          world.wrong.length = 0;
          const answer = await world.ask(of, changes);
          sent += 1;
          good += answer.status < 400 ? 1 : 0;
          // A rule that was good must not hit what comes behind it.
          if (of.id === 'put_fault' && answer.status === 200) await world.ask(clear);
          assert.ok(answer.status !== 500, answer.text);
          assert.deepEqual([...world.wrong], []);
        });
        await fc.assert(property, { seed, numRuns: runs, interruptAfterTimeLimit: 5_000,
          markInterruptAsFailure: false, endOnFailure: true });
      });
    t.diagnostic(`${sent} requests, of which ${good} were good`);
  } finally {
    await world.stop();
  }
});
