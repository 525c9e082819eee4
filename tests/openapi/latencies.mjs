// What players and operators are told of latencies once some were reported: each outcome of a
// report and each detail of a listing is as documented.
import test from 'node:test';
import assert from 'node:assert/strict';
import { World, operation } from './world.mjs';

const report = operation('data', 'report_latencies');
const list = operation('data', 'list_regions');
const rank = operation('ops', 'get_ranking');

const details = { optional: ['fields', 'explain'] };
const from = (address) => ({ 'X-Forwarded-For': address });

const outcomes = [
  ['learned', '192.0.2.1', { lon: 23.1, none: 5 }, { taken: true, unknown: ['none'] }],
  ['again', '192.0.2.1', { lon: 23.1 }, { taken: false, why: 'too_soon', unknown: [] }],
  ['of no region', '192.0.2.2', { none: 5 },
    { taken: false, why: 'unknown_regions', unknown: ['none'] }],
  ['too slow', '192.0.2.3', { lon: 2001 }, { taken: false, why: 'implausible', unknown: [] }],
];

/** Asks for the details of a listing until they say that `address` has reported. */
async function listed(world, address) {
  for (;;) {
    const answer = await world.ask(list, { ...details, headers: from(address) });
    assert.equal(answer.status, 200, answer.text);
    if (answer.json.explanation.cells.length) return answer.json;
  }
}

for (const flags of [[], ['--rank-by', 'latency', '--fallback-location', '51.5,-0.1']])
  test(`what is said of latencies ${flags.join(' ')}`, { timeout: 120_000 }, async (t) => {
    const world = await World.start(['--trusted-proxies', '127.0.0.1', ...flags]);
    try {
      for (const [name, address, latencies, wanted] of outcomes)
        await t.test(`a report: ${name}`, async () => {
          const body = JSON.stringify({ latencies });
          const answer = await world.ask(report, { body, headers: from(address) });
          assert.equal(answer.status, 200, answer.text);
          assert.deepEqual(answer.json, wanted);
        });
      await t.test('a network is shown once five have reported from it', async () => {
        const one = await world.ask(list, { ...details, headers: from('192.0.2.1') });
        assert.deepEqual(one.json.explanation.cells, []);
        const body = JSON.stringify({ latencies: { lon: 23.1 } });
        for (let last = 10; last < 50; ++last)
          await world.ask(report, { body, headers: from(`192.0.2.${last}`) });
      });
      await t.test('a listing for one who reported', async () => {
        const { regions, explanation } = await listed(world, '192.0.2.1');
        const { latency } = regions.find(({ region_id }) => region_id === 'lon');
        assert.equal(latency.source, 'network');
        assert.equal(explanation.address, '192.0.2.1');
        assert.equal(explanation.address_from, 'X-Forwarded-For');
        assert.equal(explanation.cells[0].cell, '192.0.2.0/24');
      });
      await t.test('a listing for a stranger', async () => {
        const answer = await world.ask(list, { ...details, headers: from('203.0.113.1') });
        assert.equal(answer.json.explanation.source, flags.length ? 'fallback' : 'unknown');
      });
      await t.test('the ranking for operators', async () => {
        const asked = [[{ address: '192.0.2.1' }, 1], [{ address: '192.0.3.1' }, 0],
          [{ latitude: 51.5, longitude: -0.1 }, 0]];
        for (const [parameters, cells] of asked) {
          const answer = await world.ask(rank, { parameters, optional: [] });
          assert.equal(answer.status, 200, answer.text);
          assert.equal(answer.json.cells.filter(({ kind }) => kind === 'network').length, cells);
        }
      });
      await t.test('all that was answered is documented',
        () => assert.deepEqual([...new Set(world.wrong)], []));
    } finally {
      await world.stop();
    }
  });
