import { html } from "../core/html.js";
import { Dialog } from "../core/components.js";
import { shortcutsShown } from "../core/shortcuts.js";

function close() {
  shortcutsShown.value = false;
}

/** The list of keys. `keys` are those of this page: `[[key ..], what they do]`. */
export function Shortcuts({ keys }) {
  if (!shortcutsShown.value) return null;
  return html`<${Dialog} title="Shortcuts" onClose=${close}>
    <dl class="keys">
      ${keys.map(([pressed, what]) => html`<div key=${what}>
        <dt>${pressed.map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${what}</dd></div>`)}
      <div><dt><kbd>t</kbd></dt><dd>Change the theme</dd></div>
      <div><dt><kbd>?</kbd></dt><dd>Show this</dd></div>
      <div><dt><kbd>Esc</kbd></dt><dd>Close what is open</dd></div>
    </dl>
  </${Dialog}>`;
}
