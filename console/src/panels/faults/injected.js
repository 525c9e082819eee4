// What is injected now, and what ends it.
import { Trash2, Zap } from "lucide-preact";
import { Name, Time } from "../../core/components.js";
import { durationText } from "../../core/components/values.js";
import { html } from "../../core/html.js";
import { linkHere, linkTo } from "../../core/router.js";
import { mayChange } from "../../core/session.js";
import { whoText } from "../audit/entry.js";
import { KindIcon } from "./kinds.js";
import { wordsOf } from "./path.js";
import { isOwn } from "./past.js";
import { ruleText, sameRule } from "./rule.js";

const entry_late_ms = 10_000;

/** A rule in words, with the game's and the token's name if they are known. */
export function Rule({ rule, names }) {
  const { game, token, ...rest } = rule;
  const named = (id, before) => id && html`, ${before} <${Name} text=${names.get(id) ?? id} />`;
  return html`<span><${KindIcon} kind=${rule.kind} /> ${ruleText(rest)}${
    named(game, "game")}${named(token, "token")}</span>`;
}

/** Who set a rule and when, as far as it is known, with a link to the audit log's entry. */
function SetBy({ at, entry, isLogRead }) {
  const by = entry && (isOwn(entry.request_id) ? "this page" : whoText(entry.who));
  return html`<small>set <${Time} at=${entry?.at ?? at} />${entry && html` by <a
    href=${linkTo("audit", { entry: entry.entry })}><${Name} text=${by} /></a>`}</small>`;
}

/** How long a rule will still be in force. */
export const leftText = (seconds) => (seconds === null ? "does not heal by itself"
  : `heals in ${durationText(seconds)}`);

function Row({ found, presets, names, isLogRead, onClear }) {
  const { point, rule, hits, passes, entry } = found;
  const preset = presets.find((one) => one.point === point && sameRule(one.rule, rule));
  return html`<li>
    <span class="what"><a href=${linkHere({ point })}>${wordsOf(point)}</a> <code
      class="faint">${point}</code><br /><${SetBy} at=${found.at}
      entry=${entry} isLogRead=${isLogRead} /></span>
    <span class="badge warn"><${Rule} rule=${rule} names=${names} /></span>
    ${preset && html`<span class="badge">preset ${preset.name}</span>`}
    <span><strong>${hits}</strong> ${hits === 1 ? "hit" : "hits"} ${" "}<span class="faint">of ${
      passes} ${passes === 1 ? "pass" : "passes"}</span></span>
    <span class="left">${leftText(found.heals_in_s)}</span>
    ${found.note && html`<small>${found.note}</small>`}
    ${mayChange.value && html`<button type="button" aria-label=${`Clear ${point}`}
      onClick=${() => onClear(point)}>Clear</button>`}
  </li>`;
}

/** The button that ends all faults. */
export function ClearAll({ onClick, disabled }) {
  return html`<button type="button" class="danger" disabled=${disabled} onClick=${onClick}>
    <${Trash2} />Clear all</button>`;
}

/** The rules in force, the last set first. `onClear(point)` ends one. */
export function Injected({ rules, ...more }) {
  if (!rules.length) {
    return html`<p class="faint"><${Zap} /> Nothing is injected.
      ${mayChange.value ? " Start a preset, or choose a point on the path." : ""}</p>`;
  }
  return html`<ul class="rules" aria-label="Rules in force">
    ${[...rules].sort((one, other) => other.at - one.at).map((found) => html`<${Row}
      key=${found.point} found=${found} ...${more} />`)}</ul>`;
}
