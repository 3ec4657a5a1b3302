"""Three dimensions on paper: where one looks from, and the scale and place that fill an area.

A view is the direction towards the viewer, by azimuth (from x towards y) and elevation above the x-y plane. Its
axes are the rows right, up and towards the viewer; projection is parallel, so that lengths compare.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from strobe.errors import ArgumentError, nearest
from strobe.models.arguments import require_text

Array = np.ndarray

NAMED = {
    "front": (0.0, 0.0),  # the robot looks at the reader: y to the right, z up
    "side": (-90.0, 0.0),  # x to the right, z up
    "top": (-90.0, 90.0),  # x to the right, y up
    "iso": (-45.0, math.degrees(math.asin(1 / math.sqrt(3)))),  # all three axes equally long
}
TRIED = [(azimuth, 22.0) for azimuth in (-60.0, -35.0, 35.0, 60.0, -48.0, 48.0, -25.0, 25.0)]


@dataclass(frozen=True)
class View:
    """Where one looks from, in degrees."""

    azimuth: float
    elevation: float

    @classmethod
    def read(cls, text: str) -> View:
        """A view by name, or by azimuth and elevation: ``iso``, ``-60,25``."""
        name = require_text("view", text, "a name, or azimuth and elevation").strip().lower()
        if name in NAMED:
            return cls(*NAMED[name])
        try:
            azimuth, elevation = (float(word) for word in name.split(","))
            if math.isfinite(azimuth) and abs(elevation) <= 90.0:
                return cls(azimuth, elevation)
        except ValueError:
            pass
        raise ArgumentError(
            f'"{text}" is not a view; expected {", ".join(NAMED)}, or azimuth and elevation in degrees such as '
            f"-60,25 (elevation from -90 to 90).{nearest(name, NAMED)}"
        )

    @classmethod
    def facing(cls, direction: Array) -> View:
        """The view in which a direction points at the viewer."""
        x, y, z = direction / np.linalg.norm(direction)
        upright = math.hypot(x, y) < 1e-9
        return cls(
            -90.0 if upright else math.degrees(math.atan2(y, x)),
            math.degrees(math.asin(max(-1.0, min(1.0, z)))),
        )

    @cached_property
    def axes(self) -> Array:
        """Right, up and towards the viewer, as rows in base axes."""
        a, e = math.radians(self.azimuth), math.radians(self.elevation)
        (ca, sa), (ce, se) = (math.cos(a), math.sin(a)), (math.cos(e), math.sin(e))
        return np.array([[-sa, ca, 0.0], [-se * ca, -se * sa, ce], [ce * ca, ce * sa, se]])

    def extent(self, points: Array) -> Array:
        """Width and height of points (k, 3) as they are seen, above zero."""
        return np.maximum(np.ptp(points @ self.axes[:2].T, axis=0), 1e-9)

    def __str__(self) -> str:
        names = [name for name, angles in NAMED.items() if angles == (self.azimuth, self.elevation)]
        return names[0] if names else f"{self.azimuth:g},{self.elevation:g}"


def clearest(starts: Array, ends: Array, points: Array) -> View:
    """Of a few usual views the one that shows the longest lines and keeps points most apart."""

    def seen(view: View) -> float:
        return _shown(view, ends - starts) + _shown(view, points[:, None, :] - points[None, :, :])

    return max((View(*angles) for angles in TRIED), key=seen)


def _shown(view: View, vectors: Array) -> float:
    """The mean share of vectors' lengths that a view shows; those that are nothing are not counted."""
    flat = vectors.reshape(-1, 3)
    long = np.linalg.norm(flat, axis=-1)
    flat, long = flat[long > 1e-9], long[long > 1e-9]
    return float(np.mean(np.linalg.norm(flat @ view.axes[:2].T, axis=-1) / long)) if len(flat) else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Screen:
    """A view at a scale, with a point of space at a point of the page; y of the page grows downwards."""

    view: View
    scale: float  # pixels per metre
    origin: Array  # (2,) where the origin of the base is on the page

    @classmethod
    def around(cls, view: View, points: Array, box: Sequence[float], least: float = 0.0) -> Screen:
        """All points inside a box (left, top, right, bottom), in its middle, at the largest scale.

        ``least`` is a length in metres that is to fit too: it bounds the scale where the points are one.
        """
        left, top, right, bottom = box
        flat = points @ view.axes[:2].T * [1.0, -1.0]
        low, high = flat.min(axis=0), flat.max(axis=0)
        size = np.maximum(high - low, max(least, 1e-9))
        scale = float(min((right - left) / size[0], (bottom - top) / size[1]))
        middle = np.array([(left + right) / 2, (top + bottom) / 2])
        return cls(view, scale, middle - scale * (low + high) / 2)

    def __call__(self, points: Array) -> Array:
        """Pixels (..., 2) of points (..., 3)."""
        return self.origin + self.vector(points)

    def vector(self, vectors: Array) -> Array:
        """Pixels (..., 2) that vectors (..., 3) in metres go to the right and down."""
        return np.asarray(vectors) @ self.view.axes[:2].T * [self.scale, -self.scale]

    def turned(self, direction: Array) -> tuple[Array, float]:
        """A unit direction on the page, 1 long where it lies in it, and how far it points at the viewer."""
        right, up, towards = self.view.axes @ np.asarray(direction)
        return np.array([right, -up]), float(towards)

    def depth(self, points: Array) -> float:
        """How near to the viewer points are in the mean."""
        return float(np.mean(np.asarray(points) @ self.view.axes[2]))
