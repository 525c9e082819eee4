import { useEffect, useRef, useState } from "preact/hooks";
import { curlOf } from "../api.js";
import { html } from "../html.js";
import { announce } from "./announcer.js";

const shown_ms = 2_000;

// navigator.clipboard exists only on https and localhost, but the ops plane may be opened by an
// address over http. In that case, the text is selected in a field of its own.
async function copy(text) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("refused");
}

/** A button that copies `text`, a string or a function that returns it. `label` says what it is. */
export function CopyText({ text, label = "Copy", title, className = "" }) {
  const [outcome, setOutcome] = useState(null);
  const timer = useRef(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  const click = async () => {
    let now = "Copied";
    try {
      await copy(typeof text === "function" ? text() : text);
    } catch {
      now = "Could not copy";
    }
    announce(now);
    setOutcome(now);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOutcome(null), shown_ms);
  };
  return html`<button type="button" class=${`quiet ${className}`} title=${title} onClick=${click}>
    ${outcome ?? label}</button>`;
}

/** A button that copies a request as a curl command; `label` tells it apart from others nearby. */
export function CopyCurl({ method = "GET", path, body, label = "Copy as curl" }) {
  return html`<${CopyText} label=${label} title=${`${method} ${path}`} className="curl"
    text=${() => curlOf(method, path, body)} />`;
}
