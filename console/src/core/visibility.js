import { signal } from "@preact/signals";

/** Whether somebody can see the page now. */
export const visible = signal(!document.hidden);

document.addEventListener("visibilitychange", () => {
  visible.value = !document.hidden;
});
