import { Badge, CopyText, Section } from "../../core/components.js";
import { addressOf } from "../../core/address.js";
import { html } from "../../core/html.js";
import { token } from "../../core/session.js";
import { plans } from "./plan_list.js";
import { sameRule } from "./rule.js";

const folder = "/usr/share/doc/matchcloud/examples/plans";

/** The command that runs a plan against this service. */
export function commandOf(name) {
  const url = addressOf("/").replace(/\/$/, "");
  const signed = token.value ? " --token-file FILE" : "";
  return `matchcloud fault run ${folder}/${name}.toml --url ${url}${signed} `
    + "--load-url $MATCHCLOUD_DATA_URL";
}

/**
 * The shipped plans, each with the command that runs it. The service itself does not know plans, so
 * their state is which of their presets are in force.
 */
export function Plans({ presets, points }) {
  const inForce = new Set(presets.filter(({ point, rule }) =>
    sameRule(points.get(point)?.rule, rule)).map(({ name }) => name));
  return html`<${Section} title="Plans" className="plans">
    <p class="faint">A plan injects faults under load, heals them and checks what clients saw. It
      runs from a command line; its faults show above, like all others. If it is killed, its faults
      heal a minute after it would have ended.</p>
    <ul>${plans.map(({ name, about, lasts, presets: injected }) => html`<li key=${name}>
      <div><h3>${name} ${injected.some((one) => inForce.has(one)) && html`<${Badge} tone="warn">
        injected now</${Badge}>`}</h3><p>${about}</p>
        <p class="faint">${[lasts.replace("s", " s"), ...injected.map((one) => `injects ${one}`)]
          .join(", ")}</p></div>
      <${CopyText} text=${() => commandOf(name)} title=${commandOf(name)}
        label=${`Copy the command of ${name}`} /></li>`)}</ul>
  </${Section}>`;
}
