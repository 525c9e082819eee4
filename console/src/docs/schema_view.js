// A schema as a table of members, which can be opened if they have members themselves.
import { html, useState } from "../core/html.js";
import { allowsNull, limitsOf, nameOfReference, partsOf, resolved, typesOf }
  from "../schema/resolve.js";
import { descriptionOf, typeInWords } from "../schema/walk.js";
import { Line } from "./prose.js";

const depth_limit = 12;
const values_limit = 64;
const pattern_limit = 60;

const isSchema = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * The rows of an object's table: its members, and one for all other names if any name is allowed.
 */
function rowsOf(parts) {
  const rows = new Map();
  const required = new Set(parts.flatMap((part) => (Array.isArray(part.required)
    ? part.required : [])));
  for (const part of parts) {
    for (const [name, schema] of Object.entries(part.properties ?? {})) {
      if (!rows.has(name)) rows.set(name, { name, schema, isRequired: required.has(name) });
    }
    for (const [pattern, schema] of Object.entries(part.patternProperties ?? {})) {
      rows.set(` ${pattern}`, { name: `/${pattern}/`, schema, isRequired: false });
    }
    if (isSchema(part.additionalProperties)) {
      rows.set(" *", { name: "any name", schema: part.additionalProperties, isRequired: false });
    }
  }
  return [...rows.values()];
}

/** A schema and what `allOf` adds to it. Alternatives are shown by themselves. */
function wholeOf(root, schema) {
  const whole = resolved(root, schema);
  const added = (Array.isArray(whole.allOf) ? whole.allOf : [])
    .flatMap((part) => partsOf(root, part));
  return [whole, ...added];
}

const alternativesOf = (parts) => parts.flatMap((part) => [...(part.oneOf ?? []),
  ...(part.anyOf ?? [])]).filter(isSchema);

/** What an opened schema shows: the schema itself, or the schema of a list's elements. */
function insideOf(root, schema) {
  const found = resolved(root, schema);
  return typesOf(found)[0] === "array" && isSchema(found.items)
    ? { schema: found.items, reference: found.items.$ref ?? schema.$ref }
    : { schema, reference: schema.$ref };
}

function hasMore(root, schema) {
  const parts = wholeOf(root, schema);
  return rowsOf(parts).length > 0 || alternativesOf(parts).length > 0;
}

/** A pattern. A long one is hidden until the reader opens it. */
function Pattern({ text }) {
  if (text.length > pattern_limit) {
    return html`<details><summary>Pattern</summary><code>${text}</code></details>`;
  }
  return html`<span class="faint">matches <code>${text}</code></span>`;
}

function Facts({ root, schema }) {
  const found = resolved(root, schema);
  const facts = limitsOf(found);
  if (allowsNull(found)) facts.push("or null");
  if (found.default !== undefined) facts.push(`default ${JSON.stringify(found.default)}`);
  if (found.readOnly === true) facts.push("only in answers");
  if (found.writeOnly === true) facts.push("only in requests");
  if (found.deprecated === true) facts.push("deprecated");
  const values = found.const === undefined ? (found.enum ?? []) : [found.const];
  const shown = Array.isArray(values) ? values.slice(0, values_limit) : [];
  return html`${facts.length > 0 && html`<span class="faint">${facts.join(", ")} </span>`}
    ${shown.length > 0 && html`<span>one of ${shown.map((value, index) => html`${index > 0
      && ", "}<code>${JSON.stringify(value)}</code>`)}${values.length > values_limit
      && ` and ${values.length - values_limit} more`} </span>`}
    ${typeof found.pattern === "string" && html`<${Pattern} text=${found.pattern} />`}`;
}

/**
 * A part that can be opened. Its content is made only then, so that a schema may refer to itself.
 */
function More({ root, schema, trail, label, isOpen = false }) {
  const [open, setOpen] = useState(isOpen);
  const inside = insideOf(root, schema);
  if (!hasMore(root, inside.schema)) return null;
  const name = nameOfReference(inside.reference);
  if (trail.includes(inside.reference) || trail.length >= depth_limit) {
    return html`<p class="faint">${name || "This"} is described above.</p>`;
  }
  return html`<details open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
    <summary>${label ?? (name || "Members")}</summary>
    ${open && html`<${SchemaView} root=${root} schema=${inside.schema}
      trail=${[...trail, inside.reference ?? ""].slice(-depth_limit)} />`}
  </details>`;
}

function Row({ root, row, trail }) {
  const { name, schema, isRequired } = row;
  const reference = nameOfReference(insideOf(root, schema).reference);
  return html`<tr><th scope="row"><code><bdi>${name}</bdi></code>
      ${isRequired && html`<span class="needed">required</span>`}</th>
    <td>${typeInWords(root, schema)}${reference && html` <span class="faint">${reference}</span>`}
    </td>
    <td><${Line} text=${descriptionOf(root, schema)} /> <${Facts} root=${root} schema=${schema} />
      <${More} root=${root} schema=${schema} trail=${trail} /></td></tr>`;
}

/**
 * A schema of a document.
 * @param {object} props
 * @param {object} props.root the document of the references
 * @param {object} props.schema
 * @param {string[]} [props.trail] references that led here; they are not opened again
 */
export function SchemaView({ root, schema, trail = [] }) {
  const parts = wholeOf(root, schema);
  const rows = rowsOf(parts);
  const alternatives = alternativesOf(parts);
  const isPlain = rows.length === 0 && alternatives.length === 0;
  const inside = insideOf(root, schema);
  return html`<div class="schema">
    ${isPlain && html`<p>${typeInWords(root, schema)} <${Facts} root=${root} schema=${schema} />
      <${Line} text=${descriptionOf(root, schema)} /></p>`}
    ${isPlain && inside.schema !== schema && html`<${More} root=${root} schema=${schema}
      trail=${trail} isOpen />`}
    ${rows.length > 0 && html`<div class="scroll" tabindex="0" role="group" aria-label="Members">
      <table class="members"><thead><tr><th scope="col">Name</th><th scope="col">Type</th>
        <th scope="col">Meaning</th></tr></thead>
      <tbody>${rows.map((row) => html`<${Row} key=${row.name} root=${root} row=${row}
        trail=${trail} />`)}</tbody></table></div>`}
    ${alternatives.length > 0 && html`<p>One of:</p><ul>${alternatives.map((one) => html`<li>
      ${typeInWords(root, one)} <${Facts} root=${root} schema=${one} />
      <${More} root=${root} schema=${one} trail=${trail} /></li>`)}</ul>`}
  </div>`;
}
