import { html } from "../html.js";
import { Name } from "./name.js";

function flat(value, path = "", into = new Map()) {
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value)) {
      flat(inner, path ? `${path}.${name}` : name, into);
    }
  } else if (value !== undefined) {
    into.set(path, JSON.stringify(value));
  }
  return into;
}

/**
 * What differs between two JSON values, by member: `{path, before, after}` with JSON texts,
 * undefined if the member is missing. Objects are compared by member, lists as a whole.
 */
export function differences(before, after) {
  const [old, now] = [flat(before ?? {}), flat(after ?? {})];
  const paths = [...new Set([...old.keys(), ...now.keys()])];
  return paths.map((path) => ({ path, before: old.get(path), after: now.get(path) }))
    .filter((member) => member.before !== member.after);
}

function Value({ text, tone, absent }) {
  if (text === undefined) return html`<td><span class="faint">${absent}</span></td>`;
  return html`<td class=${tone}><code><${Name} text=${text} /></code></td>`;
}

/** A table of `differences`; says so if there are none. */
export function MemberDiff({ before, after, caption = "What changes" }) {
  const found = differences(before, after);
  if (!found.length) return html`<p class="faint">No differences.</p>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${caption}>
    <table class="diff"><caption class="unseen">${caption}</caption>
      <thead><tr><th scope="col">Member</th><th scope="col">Old</th><th scope="col">New</th></tr>
      </thead>
      <tbody>${found.map((member) => html`<tr key=${member.path}>
        <th scope="row"><code><${Name} text=${member.path} /></code></th>
        <${Value} text=${member.before} tone="old" absent="not set" />
        <${Value} text=${member.after} tone="new" absent="removed" /></tr>`)}</tbody>
    </table></div>`;
}
