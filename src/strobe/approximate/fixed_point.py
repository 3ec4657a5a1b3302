"""Torques in fixed point: integers instead of floating-point numbers, within a proven bound.

    method = approximate.FixedPoint(robot, ranges={"qd": 2.0, "qdd": 10.0})
    method.bound, method.formats           # largest error of each torque, words of each number
    method.inverse_dynamics(q, qd, qdd)    # bit for bit what the C code gives, without a compiler
    method.c_files()                       # C99 for processors without floating point, and its test

Ranges are taken from the limits of the robot where none are given; a joint that turns without limits has half a turn
either way. Each value has a scale of its own, so that small joints keep as many digits as large ones; ``fraction=f``
gives all words the same f bits behind the point instead, as one would by hand, and shows what that loses.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.approximate.method import (
    INVERSE_DYNAMICS,
    Approximation,
    Formula,
    Operations,
    require_open_dynamics,
)
from strobe.approximate.states import states
from strobe.compiler.fixed_point.execution import carried_out, peaks, to_words
from strobe.compiler.fixed_point.plan import Plan, planned
from strobe.compiler.fixed_point.words import Format, Given
from strobe.compiler.graph.program import Program
from strobe.equations.torque_bounds import Ranges, ranges_of
from strobe.errors import ArgumentError, UnsupportedModelError, shown
from strobe.robot import Robot
from strobe.trajectory.files import in_order

if TYPE_CHECKING:
    from strobe.compiler.fixed_point.c_source import FixedFunction
    from strobe.compiler.fixed_point.c_test import Expected
    from strobe.trajectory.motion import Extremes, Trajectory

Array = np.ndarray
INPUTS = ("q", "qd", "qdd")
WORDS_FOR = {"q": "position", "qd": "velocity", "qdd": "acceleration", "out": "torque"}
MEANINGS = {
    "q": "joint positions", "qd": "joint rates", "qdd": "joint accelerations",
    "out": "torques and forces of the joints",
}  # fmt: skip
UNITS = {  # by whether the joint turns
    True: {"q": "rad", "qd": "rad/s", "qdd": "rad/s^2", "out": "N m"},
    False: {"q": "m", "qd": "m/s", "qdd": "m/s^2", "out": "N"},
}
LOOKED_AT = 4096  # states among which the largest error is looked for
TESTED = 24  # states of the test in C
MARGIN = 0.1  # of the largest magnitude, around the ranges of a motion
LOST = 0.5  # of its largest value: a torque whose error may be as large says nothing


class FixedPoint(Approximation):
    """The robot's inverse dynamics, or another formula's, in words of 32 or 16 bits."""

    name = "fixed-point"
    title = "fixed point"
    emulated = True

    def __init__(
        self,
        robot: Robot,
        ranges: Ranges | Mapping[str, Any] | None = None,
        bits: int = 32,
        fraction: int | None = None,
        of: Formula | None = None,
    ) -> None:
        start = time.perf_counter()
        require_open_dynamics(robot)
        _check_joints(robot)
        self.robot, self.bits, self.fraction, self.of = robot, bits, fraction, of
        self.ranges = ranges if isinstance(ranges, Ranges) else _ranges(robot, ranges or {})
        ends = {name: getattr(self.ranges, name).tolist() for name in INPUTS}
        self.plan: Plan = planned(self.program, ends, bits, fraction, self.label)
        self._preparation = time.perf_counter() - start

    @classmethod
    def along(
        cls,
        robot: Robot,
        motion: Trajectory,
        margin: float = MARGIN,
        bits: int = 32,
        fraction: int | None = None,
    ) -> FixedPoint:
        """For the ranges of a motion, wider at either end by a part of their largest magnitude."""
        if not (math.isfinite(margin) and margin >= 0.0):
            raise ArgumentError(f"margin is {shown(margin)}; expected a part of the ranges, 0 or more.")
        motion = in_order(motion, robot.joint_names, robot.name)
        ends = [_wider(motion.extremes(order), margin) for order in range(len(INPUTS))]
        return cls(robot, dict(zip(INPUTS, ends, strict=True)), bits, fraction)

    @property
    def program(self) -> Program:
        """What is computed, in numbers."""
        return self.robot.kernel(INVERSE_DYNAMICS).program if self.of is None else self.of.kernel.program

    # -- torques ----------------------------------------------------------------------------------

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Array:
        """tau (..., n) as the C code gives it; states outside the ranges are refused."""
        values = self._collected(q, qd, qdd)
        for name in INPUTS:
            self._check_within(name, values[name])
        words = {name: to_words(self.plan.given[name], values[name]) for name in INPUTS}
        return self.numbers(self.step(words)[0])

    def words(self, q: Any, qd: Any, qdd: Any) -> dict[str, Array]:
        """A state as words, by name; what is too large for a word is set to the largest one."""
        values = self._collected(q, qd, qdd)
        if any(np.isnan(value).any() for value in values.values()):
            raise ArgumentError("a state with NaN has no words; give numbers.")
        return {name: to_words(self.plan.given[name], values[name]) for name in INPUTS}

    def step(self, words: Mapping[str, Array]) -> tuple[Array, Array]:
        """What the C function does: the words of the torques (..., n), and what it returns (...).

        That is 0, or which number was the first to be set to an end of its range, from 1 through q, qd and qdd.
        """
        return carried_out(self.plan, words)

    def numbers(self, words: Array) -> Array:
        """The torques that words stand for."""
        return words * np.array([format.resolution for format in self.plan.formats])

    def _collected(self, q: Any, qd: Any, qdd: Any) -> dict[str, Array]:
        arrays = dict(zip(INPUTS, states(self.robot, q, qd, qdd), strict=True))
        return {name: array.astype(np.float64, copy=False) for name, array in arrays.items()}

    def _check_within(self, name: str, values: Array) -> None:
        for k, given in enumerate(self.plan.given[name]):
            low, high = given.ends
            column = values[..., k]
            outside = ~((column >= low) & (column <= high))
            if given.step is not None and outside.any():
                raise ArgumentError(
                    f"{self.label(given.name)} is {column[outside].flat[0]:.6g}; this fixed point covers "
                    f"{low:.6g} to {high:.6g}. Give wider ranges."
                )

    # -- what is known of it ----------------------------------------------------------------------

    @property
    def bound(self) -> Array:
        """How far each torque may be from the exact one (n,): proven, the rounding of the state to words included."""
        return np.array(self.plan.bounds)

    @property
    def arithmetic_bound(self) -> Array:
        """The same of states that are words already."""
        return np.array(self.plan.arithmetic_bounds)

    @property
    def formats(self) -> dict[str, tuple[Format, ...]]:
        """The words of q, qd, qdd and tau, one format for each number."""
        given = {name: tuple(g.format for g in self.plan.given[name]) for name in INPUTS}
        return given | {"tau": self.plan.formats}

    @property
    def peak(self) -> float:
        """What no value on the way is larger than: proven."""
        return self.plan.peak

    @cached_property
    def observed_peak(self) -> float:
        """The largest value on the way that was met among states drawn evenly within the ranges."""
        words = self.words(*self.random_states(LOOKED_AT))
        return max(peaks(self.plan, words).values(), default=0.0)

    @cached_property
    def observed(self) -> Array:
        """The largest errors (n,) met among states drawn evenly within the ranges: a hint, not a proof."""
        state = self.random_states(LOOKED_AT)
        return np.abs(self.inverse_dynamics(*state) - self.exact(*state)).max(axis=0)

    @cached_property
    def largest(self) -> Array:
        """The largest exact torques (n,) met among the same states."""
        return np.abs(self.exact(*self.random_states(LOOKED_AT))).max(axis=0)

    def exact(self, q: Any, qd: Any, qdd: Any) -> Array:
        """The torques in floating point."""
        return (self.robot if self.of is None else self.of).inverse_dynamics(q, qd, qdd)

    def random_states(self, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
        """States (count, n) drawn evenly within the ranges."""
        rng = np.random.default_rng(seed)
        ends = [getattr(self.ranges, name) for name in INPUTS]
        q, qd, qdd = (rng.uniform(end[:, 0], end[:, 1], (count, len(end))) for end in ends)
        return q, qd, qdd

    @property
    def memory(self) -> int:
        """The constant words."""
        return self.bits // 8 * self.plan.constants

    @property
    def operations(self) -> Operations:
        return Operations.of(self.program)

    @property
    def preparation(self) -> float:
        return self._preparation

    @property
    def notes(self) -> tuple[str, ...]:
        relative = self.bound / np.maximum(self.largest, np.finfo(float).tiny)
        times = self.bound / np.maximum(self.observed, np.finfo(float).tiny)
        worst = int(np.argmax(relative))
        notes = [
            f"proven for {', '.join(map(self._size, INPUTS))}; states outside the ranges are refused here, "
            "and set to the nearer end in C.",
            f"errors of up to {self.bound.max():.2g} are possible, of up to {self.observed.max():.2g} were met; "
            f"the bounds are {times.min():.2g} to {times.max():.2g} times what was met.",
            f"beside its largest torque, that of {self._joint(worst)} is least exact: {relative[worst]:.1g}.",
            f"{self.plan.shifts} shifts come with the operations; no value on the way exceeds {self.peak:.4g}, "
            f"and none was met beyond {self.observed_peak:.4g}.",
        ]
        lost = [self._joint(k) for k in range(self.robot.n) if self.observed[k] >= LOST * self.largest[k]]
        if lost:
            notes.insert(0, f"the torque of {', '.join(lost)} is lost: its errors are as large as itself.")
        return tuple(notes)

    # -- C ----------------------------------------------------------------------------------------

    def c_function(self, name: str | None = None) -> FixedFunction:
        """What the C files are made from."""
        from strobe.compiler.export.function import stem
        from strobe.compiler.export.provenance import origin
        from strobe.compiler.fixed_point.c_source import FixedFunction, source

        prefix = stem(self.robot, name)
        about = f"inverse_dynamics of {self.robot.name} in fixed point, {self.bits} bits"
        made = FixedFunction(f"{prefix}_inverse_dynamics", self.plan, (about,), MEANINGS, self._c_label)
        return replace(made, origin=origin(self.robot, prefix, source(made)))

    def c_files(self, name: str | None = None) -> dict[str, str]:
        """A header, a source, conversions, a test and a Makefile, by file name; ``name`` instead of the robot's."""
        from strobe.compiler.fixed_point.c_test import files

        return files(self.c_function(name), self._expected())

    def _expected(self) -> Expected:
        """States for the test: within the ranges, at their ends, and outside."""
        from strobe.compiler.fixed_point.c_test import Expected

        words = self.words(*self.random_states(TESTED, seed=1))
        most = 2 ** (self.bits - 1) - 1
        for name in INPUTS:
            words[name][0] = [g.low for g in self.plan.given[name]]
            words[name][1] = [g.high for g in self.plan.given[name]]
            words[name][2] = 0
            words[name][3:5, -1] = -most, most
        out, codes = self.step(words)
        state = [self._clamped(self.plan.given[name], words[name]) for name in INPUTS]
        if self.of is None:
            exact = self.robot.inverse_dynamics(*state, formulation="spatial-newton-euler")
            route = "by spatial-newton-euler in double precision"
        else:
            exact, route = self.of.inverse_dynamics(*state), "in double precision"
        states = {name: array.tolist() for name, array in words.items()}
        return Expected(states, out.tolist(), codes.tolist(), exact.tolist(), route)

    @staticmethod
    def _clamped(given: Sequence[Given], words: Array) -> Array:
        ends = np.array([(g.low, g.high) for g in given])
        return np.clip(words, ends[:, 0], ends[:, 1]) * np.array([g.format.resolution for g in given])

    # -- words ------------------------------------------------------------------------------------

    def label(self, name: str) -> str:
        """A number of the program in words: q[3] is the position of a joint."""
        vector, _, index = name.rstrip("]").partition("[")
        slides = vector == "out" and not self.robot.coordinates.joints[int(index)].angular
        return f"the {'force' if slides else WORDS_FOR[vector]} of {self._joint(int(index))}"

    def _c_label(self, name: str) -> str:
        """The same for a comment, with the unit."""
        vector, _, index = name.rstrip("]").partition("[")
        joint = self.robot.coordinates.joints[int(index)]
        return f"{UNITS[joint.angular][vector]}  {joint.name}"

    def _size(self, name: str) -> str:
        return f"|{name}| up to {np.abs(getattr(self.ranges, name)).max():.3g}"

    def _joint(self, k: int) -> str:
        return f'joint "{self.robot.joint_names[k]}"'


