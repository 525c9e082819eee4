import { html } from "../core/html.js";
import { Dialog } from "../core/components.js";
import { shortcutsShown } from "../core/shortcuts.js";
import { panels } from "../panels/list.js";

function close() {
  shortcutsShown.value = false;
}

/** The list of keys. */
export function Shortcuts() {
  if (!shortcutsShown.value) return null;
  return html`<${Dialog} title="Shortcuts" onClose=${close}>
    <dl class="keys">
      ${panels.map(({ id, key, title }) => html`<div key=${id}>
        <dt><kbd>g</kbd> <kbd>${key}</kbd></dt><dd>${title}</dd></div>`)}
      <div><dt><kbd>t</kbd></dt><dd>Change the theme</dd></div>
      <div><dt><kbd>?</kbd></dt><dd>Show this</dd></div>
      <div><dt><kbd>Esc</kbd></dt><dd>Close what is open</dd></div>
    </dl>
  </${Dialog}>`;
}
