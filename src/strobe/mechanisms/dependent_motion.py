"""A motion of a closed chain from that of the joints that lead it.

Positions are followed instant by instant, each guessed from the one before, q + T Δq_a, and then closed with the
leading joints held: so the chain stays in the same way of being put together. Rates and accelerations follow from
those of the leading joints. [see `following`]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked, in_precision, precision
from strobe.errors import ArgumentError, ShapeError
from strobe.mechanisms.dependent_rates import Following, complete
from strobe.mechanisms.loop_closure import assemble
from strobe.mechanisms.mobility import dofs_of, drivers
from strobe.robot import Robot, require_robot

Array = np.ndarray


def led(
    robot: Robot, q_a: Any, qd_a: Any, qdd_a: Any, start: Any, actuated: Sequence[str] | None = None
) -> tuple[Array, Array, Array]:
    """q (T, nq), qd and qdd (T, n) of all joints from those (T, m) of the joints that lead, near a position (nq,).

    ``actuated`` names them in the order of the columns, those of the model if none are named; each has one degree
    of freedom.
    """
    require_robot(robot)
    names = leaders(robot, actuated)
    given = {"q_a": q_a, "qd_a": qd_a, "qdd_a": qdd_a}
    places, rates, accelerations = (_columns(name, x, names) for name, x in given.items())
    q = _positions(robot, names, places, robot.position(start))
    led_by = [dict(zip(names, np.moveaxis(x, -1, 0), strict=True)) for x in (rates, accelerations)]
    return in_precision((q, *complete(robot, q, *led_by)), precision(*given.values()))


def leaders(robot: Robot, actuated: Sequence[str] | None = None) -> tuple[str, ...]:
    """The joints that lead, refused where they cannot, or where one has several degrees of freedom."""
    names = drivers(robot, actuated)
    for joint in robot.coordinates.joints:
        if joint.name in names and joint.nv != 1:
            raise ArgumentError(
                f'joint "{joint.name}" has {joint.nv} degrees of freedom; only joints with one lead a motion.'
            )
    return names


def _columns(name: str, value: Any, names: Sequence[str]) -> Array:
    """Numbers (T, m), one column for each joint that leads."""
    why = f"{', '.join(names)} lead, one column each"
    columns = checked(name, value, (len(names),), why).astype(float)
    if columns.ndim != 2:
        raise ShapeError(name, columns.shape, f"(T, {len(names)})", why)
    return columns


def _positions(robot: Robot, names: Sequence[str], places: Array, start: Array) -> Array:
    own = dofs_of(robot, names)
    numbers = [joint.q for name in names for joint in robot.coordinates.joints if joint.name == name]
    found, here = np.empty((len(places), robot.nq)), assemble(robot, start)
    for k, place in enumerate(places):
        step = Following(robot, here, own).T @ (place - here[numbers])
        guess = robot.integrate(here, step)
        here = assemble(robot, guess, dict(zip(names, place.tolist(), strict=True)))
        found[k] = here
    return found
