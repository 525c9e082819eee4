// The texts of a document: paragraphs, lists and code. Everything else is shown unchanged.
import { html } from "../core/html.js";
import { Message } from "../core/components.js";

/** A line, with the parts between backticks as code. */
export { Message as Line };

function Block({ text }) {
  const lines = text.split("\n");
  if (lines.every((line) => /^\s*[-*] /.test(line))) {
    return html`<ul>${lines.map((line) => html`<li><${Message}
      text=${line.replace(/^\s*[-*] /, "")} /></li>`)}</ul>`;
  }
  return html`<p><${Message} text=${text} /></p>`;
}

/** A description: blocks between empty lines. Nothing without a text. */
export function Prose({ text }) {
  const blocks = String(text ?? "").split(/\n\s*\n/).filter((block) => block.trim() !== "");
  return blocks.length === 0 ? null : html`<div class="prose">
    ${blocks.map((block) => html`<${Block} text=${block.trim()} />`)}</div>`;
}
