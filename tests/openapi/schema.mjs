// Validation by the schemas of the documents: JSON Schema 2020-12 with formats.
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
