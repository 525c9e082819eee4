// Dark or light: the system's setting, unless the user has chosen one here.
import { effect, signal } from "@preact/signals";

const key = "matchcloud.theme";
const choices = ["system", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");

/** "system", "light" or "dark". */
export const theme = signal(choices.includes(localStorage.getItem(key))
  ? localStorage.getItem(key) : "system");

/** Counts how often colors may have changed. Canvases are drawn again when it changes. */
export const repaint = signal(0);

system.addEventListener("change", () => repaint.value++);

effect(() => {
  const chosen = theme.value;
  if (chosen === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem(key);
  } else {
    document.documentElement.dataset.theme = chosen;
    localStorage.setItem(key, chosen);
  }
  repaint.value = repaint.peek() + 1;
});

/** Switches to the next of system, light and dark. */
export function nextTheme() {
  theme.value = choices[(choices.indexOf(theme.value) + 1) % choices.length];
}

/**
 * The color that a CSS variable has now, as rgb(..), for a canvas. `name` is without dashes.
 * Ignores forced colors, which would make all lines of a chart look the same.
 */
export function colorOf(name) {
  const probe = document.createElement("i");
  probe.style.cssText = `color: var(--${name}); forced-color-adjust: none`;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}
