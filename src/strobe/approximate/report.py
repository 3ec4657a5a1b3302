"""The trade-off report: every way to have the torques of one motion, what each costs and how far off it is.

    found = trade_off(robot, motion)
    print(found.recommendation)
    found.rows["without-velocity-terms"].largest       # (n,) N m or N

Errors are taken at instants evenly spaced over the motion, against the robot's own inverse dynamics; relative ones
are shares of the largest torque of the joint. Times are per state: in one call for a batch of them, and in calls on
one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from strobe.approximate.method import Approximation, Formula, Operations
from strobe.approximate.methods import Offer, offers
from strobe.approximate.recommendation import by_work, on_tables, pareto, recommendation, rule
from strobe.compiler.runtime.timing import BATCH, ROUND, SINGLES, Way, best_times
from strobe.errors import ArgumentError, UnsupportedModelError, shown
from strobe.models.arguments import require_above
from strobe.robot import Robot, require_robot
from strobe.show.json_text import json_text
from strobe.show.sheet import Column, Sheet, Table, by_joint, displayed, facts, number, numbered
from strobe.trajectory.files import in_order
from strobe.trajectory.motion import State, Trajectory

Array = np.ndarray
Tracking = Callable[[Approximation], float | None]

SAMPLES = 1000  # instants of the motion
WITHIN = 0.01  # of a joint's largest torque: what counts as good enough
SECONDS = 1.0  # of timing, all methods together
LEAST = 1e-9  # of the robot's largest torque: a joint with less has no torque to speak of


@displayed
@dataclass(frozen=True, eq=False)
class Row:
    """One method on one motion: what it costs, and how far off it is, joint by joint."""

    name: str
    title: str
    family: str
    memory: int  # bytes
    operations: Operations
    ns: float | None  # per state of a batch; None where a call imitates another processor
    single_ns: float | None  # of a call on one state; None where states must follow one another
    preparation: float  # seconds
    rms: Array  # (n,) N m or N
    largest: Array  # (n,)
    scale: Array  # (n,) the largest torques of the motion
    notes: tuple[str, ...] = ()
    tracking: float | None = None  # what a controlled arm strays with it, where that was asked

    @property
    def relative_rms(self) -> Array:
        return self.rms / self.scale

    @property
    def relative(self) -> Array:
        """(n,) the largest errors as shares of the joints' largest torques."""
        return self.largest / self.scale

    @property
    def error(self) -> float:
        """The largest share among all joints: what methods are compared by."""
        return float(self.relative.max())

    @property
    def work(self) -> int:
        """Operations of every kind and look-ups, each counted once."""
        return sum(getattr(self.operations, name) for name in self.operations.__dataclass_fields__)

    def _sheet(self) -> Sheet:
        known = {"error": f"{self.error:.3g} of the largest torque", **self._costs()}
        columns = [
            Column("rms error", self.rms, "N m or N"),
            Column("largest error", self.largest, "N m or N"),
        ]
        table = by_joint(numbered("", len(self.rms)), columns)
        return Sheet(f"{self.title} ({self.name})", [facts(known), table, *self.notes])

    def _costs(self) -> dict[str, Any]:
        return {
            "memory": f"{self.memory:,} bytes",
            "operations": self.work,
            "per state": None if self.ns is None else f"{number(round(self.ns, 1))} ns",
            "preparation": f"{self.preparation:.2g} s",
        }

    def told(self) -> dict[str, Any]:
        """The row as plain data."""
        operations = self.operations
        found = {
            "title": self.title, "family": self.family, "memory": self.memory,
            "operations": {name: getattr(operations, name) for name in operations.__dataclass_fields__},
            "ns": self.ns, "single_ns": self.single_ns, "preparation": self.preparation, "error": self.error,
            "rms": self.rms, "largest": self.largest, "relative_rms": self.relative_rms, "relative": self.relative,
            "notes": list(self.notes),
        }  # fmt: skip
        return found if self.tracking is None else found | {"tracking": self.tracking}


@displayed
@dataclass(frozen=True, eq=False)
class TradeOff:
    """Every method side by side; those that cannot be had with the reason."""

    robot: str
    joints: tuple[str, ...]
    motion: str  # how it was planned
    duration: float  # seconds
    samples: int
    scale: Array  # (n,) the largest torque of every joint along the motion
    rows: Mapping[str, Row]
    refused: Mapping[str, str]
    within: float
    budget: int | None

    @property
    def pareto(self) -> list[str]:
        """The methods that no other beats in memory, time and error at once."""
        return pareto(self.rows.values())

    @property
    def rule(self) -> str:
        """What the recommendation follows from."""
        return rule(self.within, self.budget)

    @property
    def recommendation(self) -> str:
        return recommendation(self.rows, self.within, self.budget)

    @property
    def by_work(self) -> str | None:
        """What takes the fewest operations, where that is something else."""
        return by_work(self.rows, self.within, self.budget)

    @property
    def on_tables(self) -> str | None:
        """Whether tables still pay; None where none was looked at."""
        return on_tables(self.rows, self.within)

    def _sheet(self) -> Sheet:
        motion = f"a {self.motion} motion of {number(self.duration)} s"
        head = f"{len(self.rows)} ways to the torques of {self.robot} along {motion}"
        rows = [[name, f"{row.error:.2g}", *row._costs().values()] for name, row in self.rows.items()]
        table = Table(["method", "error (share)", "memory", "operations", "per state", "preparation"], rows)
        said = [self.recommendation, *(f"without {name}: {why}" for name, why in self.refused.items())]
        return Sheet(head, [table, *said], self._figure)

    def _figure(self) -> str:
        from strobe.approximate.figure import trade_off_figure

        return trade_off_figure(self.told())

    def told(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "robot": self.robot,
            "joints": list(self.joints),
            "motion": self.motion,
            "duration": self.duration,
            "samples": self.samples,
            "largest_torque": self.scale,
            "within": self.within,
            "budget": self.budget,
            "methods": {name: row.told() for name, row in self.rows.items()},
            "refused": dict(self.refused),
            "pareto": self.pareto,
            "rule": self.rule,
            "recommendation": self.recommendation,
            "by_work": self.by_work,
            "on_tables": self.on_tables,
        }

    def to_json(self) -> str:
        return json_text(self.told())


