import { useEffect, useState } from "preact/hooks";
import { html } from "../core/html.js";
import { connection, lostBecause, nextTry, reconnect } from "../core/events.js";
import { asking } from "../core/session.js";

function useNow(running) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}

/** Says that the service cannot be reached or requires a token, and what happens next. */
export function Banner() {
  const state = connection.value;
  const now = useNow(state === "lost");
  const why = lostBecause.value;
  if (state === "refused") {
    return html`<div class="banner bad" role="status">
      <span><strong>The service needs a token.</strong> ${" "}<bdi>${why?.detail}</bdi></span>
      <button type="button" onClick=${() => { asking.value = true; }}>Sign in</button></div>`;
  }
  if (state !== "lost") return null;
  const left = Math.max(0, Math.ceil(((nextTry.value ?? now) - now) / 1_000));
  return html`<div class="banner bad" role="status">
    <span><strong>No connection to the service.</strong> ${" "}<bdi>${why?.detail}</bdi>
      ${" The data shown is old. "}<span aria-hidden="true">${left
        ? `Next try in ${left} s.` : "Trying …"}</span></span>
    <button type="button" onClick=${reconnect}>Try now</button></div>`;
}
