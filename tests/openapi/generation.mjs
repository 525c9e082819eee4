// Requests that are made at random from the document, from one seed: valid ones, and such that
// differ from valid ones by a little.
import { generateSync } from 'json-schema-faker';
import fc from 'fast-check';
import { documents } from './document.mjs';
import { exampleText } from './request.mjs';
import { madeParameters } from './world.mjs';

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