def _check_joints(robot: Robot) -> None:
    for joint in robot.coordinates.joints:
        if joint.nq != 1:
            raise UnsupportedModelError(
                f'joint "{joint.name}" of {robot.name} is {joint.kind}: fixed point takes joints with one position'
                f"{', because a quaternion needs divisions whose range is not known' * joint.has_quaternion}."
            )


def _ranges(robot: Robot, given: Mapping[str, Any]) -> Ranges:
    """The ranges given, else the limits of the robot, else half a turn either way."""
    for name in given:
        if name not in INPUTS:
            raise ArgumentError(f'ranges has "{name}"; expected q, qd and qdd.')
    ends = {name: given.get(name) for name in INPUTS}
    for name, limits in (("q", ("lower", "upper")), ("qd", ("velocity",)), ("qdd", ("acceleration",))):
        if ends[name] is None:
            _check_limits(robot, name, limits)
    return ranges_of(robot, **ends)


def _check_limits(robot: Robot, name: str, limits: Sequence[str]) -> None:
    for joint in robot.coordinates.joints:
        known = all(math.isfinite(getattr(joint.limits, limit)) for limit in limits)
        if not known and not (name == "q" and joint.turns):
            raise ArgumentError(
                f'joint "{joint.name}" of {robot.name} has no limit of its {WORDS_FOR[name]}, and fixed point needs '
                f'its range: give ranges={{"{name}": …}} (--{name}-range), one number for all joints or one for each.'
            )


def _wider(bounds: Extremes, margin: float) -> Array:
    """Ends (n, 2) with a margin; a joint that stays at zero gets that of the others."""
    sizes = np.maximum(np.abs(bounds.least), np.abs(bounds.largest))
    more = margin * np.where(sizes > 0.0, sizes, sizes.max(initial=0.0))
    return np.stack([bounds.least - more, bounds.largest + more], axis=1)
