"""Robots with their true values, computed before a soak begins: interpreted, and a few with fifty digits.

Nothing here is compiled: what the soak compares with never went through LLVM, machine code or the cache on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import strobe
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars.precise import PreciseSystem

Array = np.ndarray
Arrays = Mapping[str, Array]

STATES = 48
TIMES = np.linspace(0.0, 0.002, 3)
PRECISE = 1e-11  # of a value's size: what interpreted float64 may be off the fifty digits

ARMS = ("planar2", "stanford", "puma560", "ur5", "panda", "spherical3")
SOLVED = ("stanford", "puma560", "ur5", "panda")  # their hand has a pose of its own for inverse kinematics
SMALL = ("planar2", "planar3")  # arms whose equations fit on a page

EDITS: dict[str, Callable[[Robot], Robot]] = {
    "as it is": lambda robot: robot,
    "with a payload": lambda robot: robot.with_payload(1.25, (0.02, 0.0, 0.05)),
    "with its first joint locked": lambda robot: robot.lock({robot.joint_names[0]: 0.3}),
    "upside down": lambda robot: robot.with_gravity((0.0, 0.0, 9.81)),
}

QUANTITIES: dict[str, tuple[str, ...]] = {  # and the arrays that they are asked with
    "inverse_dynamics": ("q", "qd", "qdd"),
    "forward_dynamics": ("q", "qd", "tau"),
    "inverse_dynamics_derivatives": ("q", "qd", "qdd"),
    "mass_matrix": ("q",),
    "coriolis_matrix": ("q", "qd"),
    "bias": ("q", "qd"),
    "gravity": ("q",),
    "forward_kinematics": ("q",),
    "jacobian": ("q",),
}


@dataclass(frozen=True)
class Subject:
    """A robot, states of it, and what every call at these states must give."""

    name: str
    edit: str
    robot: Robot  # interpreted
    states: Arrays  # q, qd, qdd, tau: (STATES, n)
    values: Arrays  # by quantity: (STATES, ...)
    motion: Array  # coefficients of the motion through the first three positions
    run: Array  # positions of a short simulation from the first state
    code: str  # the C text of inverse dynamics
    text: str  # the equations of a small robot as it is, else nothing

    def fresh(self) -> Robot:
        """The robot loaded and edited again, with nothing compiled."""
        return EDITS[self.edit](strobe.load(self.name))

    def __str__(self) -> str:
        return f"{self.name} {self.edit}"


def subjects(names: tuple[str, ...] = (*ARMS, "planar3")) -> list[Subject]:
    """Every robot under every edit."""
    return [subject(name, edit) for name in names for edit in EDITS]


def subject(name: str, edit: str) -> Subject:
    """One robot with its true values; those of its first state are held against fifty digits."""
    robot = Robot(EDITS[edit](strobe.load(name)).model, compiled=False)
    q, qd, qdd = robot.random_state(seed=sum(map(ord, name + edit)), batch=STATES)
    states = {"q": q, "qd": qd, "qdd": qdd, "tau": robot.inverse_dynamics(q, qd, qdd)}
    values = {quantity: value(robot, quantity, states) for quantity in QUANTITIES}
    _require_precise(robot, states, values)
    as_it_is = edit == next(iter(EDITS))
    text = str(robot.equations()) if name in SMALL and as_it_is else ""
    return Subject(
        name, edit, robot, states, values, planned(robot, q), simulated(robot, q, qd), c_text(robot), text
    )


def value(robot: Robot, quantity: str, states: Arrays, **options: Any) -> Array:
    """A quantity at states, what comes in parts put together."""
    found = getattr(robot, quantity)(*(states[name] for name in QUANTITIES[quantity]), **options)
    return np.stack(found, axis=-3) if isinstance(found, tuple) else found


def planned(robot: Robot, q: Array) -> Array:
    """The polynomials of a motion through three positions."""
    return robot.plan(q[:3], velocity=1.0, acceleration=2.0).coefficients


def simulated(robot: Robot, q: Array, qd: Array) -> Array:
    """Where a robot is after milliseconds without torques."""
    return robot.simulate(q[0], 0.1 * qd[0], np.zeros(robot.n), TIMES, step=1e-4).q


def c_text(robot: Robot) -> str:
    """Everything that an export to C writes."""
    return "\n".join(map(str, robot.export("inverse_dynamics").files.values()))


def _require_precise(robot: Robot, states: Arrays, values: Arrays) -> None:
    """The reference itself, at one state, against the same functions over fifty digits."""
    for quantity in ("inverse_dynamics", "forward_dynamics", "mass_matrix"):
        exact = _precise(robot, quantity, {name: states[name][0] for name in QUANTITIES[quantity]})
        found = values[quantity][0].ravel()
        if np.abs(found - exact).max() > PRECISE * np.abs(exact).max():
            raise AssertionError(f"{quantity} of {robot.name}, interpreted, is not what fifty digits give.")


def _precise(robot: Robot, quantity: str, state: Arrays) -> Array:
    system = PreciseSystem()
    given = {name: [system.number(float(x)) for x in row] for name, row in state.items()}
    found = Request(quantity).evaluate(robot.model.lift(system), **given)
    return np.array([float(system.lower(x)) for x in _flat(found)])


def _flat(values: Any) -> Iterator[Any]:
    for entry in values:
        if isinstance(entry, list | tuple):
            yield from _flat(entry)
        else:
            yield entry
