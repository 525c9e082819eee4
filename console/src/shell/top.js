import { Keyboard, KeyRound, Lock, LockOpen, LogIn, Moon, Sun, SunMoon } from "lucide-preact";
import { html } from "../core/html.js";
import { addressOf } from "../core/address.js";
import { Badge } from "../core/components.js";
import { durationText } from "../core/components/values.js";
import { connection, status } from "../core/events.js";
import { asking, changesAllowed, mayChange, token, tokenKind } from "../core/session.js";
import { shortcutsShown } from "../core/shortcuts.js";
import { nextTheme, theme } from "../core/theme.js";
import { Mark } from "./mark.js";

const said = {
  connecting: ["warn", "connecting"], live: ["good", "live"], lost: ["bad", "no connection"],
  refused: ["bad", "needs a token"], paused: ["plain", "paused"],
};

const themes = { light: Sun, dark: Moon };

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
      onClick=${allow}><${changesAllowed.value ? LockOpen : Lock} />${
        changesAllowed.value ? "Changes allowed" : "Allow changes"}</button>`}
    <button type="button" onClick=${ask}>${token.value
      ? html`<${KeyRound} />${tokenKind.value} token${mayChange.value ? "" : ", read only"}`
      : html`<${LogIn} />Sign in`}</button>`;
}

/** The bar above everything: the service's state, `children`, the session, theme and help. */
export function Top({ children }) {
  return html`<header class="top">
    <a class="name" href=${addressOf("/#/live")}><${Mark} />matchcloud</a>
    <${Health} />
    ${children}
    <div class="actions">
      <${Rights} />
      <button type="button" class="icon-only" onClick=${nextTheme} title="Theme (t)"
        aria-label=${`Theme: ${theme.value}`}><${themes[theme.value] ?? SunMoon} /></button>
      <button type="button" class="icon-only" aria-label="Shortcuts" title="Shortcuts (?)"
        onClick=${() => { shortcutsShown.value = true; }}><${Keyboard} /></button>
    </div>
  </header>`;
}
