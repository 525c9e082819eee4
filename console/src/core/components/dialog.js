import { X } from "lucide-preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { Problem } from "./problem.js";

/** Returns the focus to an element, or to the panel's heading if the element is gone. */
function giveBack(element) {
  element?.focus();
  const observer = new MutationObserver(() => {
    const now = document.activeElement;
    if (now === element && element !== document.body) return;
    observer.disconnect();
    if (now === document.body) document.querySelector("main h1")?.focus({ preventScroll: true });
  });
  observer.observe(document.querySelector("main"), { childList: true, subtree: true });
}

/**
 * A modal dialog. `onClose` is called when it is dismissed, also by Escape; the caller must then
 * remove it. The focus returns to where it was. While `changed`, it asks before it discards the
 * changes.
 */
export function Dialog({ title, onClose, children, wide = false, changed = false }) {
  const element = useRef(null);
  const id = useId();
  const [leaving, setLeaving] = useState(false);
  const leave = () => (changed ? setLeaving(true) : onClose());
  useEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    dialog.showModal();
    return () => {
      dialog.close();
      giveBack(before);
    };
  }, []);
  useEffect(() => {
    if (!leaving) return undefined;
    const before = document.activeElement;
    element.current.querySelector(".leaving button").focus();
    return () => before.focus();
  }, [leaving]);
  const cancel = (event) => {
    event.preventDefault();
    if (leaving) setLeaving(false);
    else leave();
  };
  // If Escape is pressed twice, a browser would close the dialog without asking the page.
  const escape = (event) => event.key === "Escape" && !event.defaultPrevented && cancel(event);
  return html`<dialog ref=${element} class=${wide ? "wide" : ""} aria-labelledby=${id}
    onCancel=${cancel} onKeyDown=${escape}>
    <header><h2 id=${id}>${title}</h2>
      <button type="button" class="quiet" aria-label="Close" onClick=${leave}><${X} /></button>
    </header>
    ${leaving && html`<div class="leaving" role="alertdialog" aria-label="Discard the changes?">
      <p>Your changes are not saved.</p>
      <div class="actions"><button type="button" onClick=${() => setLeaving(false)}>
          Keep editing</button>
        <button type="button" class="danger" onClick=${onClose}>Discard</button></div></div>`}
    ${children}
  </dialog>`;
}

/**
 * Asks before something that cannot be undone: the button works once `expect` is typed. `onConfirm`
 * may return a promise; while it runs, the button is disabled. An ApiError that it throws is shown.
 * `action` is the button's text, `children` say what will happen.
 */
export function Confirm({ title, expect, action, onConfirm, onClose, children }) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(null);
  const id = useId();
  const submit = async (event) => {
    event.preventDefault();
    if (typed !== expect || busy) return;
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form onSubmit=${submit}>
      ${children}
      <p><label for=${id}>Type <code class="exact">${expect}</code> to continue.</label></p>
      <input id=${id} value=${typed} autocomplete="off" spellcheck=${false} autofocus
        onInput=${(event) => setTyped(event.currentTarget.value)} />
      ${error && html`<${Problem} error=${error} />`}
      <footer>
        <button type="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="danger" disabled=${typed !== expect || busy}>
          ${busy ? "Working …" : action}</button>
      </footer>
    </form>
  </${Dialog}>`;
}
