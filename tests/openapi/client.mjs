// Types and clients that others generate from the documents, and calls by such a client.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { documents, planes, forAll } from './document.mjs';
import { documentFolder, startTool } from './tools.mjs';

const named = (id) => id.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
const literal = (value) => JSON.stringify(value);

/** The parameters of a kind in a call: any string may be replaced when it is made. */
function parametersIn(of, where) {
  const fields = of.parameters.filter((each) => each.in === where).map((each) => {
    const { name, example, schema } = each;
    const isText = typeof example === 'string' && !schema.enum && !schema.$ref;
    return `${literal(name)}: ${isText ? `made[${literal(name)}] ?? ` : ''}${literal(example)}`;
  });
  return fields.length ? `${where}: { ${fields.join(', ')} },` : '';
}

/** A call of each operation in TypeScript, with the examples of the document. */
function callsOf(plane) {
  const calls = documents[plane].operations.map((of) => {
    const [type, body] = Object.entries(of.body?.content ?? {})[0] ?? [];
    // The generator takes each type with `json` in its name for JSON, JSON Lines too.
    const asIs = type?.endsWith('/x-ndjson') ? 'bodySerializer: null,' : '';
    return `  ${of.id}: (made: Made, options: Options) => sdk.${named(of.id)}({ ` +
      `${parametersIn(of, 'path')} ${parametersIn(of, 'query')} ` +
      `${body ? `body: ${literal(body.example)}, ${asIs}` : ''} ...options }),\n`;
  });
  return `import * as sdk from './${plane}';
type Made = Partial<Record<string, string>>;
type Options = { baseUrl: string; fetch: typeof fetch; auth?: string; signal: AbortSignal };
export const calls = {\n${calls.join('')}};\n`;
}

const compilerOptions = {
  strict: true,
  noEmitOnError: true,
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
  module: 'commonjs',
  moduleResolution: 'node10',
  types: [],
  outDir: 'compiled',
};

/**
 * The generators: the words that make each read a plane's document, the module that it then makes,
 * and what a schema is called in that.
 */
const generators = {
  'openapi-typescript': {
    words: (plane) => [`${plane}.json`, '--output', `${plane}.types.ts`],
    module: (plane) => `${plane}.types`,
    typeOf: (name) => `api.components['schemas']['${name}']`,
  },
  'openapi-ts': {
    words: (plane) => ['--input', `${plane}.json`, '--output', plane, '--no-log-file', '--silent',
      '--client', '@hey-api/client-fetch'],
    module: (plane) => plane,
    typeOf: (name) => `api.${name}`,
  },
  orval: {
    words: (plane) => ['--input', `${plane}.json`, '--output', `${plane}.orval.ts`,
      '--client', 'fetch'],
    module: (plane) => `${plane}.orval`,
    typeOf: (name) => `api.${name}`,
  },
  'swagger-typescript-api': {
    words: (plane) => ['generate', '--path', `${plane}.json`, '--output', '.', '--name',
      `${plane}.swagger.ts`],
    module: (plane) => `${plane}.swagger`,
    typeOf: (name) => `api.${name}`,
  },
};

/**
 * TypeScript that compiles if a generator made a type of each schema, and if those of enums accept
 * no other values.
 */
function typesOf(plane, { module, typeOf }) {
  const schemas = Object.entries(documents[plane].raw.components.schemas);
  const closed = schemas.filter(([, schema]) => schema.enum).map(([name]) =>
    `// @ts-expect-error: it is not in the enum\n` +
    `export const wrong${name}: ${typeOf(name)} = 'none of these';\n`);
  return `import type * as api from './${module(plane)}';
export type All = [\n${schemas.map(([name]) => `  ${typeOf(name)},\n`).join('')}];
${closed.join('')}`;
}

/** Generates clients and calls by one of them for each plane, and compiles all of it. */
async function generate() {
  const folder = documentFolder('generated');
  const runs = planes.flatMap((plane) => Object.entries(generators).map(([name, generator]) =>
    ({ plane, name, generator })));
  await forAll(runs, 2, ({ plane, name, generator }) =>
    startTool(name, generator.words(plane), folder));
  const files = [];
  const add = (name, text) => {
    fs.writeFileSync(path.join(folder, name), text);
    files.push(name);
  };
  for (const { plane, name, generator } of runs)
    add(`${plane}.${name}.check.ts`, typesOf(plane, generator));
  for (const plane of planes) add(`${plane}.calls.ts`, callsOf(plane));
  const config = JSON.stringify({ compilerOptions, files });
  fs.writeFileSync(path.join(folder, 'tsconfig.json'), config);
  await startTool('tsc', ['--project', '.'], folder);
  const require = createRequire(import.meta.url);
  return Object.fromEntries(planes.map((plane) =>
    [plane, require(path.join(folder, 'compiled', `${plane}.calls.js`)).calls]));
}

let generated;
/** The calls of the clients that openapi-ts makes, by plane and operation. */
export function generatedCalls() {
  generated ??= generate();
  return generated;
}

/**
 * Calls an operation by the generated client, at `baseUrl`. Of a stream of events the first is
 * read, then the client leaves. Resolves with the status; fails where it is a refusal.
 */
export async function call(of, world, { baseUrl, via }) {
  const leaving = new AbortController();
  let status;
  const noting = async (...words) => {
    const response = await via(...words);
    status = response.status;
    return response;
  };
  // What a body says of its id in the example stands in the path as well.
  const { parameters } = of.method === 'PUT' ? { parameters: {} } : await world.newFor(of);
  const auth = world.headersFor(of).Authorization?.replace('Bearer ', '');
  const calls = await generatedCalls();
  const result = await calls[of.plane][of.id](parameters,
    { baseUrl, fetch: noting, signal: leaving.signal, auth });
  if (result.stream) {
    const { value } = await result.stream.next();
    assert.equal(typeof value, 'object');
    leaving.abort();
  } else {
    assert.equal(result.error, undefined, `${status}: ${JSON.stringify(result.error)}`);
    const { content } = of.answers.get(status);
    assert.ok(Object.keys(content).length === 0 || result.data != null, 'an answer without data');
  }
  return status;
}
