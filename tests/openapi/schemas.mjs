// The schemas of a document, each where it is declared.

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
