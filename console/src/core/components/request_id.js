import { html } from "../html.js";
import { linkTo } from "../router.js";

/** A request's id, as a link to its trace. */
export function RequestId({ id }) {
  return html`<a href=${linkTo("traces", { request: id })} title="Show its trace">
    <code>${id}</code></a>`;
}
