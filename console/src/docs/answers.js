// The answers of an operation: successes with an example and a schema, refusals in a table.
import { html } from "../core/html.js";
import { Badge } from "../core/components.js";
import { plural } from "../core/plural.js";
import { resolved } from "../schema/resolve.js";
import { Example, toneOf } from "./example.js";
import { examplesOf } from "./examples.js";
import { Line } from "./prose.js";
import { SchemaView } from "./schema_view.js";

/** A body's examples, followed by its schema. */
export function Content({ root, content }) {
  return Object.entries(content ?? {}).map(([type, media]) => {
    const examples = examplesOf(root, type, media ?? {});
    return html`<div key=${type}>
      ${examples.length === 0 && html`<p class="faint"><code>${type}</code></p>`}
      ${examples.map(({ name, text }) => html`<${Example} name=${name} text=${text}>${name}
        ${" "}<code>${type}</code></${Example}>`)}
      ${media?.schema && html`<${SchemaView} root=${root} schema=${media.schema} />`}
    </div>`;
  });
}

function Answer({ root, status, response, description }) {
  const headers = Object.entries(response.headers ?? {});
  return html`<li><div class="answer"><${Badge} tone=${toneOf(status)}>${status}</${Badge}>
      <span><${Line} text=${description} /></span></div>
    <${Content} root=${root} content=${response.content} />
    ${headers.length > 0 && html`<details><summary>Headers (${headers.length})</summary>
      <ul class="headers">${headers.map(([name, header]) => html`<li key=${name}>
        <code>${name}</code> <${Line} text=${resolved(root, header).description ?? ""} /></li>`)}
      </ul></details>`}
  </li>`;
}

/** A row for each code of a refusal, or one for the refusal if it has none. */
const rowsOf = ({ status, codes, description }) => (codes.length > 0 ? codes
  : [{ code: "", description }]).map((row) => ({ status, ...row }));

function Refusals({ refusals }) {
  const rows = refusals.flatMap(rowsOf);
  return html`<details class="refusals"><summary><h2>Refusals</h2> ${" "}
      <span class="faint">${plural(rows.length, "code")}</span></summary>
    <div class="scroll" tabindex="0" role="group" aria-label="Refusals"><table>
      <thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th>
      </tr></thead>
      <tbody>${rows.map(({ status, code, description }) => html`<tr key=${`${status} ${code}`}>
        <td class="numeric"><${Badge} tone=${toneOf(status)}>${status}</${Badge}></td>
        <th scope="row">${code && html`<code><bdi>${code}</bdi></code>`}</th>
        <td><${Line} text=${description} /></td></tr>`)}</tbody></table></div>
  </details>`;
}

/** @param {{root: object, responses: object[]}} props responses of an operation, by status */
export function Answers({ root, responses }) {
  const isRefusal = ({ status }) => status.startsWith("4") || status.startsWith("5");
  const refusals = responses.filter(isRefusal);
  const answers = responses.filter((one) => !isRefusal(one));
  return html`<section><h2>Answer</h2><ul class="answers">${answers.map((one) => html`<${Answer}
      key=${one.status} root=${root} ...${one} />`)}</ul></section>
    ${refusals.length > 0 && html`<${Refusals} refusals=${refusals} />`}`;
}
