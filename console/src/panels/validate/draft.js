// The text in the editor, kept for this tab until it is closed.

const draft_limit = 256 * 1024;

const keyOf = (kind) => `matchcloud.validate.${kind}`;

/**
 * The draft of a kind, if it began with `example`.
 * @param {string|null} example an example's id; null accepts any
 * @returns {{example: string, text: string}|null}
 */
export function keptDraft(kind, example) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(keyOf(kind)));
    if (typeof kept?.text !== "string" || typeof kept.example !== "string") return null;
    return example === null || kept.example === example ? kept : null;
  } catch {
    return null;
  }
}

/** Keeps a text of at most 262,144 characters; a longer one is not kept. */
export function keepDraft(kind, example, text) {
  try {
    if (text.length > draft_limit) sessionStorage.removeItem(keyOf(kind));
    else sessionStorage.setItem(keyOf(kind), JSON.stringify({ example, text }));
  } catch {
    // A browser without space keeps nothing. The text is still in the editor.
  }
}
