// Marks on the map that would overlap, and the labels that have room.

/** @typedef {{x: number, y: number, region: object}} Mark in pixels */

/**
 * Marks that are closer than `gap` pixels to the first of a cluster belong to it.
 * @param {Mark[]} marks the most important ones first
 * @returns {{x: number, y: number, members: Mark[]}[]}
 */
export function clustersOf(marks, gap) {
  const clusters = [];
  for (const mark of marks) {
    const near = clusters.find(({ x, y }) => Math.hypot(x - mark.x, y - mark.y) < gap);
    if (near) near.members.push(mark);
    else clusters.push({ x: mark.x, y: mark.y, members: [mark] });
  }
  return clusters;
}

/**
 * A cluster's marks in a circle around its middle, if no zoom separates them.
 * @returns {{x: number, y: number, members: Mark[]}[]} one for each mark
 */
export function fannedOut({ x, y, members }, gap) {
  if (members.length === 1) return [{ x, y, members }];
  const radius = Math.max(gap, (gap * members.length) / (2 * Math.PI));
  return members.map((mark, index) => {
    const turn = (2 * Math.PI * index) / members.length;
    return { x: x + radius * Math.cos(turn), y: y + radius * Math.sin(turn), members: [mark] };
  });
}

/** The radius of a mark that stands for `count` regions, in pixels. */
export const radiusOf = (count) => (count === 1 ? 4.5 : 8 + Math.min(8, Math.log2(count)));

const letter_width = 6.6;
const line_height = 14;
const overlap = (one, other) => one.left < other.right && other.left < one.right
  && one.top < other.bottom && other.top < one.bottom;

const boxAt = (left, middle, width) => ({ left, right: left + width,
  top: middle - line_height / 2, bottom: middle + line_height / 2 });

/**
 * Where labels are: right of their mark, or else left of it, and nowhere if they would cover
 * another label or mark or leave the map.
 * @param {{x: number, y: number, radius: number, text: string, isFirst?: boolean}[]} marks the most
 *   important ones first, except for the one with `isFirst`; an empty text has no label
 * @param {{width: number, height: number}} size the map's
 * @param {{left: number, right: number, top: number, bottom: number}[]} obstacles
 * @returns {Map<number, {x: number, y: number, anchor: "start"|"end"}>} by the mark's index
 */
export function labelsOf(marks, { width, height }, obstacles = []) {
  const taken = marks.map(({ x, y, radius }) => ({ left: x - radius, right: x + radius,
    top: y - radius, bottom: y + radius })).concat(obstacles);
  const labels = new Map();
  const order = [...marks.keys()].sort((one, other) =>
    Number(marks[other].isFirst ?? false) - Number(marks[one].isFirst ?? false));
  order.forEach((index) => {
    const { x, y, radius, text } = marks[index];
    if (!text || y < line_height / 2 || y > height - line_height / 2) return;
    const room = text.length * letter_width;
    for (const side of [1, -1]) {
      const start = x + side * (radius + 3);
      const box = boxAt(side > 0 ? start : start - room, y, room);
      const isFree = box.left >= 0 && box.right <= width
        && !taken.some((other, n) => n !== index && overlap(box, other));
      if (!isFree) continue;
      taken.push(box);
      labels.set(index, { x: start, y: y + 4, anchor: side > 0 ? "start" : "end" });
      return;
    }
  });
  return labels;
}