def trade_off(
    robot: Robot, motion: Trajectory, methods: Sequence[str] | None = None, budget: int | None = None, *,
    within: float = WITHIN, samples: int = SAMPLES, seconds: float = SECONDS, round: float = ROUND,
    tracking: Tracking | None = None, progress: Callable[[], object] = lambda: None,
) -> TradeOff:  # fmt: skip
    """Every method (or those named) on a robot and a motion.

    ``budget`` is the memory in bytes that a method may take, ``within`` the error that is good enough. ``tracking``
    says of a method how far an arm under control strays with it; ``progress`` is told of every method. Timing takes
    ``seconds``, in rounds of ``round`` seconds.
    """
    require_robot(robot)
    _check(budget, within, samples)
    for name, given in (("seconds", seconds), ("round", round)):
        require_above(name, given, "a time in seconds, zero or more", or_zero=True)
    for name, given in (("progress", progress), ("tracking", len if tracking is None else tracking)):
        if not callable(given):
            raise ArgumentError(f"{name} is {shown(given)}; expected a function.")
    motion = in_order(motion, robot.joint_names, robot.name)
    state = motion(np.linspace(0.0, motion.duration, samples))
    exact = robot.inverse_dynamics(*state)
    made: dict[str, _Made] = {}
    refused: dict[str, str] = {}
    for offer in offers(methods):
        try:
            method = offer.made(robot, motion, budget)
        except (ArgumentError, UnsupportedModelError) as error:
            refused[offer.name] = str(error)
        else:
            made[offer.name] = _Made.of(offer, method, state, exact)
        progress()
    times = _times({name: each.method for name, each in made.items()}, state, seconds, round)
    scale = _scale(exact)
    rows = {name: each.row(scale, *times[name], tracking) for name, each in made.items()}
    return TradeOff(
        robot.name, tuple(robot.joint_names), motion.method, motion.duration, samples, scale, rows, refused, within,
        budget,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Made:
    """A method that could be had, and how far off it is: (T, n)."""

    offer: Offer
    method: Approximation
    off: Array  # zero where the method gives no torque

    @classmethod
    def of(cls, offer: Offer, method: Approximation, state: State, exact: Array) -> _Made:
        off = method.inverse_dynamics(*state) - exact
        off[:, list(method.silent)] = 0.0
        return cls(offer, method, off)

    def row(
        self, scale: Array, ns: float | None, single_ns: float | None, tracking: Tracking | None
    ) -> Row:
        method, off = self.method, self.off
        return Row(
            self.offer.name, method.title, self.offer.family, method.memory, method.operations, ns, single_ns,
            method.preparation, np.sqrt((off**2).mean(axis=0)), np.abs(off).max(axis=0), scale, method.notes,
            None if tracking is None else tracking(method),
        )  # fmt: skip


def _check(budget: int | None, within: float, samples: int) -> None:
    if budget is not None and (
        not isinstance(budget, int | np.integer) or isinstance(budget, bool) or budget < 1
    ):
        raise ArgumentError(f"budget is {shown(budget)}; expected a number of bytes, 1 or more.")
    require_above("within", within, "a share above zero, 0.01 for 1 %")
    if not isinstance(samples, int | np.integer) or isinstance(samples, bool) or samples < 2:
        raise ArgumentError(f"samples is {shown(samples)}; expected a number of instants, 2 or more.")


def _scale(tau: Array) -> Array:
    """The largest torque (n,) of every joint; of one that has hardly any, a little of the robot's."""
    largest = np.abs(tau).max(axis=0)
    return np.maximum(largest, LEAST * largest.max()) if largest.max() > 0 else np.ones_like(largest)


# -- times ----------------------------------------------------------------------------------------------------


def _times(
    methods: Mapping[str, Approximation], state: State, seconds: float, round: float
) -> dict[str, tuple[float | None, float | None]]:
    """Nanoseconds per state of every method, in a batch that repeats the motion and in single calls, in turn."""
    batch = tuple(np.tile(values, (-(-BATCH // len(values)), 1)) for values in state)
    ways: dict[str, Way] = {}
    for name, method in methods.items():
        if not method.emulated:
            ways[f"{name}, batch"] = Way(_alone(method), [batch])
        if not method.emulated and not method.in_order:
            ways[f"{name}, single"] = Way(method.inverse_dynamics, _singles(state))
    found = {name: 1e9 * seconds for name, seconds in best_times(ways, seconds, round).items()}
    return {
        name: (_each(found.get(f"{name}, batch"), len(batch[0])), found.get(f"{name}, single"))
        for name in methods
    }


def _each(time: float | None, states: int) -> float | None:
    return None if time is None else time / states


def _alone(method: Approximation) -> Callable[..., object]:
    """A method on one thread, as all are compared."""
    if not isinstance(method, Formula):
        return method.inverse_dynamics
    kernel = method.kernel
    return lambda *state: kernel(*state, threads=1)


def _singles(state: State) -> list[tuple[Array, ...]]:
    """Some of the instants, spread over the motion, one by one."""
    step = max(1, len(state.q) // SINGLES)
    return list(islice(zip(*(values[::step] for values in state), strict=True), SINGLES))
