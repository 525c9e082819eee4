// Names of this service, listed once, because many findings would repeat them.
import { html } from "../../core/html.js";
import { Name } from "../../core/components.js";
import { membersAllowed, schemaAt, valuesAllowed } from "../../schema/walk.js";

const kinds = [
  { code: "unknown-region", title: "Regions of this service", list: / Regions: .*$/,
    names: (schema, path) => membersAllowed(schema, schemaAt(schema, path.slice(0, -1)) ?? {})
      .map(({ name }) => name) },
  { code: "unknown-tier", title: "Tiers of this service", list: / Tiers: .*$/,
    names: (schema, path) => valuesAllowed(schema, schemaAt(schema, path) ?? {}) },
];

/**
 * The names that the service knows, from the schema, for findings about unknown names.
 * @returns {{code: string, title: string, list: RegExp, names: string[]}[]}
 */
export function knownNames(marks, schema) {
  if (!schema) return [];
  return kinds.map((kind) => {
    const mark = marks.find(({ code }) => code === kind.code);
    return { ...kind, names: mark ? kind.names(schema, mark.path) : [] };
  }).filter(({ names }) => names.length > 0);
}

/** The marks without the lists that are shown once. */
export const withoutLists = (marks, known) => marks.map((mark) => {
  const list = known.find(({ code }) => code === mark.code)?.list;
  return list ? { ...mark, message: mark.message.replace(list, "") } : mark;
});

export function KnownNames({ known }) {
  return known.map(({ code, title, names }) => html`<details class="known" key=${code}>
    <summary>${title} (${names.length})</summary>
    <p>${names.map((name, index) => html`${index > 0 && ", "}<code key=${name}><${Name}
      text=${name} /></code>`)}</p></details>`);
}
