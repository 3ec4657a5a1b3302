"""The zero moment point from above: its path, that of the centre of mass, and the soles it must stay in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from strobe.show.plots import plane_plot

if TYPE_CHECKING:
    from strobe.mechanisms.walking import Walk

Array = np.ndarray


def zmp_figure(title: str, soles: Sequence[Array], zmp: Array, center: Array) -> str:
    """Paths (T, 2) of the zero moment point and of the centre of mass over soles (K, 2)."""
    described = (
        f"Seen from above: the path of the zero moment point and that of the centre of mass over "
        f"{len(soles)} places of soles."
    )
    curves = {"zero moment point": zmp, "centre of mass": center}
    return plane_plot(title, described, soles, curves, name="soles")


def walk_figure(walk: Walk, title: str = "") -> str:
    """A walk: every place where a foot stands, and the two paths."""
    t, ground = walk.ground()
    corners = {foot.frame: np.array([(*corner, 1.0) for corner in foot.sole]) for foot in walk.feet}
    soles = [
        (corners[foot] @ phase.after[foot].T)[:, :2]
        for k, phase in enumerate(walk.phases)
        for foot in (phase.standing if k == 0 else [phase.swing] if phase.swing else [])
    ]
    name = walk.robots[walk.feet[0].frame].name
    title = title or f"{name} walks: {len(soles) - 2} steps in {walk.motion.duration:.3g} s"
    return zmp_figure(title, soles, ground.zmp[:, :2], walk.center_of_mass(t)[:, :2])
