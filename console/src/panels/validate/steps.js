// From finding to finding, in the order of the text.

/**
 * The index of the next mark, or of the previous one; after the last one comes the first.
 * @param {{from: number}[]} marks
 * @param {number} current the index of the mark that was shown last, -1 without one
 * @param {number} position where the caret is: the search starts there unless it is at the current
 *   mark
 * @param {1|-1} by
 */
export function nextMark(marks, current, position, by) {
  if (marks.length === 0) return -1;
  const order = marks.map((_, index) => index)
    .sort((one, other) => marks[one].from - marks[other].from || one - other);
  const wrap = (at) => order[(at + order.length) % order.length];
  if (marks[current]?.from === position) return wrap(order.indexOf(current) + by);
  const ahead = order.findIndex((index) => marks[index].from > position);
  if (by > 0) return wrap(ahead < 0 ? 0 : ahead);
  const behind = order.findIndex((index) => marks[index].from >= position);
  return wrap((behind < 0 ? order.length : behind) - 1);
}
