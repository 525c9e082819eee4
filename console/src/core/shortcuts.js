// Keys: `g` and a letter go to a panel, `?` shows them all, `t` changes the theme.
import { signal } from "@preact/signals";
import { go } from "./router.js";

const second_key_ms = 1_500;

/** Whether the list of shortcuts is shown. */
export const shortcutsShown = signal(false);

const typing = (element) => element.closest?.("input, textarea, select, [contenteditable]")
  || element.shadowRoot?.activeElement;

/** Listens for shortcuts. `panels` are `{id, key}`, `more` maps a key to what it does. */
export function listen(panels, more) {
  let leading = -second_key_ms;
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (typing(event.target) || document.querySelector("dialog[open]")) return;
    // When the key was pressed, however busy the page was then.
    const begun = event.timeStamp - leading < second_key_ms;
    leading = -second_key_ms;
    const panel = begun && panels.find(({ key }) => key === event.key);
    if (panel) {
      event.preventDefault();
      go(panel.id);
    } else if (event.key === "g") {
      leading = event.timeStamp;
    } else if (more[event.key]) {
      event.preventDefault();
      more[event.key]();
    }
  });
}
