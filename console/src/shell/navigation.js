import { useEffect, useRef } from "preact/hooks";
import { addressOf } from "../core/address.js";
import { html } from "../core/html.js";
import { linkTo, route } from "../core/router.js";
import { panels } from "../panels/list.js";

const groups = [...new Set(panels.map(({ group }) => group))];

/** The links to all panels, by group. */
export function Navigation() {
  const here = route.value.panel;
  const element = useRef(null);
  // On a narrow page the links are a strip, of which the one that counts may be out of sight.
  useEffect(() => {
    element.current.querySelector("[aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [here]);
  const link = ({ id, title, key }) => html`<li key=${id}><a href=${linkTo(id)}
    aria-current=${here === id ? "page" : undefined} title=${`g ${key}`}>${title}</a></li>`;
  return html`<nav ref=${element} aria-label="Panels">
    ${groups.map((group) => html`<div key=${group}><h2>${group}</h2>
      <ul>${panels.filter((panel) => panel.group === group).map(link)}
        ${group === "Try" && html`<li key="docs">
          <a href=${addressOf("/docs")}>Interface</a></li>`}</ul></div>`)}
  </nav>`;
}
