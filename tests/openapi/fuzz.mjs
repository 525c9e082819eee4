// Requests that are made at random from the document, from one seed: valid ones, and such that
// differ from valid ones by a little.
import test from 'node:test';
import assert from 'node:assert/strict';
import { generateSync } from 'json-schema-faker';
import fc from 'fast-check';
import { documents, operations, forAll } from './document.mjs';
import { exampleText } from './request.mjs';
import { madeParameters, World, operation } from './world.mjs';

/** What `schema` of a plane's document stands for, together with the schemas it refers to. */
function complete(plane, schema) {
  const text = JSON.stringify({ ...schema, $defs: documents[plane].raw.components.schemas });
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'));
}

/** A value that a schema allows, from a seed. */
function valueOf(plane, schema, seed) {
  return generateSync(complete(plane, schema), { seed, maxDepth: 6, alwaysFakeOptionals: false });
}

const valid = (plane, schema) =>
  fc.integer({ min: 1, max: 0x7fffffff }).map((seed) => valueOf(plane, schema, seed));

/** Texts that a header's value may be. */
const fieldValue = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e })
  .map((code) => String.fromCharCode(code)), maxLength: 64 }).map((text) => text.trim());

const odd = fc.oneof(fc.constantFrom('', '0', '-1', 'null', '"', '18446744073709551616', '%00',
  '%zz', '../..', '*'), fc.string({ maxLength: 40 }), fieldValue);

/** Replaces, adds or removes something somewhere in a JSON value. */
const mutated = (value) => fc.array(fc.nat(7), { minLength: 1, maxLength: 5 }).chain((path) =>
  fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 2 })).map((put) => {
    const whole = structuredClone({ value });
    let at = whole;
    let key = 'value';
    for (const step of path) {
      const inner = at[key];
      if (inner === null || typeof inner !== 'object') break;
      const keys = Object.keys(inner);
      at = inner;
      key = keys.length && step < 7 ? keys[step % keys.length] : 'no such member';
    }
    if (put !== undefined || at === whole) at[key] = put ?? null;
    else if (Array.isArray(at)) at.splice(Number(key), 1);
    else delete at[key];
    return whole.value;
  }));

/** A text with a piece cut out or put in. */
const damaged = (text) => fc.tuple(fc.nat(text.length), fc.nat(8), fc.string({ maxLength: 4 }))
  .map(([from, length, put]) => text.slice(0, from) + put + text.slice(from + length));

/** Texts of bodies of an operation. */
function bodies(of) {
  if (!of.body) return fc.constant(null);
  const [[type, { schema, example }]] = Object.entries(of.body.content);
  const text = (value) => type === 'application/json' ? JSON.stringify(value) : String(value);
  const lines = schema.contentSchema && valid(of.plane, schema.contentSchema)
    .map((line) => `${JSON.stringify(line)}\n`);
  const good = fc.oneof(lines ?? valid(of.plane, schema).map(text),
    fc.constant(exampleText(type, example)));
  const bad = lines ? good.chain(damaged) : fc.oneof(good.chain(damaged),
    fc.oneof(valid(of.plane, schema), fc.constant(example)).chain(mutated).map(text));
  return fc.oneof({ weight: 3, arbitrary: good }, { weight: 3, arbitrary: bad },
    { weight: 1, arbitrary: fc.constantFrom(null, '') });
}

/** Values of a parameter: mostly its example or what its schema allows. */
function values(of, parameter) {
  // Without a segment it is another path.
  const fits = (value) => parameter.in !== 'path' || String(value) !== '';
  // What only a running service makes is left to the caller.
  const usual = madeParameters.includes(parameter.name) ? undefined : parameter.example;
  return fc.oneof({ weight: 4, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: valid(of.plane, parameter.schema) },
    { weight: 1, arbitrary: parameter.in === 'header' ? fieldValue : odd }).filter(fits);
}

const record = (of, where) => fc.record(Object.fromEntries(of.parameters
  .filter((each) => where.includes(each.in))
  .map((each) => [each.name, values(of, each)])), { requiredKeys: [] });

/**
 * Changes to the example of an operation, as `requestFor` takes them. What must not happen to the
 * service under test is left out: that it is told to die.
 */
export function changesOf(of) {
  return fc.record({
    parameters: record(of, ['path', 'query']),
    headers: record(of, ['header']),
    body: bodies(of).map((body) => body?.replaceAll('"abort"', '"error"') ?? null),
    type: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fieldValue }),
  });
}

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
