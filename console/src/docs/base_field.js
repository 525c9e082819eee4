// The base URL of a plane: the one that the service reports, or a field.
import { html } from "../core/html.js";
import { Field } from "../core/components.js";
import { typeUrl } from "./base_url.js";

/** @param {{place: ReturnType<import("./base_url.js").usePlace>}} props */
export function BaseUrl({ place }) {
  if (place.isTold) {
    return html`<p class="base"><span class="faint">Base URL</span> <code>${place.text}</code></p>`;
  }
  return html`<${Field} className="base" label="Base URL of the data plane" type="url"
    value=${place.text} error=${place.wrong} placeholder="https://play.example"
    hint=${place.text ? "" : "The address at which players reach the service."}
    onValue=${typeUrl} />`;
}
