"""What closed chains leave free: how many freedoms there are, and which joints can drive them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strobe.errors import ArgumentError, counted
from strobe.robot import Robot

Array = np.ndarray
SAMPLES = 5  # closed states at which generic ranks are looked at
LEAST = 1e-9  # a singular value below this part of the largest is rounding


def freedoms(robot: Robot) -> int:
    """The degrees of freedom that closed chains leave, at positions that nothing singles out."""
    return robot.nv - max(rank(K) for K in _samples(robot))


def rank(K: Array) -> int:
    values = np.linalg.svd(K, compute_uv=False)
    return int((values > LEAST * values.max(initial=0.0)).sum())


def _samples(robot: Robot) -> Array:
    """K at some closed positions."""
    return robot.kept("loop samples", lambda: robot.loop_jacobian(robot.random_state(7, SAMPLES)[0]))


def require_actuation(robot: Robot, actuated: Sequence[str]) -> tuple[str, ...]:
    """The joints that drive a closed chain, refused where they are too few, too many, or leave something loose."""
    key = "actuation", tuple(actuated)
    return robot.kept(key, lambda: _checked(robot, tuple(actuated)))


def _checked(robot: Robot, actuated: tuple[str, ...]) -> tuple[str, ...]:
    free = freedoms(robot)
    driven = [j.v + k for j in robot.coordinates.joints if j.name in actuated for k in range(j.nv)]
    if len(driven) != free:
        word, named = "few" if len(driven) < free else "many", ", ".join(actuated) or "none"
        raise ArgumentError(
            f"the closed chains of {robot.name} leave {counted(free, 'freedom')}; the actuated joints ({named}) are "
            f"too {word}. Name as many as there are freedoms: actuated=[…] (joints: {', '.join(robot.joint_names)})."
        )
    rest = [k for k in range(robot.nv) if k not in driven]
    if max(rank(K[:, rest]) for K in _samples(robot)) < len(rest):
        raise ArgumentError(
            f"{', '.join(actuated)} cannot drive {robot.name}: with them held still, other joints can move. "
            "Choose other actuated joints."
        )
    return actuated
