"""States of closed chains: looked at before anything is computed from them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from strobe.errors import Advised, OpenLoopError
from strobe.models.loops import OPEN, conditions, scales, solved
from strobe.robot import Robot

Array = np.ndarray


def are_open(robot: Robot, off: Array) -> Array:
    """Which conditions (..., conditions) are off by more than counts as closed; what is not a number is not known."""
    return np.abs(off) > OPEN * scales_of(robot)


def scales_of(robot: Robot) -> Array:
    """What each condition (conditions,) of closed chains is measured by."""
    return robot.kept("scales of loops", lambda: np.array(scales(robot.model)))


def require_closed(robot: Robot, arrays: Mapping[str, Array]) -> None:
    """Refuse positions in which chains are open, and velocities and accelerations that would open them.

    ``arrays`` hold q, and perhaps qd and qdd (..., size); what is not a number passes, and gives none.
    """
    with np.errstate(invalid="ignore"):  # what is infinite gives no number either
        _require_closed(robot, arrays)


def _cure(call: str) -> Advised:
    return Advised(call, {call: "Give the actuated joints alone: the others follow."})


def _require_closed(robot: Robot, arrays: Mapping[str, Array]) -> None:
    q, qd, qdd = (arrays.get(name) for name in ("q", "qd", "qdd"))
    assert q is not None
    _require(robot, robot.loop_residuals(q), "is open", _cure("robot.assemble(q) closes it."))
    _require_facing(robot, q)
    if qd is None:
        return
    K = robot.loop_jacobian(q)
    speeds, size = products(K, qd), 1.0 + np.abs(qd).max(axis=-1, keepdims=True, initial=0.0)
    cure = _cure("robot.closed_velocities(q, qd) keeps it closed.")
    _require(robot, speeds / size, "opens at a speed", cure)
    if qdd is None:
        return
    size = 1.0 + np.abs(qdd).max(axis=-1, keepdims=True, initial=0.0) + size**2
    demands = products(K, qdd) + robot.loop_bias(q, qd)
    cure = _cure("robot.closed_accelerations(q, qd, qdd) keeps it closed.")
    _require(robot, demands / size, "opens at an acceleration", cure)


def _require_facing(robot: Robot, q: Array) -> None:
    """Refuse loops that are closed the wrong way round: an angle of half a turn where it should be zero."""
    cosines = robot.loop_facing(q)
    if not (cosines < 0).any():
        return
    first = np.unravel_index(int(np.argmax((cosines < 0).any(axis=-1))), cosines.shape[:-1])
    k = int(np.argmin(cosines[first]))
    loop = solved(robot.model)[k].name
    angle = math.acos(max(-1.0, float(cosines[(*first, k)])))
    cure = "robot.assemble(q) turns it round, if it can be."
    raise OpenLoopError(robot.name, loop, "turn", angle, "is open", _place(first), cure)


def _place(first: tuple[np.intp, ...]) -> str:
    return f" in state {tuple(map(int, first))}" if first else ""


def products(K: Array, rates: Array) -> Array:
    """K v of matrices and vectors, leading axes side by side."""
    return np.einsum("...ij,...j->...i", K, rates)


def _require(robot: Robot, off: Array, what: str, cure: str) -> None:
    beyond = are_open(robot, off)
    if not beyond.any():
        return
    first = np.unravel_index(int(np.argmax(beyond.any(axis=-1))), off.shape[:-1])
    worst = int(np.argmax(np.abs(off[first]) * beyond[first]))
    loop, condition = conditions(robot.model)[worst]
    raise OpenLoopError(
        robot.name, loop, condition, float(abs(off[(*first, worst)])), what, _place(first), cure
    )
