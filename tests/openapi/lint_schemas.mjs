// What generators of clients need of the schemas, apart from what linters look for.
import test from 'node:test';
import assert from 'node:assert/strict';
import { documents, planes } from './document.mjs';
import { resolved, schemasOf } from './schemas.mjs';

const least32 = -(2 ** 31);
const most32 = 2 ** 31 - 1;
/** Numbers are read as doubles, of which 2^63 stands for 2^63 - 1 as well. */
const most64 = 2 ** 63;

/** The format that an integer must have. */
function formatOf({ minimum = -Infinity, maximum }) {
  if (maximum > most64) return 'uint64';
  return minimum >= least32 && maximum <= most32 ? 'int32' : 'int64';
}

for (const plane of planes) {
  const { raw } = documents[plane];
  const all = [...schemasOf(documents[plane])];
  const names = Object.keys(raw.components.schemas);

  test(`names of schemas of the ${plane} plane differ by more than case and dashes`, () => {
    const plain = names.map((name) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
    assert.deepEqual(names.filter((name, i) => plain.indexOf(plain[i]) !== i), []);
    assert.deepEqual(names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name)), []);
  });

  test(`every property of the ${plane} plane is described`, () => {
    assert.ok(all.flatMap(({ properties }) => properties).length > 100);
    const silent = all.flatMap(({ at, properties }) => properties
      .filter(([, { description }]) => !/\w.*\.$/.test(description ?? ''))
      .map(([name]) => `${at}.${name}`));
    assert.deepEqual(silent, []);
  });

  test(`codes, states and the like of the ${plane} plane are enums`, () => {
    const open = all.flatMap(({ at, properties }) => properties
      .filter(([name]) => ['code', 'state', 'reason', 'source'].includes(name))
      .filter(([, schema]) => !resolved(raw, schema).enum?.length)
      .map(([name]) => `${at}.${name}`));
    assert.deepEqual(open, []);
  });

  test(`every integer of the ${plane} plane has the format of its size`, () => {
    const integers = all.filter(({ schema }) => [schema.type].flat().includes('integer'));
    assert.ok(integers.length > 5);
    const wrong = integers.filter(({ schema }) => schema.format !== formatOf(schema))
      .map(({ at, schema }) => `${at}: ${schema.format}, not ${formatOf(schema)}`);
    assert.deepEqual(wrong, []);
  });

  test(`the codes of problems of the ${plane} plane are those of its operations`, () => {
    const { codes, operations } = documents[plane];
    const used = operations.flatMap(({ answers }) => [...answers.values()]
      .flatMap((answer) => answer.codes));
    assert.deepEqual(raw.components.schemas.ProblemCode.enum.toSorted(),
      [...new Set([...codes, ...used])].toSorted());
  });
}

test('a name stands for the same schema on both planes', () => {
  const [data, ops] = planes.map((plane) => documents[plane].raw.components.schemas);
  const shared = Object.keys(data).filter((name) => name in ops && name !== 'ProblemCode');
  assert.ok(shared.length > 10);
  for (const name of shared) assert.deepEqual(data[name], ops[name], name);
});
