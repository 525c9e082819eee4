// What may explain the lines: starts, reloads, faults and changes of the catalog, as marks.
import { Database, Library, Power, RefreshCw, Zap } from "lucide-preact";
import { Name, Section } from "../../core/components.js";
import { html } from "../../core/html.js";
import { useQuery } from "../../core/query.js";
import { linkTo } from "../../core/router.js";
import { tokenKind } from "../../core/session.js";
import { whoText } from "../audit/entry.js";

const shown_limit = 20;
const entries = 100;
const audit_ms = 10_000;
const config_ms = 30_000;
// A process reads its configuration just before or after the time of its start.
const start_ms = 5_000;

const kinds = [
  [/^fault\.put/, Zap, "Fault set"], [/^fault\.heal/, Zap, "Fault ended by itself"],
  [/^fault\./, Zap, "Fault ended"], [/^catalog\.remove/, Library, "Removed"],
  [/^catalog\.import/, Library, "Catalog imported"], [/^catalog\./, Library, "Changed"],
  [/^game\.erase/, Database, "Game erased"], [/^demo\./, Database, "Demo data written"],
  [/^(avatars|lobbies)\.import/, Database, "Imported"],
  [/^log-levels\./, RefreshCw, "Log levels changed"],
  [/^signing-key\./, RefreshCw, "Signing key rotated"],
];

function ofEntry({ entry, at, who, action, subject, before }) {
  const kind = kinds.find(([pattern]) => pattern.test(action));
  if (!kind) return [];
  const text = action === "catalog.put" && !before ? "Added" : kind[2];
  return [{ id: `entry ${entry}`, at: Date.parse(at), icon: kind[1], text,
    of: subject?.replace(/^faults\//, ""), who: whoText(who), link: linkTo("audit", { entry }) }];
}

/**
 * The changes between two moments (ms), the newest first, at most 20: `{sign, at, text, ..}`.
 * Starts and reloads are always among them, however many changes followed.
 */
export function changesOf({ audit, replicas = [], config, from, to }) {
  const starts = replicas.map(({ replica_id: id, host, began_ms: at, version }) => ({
    id, at, icon: Power, text: "Started", of: `${host}, version ${version}`,
    link: linkTo("live", { part: "replicas" }) }));
  const mine = replicas.find(({ is_this: isThis }) => isThis);
  const read = config && Date.parse(config.read);
  const reload = mine && read > mine.began_ms + start_ms ? [{ id: "config", at: read,
    icon: RefreshCw, text: "Configuration read again", link: linkTo("configuration") }] : [];
  const seen = (changes, limit) => changes.filter(({ at }) => at >= from && at <= to)
    .sort((a, b) => b.at - a.at).slice(0, limit);
  const own = seen([...starts, ...reload], shown_limit / 2);
  const others = seen((audit?.entries ?? []).flatMap(ofEntry), shown_limit - own.length);
  const all = seen([...own, ...others], shown_limit);
  return all.map((change, index) => ({ ...change, sign: String(all.length - index) }));
}

/** The changes over the range that ends at `to`. A viewer may not read the audit log's part. */
export function useChanges({ range, to, replicas }) {
  const isSeen = tokenKind.value !== "viewer";
  const { value: audit } = useQuery(isSeen ? `/v1/audit?limit=${entries}` : null,
    { every: audit_ms });
  const { value: config } = useQuery("/v1/config", { every: config_ms });
  return changesOf({ audit, config, replicas: replicas ?? [], to: to + start_ms,
    from: to - range.seconds * 1_000 });
}

function When({ at, range }) {
  const iso = new Date(at).toISOString();
  return html`<time datetime=${iso} title=${iso}>${
    range.id === "1d" ? iso.slice(5, 16).replace("T", " ") : iso.slice(11, 19)}</time>`;
}

/** The list that explains the marks. */
export function Changes({ changes, range }) {
  return html`<${Section} title="What changed" className="changes">
    ${tokenKind.value === "viewer" && html`<p class="faint">Starts and reloads only. Sign in with an
      admin token to see faults and changes to the catalog.</p>`}
    ${changes.length === 0 && html`<p class="faint">Nothing in the last ${range.text}. Starts,
      reloads, faults and changes to the catalog are listed here and marked in the charts.</p>`}
    <ol aria-label="Changes, the newest first" tabindex="0">${changes.map((change) => html`
      <li key=${change.id}><span class="sign">${change.sign}</span>
        <${When} at=${change.at} range=${range} />
        <span><${change.icon} /><a href=${change.link}>${change.text}</a>${" "}
        ${change.of && html`<${Name} text=${change.of} />`}
        ${change.who && html`<span class="faint"> by <${Name} text=${change.who} /></span>`}</span>
      </li>`)}</ol>
  </${Section}>`;
}
