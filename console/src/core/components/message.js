import { html } from "../html.js";
import { Name } from "./name.js";

/** The pieces of a sentence from the service: those with an odd index were between backticks. */
export const piecesOf = (text) => String(text ?? "").split("`");

/** A sentence from the service, with the parts between backticks as code. */
export function Message({ text }) {
  return html`<bdi>${piecesOf(text).map((piece, index) => (index % 2
    ? html`<code key=${index}><${Name} text=${piece} /></code>`
    : html`<${Name} key=${index} text=${piece} />`))}</bdi>`;
}
