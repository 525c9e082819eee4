import { useEffect, useRef } from "preact/hooks";
import { html } from "../core/html.js";
import { linkTo, route } from "../core/router.js";
import { panels, reference } from "../panels/list.js";

const groups = [...new Set(panels.map(({ group }) => group))];

/** The links to all panels, by group. */
export function Navigation() {
  const here = route.value.panel;
  const element = useRef(null);
  // On a narrow page the links are a strip, in which the current one may be out of sight.
  useEffect(() => {
    element.current.querySelector("[aria-current]")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [here]);
  const link = ({ id, title, key, icon: Icon, href }) => html`<li key=${title}>
    <a href=${href ?? linkTo(id)} aria-current=${here === id ? "page" : undefined}
      title=${key && `g ${key}`}><${Icon} />${title}</a></li>`;
  return html`<nav ref=${element} aria-label="Panels">
    ${groups.map((group) => html`<div key=${group}><h2>${group}</h2>
      <ul>${[...panels, reference].filter((panel) => panel.group === group).map(link)}</ul>
    </div>`)}
  </nav>`;
}
