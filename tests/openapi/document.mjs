// The OpenAPI documents as the built service prints them, and the operations in them.
import { execFileSync } from 'node:child_process';

/** The program under test. */
export const program = process.env.MATCHCLOUD ?? 'build/release/matchcloud';
export const planes = ['data', 'ops'];

const methods = ['get', 'put', 'post', 'delete', 'patch'];
const escaped = (name) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** What `node` stands for: itself, or what its `$ref` names, with the JSON pointer of that. */
function resolve(raw, node, pointer) {
  if (!node?.$ref) return { node, pointer };
  const to = node.$ref.slice(1);
  const parts = to.split('/').slice(1).map((p) => p.replaceAll('~1', '/').replaceAll('~0', '~'));
  return resolve(raw, parts.reduce((at, part) => at[part], raw), to);
}

function contentOf(node, pointer) {
  return Object.fromEntries(Object.entries(node.content ?? {}).map(([type, { schema, example }]) =>
    [type, { schema, example, pointer: `${pointer}/content/${escaped(type)}/schema` }]));
}

function answersOf(raw, responses, at) {
  return new Map(Object.entries(responses).map(([status, declared]) => {
    const { node, pointer } = resolve(raw, declared, `${at}/responses/${status}`);
    return [Number(status), {
      codes: node['x-codes'] ?? [],
      headers: Object.keys(node.headers ?? {}),
      content: contentOf(node, pointer),
    }];
  }));
}

function operationOf(document, path, method, declared) {
  const { raw, plane } = document;
  const at = `/paths/${escaped(path)}/${method}`;
  const body = declared.requestBody && resolve(raw, declared.requestBody, `${at}/requestBody`);
  const parameters = (declared.parameters ?? []).map((each, i) => {
    const { node, pointer } = resolve(raw, each, `${at}/parameters/${i}`);
    return { ...node, pointer: `${pointer}/schema` };
  });
  return {
    plane,
    id: declared.operationId,
    path,
    method: method.toUpperCase(),
    parameters,
    body: body && { required: body.node.required, content: contentOf(body.node, body.pointer) },
    answers: answersOf(raw, declared.responses, at),
    tokenKinds: declared['x-token-kinds'] ?? [],
  };
}

/**
 * The document of a plane: as it is printed (`text`, `raw`), its operations, and the codes of
 * requests that reach none of them.
 */
export function readDocument(plane) {
  const text = execFileSync(program, ['openapi', '--plane', plane], { encoding: 'utf8' });
  const document = { plane, text, raw: JSON.parse(text) };
  document.codes = document.raw['x-codes'] ?? [];
  document.operations = Object.entries(document.raw.paths).flatMap(([path, item]) =>
    methods.filter((method) => item[method])
      .map((method) => operationOf(document, path, method, item[method])));
  return document;
}

/** Both documents, by plane. */
export const documents = Object.fromEntries(planes.map((plane) => [plane, readDocument(plane)]));
/** The operations of both planes. */
export const operations = planes.flatMap((plane) => documents[plane].operations);

/** The statuses of an operation that are no problems, the first documented one first. */
export function successesOf(operation) {
  return [...operation.answers].filter(([status, { codes }]) => status < 400 || !codes.length)
    .map(([status]) => status);
}

/** The operation of the same plane and path with another method; undefined where there is none. */
export function sibling(operation, method) {
  return operations.find((each) => each.plane === operation.plane &&
    each.path === operation.path && each.method === method);
}

/** Calls `each` for all of `items`, so many at once. */
export async function forAll(items, atOnce, each) {
  const left = [...items];
  const work = async () => {
    while (left.length) await each(left.shift());
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}
