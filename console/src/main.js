// The console: what is on the page, and what it listens to.
import { html, render } from "./core/html.js";
import { watch } from "./core/events.js";
import { listen, shortcutsShown } from "./core/shortcuts.js";
import { nextTheme } from "./core/theme.js";
import { panels } from "./panels/list.js";
import { Shell } from "./shell/shell.js";

render(html`<${Shell} />`, document.getElementById("app"));
watch();
listen(panels, {
  "?": () => { shortcutsShown.value = true; },
  t: nextTheme,
});
