// Which part of the map is in view: its zoom and the place of its corner.

/** @typedef {{k: number, x: number, y: number}} View a point p of the whole map is at k * p + x */
/** @typedef {{width: number, height: number}} Size of the map in pixels */

export const most_zoom = 32;

/** @type {View} */
export const whole = { k: 1, x: 0, y: 0 };

const between = (least, n, most) => Math.max(least, Math.min(most, n));

/** The nearest view that shows nothing outside the map. */
function within({ k, x, y }, { width, height }) {
  return { k, x: between(width * (1 - k), x, 0), y: between(height * (1 - k), y, 0) };
}

/** The point of the view at a point of the whole map. */
export const seenAt = ({ k, x, y }, [px, py]) => [k * px + x, k * py + y];

/** The point of the whole map at a point of the view. */
export const wholeAt = ({ k, x, y }, [px, py]) => [(px - x) / k, (py - y) / k];

/** Zooms by a factor; the point `at` of the view stays where it is. */
export function zoomed(view, factor, at, size) {
  const k = between(1, view.k * factor, most_zoom);
  const [px, py] = wholeAt(view, at);
  return within({ k, x: at[0] - k * px, y: at[1] - k * py }, size);
}

/** Moves the view. */
export const panned = (view, dx, dy, size) =>
  within({ ...view, x: view.x + dx, y: view.y + dy }, size);

/** Puts a point of the whole map into the middle, as far as the map's edges allow. */
export const centered = ({ k }, [px, py], size) =>
  within({ k, x: size.width / 2 - k * px, y: size.height / 2 - k * py }, size);

/** Shows all of these points of the whole map, as large as possible. */
export function fitting(points, size) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys),
    Math.max(...ys)];
  const k = Math.min(size.width / Math.max(1e-6, right - left),
    size.height / Math.max(1e-6, bottom - top)) * 0.7;
  return centered({ k: between(1, k, most_zoom) }, [(left + right) / 2, (top + bottom) / 2], size);
}

/** Whether a point of the whole map is in view, and not at the very edge. */
export function isSeen(view, point, { width, height }, margin = 12) {
  const [x, y] = seenAt(view, point);
  return x >= margin && y >= margin && x <= width - margin && y <= height - margin;
}
