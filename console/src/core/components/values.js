import { html } from "../html.js";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const three = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const units = ["B", "KiB", "MiB", "GiB", "TiB"];

/** Bytes in the unit in which the number is 1 to 1,023: 1.5 MiB. */
export function bytesText(bytes) {
  const n = Number(bytes);
  const power = n < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(n) / 10));
  return `${three.format(n / 1024 ** power)} ${units[power]}`;
}

/** Microseconds as us, ms or s with three digits. */
export function microsText(us) {
  if (us < 1_000) return `${three.format(us)} µs`;
  return us < 1_000_000 ? `${three.format(us / 1_000)} ms` : `${three.format(us / 1_000_000)} s`;
}

/** Seconds as the two greatest units: 3 d 4 h, 12 min 5 s. */
export function durationText(seconds) {
  const parts = [["d", 86_400], ["h", 3_600], ["min", 60], ["s", 1]];
  let left = Math.max(0, Math.round(seconds));
  const said = [];
  for (const [unit, length] of parts) {
    const n = Math.floor(left / length);
    left -= n * length;
    if (n || (unit === "s" && !said.length)) said.push(`${n} ${unit}`);
  }
  return said.slice(0, 2).join(" ");
}

/** A whole number with separators of thousands. */
export const countText = (n) => whole.format(n);

/** A number of bytes, exact in its title. Takes strings of digits too. */
export function Bytes({ n }) {
  if (n === null || n === undefined) return "–";
  return html`<span title=${`${n} bytes`}>${bytesText(n)}</span>`;
}

/** A whole number. */
export function Count({ n }) {
  return n === null || n === undefined ? "–" : countText(n);
}

/** A span of microseconds, exact in its title. */
export function Micros({ us }) {
  if (us === null || us === undefined) return "–";
  return html`<span title=${`${us} µs`}>${microsText(us)}</span>`;
}

/** A span of seconds. */
export function Duration({ seconds }) {
  return seconds === null || seconds === undefined ? "–" : durationText(seconds);
}

/** A time: RFC 3339 or ms since 1970, shown in UTC to the second, exact in its title. */
export function Time({ at }) {
  if (at === null || at === undefined) return "–";
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  const iso = date.toISOString();
  return html`<time datetime=${iso} title=${`${iso}, local time ${date.toLocaleString()}`}>${
    iso.slice(0, 19).replace("T", " ")}</time>`;
}

/** A word with a color: tone is "good", "bad", "warn" or "plain". The word alone says it all. */
export function Badge({ tone = "plain", children }) {
  return html`<span class=${`badge ${tone}`}>${children}</span>`;
}
