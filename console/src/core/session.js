// The token of this tab. It is in sessionStorage and in memory, and nowhere else: in no URL, no
// cookie and no other tab. It is gone when the tab is closed.
import { computed, signal } from "@preact/signals";

const key = "matchcloud.token";
const form = /^mc_(admin|viewer|metrics|game|studio|player)_[0-9A-Za-z]{49}$/;
const useful = new Set(["admin", "viewer"]);

function kept() {
  const text = sessionStorage.getItem(key) ?? "";
  return form.test(text) ? text : null;
}

/** The token's text, or null without a token. Never show it. */
export const token = signal(kept());

/** "admin", "viewer" .., or null without a token. */
export const tokenKind = computed(() => (token.value ? form.exec(token.value)[1] : null));

/** Whether a user without a token has allowed this page to change things, until it is closed. */
export const changesAllowed = signal(false);

/**
 * Whether controls that change something are offered. The service decides; this only avoids 403s.
 */
export const mayChange = computed(() =>
  token.value ? tokenKind.value === "admin" : changesAllowed.value);

/** The last 401 of any request, until a token is given: an ApiError or null. */
export const refused = signal(null);

/** Whether the dialog that asks for a token is open. */
export const asking = signal(false);

/** Starts using a token. Returns null, or a sentence that says why the text cannot be a token. */
export function signIn(text) {
  const found = form.exec(text.trim());
  if (!found) {
    return "This is not a token. A token starts with mc_admin_ or mc_viewer_, followed by 49 "
      + "characters. Paste all of it, without quotes.";
  }
  if (!useful.has(found[1])) {
    return `A ${found[1]} token cannot read the ops plane. Create a viewer or an admin token: `
      + "matchcloud token create --kind viewer --name NAME";
  }
  sessionStorage.setItem(key, found[0]);
  refused.value = null;
  changesAllowed.value = false;
  token.value = found[0];
  return null;
}

/** Forgets the token, and that changes were allowed. */
export function signOut() {
  sessionStorage.removeItem(key);
  changesAllowed.value = false;
  refused.value = null;
  token.value = null;
}
