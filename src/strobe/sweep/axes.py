"""The numbers that a sweep varies: what each is called, how long it is, and how it is given.

    {"fixed": x}                         the same in all runs
    {"values": [x, y, …]}                a grid: a cell for each
    {"uniform": [low, high]}             drawn for every run; also "limits" in place of the bounds
    {"normal": [mean, deviation]}
    {"log_uniform": [low, high]}
    {"choice": [x, y, …]}

A number stands for as many as a robot needs; a list has one for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from strobe.errors import ArgumentError, counted
from strobe.sweep.random_streams import Choice, Distribution, LogUniform, Normal, Uniform, WithTurns

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray
WIDE = {"rad": (-np.pi, np.pi), "m": (-1.0, 1.0), "": (0.0, 0.0)}  # of positions without limits
Given = Mapping[str, Any]  # one key of FORMS, and what stands there
FIXED, GRID, LIMITS = "fixed", "values", "limits"
DRAWN = ("uniform", "normal", "log_uniform", "choice")
NAMED = ("trajectory", "controller", "approximation")  # axes of labels, in the order of the grid


class Quantity(NamedTuple):
    """Something that can be varied from run to run."""

    field: str  # under which its draws are kept
    stream: int  # of random numbers, its own for ever
    size: Callable[[Robot], int] | None = None  # None: it is one number, kept as such

    def length(self, robot: Robot) -> int:
        return 1 if self.size is None else self.size(robot)

    def shape(self, robot: Robot) -> tuple[int, ...]:
        """Of what one run draws."""
        return () if self.size is None else (self.size(robot),)


QUANTITIES = {
    "state.q": Quantity("q", 0, lambda robot: robot.nq),
    "state.qd": Quantity("qd", 1, lambda robot: robot.nv),
    "state.qdd": Quantity("qdd", 2, lambda robot: robot.nv),
    "offset.q": Quantity("offset_q", 3, lambda robot: robot.nv),
    "offset.qd": Quantity("offset_qd", 4, lambda robot: robot.nv),
    "payload.mass": Quantity("payload_mass", 5),
    "payload.centre": Quantity("payload_centre", 6, lambda robot: 3),
    "simulate.torque": Quantity("torque", 7, lambda robot: robot.nv),
    "part": Quantity("part", 8),
}
"""By the table and the key of a sweep file."""


def axes(document: Mapping[str, Any]) -> dict[str, Sequence[Any]]:
    """What lies on a grid besides the robot, by name, the slowest first: labels, then numbers."""
    labelled = {
        "trajectory": [each["label"] for each in document["trajectories"]],
        "controller": [each["label"] for each in document["controllers"]],
        "approximation": document["approximations"],
    }
    numbers = {name: given[GRID] for name, given in document["quantities"].items() if GRID in given}
    return {name: values for name, values in labelled.items() if values} | numbers


def is_drawn(given: Given) -> bool:
    return any(form in given for form in DRAWN)


def row(value: Any, size: int) -> Array:
    """A number, or numbers, as so many."""
    found = np.asarray(value, dtype=float)
    if found.shape not in ((), (1,), (size,)):
        raise ArgumentError(f"there are {counted(len(value), 'number')}, expected {size}, or one for all.")
    return np.broadcast_to(found, (size,))


def distribution(name: str, given: Given, robot: Robot) -> Distribution:
    """How a quantity is drawn for a robot."""
    size = QUANTITIES[name].length(robot)
    if "choice" in given:
        return Choice(np.array([row(each, size) for each in given["choice"]]))
    form = next(form for form in DRAWN if form in given)
    if given[form] == LIMITS:
        return _within_limits(name, robot)
    first, second = (row(each, size) for each in given[form])
    if form == "normal":
        return Normal(first, second)
    return Uniform(first, second) if form == "uniform" else LogUniform(first, second)


def _within_limits(name: str, robot: Robot) -> Distribution:
    """All that a robot's limits allow; positions have a range where there are no limits."""
    if name == "state.q":
        return _positions(robot)
    limits, what = {
        "state.qd": (robot.limits.velocity, "velocity"),
        "state.qdd": (robot.limits.acceleration, "acceleration"),
        "simulate.torque": (robot.limits.effort, "effort"),
    }[name]
    if not np.isfinite(limits).all():
        raise ArgumentError(f"{robot.name} has no limits of {what} for all its joints; give the bounds.")
    return Uniform(-limits, np.asarray(limits, dtype=float))


def _positions(robot: Robot) -> Distribution:
    joints = robot.coordinates.joints
    ranges = [
        joint.range if joint.nq == 1 else WIDE[unit] for joint in joints for unit in joint.position_units
    ]
    low, high = np.array(ranges, dtype=float).reshape(-1, 2).T
    turning = tuple(slice(joint.q, joint.q + joint.nq) for joint in joints if joint.has_quaternion)
    return WithTurns(Uniform(low, high), turning) if turning else Uniform(low, high)
