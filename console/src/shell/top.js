import { html } from "../core/html.js";
import { Badge } from "../core/components.js";
import { durationText } from "../core/components/values.js";
import { connection, status } from "../core/events.js";
import { asking, changesAllowed, mayChange, token, tokenKind } from "../core/session.js";
import { shortcutsShown } from "../core/shortcuts.js";
import { nextTheme, theme } from "../core/theme.js";

const said = {
  connecting: ["warn", "connecting"], live: ["good", "live"], lost: ["bad", "no connection"],
  refused: ["bad", "needs a token"], paused: ["plain", "paused"],
};

function Health() {
  const [tone, text] = said[connection.value];
  const now = status.value;
  const live = connection.value === "live" && now;
  return html`<div class="health" aria-label="State of the service" role="group">
    <${Badge} tone=${tone}>${text}</${Badge}>
    ${live && html`<${Badge} tone=${now.ready ? "good" : "bad"}>
      ${now.ready ? "ready" : "not ready"}</${Badge}>`}
    ${live && now.uptime_s !== undefined && html`<span class="faint wide-only">
      up ${durationText(now.uptime_s)}</span>`}
  </div>`;
}

function Rights() {
  const ask = () => {
    asking.value = true;
  };
  const allow = () => {
    changesAllowed.value = !changesAllowed.value;
  };
  return html`
    ${!token.value && html`<button type="button" aria-pressed=${changesAllowed.value}
      onClick=${allow}>${changesAllowed.value ? "Changes allowed" : "Allow changes"}</button>`}
    <button type="button" onClick=${ask}>${token.value
      ? html`${tokenKind.value} token${mayChange.value ? "" : ", read only"}` : "Token"}</button>`;
}

/** The bar above everything: the service's state, who asks, theme and help. */
export function Top() {
  return html`<header class="top">
    <a class="name" href="#/live">matchcloud</a>
    <${Health} />
    <div class="actions">
      <${Rights} />
      <button type="button" onClick=${nextTheme} title="t">Theme: ${theme.value}</button>
      <button type="button" aria-label="Shortcuts" title="?"
        onClick=${() => { shortcutsShown.value = true; }}>?</button>
    </div>
  </header>`;
}
