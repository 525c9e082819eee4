"""Charts as SVG text: grouped horizontal bars, and lines, one below the other on a page."""
import math
from collections import namedtuple
from html import escape

WIDTH = 960
LEFT, RIGHT = 190, 230  # room for names, and for values after the plot
PLOT = WIDTH - LEFT - RIGHT
ROW, BAR = 22, 14
LINES_HEIGHT = 240
COLOURS = ("#2f6db3", "#d9822b", "#3a9a6a", "#b3476b", "#7a6cc0", "#8a7a3a", "#4a9aa8", "#777777")
INK, PALE, GRID, PAPER = "#222222", "#666666", "#dddddd", "#fcfcfa"
OVER_LINES = f'paint-order="stroke" stroke="{PAPER}" stroke-width="5"'

# A bar: `low` and `high` are the least and the greatest of its rounds, `note` follows its value.
Bar = namedtuple("Bar", "name value low high note", defaults=(None, None, ""))


def text(x, y, words, size=12, anchor="start", colour=INK, more=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
            f'fill="{colour}"{more}>{escape(str(words))}</text>')


def line(x1, y1, x2, y2, colour=GRID, width=1.0):
    return (f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" '
            f'stroke-width="{width}"/>')


def number(value):
    """A value for people: three significant digits, thousands separated."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    shown = f"{value:.{digits}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def linear_ticks(most, wanted=5):
    """Round numbers from 0 to at least `most`."""
    raw = (most or 1) / wanted
    power = 10 ** math.floor(math.log10(raw))
    step = next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= raw * 0.999)
    return [step * each for each in range(math.ceil(most / step - 1e-9) + 1 or 1)] or [0, step]


def log_ticks(low, high):
    """The powers of ten that enclose `low` to `high`, at least two of them."""
    first, last = math.floor(math.log10(low) + 1e-9), math.ceil(math.log10(high) - 1e-9)
    return [10.0 ** each for each in range(first, max(last, first + 1) + 1)]


class bars:
    """Groups of bars over one axis that begins at 0; `groups`: {label: [Bar]}."""

    def __init__(self, title, unit, groups):
        self.title, self.unit, self.groups = title, unit, groups

    def height(self):
        rows = sum(len(each) for each in self.groups.values())
        return 34 + rows * ROW + len(self.groups) * (ROW + 6) + 48

    def draw(self, top):
        every = [bar for each in self.groups.values() for bar in each]
        ticks = linear_ticks(max(max(bar.value, bar.high or 0) for bar in every))
        names = list(dict.fromkeys(bar.name for bar in every))

        def x_of(value):
            return LEFT + PLOT * value / ticks[-1]

        begin, end = top + 30, top + self.height() - 46
        yield text(20, top + 14, self.title, 15, more=' font-weight="bold"')
        for tick in ticks:
            yield line(x_of(tick), begin, x_of(tick), end)
            yield text(x_of(tick), end + 16, number(tick), 11, "middle", PALE)
        yield text(LEFT + PLOT / 2, end + 33, self.unit, 12, "middle", PALE)
        yield line(LEFT, begin, LEFT, end, PALE)
        y = begin
        for label, group in self.groups.items():
            yield text(20, y + 18, label, 12, more=f' font-style="italic" {OVER_LINES}')
            y += ROW + 4
            for bar in group:
                at = names.index(bar.name) if len(names) <= len(COLOURS) else 0
                colour = COLOURS[at]
                yield from self.row(bar, y, x_of, colour)
                y += ROW
            y += 2

    @staticmethod
    def row(bar, y, x_of, colour):
        middle = y + BAR / 2
        yield text(LEFT - 8, middle + 4, bar.name, 12, "end")
        yield (f'<rect x="{LEFT}" y="{y:.1f}" width="{max(0.5, x_of(bar.value) - LEFT):.1f}" '
               f'height="{BAR}" fill="{colour}"/>')
        if bar.low is not None and bar.high is not None:
            yield line(x_of(bar.low), middle, x_of(bar.high), middle, INK, 1.4)
            for value in (bar.low, bar.high):
                yield line(x_of(value), middle - 4, x_of(value), middle + 4, INK, 1.4)
        words = number(bar.value) + (f" · {bar.note}" if bar.note else "")
        yield text(LEFT + PLOT + 12, middle + 4, words)


class lines:
    """Lines through points; `series`: {name: [(x, y)]}. With `log`, both axes are logarithmic, and
    a dotted line shows proportional growth. `remark`: lines of text below the title."""

    def __init__(self, title, x_unit, y_unit, series, log=True, remark=()):
        self.title, self.x_unit, self.y_unit = title, x_unit, y_unit
        self.series = {name: points for name, points in series.items() if points}
        self.log, self.remark = log, tuple(remark)

    def height(self):
        return 34 + 17 * len(self.remark) + LINES_HEIGHT + 66

    def scale(self, values, begin, end):
        """Ticks for `values`, and a function that places a value between `begin` and `end`."""
        if not self.log:
            ticks = linear_ticks(max(values))
            return ticks, lambda value: begin + (end - begin) * value / ticks[-1]
        ticks = log_ticks(min(values), max(values))
        low, high = math.log10(ticks[0]), math.log10(ticks[-1])
        return ticks, lambda value: begin + (end - begin) * (math.log10(value) - low) / (high - low)

    def draw(self, top):
        begin = top + 34 + 17 * len(self.remark)
        end, left = begin + LINES_HEIGHT, 90
        right = LEFT + PLOT
        every = [point for points in self.series.values() for point in points]
        x_ticks, x_of = self.scale([x for x, _ in every], left, right)
        y_ticks, y_of = self.scale([y for _, y in every], end, begin)
        yield text(20, top + 14, self.title, 15, more=' font-weight="bold"')
        for row, words in enumerate(self.remark):
            yield text(20, top + 33 + 17 * row, words, 12, colour=PALE)
        for tick in x_ticks:
            yield line(x_of(tick), begin, x_of(tick), end)
            yield text(x_of(tick), end + 16, number(tick), 11, "middle", PALE)
        for tick in y_ticks:
            yield line(left, y_of(tick), right, y_of(tick))
            yield text(left - 8, y_of(tick) + 4, number(tick), 11, "end", PALE)
        yield text((left + right) / 2, end + 34, self.x_unit, 12, "middle", PALE)
        turned = f' transform="rotate(-90 24 {(begin + end) / 2:.1f})"'
        yield text(24, (begin + end) / 2, self.y_unit, 12, "middle", PALE, turned)
        yield line(left, end, right, end, PALE) + line(left, begin, left, end, PALE)
        if self.log:
            yield self.proportional(every, x_ticks, y_ticks, x_of, y_of)
        yield from self.curves(x_of, y_of, right, begin, end)

    @staticmethod
    def proportional(every, x_ticks, y_ticks, x_of, y_of):
        """The dotted line: from the least x and y, as far as it stays inside the plot."""
        x, y = min(x for x, _ in every), min(y for _, y in every)
        factor = min(x_ticks[-1] / x, y_ticks[-1] / y)
        end_x, end_y = x_of(x * factor), y_of(y * factor)
        return (f'<line x1="{x_of(x):.1f}" y1="{y_of(y):.1f}" x2="{end_x:.1f}" y2="{end_y:.1f}" '
                f'stroke="{PALE}" stroke-dasharray="2 4"/>'
                + text(end_x - 4, end_y - 3, "in proportion", 11, "end", PALE))

    def curves(self, x_of, y_of, right, begin, end):
        # Each name is next to the end of its line, and does not overlap other names.
        places, below = {}, begin - 15
        for name, points in sorted(self.series.items(), key=lambda each: y_of(each[1][-1][1])):
            below = places[name] = max(y_of(points[-1][1]) + 4, below + 15)
        over = max(0, below - end)
        for at, (name, points) in enumerate(self.series.items()):
            colour = COLOURS[at % len(COLOURS)]
            path = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in points)
            yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
            for x, y in points:
                yield f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3.2" fill="{colour}"/>'
            yield text(right + 10, places[name] - over, f"{name}: {number(points[-1][1])}", 12,
                       colour=colour)


def page(title, note, panels):
    """The whole SVG: `panels` (bars or lines) below a title and a note."""
    parts, y = [], 70
    for panel in panels:
        parts += panel.draw(y)
        y += panel.height() + 14
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" '
            f'viewBox="0 0 {WIDTH} {y}" font-family="DejaVu Sans, Verdana, Arial, sans-serif">')
    paper = f'<rect width="{WIDTH}" height="{y}" fill="{PAPER}"/>'
    whole = [head, paper, text(20, 30, title, 20, more=' font-weight="bold"'),
             text(20, 50, note, 11, colour=PALE), *parts, "</svg>"]
    return "\n".join(whole) + "\n"
