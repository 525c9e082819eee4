import { useEffect, useId, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { Name } from "./name.js";

const shown_limit = 100;

/** The options whose label, value or note has every word of `text`. */
function matching(options, text) {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return options.filter(({ label, value, note = "" }) => {
    const all = `${label} ${value} ${note}`.toLocaleLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/**
 * A labelled choice of one option out of many, by typing a part of its name. `options` are `{value,
 * label, note?}`; `onValue` gets a value. `all` is the label for choosing none of them (the value
 * ""); without it, one must be chosen. A `value` that no option has is shown unchanged. `error` and
 * `hint` are those of Field. With `initiallyOpen`, a dialog opens with the focus here and the
 * options shown.
 */
export function Picker({ label, options, value, onValue, all, hint, error, disabled = false,
  placeholder = "Type to search", className = "", initiallyOpen = false }) {
  const id = useId();
  const [text, setText] = useState(initiallyOpen ? "" : null);
  const [at, setAt] = useState(0);
  const list = useRef(null);
  const isOpen = text !== null;
  const everything = all === undefined ? options : [{ value: "", label: all }, ...options];
  const chosen = everything.find((option) => option.value === (value ?? ""));
  const found = isOpen ? matching(everything, text) : [];
  const shown = found.slice(0, shown_limit);

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [at, isOpen]);

  const open = () => {
    if (isOpen || disabled) return;
    setText("");
    setAt(Math.max(0, everything.indexOf(chosen)));
  };
  const close = () => setText(null);
  const take = (option) => {
    close();
    if (option.value !== (value ?? "")) onValue(option.value);
  };
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step) {
      event.preventDefault();
      if (isOpen) setAt(Math.min(shown.length - 1, Math.max(0, at + step)));
      else open();
    } else if (event.key === "Enter" && isOpen) {
      event.preventDefault();
      if (shown[at]) take(shown[at]);
    } else if (event.key === "Escape" && isOpen) {
      // A dialog around it stays open.
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  const type = (event) => {
    // A letter typed after the chosen name begins a search.
    setText(isOpen ? event.currentTarget.value : event.data ?? event.currentTarget.value);
    setAt(0);
  };
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const option = (one, index) => html`<li key=${one.value} id=${`${id}-${index}`} role="option"
    aria-selected=${index === at} onMouseDown=${(event) => event.preventDefault()}
    onClick=${() => take(one)}><${Name} text=${one.label} />
    ${one.note && html` <span class="faint"><bdi>${one.note}</bdi></span>`}</li>`;
  return html`<div class=${`field picker ${className}`}>
    <label for=${id}>${label}</label>
    <input id=${id} role="combobox" autocomplete="off" spellcheck=${false} disabled=${disabled}
      aria-expanded=${isOpen} aria-controls=${`${id}-list`} aria-autocomplete="list"
      aria-activedescendant=${isOpen && shown[at] ? `${id}-${at}` : undefined}
      aria-describedby=${described || undefined} aria-invalid=${error ? "true" : undefined}
      autofocus=${initiallyOpen} placeholder=${isOpen && chosen ? chosen.label : placeholder}
      value=${isOpen ? text : chosen?.label ?? value ?? ""}
      onClick=${open} onInput=${type} onKeyDown=${keys} onBlur=${close} />
    <ul ref=${list} id=${`${id}-list`} role="listbox" aria-label=${label} hidden=${!isOpen}>
      ${shown.map(option)}
      ${isOpen && !found.length && html`<li class="faint" role="presentation">No
        match.</li>`}
      ${found.length > shown_limit && html`<li class="faint" role="presentation">${
        found.length - shown_limit} more: keep typing.</li>`}
    </ul>
    ${hint && html`<small id=${`${id}-hint`}>${hint}</small>`}
    ${error && html`<small id=${`${id}-error`} class="wrong">${error}</small>`}
  </div>`;
}
