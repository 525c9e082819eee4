// The search for a lobby by its id.
import { html, useState } from "../../core/html.js";
import { Field } from "../../core/components.js";

const form = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** The first id in a text, as the service writes it, or null. */
export const idIn = (text) => form.exec(text)?.[0].toLowerCase() ?? null;

/** A field for a lobby's id: `onLobby` gets the id as soon as it is complete. */
export function FindLobby({ onLobby }) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState(null);
  const type = (typed) => {
    const id = idIn(typed);
    setText(id ? "" : typed);
    setWrong(null);
    if (id) onLobby(id);
  };
  const submit = (event) => {
    event.preventDefault();
    setWrong("A lobby's id has 32 hexadecimal digits in 5 groups. Paste all of it.");
  };
  return html`<form class="find" role="search" onSubmit=${submit}>
    <${Field} label="Find a lobby" type="search" placeholder="Paste its id" value=${text}
      error=${wrong} onValue=${type} /></form>`;
}
