// Every documented operation, status and code is provoked on the built service. The cells come from
// the document; a scenario is a service with a configuration that provokes some codes there.
import test from 'node:test';
import assert from 'node:assert/strict';
import * as access from './access.mjs';
import * as bucket from './bucket.mjs';
import * as disks from './disks.mjs';
import { forAll, operations } from './document.mjs';
import * as failures from './failures.mjs';
import * as limits from './limits.mjs';
import * as outage from './outage.mjs';
import { World, operation } from './world.mjs';
import { refusals } from './refusals.mjs';

// What no test can provoke over sockets, each with the reason. Everything else must be provoked, or
// a scenario finds it impossible for an operation and says why.
const rules = [
  {
    why: 'a defect of the service by definition',
    of: ({ code }) => code === 'internal',
  },
  {
    why: 'a program that was built without the console; this one has it',
    of: ({ of, code }) => code === 'route_not_found' && ['/', '/docs'].includes(of.path),
  },
  {
    why: 'an export of another process: this one knows those that it made, also without the store',
    of: ({ of, code }) => code === 'store_failed' && /^download_(own_)?export$/.test(of.id),
  },
];

/** Why a cell of the matrix cannot be provoked; undefined where it must be. */
function unprovokable(cell) {
  return rules.find((rule) => rule.of(cell))?.why;
}

const alone = {
  name: 'requests that are wrong by themselves',
  flags: [],
  where: (of, code) => code !== 'route_not_found' || !of.path.startsWith('/faults'),
  // A region is in use where a namespace lists it.
  prepare: (world) => world.put(operation('ops', 'put_namespace'), { body: JSON.stringify({
    game_id: '00000000-0000-4000-8000-000000000001', name: 'prod', regions: ['lon'] }) }),
  atOnce: 8,
  codes: refusals,
};

const faultless = {
  name: 'a service without fault injection',
  flags: [],
  hasFaults: false,
  where: (of) => of.path.startsWith('/faults'),
  codes: { route_not_found: (of, world) => world.ask(of) },
};

const kinds = [limits, failures, access, disks, outage, bucket];
const scenarios = [alone, faultless, ...kinds.flatMap((each) =>
  Object.values(each).filter((exported) => exported.codes))];

/** Every (operation, status, code) of both documents. */
const cells = operations.flatMap((of) => [...of.answers].flatMap(([status, { codes }]) =>
  codes.map((code) => ({ of, status, code, name: `${of.plane} ${of.id}: ${status} ${code}` }))));
const provoked = new Set();
/** Those that a scenario found to be impossible, each with the reason. */
const impossible = new Map();

const wanted = process.env.MATCHCLOUD_SCENARIO;
for (const scenario of scenarios) {
  if (wanted && !scenario.name.includes(wanted)) continue;
  test(scenario.name, { timeout: 300_000 }, async (t) => {
    const mine = cells.filter((cell) => cell.code in scenario.codes &&
      (scenario.where?.(cell.of, cell.code, provoked.has(cell)) ?? true) && !unprovokable(cell));
    const faults = scenario.hasFaults === false ? [] : ['--enable-fault-injection'];
    const world = await World.start([...faults, ...scenario.flags], await scenario.options?.());
    const answers = new Map();
    try {
      await scenario.prepare?.(world);
      await forAll(mine, scenario.atOnce ?? 1, async (cell) => {
        answers.set(cell, await scenario.codes[cell.code](cell.of, world).catch((error) => error));
      });
      // Others may be hindered as well: what they answer then must be documented, too.
      if (scenario.sweeps) await forAll(operations, 8, (of) => world.ask(of));
    } finally {
      await world.stop();
    }
    for (const cell of mine.filter((each) => answers.get(each))) {
      const answer = answers.get(cell);
      provoked.add(cell);
      if (answer.impossible) impossible.set(cell, answer.impossible);
      else await t.test(cell.name, () => {
        if (answer instanceof Error) throw answer;
        assert.equal(`${answer.status} ${answer.code}`, `${cell.status} ${cell.code}`,
          `${answer.text.slice(0, 300)}`);
      });
    }
    await t.test('all that was answered is documented',
      () => assert.deepEqual([...new Set(world.wrong)], []));
  });
}

test('every documented code was provoked, or stands among those that cannot be', (t) => {
  const left = cells.filter((cell) => !provoked.has(cell) && !unprovokable(cell));
  for (const cell of cells) if (unprovokable(cell)) impossible.set(cell, unprovokable(cell));
  for (const why of new Set(impossible.values())) {
    const of = [...impossible].filter(([, each]) => each === why).map(([{ name }]) => name);
    t.diagnostic(`${of.length} cannot be provoked (${why}): ${of.length > 40
      ? '..' : of.join(', ')}`);
  }
  assert.deepEqual(left.map(({ name }) => name), []);
});
