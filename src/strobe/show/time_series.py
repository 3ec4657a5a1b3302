"""Joints over time or from pose to pose: a planned motion, a path through poses, the torques of a log."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from strobe.show.plots import Panel, small_multiples

Array = np.ndarray

WIDE = 1000  # pixels: three panels side by side
LOOKS = 500  # rows, about, that are drawn
JOINTS = 12  # at most: those that come first


def joints_figure(
    title: str, across: str, x: Array, rows: Mapping[str, Mapping[str, Array]],
    levels: Mapping[str, tuple[float, ...]] | None = None, curve: str = "the motion",
) -> str:  # fmt: skip
    """Panels of every joint side by side, by what they show and in which unit, with levels that are its limits."""
    some = np.unique(np.linspace(0, len(x) - 1, min(len(x), LOOKS)).round().astype(int))
    limits = levels or {}
    panels = [
        [
            Panel(name, unit, across, x[some], values[some], limits.get(name, ()))
            for unit, values in shown.items()
        ]
        for name, shown in list(rows.items())[:JOINTS]
    ]
    described = f"{', '.join(list(rows)[:JOINTS])} over {across}."
    if len(panels[0]) > 1:
        return small_multiples(title, described, panels, width=WIDE, curves=(curve,))
    flat = [panel for row in panels for panel in row]
    return small_multiples(title, described, _two_by_two(flat), curves=(curve,))


def _two_by_two(panels: list[Panel]) -> list[list[Panel]]:
    """Panels in two columns; a last one alone has the width of both."""
    return [panels[k : k + 2] for k in range(0, len(panels), 2)] if len(panels) > 1 else [panels]
