// Whether only one name is near to what was written, so that no other can be meant.

const distance_limit = 2;

const plain = (name) => name.toLowerCase().replace(/[_-]/g, "");

/** How many letters are added, removed, replaced or swapped with the next one (Damerau, OSA). */
export function distance(one, other) {
  let before = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; ++i) {
    const next = [i];
    for (let j = 1; j <= other.length; ++j) {
      const cost = one[i - 1] === other[j - 1] ? 0 : 1;
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + cost);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (isSwap) next[j] = Math.min(next[j], before[j - 2] + 1);
    }
    before = row;
    row = next;
  }
  return row[other.length];
}

/**
 * Whether `meant` is the one name of `allowed` that `written` can stand for: the same except for
 * case and dashes, or at most two letters away while every other name is further.
 */
export function isOnlyNear(written, meant, allowed) {
  const others = allowed.filter((name) => name !== meant);
  const same = (name) => plain(name) === plain(written);
  if (same(meant)) return !others.some(same);
  const far = distance(written, meant);
  if (far > Math.min(distance_limit, Math.floor(written.length / 3))) return false;
  return others.every((name) => distance(written, name) > far);
}
