// A request with fields to fill in, and the service's answer.
import { Send } from "lucide-preact";
import { html, useEffect, useRef, useState } from "../core/html.js";
import { Badge, Confirm, Field, Select } from "../core/components.js";
import { bytesText } from "../core/components/values.js";
import { addressOf } from "../core/address.js";
import { headersOf } from "../core/api.js";
import { linkTo } from "../core/router.js";
import { Example, toneOf } from "./example.js";
import { isJson } from "./examples.js";
import { useObstacle } from "./reach.js";
import { fieldOf, mediaOf, requestOf } from "./request.js";

const patience_ms = 30_000;
const shown_limit = 100_000;

function pretty(text, type) {
  // Numbers beyond 2^53 stay as they are in the text.
  if (!isJson(type) || text.length > shown_limit || /\d{16}/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * Sends a request. Returns what to show of the answer, or a sentence that says why there is none.
 */
async function ask({ method, path, headers, body }, plane, base) {
  const begun = performance.now();
  try {
    const url = plane === "ops" ? addressOf(path) : base.replace(/\/$/, "") + path;
    const all = Object.fromEntries(headers);
    const answer = await fetch(url, { method, body, cache: "no-store",
      referrerPolicy: "no-referrer",
      // A token of the ops plane is not sent anywhere else.
      headers: plane === "ops" ? headersOf(all) : all,
      credentials: "omit", signal: AbortSignal.timeout(patience_ms) });
    const text = await answer.text();
    const type = answer.headers.get("Content-Type") ?? "";
    return { status: answer.status, ms: performance.now() - begun, type, text,
      headers: [...answer.headers], id: answer.headers.get("X-Request-Id") };
  } catch (error) {
    return { failed: error.name === "TimeoutError"
      ? `No answer within ${patience_ms / 1000} s.`
      : "No answer. Is the service running, and does it allow this page (CORS)? Try curl." };
  }
}

function Answer({ answer }) {
  if (answer.failed) return html`<p class="wrong" role="status">${answer.failed}</p>`;
  const { status, ms, type, text, headers, id } = answer;
  const isText = /^text\/|json|javascript|xml/.test(type);
  const shown = isText ? pretty(text, type).slice(0, shown_limit) : "";
  return html`<p role="status"><${Badge} tone=${toneOf(String(status))}>${status}</${Badge}>
      ${" "}in ${ms.toFixed(ms < 10 ? 1 : 0)} ms, ${bytesText(text.length)}
      ${id && html`, <a href=${addressOf("/") + linkTo("traces", { request: id })}>its trace</a>`}
    </p>
    <details><summary>Headers (${headers.length})</summary>
      <pre tabindex="0" aria-label="Headers of the answer">${headers.map(([name, value]) =>
        `${name}: ${value}`).join("\n")}</pre></details>
    ${text && !isText && html`<p class="faint">The body is ${type || "of an unknown type"}.</p>`}
    ${shown && html`<${Example} name=${`Answer ${status}`} text=${shown} />`}`;
}

function ParameterField({ parameter, value, onValue }) {
  const label = html`<code><bdi>${parameter.name}</bdi></code> <span class="faint">${parameter.in}
    ${parameter.required ? ", required" : ""}</span>`;
  const values = parameter.schema?.enum;
  if (Array.isArray(values)) {
    return html`<${Select} label=${label} value=${value} onValue=${onValue}
      options=${["", ...values.map(String)]} />`;
  }
  return html`<${Field} label=${label} value=${value} onValue=${onValue} />`;
}

/**
 * @param {object} props
 * @param {string} props.plane
 * @param {import("./operations.js").Operation} props.operation
 * @param {{base: string|null, before: string}} props.place
 * @param {import("./request.js").Values} props.values
 * @param {(values: object) => void} props.onValues
 */
export function TryIt({ plane, operation, place, values, onValues }) {
  const obstacle = useObstacle(plane, operation, place.base);
  const [answer, setAnswer] = useState(null);
  const [state, setState] = useState("idle");
  const isGone = useRef(false);
  useEffect(() => () => { isGone.current = true; }, []);
  const media = mediaOf(operation.requestBody);
  // Browsers set most headers by themselves.
  const shown = operation.parameters.filter((one) => one.in !== "header" || one.required);
  const set = (name) => (value) => onValues({ ...values, [name]: value });
  const lacking = operation.parameters.find((one) => one.in === "path" && !values[fieldOf(one)]);
  const send = async () => {
    setState("busy");
    const request = requestOf(operation, values);
    const path = plane === "ops" ? request.path : place.before.replace(/\/$/, "") + request.path;
    const got = await ask({ ...request, path }, plane, place.base);
    if (isGone.current) return;
    setAnswer(got);
    setState("idle");
  };
  const submit = (event) => {
    event.preventDefault();
    if (operation.method === "DELETE") setState("sure");
    else send();
  };
  return html`<section class="try"><h2>Try it</h2>
    <form onSubmit=${submit}>
      ${shown.length > 0 && html`<div class="fields">${shown.map(
        (parameter) => html`<${ParameterField} key=${fieldOf(parameter)} parameter=${parameter}
          value=${values[fieldOf(parameter)]} onValue=${set(fieldOf(parameter))} />`)}</div>`}
      ${media && html`<${Field} multiline label=${html`Body <span class="faint">${media[0]}</span>`}
        rows=${Math.min(14, values.body.split("\n").length + 1)} value=${values.body}
        onValue=${set("body")} />`}
      ${obstacle ? html`<p class="faint">${obstacle}</p>` : html`<div class="actions">
        <button type="submit" disabled=${state === "busy" || lacking}
          class=${operation.method === "DELETE" ? "danger" : "primary"}><${Send} />Send ${
          operation.method}</button>
        ${lacking && html`<span class="faint">Fill in <code>${lacking.name}</code>.</span>`}
        ${plane === "data" && html`<span class="faint">Sent without a token.</span>`}</div>`}
    </form>
    ${answer && html`<${Answer} answer=${answer} />`}
    ${state === "sure" && html`<${Confirm} title=${operation.summary || operation.id}
      expect="DELETE" action="Send" onConfirm=${send} onClose=${() => setState("idle")}>
      <p>This sends <code>DELETE ${requestOf(operation, values).path}</code> to this service.</p>
    </${Confirm}>`}
  </section>`;
}
