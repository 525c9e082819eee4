// How the map is zoomed and moved: by wheel, pinch and drag.
import { useEffect, useRef, useState } from "../../core/html.js";
import { panned, whole, zoomed } from "./view.js";

const click_px = 4;
const wheel_factor = 1.0015;

/**
 * @param {{current: Element}} element the map's, as large as `size` but for the browser's rounding
 * @param {import("./view.js").Size|null} size
 * @returns {{view: import("./view.js").View, setView: Function, pointer: object,
 *   isDrag: () => boolean}} `pointer` are the listeners for the element; `isDrag` says whether the
 *   click that is handled now ended a drag
 */
export function useView(element, size) {
  const [view, setView] = useState(whole);
  const pointers = useRef(new Map());
  const dragged = useRef(false);
  const width = useRef(0);
  useEffect(() => {
    if (!size) return;
    const ratio = width.current ? size.width / width.current : 1;
    width.current = size.width;
    if (ratio === 1) return;
    setView(({ k, x, y }) => panned({ k, x: x * ratio, y: y * ratio }, 0, 0, size));
  }, [size?.width]);

  const pointOf = ({ clientX, clientY }) => {
    const box = element.current.getBoundingClientRect();
    return [clientX - box.left, clientY - box.top].map((at) => (at * size.width) / box.width);
  };
  const down = (event) => {
    if (event.button !== 0 || !size) return;
    if (pointers.current.size === 0) dragged.current = false;
    const at = pointOf(event);
    pointers.current.set(event.pointerId, { at, from: at });
  };
  const move = (event) => {
    const one = pointers.current.get(event.pointerId);
    if (!one) return;
    const [before, at] = [one.at, pointOf(event)];
    if (!dragged.current) {
      if (Math.hypot(at[0] - one.from[0], at[1] - one.from[1]) < click_px) return;
      dragged.current = true;
      element.current.setPointerCapture(event.pointerId);
    }
    one.at = at;
    const [other] = [...pointers.current.values()].filter((pointer) => pointer !== one);
    if (!other) {
      setView((now) => panned(now, at[0] - before[0], at[1] - before[1], size));
      return;
    }
    const apart = (point) => Math.max(1, Math.hypot(point[0] - other.at[0],
      point[1] - other.at[1]));
    const middle = (point) => [0, 1].map((axis) => (point[axis] + other.at[axis]) / 2);
    const [from, to] = [middle(before), middle(at)];
    setView((now) => panned(zoomed(now, apart(at) / apart(before), from, size), to[0] - from[0],
      to[1] - from[1], size));
  };
  const up = (event) => pointers.current.delete(event.pointerId);
  const wheel = (event) => {
    // If the whole map is in view, zooming out leaves the wheel to the page.
    if (!size || (view.k === 1 && event.deltaY > 0)) return;
    event.preventDefault();
    const factor = wheel_factor ** -(event.deltaMode === 1 ? event.deltaY * 40 : event.deltaY);
    const at = pointOf(event);
    setView((now) => zoomed(now, factor, at, size));
  };
  return { view, setView, isDrag: () => dragged.current, pointOf,
    pointer: { onPointerDown: down, onPointerMove: move, onPointerUp: up, onPointerCancel: up,
      onWheel: wheel } };
}
