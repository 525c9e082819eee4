// One operation: what it takes, what it answers, and how to ask for it.
import { html } from "../core/html.js";
import { Badge, CopyText } from "../core/components.js";
import { limitsOf, resolved } from "../schema/resolve.js";
import { typeInWords } from "../schema/walk.js";
import { curlOf } from "./curl.js";
import { examplesOf } from "./examples.js";
import { Line, Prose } from "./prose.js";
import { SchemaView } from "./schema_view.js";

/** What a parameter's schema says beside its type. */
function limitsText(schema = {}) {
  const without = schema.default === undefined ? [] : [`${JSON.stringify(schema.default)} without`];
  return [...limitsOf(schema), ...without].join(", ");
}

function Parameters({ root, parameters }) {
  if (parameters.length === 0) return null;
  return html`<section><h2>Parameters</h2>
    <div class="scroll" tabindex="0" role="group" aria-label="Parameters"><table class="members">
      <thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th>
        <th scope="col">Meaning</th></tr></thead>
      <tbody>${parameters.map((one) => html`<tr key=${`${one.in} ${one.name}`}>
        <th scope="row"><code><bdi>${one.name}</bdi></code>
          ${one.required === true && html`<span class="needed">required</span>`}</th>
        <td>${one.in}</td><td>${typeInWords(root, one.schema ?? {})}</td>
        <td><${Line} text=${one.description ?? one.schema?.description ?? ""} /> ${" "}
          <span class="faint">${limitsText(one.schema)}</span>
          ${Array.isArray(one.schema?.enum) && html` one of <code>${one.schema.enum.join(", ")}
            </code>`}</td></tr>`)}</tbody></table></div></section>`;
}

function Example({ name, text }) {
  return html`<figure class="example"><figcaption><span>${name}</span>
      <${CopyText} text=${text} /></figcaption>
    <pre tabindex="0" aria-label=${name}>${text}</pre></figure>`;
}

function Content({ root, content }) {
  return Object.entries(content ?? {}).map(([type, media]) => html`<div key=${type}>
    <p class="faint"><code>${type}</code></p>
    ${media?.schema && html`<${SchemaView} root=${root} schema=${media.schema} />`}
    ${examplesOf(root, type, media ?? {}).map((example) => html`<${Example} ...${example} />`)}
  </div>`);
}

const toneOf = (status) => ({ 2: "good", 3: "plain", 4: "warn", 5: "bad" }[status[0]] ?? "plain");

function Response({ root, status, response, codes, description }) {
  const isGood = status.startsWith("2");
  const headers = Object.entries(response.headers ?? {});
  const hasMore = response.content || headers.length > 0;
  return html`<li><div class="answer"><${Badge} tone=${toneOf(status)}>${status}</${Badge}>
      <span><${Line} text=${description} /></span></div>
    ${codes.length > 0 && html`<ul class="codes" aria-label=${`Codes of ${status}`}>
      ${codes.map(({ code, description }) => html`<li><code><bdi>${code}</bdi></code>
        ${description && html` <${Line} text=${description} />`}</li>`)}</ul>`}
    ${hasMore && html`<details open=${isGood}><summary>Headers and body</summary>
      ${headers.length > 0 && html`<ul class="headers">${headers.map(([name, header]) => html`
        <li key=${name}><code>${name}</code> <${Line}
          text=${resolved(root, header).description ?? ""} /></li>`)}</ul>`}
      <${Content} root=${root} content=${response.content} /></details>`}
  </li>`;
}

/**
 * @param {object} props
 * @param {object} props.root the document
 * @param {import("./operations.js").Operation} props.operation
 * @param {string|null} props.base where its plane is: scheme, host and port; null: not known
 * @param {string} props.before what all paths of the plane begin with
 */
export function OperationView({ root, operation, base, before }) {
  const { id, method, path, requestBody } = operation;
  const curl = curlOf(root, operation, base, before);
  return html`<article class="card operation" aria-labelledby="operation">
    <header class="card-head"><h1 id="operation" tabindex="-1"><bdi>${operation.summary
      || id}</bdi></h1>
      <div class="actions"><${CopyText} label="Copy link" text=${() => location.href} />
        <${CopyText} label="Copy as curl" text=${curl} className="curl" /></div></header>
    <p class="request"><strong class=${`method ${method.toLowerCase()}`}>${method}</strong>
      ${" "}<code><bdi>${path}</bdi></code></p>
    <p class="faint"><code><bdi>${id}</bdi></code>${operation.isDeprecated && html` <${Badge}
      tone="warn">deprecated</${Badge}>`}${operation.tokenKinds.length > 0
      && `, for tokens of the kind ${operation.tokenKinds.join(", ")}`}${operation.needsToken
      && ", needs a token"}</p>
    <${Prose} text=${operation.description} />
    <${Parameters} root=${root} parameters=${operation.parameters} />
    ${requestBody && html`<section><h2>Body${requestBody.required === true ? ", required" : ""}</h2>
      <${Prose} text=${requestBody.description} />
      <${Content} root=${root} content=${requestBody.content} /></section>`}
    <section><h2>Answers</h2><ul class="answers">${operation.responses.map((one) => html`
      <${Response} key=${one.status} root=${root} ...${one} />`)}</ul></section>
    <section><h2>curl</h2><${Example} name="The request" text=${curl} />
      ${base === null && html`<p class="faint"><code>MATCHCLOUD_DATA_URL</code> is what the service
        prints that it listens on, or what players reach it by.</p>`}</section>
  </article>`;
}
