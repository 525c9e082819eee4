import { useEffect, useId } from "preact/hooks";
import { html } from "../html.js";

/** A panel's frame: title, controls (`actions`) and content. Sets the page's title. */
export function Panel({ title, actions, children }) {
  useEffect(() => {
    document.title = `${title} · matchcloud console`;
  }, [title]);
  return html`<div class="panel">
    <header class="panel-head"><h1 tabindex="-1">${title}</h1>
      <div class="actions">${actions}</div></header>
    ${children}
  </div>`;
}

/** A part of a panel with a heading. `actions` are to the right of the heading. */
export function Section({ title, actions, children, className = "" }) {
  const id = useId();
  return html`<section class=${`card ${className}`} aria-labelledby=${id}>
    <header class="card-head"><h2 id=${id}>${title}</h2>
      <div class="actions">${actions}</div></header>
    ${children}
  </section>`;
}
