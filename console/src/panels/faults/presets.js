import { Play } from "lucide-preact";
import { Section, Select } from "../../core/components.js";
import { html, useState } from "../../core/html.js";
import { mayChange } from "../../core/session.js";
import { leftText } from "./injected.js";
import { KindIcon } from "./kinds.js";
import { wordsOf } from "./path.js";
import { ruleText, sameRule, spansWith, usual_s, usual_span } from "./rule.js";

/** A preset's name in words: "slow-disk" is "Slow disk". */
const titleOf = (name) => name[0].toUpperCase() + name.slice(1).replaceAll("-", " ");

function Preset({ preset, rule, left, onStart, onClear }) {
  const { name, effect, point } = preset;
  const runs = sameRule(rule, preset.rule);
  const button = runs
    ? html`<button type="button" onClick=${onClear} aria-label=${`Clear ${name}`}>Clear</button>`
    : html`<button type="button" onClick=${onStart} aria-label=${`Start ${name}`}>
      <${Play} />Start</button>`;
  return html`<li class=${runs ? "armed" : ""}>
    <header><h3>${titleOf(name)}</h3>
      ${mayChange.value && button}</header>
    <p>${effect}</p>
    <p class="faint"><${KindIcon} kind=${preset.rule.kind} /> ${ruleText(preset.rule)} ${" "}
      <code title=${wordsOf(point)}>${point}</code></p>
    ${runs && html`<p class="state">Injected, ${leftText(left)}.</p>`}
    ${rule && !runs && html`<p class="state">Replaces ${ruleText(rule)} there.</p>`}
  </li>`;
}

/**
 * Presets as cards. `onStart(preset, rule)` injects a rule at the preset's point; `onClear(point)`
 * ends it.
 */
export function Presets({ presets, points, onStart, onClear }) {
  const [lasts, setLasts] = useState(usual_span);
  const start = (preset) => () => onStart(preset, Number(lasts) === usual_s ? preset.rule
    : { ...preset.rule, lasts_s: Number(lasts) });
  const actions = mayChange.value && html`<${Select} label="Heals after" className="inline"
    options=${spansWith()} value=${lasts} onValue=${setLasts} />`;
  return html`<${Section} title="Presets" className="presets" actions=${actions}>
    <ul>${presets.map((preset) => html`<${Preset} key=${preset.name} preset=${preset}
      rule=${points.get(preset.point)?.rule} left=${points.get(preset.point)?.heals_in_s}
      onStart=${start(preset)} onClear=${() => onClear(preset.point)} />`)}</ul>
  </${Section}>`;
}
