// What others' linters say of the documents: nothing, not even a warning; and what generators of
// clients need of the schemas apart from that.
import test from 'node:test';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { planes, documents } from './document.mjs';
import { documentFolder, runTool } from './tools.mjs';

const folder = documentFolder('lint');

for (const plane of planes) {
  test(`redocly finds nothing in the document of the ${plane} plane`, () => {
    const { out, all } = runTool('redocly',
      ['lint', '--extends=recommended', '--format=json', `${plane}.json`], folder);
    const { problems } = JSON.parse(out.slice(out.indexOf('{')) || `{"problems":["${all}"]}`);
    assert.deepEqual(problems.map(({ ruleId, severity, message, location }) =>
      `${severity} ${ruleId}: ${message} ${location[0].pointer}`), []);
  });

  test(`spectral finds nothing in the document of the ${plane} plane`, () => {
    const rules = path.join(folder, 'spectral.yaml');
    fs.writeFileSync(rules, 'extends: [["spectral:oas", recommended]]\n');
    const { out, code } = runTool('spectral', ['lint', '--quiet', `--ruleset=${rules}`,
      '--fail-severity=hint', '--format=json', `${plane}.json`], folder);
    const findings = JSON.parse(out.slice(out.indexOf('[')));
    assert.deepEqual(findings.map((each) =>
      `${each.severity} ${each.code}: ${each.message} ${each.path.join('.')}`), []);
    assert.equal(code, 0);
  });
}

/** What a schema stands for: itself, or the component that its `$ref` names. */
export function resolved(raw, schema) {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : raw.components.schemas[name];
}

/**
 * The schemas below `schema`, itself first, each as `{ at, schema, properties }`. Conditions on
 * properties are left out: what `allOf` and the like say of those that are declared around it,
 * whose names are in `declared`.
 */
function* below(raw, schema, at, declared = new Set()) {
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) =>
    !declared.has(name));
  yield { at, schema, properties };
  for (const [name, each] of properties) yield* below(raw, each, `${at}.${name}`);
  for (const keyword of ['items', 'additionalProperties', 'propertyNames', 'contentSchema'])
    if (typeof schema[keyword] === 'object') yield* below(raw, schema[keyword], `${at} ${keyword}`);
  const all = new Set([...declared, ...Object.keys(schema.properties ?? {}),
    ...(schema.allOf ?? []).flatMap((each) =>
      each.$ref ? Object.keys(resolved(raw, each).properties ?? {}) : [])]);
  if (schema.not) yield* below(raw, schema.not, `${at} not`, all);
  for (const keyword of ['allOf', 'anyOf', 'oneOf'])
    for (const [i, each] of (schema[keyword] ?? []).entries())
      yield* below(raw, each, `${at} ${keyword} ${i}`, all);
}

/** Every schema in a part of a document, whatever it belongs to: found by its `schema`. */
function* inlineIn(raw, node, at) {
  if (node === null || typeof node !== 'object') return;
  for (const [name, each] of Object.entries(node)) {
    if (name === 'schema') yield* below(raw, each, at);
    else if (name !== 'example') yield* inlineIn(raw, each, `${at}/${name}`);
  }
}

/** Every schema of a document: of components, and of parameters, bodies, headers and answers. */
export function* schemasOf({ raw }) {
  for (const [name, schema] of Object.entries(raw.components.schemas))
    yield* below(raw, schema, name);
  yield* inlineIn(raw, raw.paths, 'paths');
  yield* inlineIn(raw, raw.components.responses, 'responses');
  yield* inlineIn(raw, raw.components.headers, 'headers');
}

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
