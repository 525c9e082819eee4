// One operation: how to call it, what it accepts and what it returns.
import { Link } from "lucide-preact";
import { html, signal, useState } from "../core/html.js";
import { Badge, CopyText } from "../core/components.js";
import { token } from "../core/session.js";
import { limitsOf } from "../schema/resolve.js";
import { typeInWords } from "../schema/walk.js";
import { Answers, Content } from "./answers.js";
import { BaseUrl } from "./base_field.js";
import { Example } from "./example.js";
import { Line, Prose } from "./prose.js";
import { curlOf, scriptOf, valuesToBegin } from "./request.js";
import { TryIt } from "./try_it.js";

const key = "matchcloud.api-language";
const languages = { curl: { title: "curl", write: curlOf },
  js: { title: "JavaScript", write: scriptOf } };
const kept = sessionStorage.getItem(key);
const language = signal(Object.hasOwn(languages, kept ?? "") ? kept : "curl");

function choose(id) {
  sessionStorage.setItem(key, id);
  language.value = id;
}

/** What a parameter's schema says besides its type. */
function limitsText(schema = {}) {
  const without = schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`];
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

function Code({ root, operation, place, values }) {
  const { title, write } = languages[language.value];
  const text = write(root, operation, place.base, place.before, values);
  return html`<${Example} name=${`The request in ${title}`} text=${text}>
    <div class="actions" role="group" aria-label="Language">${Object.entries(languages).map(
      ([id, one]) => html`<button type="button" key=${id} class="quiet language"
        aria-pressed=${id === language.value} onClick=${() => choose(id)}>${one.title}</button>`)}
    </div></${Example}>
    ${place.base === null && html`<p class="faint">Enter the base URL above, or set
      ${" "}<code>MATCHCLOUD_DATA_URL</code> in your shell.</p>`}`;
}

/** The callers that the operation allows, in words. */
function whoText({ needsToken, tokenKinds }) {
  if (tokenKinds.length === 0) return needsToken ? "Needs a token" : "Needs no token";
  return `Token: ${tokenKinds.join(", ")}`;
}

/**
 * @param {object} props
 * @param {string} props.plane "ops" or "data"
 * @param {object} props.root the document
 * @param {import("./operations.js").Operation} props.operation
 * @param {ReturnType<import("./base_url.js").usePlace>} props.place where its plane is
 */
export function OperationView({ plane, root, operation, place }) {
  const { id, method, path, requestBody, tokenKinds } = operation;
  const [values, setValues] = useState(() => valuesToBegin(root, operation));
  const needsToken = operation.needsToken || (tokenKinds.length > 0 && token.value !== null);
  return html`<article class="card operation" aria-labelledby="operation">
    <header><div class="card-head"><h1 id="operation" tabindex="-1"><bdi>${operation.summary
        || id}</bdi></h1>
        <div class="actions"><${CopyText} label=${html`<${Link} />Copy link`}
          text=${() => location.href} /></div></div>
      <p class="request"><strong class=${`method ${method.toLowerCase()}`}>${method}</strong>
        ${" "}<code><bdi>${path}</bdi></code></p>
      <p class="faint"><code><bdi>${id}</bdi></code>${operation.isDeprecated && html` <${Badge}
        tone="warn">deprecated</${Badge}>`} · ${whoText(operation)}</p>
      <${Prose} text=${operation.description} /></header>
    <div class="ask-it"><${BaseUrl} place=${place} />
      <${Code} root=${root} operation=${{ ...operation, needsToken }} place=${place}
        values=${values} />
      <${TryIt} plane=${plane} operation=${operation} place=${place} values=${values}
        onValues=${setValues} /></div>
    <div class="reference">
      <${Answers} root=${root} responses=${operation.responses} />
      <${Parameters} root=${root} parameters=${operation.parameters} />
      ${requestBody && html`<section><h2>Body${requestBody.required === true ? ", required"
        : ""}</h2>
        <${Prose} text=${requestBody.description} />
        <${Content} root=${root} content=${requestBody.content} /></section>`}
    </div>
  </article>`;
}
