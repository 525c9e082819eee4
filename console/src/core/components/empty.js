import { html } from "../html.js";

/**
 * Shown where there is nothing yet. `title` says what is missing, `children` why it is useful or
 * how to get it. `action` is a button or link that creates the first one. `icon` is from
 * lucide-preact.
 */
export function Empty({ icon: Icon, title, action, children }) {
  return html`<div class="empty">
    ${Icon && html`<${Icon} />`}
    <p><strong>${title}</strong></p>
    ${children && html`<div class="faint">${children}</div>`}
    ${action && html`<div class="actions">${action}</div>`}
  </div>`;
}
