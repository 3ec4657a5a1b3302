"""Where labels go: the freest place near what they name, so that no two overlap and lines stay visible."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

Array = np.ndarray

AROUND = 16  # directions that are tried
DISTANCES = (3.0, 8.0, 14.0, 22.0, 32.0, 44.0)  # pixels from what is named to the edge of its label
SPACING = 4.0  # pixels between the points that stand for a line


class Board:
    """A page with what is on it: boxes that nothing may touch, and points that are better left visible."""

    def __init__(self, left: float, top: float, right: float, bottom: float) -> None:
        self.edges = left, top, right, bottom
        self.boxes: list[tuple[float, float, float, float]] = []
        self.points: list[Array] = []

    def draw(self, line: Array) -> None:
        """Keep the place of a line (k, 2) visible."""
        for a, b in pairwise(line):
            steps = max(1, math.ceil(float(np.linalg.norm(b - a)) / SPACING))
            self.points.append(a + np.linspace(0.0, 1.0, steps + 1)[:, None] * (b - a))

    def draw_band(self, line: Array, width: float) -> None:
        """Keep the place of a broad line visible, its edges too."""
        for a, b in pairwise(line):
            along = (b - a) / max(float(np.linalg.norm(b - a)), 1e-9)
            aside = np.array([-along[1], along[0]]) * width / 2
            for side in (-1.0, 0.0, 1.0):
                self.draw(np.array([a, b]) + side * aside)

    def block(self, centre: Array, radius: float) -> None:
        """Keep a small thing visible."""
        ring = np.linspace(0.0, 2 * math.pi, 8, endpoint=False)
        self.points.append(centre + radius * np.stack([np.cos(ring), np.sin(ring)], axis=-1))
        self.points.append(centre[None])

    def place(
        self, at: Array, width: float, height: float, towards: Array | None = None, crowd: float = 6.0
    ) -> Array | None:
        """The middle of the best place for a label near a point, taken from then on; none if all are crowded.

        ``towards`` is the direction in which it should lie; ``crowd`` says how much it may hide.
        """
        dots = np.concatenate(self.points) if self.points else np.empty((0, 2))
        best, least = None, crowd
        for k in range(AROUND):
            way = np.array([math.cos(2 * math.pi * k / AROUND), math.sin(2 * math.pi * k / AROUND)])
            half = np.array([width, height]) / 2
            inset = float(min(half / np.maximum(np.abs(way), 1e-9)))  # from the middle to the edge
            off = 0.0 if towards is None else 1.2 * (1.0 - float(way @ towards))
            for distance in DISTANCES:
                middle = at + way * (inset + distance)
                cost = off + 0.09 * distance + self._hidden(dots, middle, half)
                if cost < least and self._free(middle, half):
                    best, least = middle, cost
        if best is not None:
            x, y = best
            self.boxes.append((x - width / 2, y - height / 2, x + width / 2, y + height / 2))
        return best

    def _hidden(self, dots: Array, middle: Array, half: Array) -> float:
        return float(np.sum(np.all(np.abs(dots - middle) < half + 1.5, axis=-1)))

    def _free(self, middle: Array, half: Array) -> bool:
        """Whether a box lies on the page and touches no other."""
        (x0, y0), (x1, y1) = middle - half, middle + half
        left, top, right, bottom = self.edges
        if x0 < left or y0 < top or x1 > right or y1 > bottom:
            return False
        return all(x1 <= a or x0 >= c or y1 <= b or y0 >= d for a, b, c, d in self.boxes)
