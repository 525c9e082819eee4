import { html } from "../html.js";

/**
 * What stands where nothing is yet: `title` says what is missing, `children` why it is useful or
 * how to get it, `action` is a button or link that makes the first one. `icon` is of lucide-preact.
 */
export function Empty({ icon: Icon, title, action, children }) {
  return html`<div class="empty">
    ${Icon && html`<${Icon} />`}
    <p><strong>${title}</strong></p>
    ${children && html`<div class="faint">${children}</div>`}
    ${action && html`<div class="actions">${action}</div>`}
  </div>`;
}
