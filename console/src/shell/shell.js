import { html } from "../core/html.js";
import { Announcer } from "../core/components.js";
import { panels } from "../panels/list.js";
import { Banner } from "./banner.js";
import { Navigation } from "./navigation.js";
import { SessionDialog } from "./session_dialog.js";
import { Shortcuts } from "./shortcuts_dialog.js";
import { Stage } from "./stage.js";
import { Top } from "./top.js";

const keys = panels.map(({ key, title }) => [["g", key], title]);

/** The whole page around a panel. */
export function Shell() {
  return html`
    <a class="skip" href="#main" onClick=${(event) => {
      event.preventDefault();
      document.querySelector("main").focus();
    }}>Skip to the panel</a>
    <${Top} />
    <${Navigation} />
    <main id="main" tabindex="-1"><${Banner} /><${Stage} /></main>
    <${SessionDialog} /><${Shortcuts} keys=${keys} /><${Announcer} />`;
}
