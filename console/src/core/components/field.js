import { useId } from "preact/hooks";
import { html } from "../html.js";

/**
 * A labelled input. `hint` says what is allowed, `error` what is wrong with it now. `onValue` gets
 * the text. All other properties go to the input (type, min, required, spellcheck ..).
 */
export function Field({ label, hint, error, onValue, multiline = false, className = "", ...more }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  const shared = {
    id, autocomplete: "off", spellcheck: false, "aria-describedby": described || undefined,
    "aria-invalid": error ? "true" : undefined,
    onInput: (event) => onValue(event.currentTarget.value), ...more,
  };
  return html`<div class=${`field ${className}`}>
    <label for=${id}>${label}</label>
    ${multiline ? html`<textarea ...${shared}></textarea>` : html`<input ...${shared} />`}
    ${hint && html`<small id=${`${id}-hint`}>${hint}</small>`}
    ${error && html`<small id=${`${id}-error`} class="wrong">${error}</small>`}
  </div>`;
}

/** A labelled choice. `options` are strings or `[value, text]`; `onValue` gets the value. */
export function Select({ label, hint, options, value, onValue, className = "", ...more }) {
  const id = useId();
  return html`<div class=${`field ${className}`}>
    <label for=${id}>${label}</label>
    <select id=${id} value=${value} aria-describedby=${hint ? `${id}-hint` : undefined}
      onChange=${(event) => onValue(event.currentTarget.value)} ...${more}>
      ${options.map((option) => {
        const [one, text] = Array.isArray(option) ? option : [option, option];
        return html`<option key=${one} value=${one} selected=${one === value}>${text}</option>`;
      })}
    </select>
    ${hint && html`<small id=${`${id}-hint`}>${hint}</small>`}
  </div>`;
}
