"""Whether the columns of a log agree: positions change as fast as velocities say, and these as accelerations say.

    r = Σ Δx/Δt · v / Σ v²,    v the mean of a rate over a step,    1 where all is in the units it is taken in

Degrees beside radians make r 57.3 or 1/57.3, milliseconds 1000, another sign −1. It is told only where the two are
alike in shape: where noise, few rows in a swing, or turns that begin anew at π decide, nothing is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from strobe.errors import counted

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

LEAST_ROWS = 10
ALIKE = 0.9  # the least correlation of two columns that are one motion
AGREE = (0.5, 2.0)  # between these r is told by nobody
PAIRS = {"qd": ("q", "positions", "velocities"), "qdd": ("qd", "velocities", "accelerations")}


def disagreements(robot: Robot, times: Array | None, state: Mapping[str, Array]) -> list[str]:
    """A sentence for each rate among ``state`` that is not the rate of what it should be, by the times."""
    if times is None or len(times) < LEAST_ROWS or not (np.diff(times) > 0).all():
        return []
    told = []
    for rate, (of, changing, saying) in PAIRS.items():
        if rate in state and of in state:
            with np.errstate(over="ignore", invalid="ignore"):  # numbers beyond measure say nothing
                found = _ratios(robot, np.diff(times), state, of, rate)
            if found:
                told.append(_sentence(found, changing, saying))
    return told


def _ratios(robot: Robot, steps: Array, state: Mapping[str, Array], of: str, rate: str) -> dict[str, float]:
    """r of the joints with one number in which it is far from 1."""
    found: dict[str, float] = {}
    for joint in robot.coordinates.joints:
        if joint.nq != 1:
            continue
        x, v = state[of][:, joint.q if of == "q" else joint.v], state[rate][:, joint.v]
        change, said = np.diff(x) / steps, (v[1:] + v[:-1]) / 2
        both, size, whole = change @ said, said @ said, change @ change
        if size > 0 and abs(both) > ALIKE * np.sqrt(size * whole):
            ratio = float(both / size)
            if not AGREE[0] < ratio < AGREE[1]:
                found[joint.name] = ratio
    return found


def _sentence(found: Mapping[str, float], changing: str, saying: str) -> str:
    name, ratio = next(iter(found.items()))
    others = f" (and of {counted(len(found) - 1, 'joint')} more)" if len(found) > 1 else ""
    return (
        f"the {changing} of {name}{others} change {ratio:.3g} times as fast as its {saying} say: one of them, or the "
        "times, may be in another unit than it is taken in."
    )
