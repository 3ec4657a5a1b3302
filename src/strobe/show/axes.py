"""What a plot stands in: scales with ticks at round numbers, the places of panels, the keys of a legend.

areas, below, height = grid(count, keys)        where panels stand
x, y = area.across(times), area.upwards(values)  numbers on pixels
figure(height, title, described, legend(entries), *panels, under(below, "time (s)"))
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.show.svg import Element, circle, fill, group, line, rect, round_step, stroke, text, titled

Array = np.ndarray

WIDTH = 880  # pixels, of a figure: letters are as large as those of a table where a page shows it
NARROW = 390  # pixels: a figure up to so wide has its panels below one another
MARGIN = 16
GAP = 24  # between panels
TITLE, LEGEND = 34, 20  # heights
HEAD, FOOT, LEFT = 22, 20, 46  # of a panel, for its name and its numbers
LETTER = 6.3  # the mean width of a letter
MOST_DECADES = 5  # with a mark, on a logarithmic axis


@dataclass(frozen=True, slots=True)
class Scale:
    """Values on a stretch of pixels, with ticks at round numbers."""

    low: float
    high: float
    start: float
    end: float
    step: float

    @classmethod
    def over(
        cls, values: Iterable[Array | float], start: float, end: float, ticks: int, snug: bool = False
    ) -> Scale:
        """A scale that holds all finite values; from tick to tick, unless it is to be ``snug``."""
        flat = np.concatenate([np.empty(0), *(np.ravel(np.asarray(x, dtype=float)) for x in values)])
        flat = flat[np.isfinite(flat)]
        low, high = (float(flat.min()), float(flat.max())) if len(flat) else (0.0, 1.0)
        if high - low <= 1e-9 * max(abs(low), abs(high)):
            room = 0.1 * abs(low) or 1.0
            low, high = low - room, high + room
        step = round_step((high - low) / ticks)
        if not snug:
            low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        return cls(low, high, start, end, step)

    def __call__(self, x: Array | float) -> Array:
        return self.start + (np.asarray(x) - self.low) * ((self.end - self.start) / (self.high - self.low))

    @property
    def ticks(self) -> list[float]:
        first, last = math.ceil(self.low / self.step - 1e-9), math.floor(self.high / self.step + 1e-9)
        return [k * self.step for k in range(first, last + 1)]

    def label(self, tick: float) -> str:
        """A tick with the decimals that its neighbours need."""
        if self.step >= 1e5 or self.step < 1e-4:
            shown = f"{tick:.4g}"
        else:
            shown = f"{tick:.{max(0, -math.floor(math.log10(self.step) + 1e-9))}f}"
        return "0" if float(shown) == 0.0 else shown.replace("-", "−")

    @property
    def zero(self) -> float:
        """Where zero is; NaN where it is not to be seen."""
        return float(self(0.0)) if self.low <= 0 <= self.high else math.nan


@dataclass(frozen=True, slots=True)
class Decades:
    """Powers of ten on a stretch of pixels; what lies beyond stands at its ends."""

    low: int
    high: int
    start: float
    end: float

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float) -> Decades:
        """All positive values, from power to power."""
        found = list(values)
        low = math.floor(math.log10(min(found)) + 1e-9)
        high = math.ceil(math.log10(max(found)) - 1e-9)
        return cls(low, max(high, low + 1), start, end)

    def __call__(self, x: Array | float) -> Any:
        power = np.log10(np.maximum(x, 10.0**self.low))
        part = np.minimum((power - self.low) / (self.high - self.low), 1.0)
        return self.start + (self.end - self.start) * part

    @property
    def ticks(self) -> list[float]:
        step = -(-(self.high - self.low) // MOST_DECADES)
        return [10.0**k for k in range(self.low, self.high + 1, step)]

    def label(self, tick: float) -> str:
        return f"{tick:g}".replace("e-0", "e-").replace("-", "−")

    @property
    def zero(self) -> float:
        return math.nan


@dataclass(frozen=True, slots=True)
class Area:
    """The place of a panel in a figure, and inside it that of its curves."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        return self.x + LEFT

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def top(self) -> float:
        return self.y + HEAD

    @property
    def bottom(self) -> float:
        return self.y + self.height - FOOT

    def across(self, *values: Array | float, snug: bool = True) -> Scale:
        ticks = max(2, int((self.right - self.left) / 60))
        return Scale.over(values, self.left, self.right, ticks, snug)

    def upwards(self, *values: Array | float) -> Scale:
        return Scale.over(values, self.bottom, self.top, max(2, int((self.bottom - self.top) / 34)))

    def decades(self, values: Array, count: int) -> Decades:
        """So many powers of ten, the largest value in the uppermost."""
        largest = magnitude(values) or 1.0
        return Decades.over([largest / 10.0 ** (count - 1), largest], self.bottom, self.top)


def grid(count: int, keys: Sequence[str], whole: int = WIDTH) -> tuple[list[Area], float, float]:
    """The places of panels, the baseline of what is written below them, and the height of the figure."""
    columns = 1 if count == 1 or whole <= NARROW else 2
    width = (whole - 2 * MARGIN - (columns - 1) * GAP) / columns
    tall = 330 if count == 1 else 190
    top = TITLE + LEGEND * len(lines_of_keys(keys, whole)) + 10
    rows = -(-count // columns)
    areas = [
        Area(MARGIN + (k % columns) * (width + GAP), top + (k // columns) * (tall + 6), width, tall)
        for k in range(count)
    ]
    bottom = top + rows * (tall + 6)
    return areas, bottom + 8, bottom + 20


def lines_of_keys(keys: Sequence[str], width: int) -> list[list[tuple[float, str]]]:
    """Keys of a legend line by line, each with its place from the left."""
    lines: list[list[tuple[float, str]]] = [[]]
    x = float(MARGIN)
    for key in keys:
        wide = 22 + LETTER * len(key) + 18
        if lines[-1] and x + wide > width - MARGIN:
            lines.append([])
            x = float(MARGIN)
        lines[-1].append((x, key))
        x += wide
    return lines


def legend(entries: Sequence[tuple[str, Element]], width: int = WIDTH) -> Element:
    marks = iter(mark for _, mark in entries)
    rows = enumerate(lines_of_keys([name for name, _ in entries], width))
    return group(
        group(next(marks), text(22, 4, key), transform=f"translate({x:g} {TITLE + 8 + LEGEND * r})")
        for r, row in rows
        for x, key in row
    )


def swatch(k: int) -> Element:
    return rect(0, -6, 14, 12, rx=2, **fill(k))


def dash(look: int | str) -> Element:
    dashed = {"class_": "sum", "stroke_dasharray": "5 4", "stroke_width": 1}
    style = dashed if look == "limit" else {"class_": look} if isinstance(look, str) else stroke(look)
    return line(0, 0, 16, 0, **({"stroke_width": 2} | style))


def dot() -> Element:
    return circle(8, 0, 3, **fill(1))


def under(y: float, label: str, width: int = WIDTH) -> Element:
    return text(width / 2, y, label, anchor="middle", class_="muted")


def figure(height: float, title: str, described: str, *parts: object, width: int = WIDTH) -> str:
    return titled(width, height, title, described, *parts, margin=MARGIN)


def magnitude(values: Array) -> float:
    """The largest magnitude among the finite values."""
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
