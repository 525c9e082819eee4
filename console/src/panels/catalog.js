import { Panel as Frame } from "../core/components.js";
import { html } from "../core/html.js";
import { linkTo } from "../core/router.js";
import { mayChange } from "../core/session.js";
import { Elements } from "./catalog/elements.js";
import { kinds } from "./catalog/kinds.js";

const pages = Object.entries(kinds).map(([id, { title }]) => [id, title]);

function Panel({ route }) {
  const asked = route.params.get("kind");
  const kind = pages.some(([id]) => id === asked) ? asked : "games";
  return html`<${Frame} title="Catalog">
    <ul class="tabs" aria-label="What is shown">${pages.map(([id, title]) => html`<li key=${id}>
      <a href=${linkTo("catalog", { kind: id })} aria-current=${id === kind ? "true" : undefined}>
        ${title}</a></li>`)}</ul>
    ${!mayChange.value && html`<p class="faint">Read only. Changing needs an admin token, or "Allow
      changes" above.</p>`}
    <${Elements} key=${kind} kind=${kind} route=${route} />
  </${Frame}>`;
}

export default { id: "catalog", title: "Catalog", Panel };
