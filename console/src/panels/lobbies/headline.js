// The main numbers of a game's lobbies, above everything else.
import { html } from "../../core/html.js";
import { Count, Duration, Name, Time } from "../../core/components.js";
import { linkHere } from "../../core/router.js";
import { secondsOf } from "./long_running.js";
import { timeText } from "./span.js";

function Tile({ label, value, children, tone = "" }) {
  return html`<div class=${`count-tile ${tone}`}><dt>${label}</dt><dd><strong>${value}</strong>
    <span class="faint">${children}</span></dd></div>`;
}

function Peak({ peak }) {
  return html`<${Tile} label="Peak" value=${html`<${Count} n=${peak?.running} />`}>
    ${peak && html`at once, <${Time} at=${peak.at} />`}</${Tile}>`;
}

function Longest({ long, longerText, onLong }) {
  const [worst] = long?.lobbies ?? [];
  const count = worst && html`<button type="button" class="link" onClick=${onLong}
    aria-label=${`${long.lobbies.length}${long.more ? " or more" : ""} lobbies running over ${
      longerText}: show them`}><${Count} n=${long.lobbies.length} />${long.more ? "+" : ""}
    </button>`;
  return html`<${Tile} label=${`Running over ${longerText}`} tone=${worst ? "warn" : ""}
    value=${count ?? (long ? 0 : "–")}>${worst && html`Longest:${" "}
      <a href=${linkHere({ lobby: worst.lobby_id })}><${Duration} seconds=${secondsOf(worst)} />
        , <${Name} text=${worst.region_name ?? worst.region_id} /></a>`}
  </${Tile}>`;
}

/**
 * `history` and `long` are the answers of the survey and of the long-running lobbies, or null;
 * `longerText` says how long "long" is, `onLong` shows these lobbies.
 */
export function Headline({ history, long, longerText, onLong }) {
  const started = history?.started.reduce((all, n) => all + n, 0);
  // Whole buckets are counted, and the first one may begin before the span.
  const end = history && Math.min(history.counted,
    history.start + history.started.length * history.bucket_ms);
  return html`<dl class="tiles">
    <${Tile} label="Started" value=${html`<${Count} n=${started} />`}>
      ${history && html`in <${Duration} seconds=${(end - history.start) / 1_000} />`}</${Tile}>
    <${Tile} label="Running now" value=${html`<${Count} n=${history?.running_now} />`}>
      ${history && html`at ${timeText(history.counted).slice(11)} UTC`}</${Tile}>
    <${Peak} peak=${history?.peak} />
    <${Longest} long=${long} longerText=${longerText} onLong=${onLong} />
  </dl>`;
}
