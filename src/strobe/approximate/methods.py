"""Every method by name, made for a robot and a motion: what the trade-off report looks at.

A method that cannot be had for a robot, or not within a budget of memory, says so itself when it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe import approximate
from strobe.approximate.method import NUMBER, Approximation
from strobe.approximate.recommendation import EXACT, in_bytes
from strobe.errors import ArgumentError, UnknownNameError
from strobe.models.arguments import require_texts
from strobe.robot import Robot
from strobe.trajectory.motion import Trajectory

STATE = ("q", "qd", "qdd")
STILL = 1e-12  # rad or m: a joint that moves less stands still
EVERY = 4  # instants between two at which an extrapolation computes torques
POINTS = 40  # of a motion, at which D and E are stored
VALUES = 5  # of each variable of a table, at least: as many as [Waters1979] takes
MOST_VALUES = 65
ROOM = 2**22  # bytes of a table, unless a budget says otherwise
MOST_ROWS = 2**13  # of a CMAC
LEARNED = 5000  # instants of a motion that a CMAC learns from
TILES = 2  # of a CMAC, along each variable
MARGIN = 1e-6  # rad, m and so on: beyond the range of a motion, for rounding

Make = Callable[[Robot, Trajectory, int | None], Approximation]


@dataclass(frozen=True, slots=True)
class Offer:
    """A method under a name: ``make(robot, motion, budget)`` builds it, within a budget of bytes if there is one."""

    name: str
    family: str  # exact, leaving out, extrapolation, table, fixed point
    make: Make

    def made(self, robot: Robot, motion: Trajectory, budget: int | None) -> Approximation:
        """The method; the exact one, which the others are held against, whatever it takes."""
        method = self.make(robot, motion, budget)
        if budget is not None and method.memory > budget and self.name != EXACT:
            taken, room = in_bytes(method.memory), in_bytes(budget)
            raise ArgumentError(f"it takes {taken}, more than the budget of {room}.")
        return method


def _plain(name: str, **how: Any) -> Make:
    """A method that needs nothing but the robot."""
    return lambda robot, motion, budget: getattr(approximate, name)(robot, **how)


def _locked(robot: Robot, motion: Trajectory, budget: int | None) -> Approximation:
    """The joints locked that stand still in the motion."""
    bounds = motion.extremes()
    still = np.flatnonzero(bounds.largest - bounds.least <= STILL)
    if not len(still):
        raise ArgumentError(f"every joint of {robot.name} moves in this motion: there is none to lock.")
    start = motion(0.0).q
    return approximate.LockedJoints(robot, {robot.joint_names[j]: float(start[j]) for j in still})


def _along(lookup: str) -> Make:
    return lambda robot, motion, budget: approximate.AlongTrajectory(
        robot, motion, POINTS, lookup=lookup, budget=budget
    )


def _typical(robot: Robot, motion: Trajectory, budget: int | None) -> Approximation:
    """A library that knows this motion."""
    library = approximate.TypicalTrajectories(robot, points=POINTS, derivatives=True, budget=budget)
    library.learn(motion)
    return library


def _table(name: str, kinds: Sequence[str], row: Callable[[int], int], derivatives: bool = False) -> Make:
    """A table over the range of the motion, with as many values of each variable as there is room for, 5 at least.

    ``row`` is how many numbers a point of the table has, at most, for so many joints. With derivatives a state is
    reached from the nearest point, else it lies between all around it.
    """

    def make(robot: Robot, motion: Trajectory, budget: int | None) -> Approximation:
        room = ROOM if budget is None else budget
        variables = robot.nv * len(kinds)
        numbers = row(robot.nv) * (1 + variables * derivatives)
        fitting = int((room / (NUMBER * numbers)) ** (1 / variables))
        ranges = _ranges(motion, kinds)
        return getattr(approximate, name)(
            robot, min(max(VALUES, fitting), MOST_VALUES), ranges if len(kinds) > 1 else ranges["q"],
            interpolation="nearest" if derivatives else "multilinear", derivatives=derivatives, budget=room,
        )  # fmt: skip

    return make


def _cmac(robot: Robot, motion: Trajectory, budget: int | None) -> Approximation:
    """A CMAC that has learned the motion, in as many rows as there is room for."""
    room = ROOM if budget is None else budget
    rows = max(1, min(MOST_ROWS, room // (NUMBER * (robot.nv + 1))))
    states = motion(np.linspace(0.0, motion.duration, LEARNED))
    return approximate.CMAC(robot, _ranges(motion), states=states, tiles=TILES, rows=rows, budget=room)


def _fixed(bits: int) -> Make:
    """Fixed point for the range of the motion."""
    return lambda robot, motion, budget: approximate.FixedPoint(robot, _ranges(motion), bits)


def _ranges(motion: Trajectory, kinds: Sequence[str] = STATE) -> dict[str, list[tuple[float, float]]]:
    """From where to where every joint gets: in positions, velocities, accelerations."""
    bounds = {kind: motion.extremes(STATE.index(kind)) for kind in kinds}
    return {
        kind: [
            (low - MARGIN, high + MARGIN)
            for low, high in zip(found.least.tolist(), found.largest.tolist(), strict=True)
        ]
        for kind, found in bounds.items()
    }


def _configuration_space(n: int) -> int:
    """The numbers J, C and G of so many joints."""
    return (n + 1) * n * (n + 1) // 2 + n


OFFERS = (
    Offer(EXACT, "exact", _plain("Exact")),
    Offer("without-velocity-terms", "leaving out", _plain("WithoutVelocityTerms")),
    Offer("gravity-only", "leaving out", _plain("GravityOnly")),
    Offer("reduced-interaction", "leaving out", _plain("ReducedInteraction")),
    Offer("without-distal-links", "leaving out", _plain("WithoutDistalLinks")),
    Offer("locked-joints", "leaving out", _locked),
    Offer("path-extrapolation-0", "extrapolation", _plain("PathExtrapolation", order=0, every=EVERY)),
    Offer("path-extrapolation-1", "extrapolation", _plain("PathExtrapolation", order=1, every=EVERY)),
    Offer("path-extrapolation-2", "extrapolation", _plain("PathExtrapolation", order=2, every=EVERY)),
    Offer("full-extrapolation", "extrapolation", _plain("FullExtrapolation", every=EVERY)),
    Offer("along-trajectory", "table", _along("nearest")),
    Offer("along-trajectory-in-time", "table", _along("time")),
    Offer("typical-trajectories", "table", _typical),
    Offer("complete-table", "table", _table("CompleteTable", STATE, lambda n: n)),
    Offer("cmac", "table", _cmac),
    Offer("raibert", "table", _table("Raibert", STATE[:2], lambda n: n)),
    Offer("horn-raibert", "table", _table("HornRaibert", STATE[:1], _configuration_space)),
    Offer(
        "horn-raibert-with-derivatives",
        "table",
        _table("HornRaibert", STATE[:1], _configuration_space, derivatives=True),
    ),
    Offer("fixed-point-32", "fixed point", _fixed(32)),
    Offer("fixed-point-16", "fixed point", _fixed(16)),
)
METHODS = {offer.name: offer for offer in OFFERS}


def offers(names: Sequence[str] | None = None) -> list[Offer]:
    """The methods asked for, in the order of the report and the exact torques always among them; all if None."""
    names = None if names is None else require_texts("methods", names)
    for name in names or ():
        if name not in METHODS:
            raise UnknownNameError("method", name, "the trade-off report", list(METHODS))
    return [offer for offer in OFFERS if names is None or offer.name in (*names, EXACT)]
