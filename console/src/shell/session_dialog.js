import { useState } from "preact/hooks";
import { html } from "../core/html.js";
import { Dialog, Field } from "../core/components.js";
import { asking, signIn, signOut, token, tokenKind } from "../core/session.js";

function close() {
  asking.value = false;
}

function Body() {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState(null);
  const submit = (event) => {
    event.preventDefault();
    const why = signIn(text);
    setText("");
    setWrong(why);
    if (!why) close();
  };
  const forget = () => {
    signOut();
    close();
  };
  return html`<${Dialog} title="Sign in" onClose=${close}>
    ${token.value && html`<p>You are signed in with a token of the kind ${" "}
      <strong>${tokenKind.value}</strong>. <button type="button" onClick=${forget}>
        Sign out</button></p>`}
    <form onSubmit=${submit}>
      <${Field} label=${token.value ? "Another token" : "Token"} type="password" value=${text}
        onValue=${setText} error=${wrong} autofocus required
        hint=${"A viewer token can read; an admin token can also change things. "
          + "It stays in this tab only."}
      />
      <footer><button type="button" onClick=${close}>Cancel</button>
        <button type="submit" class="primary">Sign in</button></footer>
    </form>
  </${Dialog}>`;
}

/** Asks for a token, when the user wants to enter one. */
export function SessionDialog() {
  return asking.value ? html`<${Body} />` : null;
}
