"""The sheet of a drawing: its measures, its heading, and how names and numbers are written on it."""

from __future__ import annotations

import numpy as np

from strobe.show.svg import Child, Element, path, polyline, titled
from strobe.show.tables import short

WIDTH = 480.0  # pixels: words stay readable where a drawing is shown 400 wide
MARGIN = 14.0
TOP = 40.0  # above a drawing, for its title
LINE = 16.0  # of text


def page(height: float, title: str, described: str, *children: Child) -> str:
    """A drawing under its title, as SVG text."""
    return titled(WIDTH, height, title, described, *children, margin=MARGIN)


def rule(y: float) -> Element:
    """A line under the heads of a table."""
    return path(polyline((MARGIN, WIDTH - MARGIN), (y, y)), class_="grid")


def brief(name: str, letters: int) -> str:
    """A name, cut where it is too long."""
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def signed(value: float) -> str:
    """A number with a minus sign of its own width."""
    return short(value).replace("-", "−")


def vector(q: np.ndarray) -> str:
    """(0.3, −0.6), four digits each."""
    return f"({', '.join(signed(float(f'{x:.4g}')) for x in q)})"
