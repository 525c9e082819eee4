// Where requests to a plane go. The document of the data plane says it if the service knows it
// (public-url); otherwise the user types it, for this tab.
import { signal } from "../core/html.js";
import { addressOf } from "../core/address.js";
import { useQuery } from "../core/query.js";

const key = "matchcloud.data-url";
const form = /^https?:\/\/[^\s/?#]+\/?$/;
const own = /^(localhost|127\.[\d.]+|\[::1\])$/;
const anywhere = /^(0\.0\.0\.0|\[::\])$/;

/** What was typed for the data plane in this tab; null: nothing yet. */
export const typedUrl = signal(sessionStorage.getItem(key));

/** Keeps what was typed. */
export function typeUrl(text) {
  sessionStorage.setItem(key, text);
  typedUrl.value = text;
}

/** Where a service on this machine listens for players, as configured; "" if unknown. */
function listening(config) {
  const value = (name) => config?.keys?.find((one) => one.name === name)?.value;
  const [, host, port] = /^(.*):(\d+)$/.exec(String(value("listen") ?? "")) ?? [];
  // Behind a proxy, or on another machine, players have another address.
  if (!host || port === "0" || !own.test(location.hostname)) return "";
  const scheme = value("tls-cert") ? "https" : "http";
  return `${scheme}://${anywhere.test(host) ? location.hostname : host}:${port}`;
}

/**
 * @param {string} plane "ops" or "data"
 * @param {object|null} root its document
 * @returns {{base: string|null, before: string, isTold: boolean, text: string, wrong: string}}
 *   `base` is null if it is not known; all paths begin with `before`; `text` is the field's text
 */
export function usePlace(plane, root) {
  const url = root?.servers?.[0]?.url;
  const said = typeof url === "string" ? url : "";
  const isTold = plane === "ops" || /^https?:/.test(said);
  const config = useQuery(isTold || !root ? null : "/v1/config").value;
  if (/^https?:/.test(said)) return { base: said, before: "", isTold, text: said, wrong: "" };
  if (isTold) {
    const text = addressOf("/").replace(/\/$/, "");
    return { base: text, before: said, isTold, text, wrong: "" };
  }
  const text = typedUrl.value ?? listening(config);
  const isGood = form.test(text);
  return { base: isGood ? text : null, before: said, isTold, text,
    wrong: text && !isGood ? "This is not a base URL. Use one such as https://play.example." : "" };
}
