// The API page: the OpenAPI documents of both planes, to read and to try out. The hash is the id of
// an operation, after its plane and a slash, or only the name of a plane.
import { html, render, useEffect, useMemo, useRef, useState } from "./core/html.js";
import { Announcer, Loading, Problem } from "./core/components.js";
import { addressOf } from "./core/address.js";
import { watch } from "./core/events.js";
import { listen, shortcutsShown } from "./core/shortcuts.js";
import { nextTheme } from "./core/theme.js";
import { useQuery } from "./core/query.js";
import { Banner } from "./shell/banner.js";
import { SessionDialog } from "./shell/session_dialog.js";
import { Shortcuts } from "./shell/shortcuts_dialog.js";
import { Top } from "./shell/top.js";
import { BaseUrl } from "./docs/base_field.js";
import { usePlace } from "./docs/base_url.js";
import { groupsOf, isFound, operationsOf } from "./docs/operations.js";
import { OperationView } from "./docs/operation_view.js";
import { Prose } from "./docs/prose.js";

// Players and game servers use the data plane, so it comes first.
const planes = { data: { title: "Data plane", path: "/data/openapi.json" },
  ops: { title: "Ops plane", path: "/openapi.json" } };

const keysShown = [[["/"], "Search operations"], [["j"], "Next operation"],
  [["k"], "Previous operation"]];

const readHash = () => {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
};

