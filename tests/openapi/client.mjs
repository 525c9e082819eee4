// Types and clients that others generate from the documents, and calls by such a client.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { documents, planes } from './document.mjs';
import { documentFolder, runTool } from './tools.mjs';

const named = (id) => id.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
const literal = (value) => JSON.stringify(value);

/** The parameters of a kind in a call: any string may be replaced when it is made. */
function parametersIn(of, where) {
  const fields = of.parameters.filter((each) => each.in === where).map((each) => {
    const { name, example, schema } = each;
    const isText = typeof example === 'string' && !schema.enum;
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

function run(name, words, folder) {
  const { code, all } = runTool(name, words, folder);
  assert.equal(code, 0, all);
}

/** Generates types, a client and calls by it for each plane, and compiles them. */
function generate() {
  const folder = documentFolder('generated');
  const files = [];
  for (const plane of planes) {
    run('openapi-typescript', [`${plane}.json`, '--output', `${plane}.types.ts`], folder);
    run('openapi-ts', ['--input', `${plane}.json`, '--output', plane, '--no-log-file', '--silent',
      '--client', '@hey-api/client-fetch'], folder);
    fs.writeFileSync(path.join(folder, `${plane}.calls.ts`), callsOf(plane));
    files.push(`${plane}.types.ts`, `${plane}.calls.ts`);
  }
  const config = JSON.stringify({ compilerOptions, files });
  fs.writeFileSync(path.join(folder, 'tsconfig.json'), config);
  run('tsc', ['--project', '.'], folder);
  const require = createRequire(import.meta.url);
  return Object.fromEntries(planes.map((plane) =>
    [plane, require(path.join(folder, 'compiled', `${plane}.calls.js`)).calls]));
}

let generated;
/** The calls of the generated clients, by plane and operation. */
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
  const result = await generatedCalls()[of.plane][of.id](parameters,
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
