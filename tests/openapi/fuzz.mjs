// Requests at random get what is documented, whatever they are: never 500, never a status, a code,
// a header or a body that the document does not have.
import test from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { forAll } from './at_once.mjs';
import { operations } from './document.mjs';
import { changesOf } from './generation.mjs';
import { World, operation } from './world.mjs';

const seed = Number(process.env.MATCHCLOUD_OPENAPI_SEED ?? 1);
const runs = Number(process.env.MATCHCLOUD_OPENAPI_RUNS ?? 60);

const wrongOf = (world, of) =>
  world.wrong.filter((each) => each.startsWith(`${of.plane} ${of.id} `));

test(`requests at random, seed ${seed}`, { timeout: 600_000 }, async (t) => {
  const world = await World.start(['--enable-fault-injection']);
  const clear = operation('ops', 'clear_faults');
  const count = { sent: 0, good: 0 };
  /** Sends requests to an operation at random; fails at the first that is not as documented. */
  const hold = (of) => fc.assert(fc.asyncProperty(changesOf(of), async (changes) => {
    const answer = await world.ask(of, changes);
    count.sent += 1;
    count.good += answer.status < 400 ? 1 : 0;
    // A rule that was good must not hit what comes behind it.
    if (of.id === 'put_fault' && answer.status === 200) await world.ask(clear);
    assert.ok(answer.status !== 500, answer.text);
    assert.deepEqual(wrongOf(world, of), []);
  }), { seed, numRuns: runs, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false,
    endOnFailure: true });
  const results = new Map();
  const note = async (of) => results.set(of, await hold(of).catch((error) => error));
  const rulesFaults = ({ path }) => path.startsWith('/faults');
  try {
    await forAll(operations.filter((of) => !rulesFaults(of)), 8, note);
    await forAll(operations.filter(rulesFaults), 1, note);
    for (const [of, failure] of results)
      await t.test(`${of.plane} ${of.id}`, () => {
        if (failure) throw failure;
      });
    t.diagnostic(`${count.sent} requests, of which ${count.good} were good`);
  } finally {
    await world.stop();
  }
});
