#!/usr/bin/env python3
"""Draws the stacks of `perf script` as a flame graph: perf script -i FILE | bench/flame.py > SVG

A box is a function, as wide as its share of the samples, above its caller. Point at a box to read
its whole name. Kernel functions are blue, others orange.
"""
import re
import sys
from html import escape

WIDTH, ROW, MARGIN = 1200, 17, 10
NARROWEST = 0.4  # pixels: a narrower box cannot be seen
CHARACTER = 6.6  # pixels
FRAME = re.compile(r"^\s+[0-9a-f]+ (.+) \(((?:[^()]|\([^()]*\))*)\)\s*$")
OFFSET = re.compile(r"\+0x[0-9a-f]+$")


class Frame:
    def __init__(self, name, kernel):
        self.name, self.kernel = name, kernel
        self.samples, self.above = 0, {}


def stacks(lines):
    """Each sample's frames, the outermost first: (function, whether it is in the kernel)."""
    stack = []
    for line in lines:
        frame = FRAME.match(line)
        if frame:
            name, where = OFFSET.sub("", frame.group(1)), frame.group(2)
            stack.append((name, "kernel" in where or where.endswith(".ko")))
        elif not line.strip() and stack:
            yield stack[::-1]
            stack = []
    if stack:
        yield stack[::-1]


def folded(lines):
    root = Frame("all", False)
    for stack in stacks(lines):
        at = root
        at.samples += 1
        for name, kernel in stack:
            at = at.above.setdefault(name, Frame(name, kernel))
            at.samples += 1
    return root


def depth(frame, fewest):
    """The number of levels of boxes with at least `fewest` samples."""
    return 1 + max((depth(each, fewest) for each in frame.above.values()
                    if each.samples >= fewest), default=0)


def boxes(frame, left, bottom, pixels, whole):
    width = frame.samples * pixels
    if width < NARROWEST:
        return
    colour = "#9db8d9" if frame.kernel else "#eeb26d"
    shown = frame.name[:max(0, int((width - 4) / CHARACTER))]
    yield (f'<g><title>{escape(frame.name)}: {100 * frame.samples / whole:.2f} %</title>'
           f'<rect x="{left:.1f}" y="{bottom}" width="{width:.1f}" height="{ROW - 1}" '
           f'fill="{colour}"/>'
           f'<text x="{left + 2:.1f}" y="{bottom + 12}">{escape(shown)}</text></g>')
    for each in sorted(frame.above.values(), key=lambda frame: frame.name):
        yield from boxes(each, left, bottom - ROW, pixels, whole)
        left += each.samples * pixels


def main():
    root = folded(sys.stdin)
    if not root.samples:
        sys.exit("flame: no stacks on stdin. Use perf record -g, and the output of perf script")
    pixels = (WIDTH - 2 * MARGIN) / root.samples
    height = depth(root, NARROWEST / pixels) * ROW + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
          f'font-family="monospace" font-size="11"><rect width="100%" height="100%" '
          f'fill="#fcfcfa"/>')
    for box in boxes(root, MARGIN, height - MARGIN - ROW, pixels, root.samples):
        print(box)
    print("</svg>")


if __name__ == "__main__":
    main()
