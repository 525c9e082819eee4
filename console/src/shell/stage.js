import { useEffect, useRef, useState } from "preact/hooks";
import { html, useErrorBoundary } from "../core/html.js";
import { Loading, Panel as Frame, Problem } from "../core/components.js";
import { linkTo, route } from "../core/router.js";
import { panels, reference } from "../panels/list.js";

function Boundary({ children }) {
  const [error, reset] = useErrorBoundary();
  if (!error) return children;
  const shown = { status: "This panel failed", code: "", detail: String(error.message ?? error) };
  return html`<${Problem} error=${shown} onRetry=${reset} />`;
}

function Unknown({ id }) {
  return html`<${Frame} title="No such panel">
    <p>The console has no panel <code><bdi>${id.slice(0, 100)}</bdi></code>.
      Go to <a href=${linkTo("live")}>Live</a>.</p></${Frame}>`;
}

// A newer program does not have the files of the old page. Then the page must be loaded again.
const gone = {
  status: "Not loaded", code: "", detail: "This panel could not be loaded. The service may be "
    + "down, or another version may have replaced it: load the page again.",
};

/** Shows the panel of the route, which it loads first. */
export function Stage() {
  const { panel: id } = route.value;
  const entry = panels.find((panel) => panel.id === id);
  const [loaded, setLoaded] = useState({});
  const [failed, setFailed] = useState(null);
  const [tries, setTries] = useState(0);
  const first = useRef(true);

  useEffect(() => {
    if (id === reference.id) location.replace(reference.href);
    if (!entry) return undefined;
    let here = true;
    setFailed(null);
    entry.load().then(
      (module) => here && setLoaded((before) => ({ ...before, [id]: module.default })),
      () => here && setFailed(id),
    );
    return () => {
      here = false;
    };
  }, [id, tries]);

  const panel = loaded[id];
  useEffect(() => {
    if (!panel) return;
    // After a link of the navigation, reading continues at the panel's heading.
    if (!first.current) document.querySelector("main h1")?.focus({ preventScroll: true });
    first.current = false;
    scrollTo(0, 0);
  }, [id, Boolean(panel)]);

  if (id === reference.id) return html`<${Loading} what=${reference.title} />`;
  if (!entry) return html`<${Unknown} id=${id} />`;
  if (failed === id) {
    return html`<${Problem} error=${gone} onRetry=${() => setTries(tries + 1)} />`;
  }
  if (!panel) return html`<${Loading} what=${entry.title} />`;
  return html`<${Boundary} key=${id}><${panel.Panel} route=${route.value} /></${Boundary}>`;
}