function useHash() {
  const [hash, setHash] = useState(readHash());
  useEffect(() => {
    const changed = () => setHash(readHash());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return hash;
}

/** Both documents, with their operations. */
function useDocuments() {
  const found = {};
  for (const [plane, { path }] of Object.entries(planes)) {
    const { value, error, reload } = useQuery(path);
    const operations = useMemo(() => (value ? operationsOf(value) : []), [value]);
    found[plane] = { root: value, error, reload, operations };
  }
  return found;
}

/** The plane and the operation that the hash names. An id without a plane is searched in both. */
function chosen(hash, documents) {
  const [first, rest] = hash.split(/\/(.*)/s);
  const named = Object.hasOwn(planes, first) ? first : null;
  for (const plane of named ? [named] : Object.keys(planes)) {
    const operation = documents[plane].operations.find(({ id }) => id === (named ? rest : hash));
    if (operation) return { plane, operation };
  }
  return { plane: named ?? "data", operation: null };
}

const linkOf = (plane, id) => `#${plane}/${encodeURIComponent(id)}`;

/** The summaries that several operations share, which are told apart by their paths. */
function repeated(operations) {
  const seen = new Set();
  return new Set(operations.map(({ summary }) => summary)
    .filter((summary) => seen.size === seen.add(summary).size));
}

function Entries({ groups, plane, current }) {
  const same = repeated(groups.flatMap(({ operations }) => operations));
  return groups.map(({ tag, operations }) => html`<div key=${tag}><h2><bdi>${tag}</bdi></h2>
    <ul>${operations.map(({ id, method, path, summary, isDeprecated }) => html`<li key=${id}>
      <a href=${linkOf(plane, id)} class=${isDeprecated ? "deprecated" : ""}
        aria-current=${current === id ? "page" : undefined} title=${`${method} ${path}`}>
        <span class=${`method ${method.toLowerCase()}`}>${method}</span>
        <span><bdi>${summary || path}</bdi>${same.has(summary)
          && html` <code><bdi>${path}</bdi></code>`}</span></a></li>`)}</ul></div>`);
}

function Overview({ root, plane, groups, place }) {
  const { version, description } = root.info ?? {};
  return html`<article class="card"><h1 tabindex="-1">${planes[plane].title} API</h1>
    <p class="faint">Version <bdi>${version ?? "unknown"}</bdi>, OpenAPI ${root.openapi},${" "}
      <a href=${addressOf(planes[plane].path)}>the document</a></p>
    <${BaseUrl} place=${place} />
    ${groups.map((group) => html`<section key=${group.tag}><h2><bdi>${group.tag}</bdi></h2>
      <${Prose} text=${group.description} />
      <ul class="listed">${group.operations.map((one) => html`<li key=${one.id}>
        <a href=${linkOf(plane, one.id)}><strong
          class=${`method ${one.method.toLowerCase()}`}>${one.method}</strong>
          <code><bdi>${one.path}</bdi></code></a> <bdi>${one.summary}</bdi></li>`)}
      </ul></section>`)}
    <section><h2>About all operations</h2><${Prose} text=${description} /></section>
  </article>`;
}

function Planes({ plane }) {
  return html`<strong>API</strong>
    <div class="actions" role="group" aria-label="Plane">
      ${Object.entries(planes).map(([name, { title }]) => html`<a key=${name} href=${`#${name}`}
        class="plane" aria-current=${name === plane ? "true" : undefined}>${title}</a>`)}</div>
    <a href=${addressOf("/")}>Console</a>`;
}

function Page() {
  const hash = useHash();
  const documents = useDocuments();
  const { plane, operation } = chosen(hash, documents);
  const { root, error, reload, operations } = documents[plane];
  const place = usePlace(plane, root);
  const [search, setSearch] = useState("");
  const field = useRef(null);
  const first = useRef(true);
  const groups = useMemo(() => (root ? groupsOf(root, operations.filter((one) =>
    isFound(one, search))) : []), [root, operations, search]);
  const listed = groups.flatMap((group) => group.operations);
  const keys = useRef(null);
  const step = (by) => {
    const at = listed.findIndex(({ id }) => id === operation?.id);
    const next = listed[at < 0 ? 0 : Math.min(listed.length - 1, Math.max(0, at + by))];
    if (next) location.hash = linkOf(plane, next.id);
  };
  keys.current = { "/": () => field.current.focus(), t: nextTheme, j: () => step(1),
    k: () => step(-1), "?": () => { shortcutsShown.value = true; } };

  useEffect(() => {
    listen([], Object.fromEntries(Object.keys(keys.current).map((key) =>
      [key, () => keys.current[key]()])));
  }, []);
  useEffect(() => {
    const title = operation?.summary || operation?.id || planes[plane].title;
    document.title = `${title} · matchcloud API`;
    document.querySelector('nav a[aria-current="page"]')?.scrollIntoView({ block: "nearest" });
    // After a link, reading continues at the operation's heading.
    if (!first.current && operation) {
      document.querySelector("main h1")?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    if (root) first.current = false;
  }, [plane, operation?.id, Boolean(root)]);

  const press = (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    }
  };
  return html`<${Top}><${Planes} plane=${plane} /></${Top}>
    <nav aria-label="Operations"><input type="search" ref=${field} value=${search}
        aria-label="Search operations" placeholder="Search ( / )" spellcheck=${false}
        onInput=${(event) => setSearch(event.currentTarget.value)} onKeyDown=${press} />
      <p class="unseen" role="status">${search && `Operations found: ${listed.length}`}</p>
      ${root && listed.length === 0 && html`<p class="faint">No operation contains
        these words.</p>`}
      <${Entries} groups=${groups} plane=${plane} current=${operation?.id} /></nav>
    <main id="main" tabindex="-1"><${Banner} />
      <${Problem} error=${error} onRetry=${reload} />
      ${!root && !error && html`<${Loading} what="Loading the API" />`}
      ${root && !operation && hash !== "" && !Object.hasOwn(planes, hash) && html`<p role="alert">
        There is no operation <code><bdi>${hash.slice(0, 100)}</bdi></code>.</p>`}
      ${root && (operation ? html`<${OperationView} key=${`${plane} ${operation.id}`}
        plane=${plane} root=${root} operation=${operation} place=${place} />`
        : html`<${Overview} root=${root} plane=${plane} groups=${groups} place=${place} />`)}
    </main><${SessionDialog} /><${Shortcuts} keys=${keysShown} /><${Announcer} />`;
}

document.getElementById("app").className = "docs";
render(html`<${Page} />`, document.getElementById("app"));
watch();
