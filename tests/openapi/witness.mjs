// Every answer is compared with the documents: by JSON Schema 2020-12 with formats.
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { documents } from './document.mjs';

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
addFormats(ajv);
ajv.addFormat('uint64', { type: 'number', validate: (value) =>
  Number.isInteger(value) && value >= 0 });
for (const { plane, raw } of Object.values(documents)) ajv.addSchema(raw, plane);
const compiled = new Map();

/** Why `value` does not match the schema at a JSON pointer of a plane's document; '' if it does. */
export function mismatch(plane, pointer, value) {
  const ref = `${plane}#${encodeURI(pointer)}`;
  if (!compiled.has(ref)) compiled.set(ref, ajv.compile({ $ref: ref }));
  const matches = compiled.get(ref);
  return matches(value) ? '' : ajv.errorsText(matches.errors, { dataVar: 'body' });
}

/** Headers of HTTP itself, which the documents leave out. */
const ofHttp = new Set(['date', 'content-length', 'content-type', 'transfer-encoding',
  'keep-alive']);

/** What was seen: `operation status`, `operation status code` and `operation status header`. */
export const seen = new Set();

const mediaTypeOf = (answer) => answer.header('content-type')?.split(';')[0];

/** What the documented schema says of a body; '' where it agrees. */
function wrongBody(operation, documented, answer) {
  const type = mediaTypeOf(answer);
  if (type === undefined) {
    const promised = Object.keys(documented.content).length > 0;
    return promised || answer.body.length ? 'a body without a type, or none where one is' : '';
  }
  const content = documented.content[type];
  if (!content) return `the media type ${type}`;
  const isText = !type.endsWith('json');
  let value;
  try {
    value = isText ? answer.text : answer.json;
  } catch (error) {
    return `a body that is no JSON: ${error.message}`;
  }
  return mismatch(operation.plane, content.pointer, value);
}

/**
 * What an answer to an operation has that its document does not: a list of sentences, empty where
 * it is as documented. `hasBody`: false for an answer to HEAD, and for one that has no end.
 */
export function undocumented(operation, answer, hasBody = true) {
  const at = `${operation.plane} ${operation.id} ${answer.status}`;
  seen.add(at);
  const documented = operation.answers.get(answer.status);
  if (!documented) return [`${at}: the status; ${answer.text.slice(0, 300)}`];
  const wrong = [];
  const known = new Set(documented.headers.map((each) => each.toLowerCase()));
  for (const [header] of answer.headers) {
    const isKnown = known.has(header.toLowerCase());
    if (isKnown) seen.add(`${at} ${header.toLowerCase()}:`);
    if (!isKnown && !ofHttp.has(header.toLowerCase())) wrong.push(`${at}: the header ${header}`);
  }
  if (!hasBody) return wrong;
  if (answer.code !== undefined) seen.add(`${at} ${answer.code}`);
  if (answer.code !== undefined && !documented.codes.includes(answer.code))
    wrong.push(`${at}: the code ${answer.code}; ${answer.text.slice(0, 300)}`);
  const body = wrongBody(operation, documented, answer);
  if (body) wrong.push(`${at}: ${body}; ${answer.text.slice(0, 300)}`);
  return wrong;
}

/** The same for a request that reached no operation: of its answer only the code is documented. */
export function undocumentedAnywhere(plane, answer) {
  const { codes } = documents[plane];
  const wrong = codes.includes(answer.code) ? [] : [`${plane}: the code ${answer.code}`];
  const body = mismatch(plane, '/components/schemas/Problem', answer.json);
  return body ? [...wrong, `${plane}: ${body}`] : wrong;
}
