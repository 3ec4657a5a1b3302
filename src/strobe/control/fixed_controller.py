"""A control law in fixed point: integers instead of floating-point numbers, within a proven bound.

    made = FixedController.along(ComputedTorque(robot, 1e-3), motion)
    made.bound                              # largest error (nv,) of each torque
    made.torques(q, qd, wanted)             # bit for bit what the C code gives, without a compiler
    made.c_files()                          # C99 for processors without floating point, and its test

It holds for ranges of what is measured and wanted; a number outside is set to the nearer end. Gains are constants.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.fixed_point.execution import carried_out, to_words
from strobe.compiler.fixed_point.plan import Plan, planned
from strobe.compiler.fixed_point.words import Given
from strobe.compiler.runtime.arrays import checked
from strobe.compiler.runtime.traced import Traced, trace
from strobe.control.controller import Controller, Measured, Wanted
from strobe.control.controller_model import require_plain_joints
from strobe.errors import ArgumentError
from strobe.scalars import Num, Numbers
from strobe.trajectory.files import in_order
from strobe.trajectory.motion import Trajectory

if TYPE_CHECKING:
    from strobe.compiler.fixed_point.c_test import Expected

Array = np.ndarray
WORDS_FOR = {
    "q": "measured position", "qd": "measured velocity", "q_wanted": "position wanted",
    "qd_wanted": "velocity wanted", "qdd_wanted": "acceleration wanted", "out": "torque",
}  # fmt: skip
INPUTS = tuple(name for name in WORDS_FOR if name != "out")
TESTED = 24  # states of the test in C


class FixedController:
    """A controller that keeps nothing, in words of 32 or 16 bits; ``ranges`` (n, 2) by the names of its inputs."""

    def __init__(
        self, controller: Controller, ranges: Mapping[str, Any], bits: int = 32, fraction: int | None = None
    ) -> None:
        require_plain_joints(controller.robot, "a controller in fixed point")
        if controller.memory:
            raise ArgumentError(
                f"{controller.name} keeps numbers from period to period, whose ranges no motion tells; "
                "fixed point takes controllers that keep none, such as computed-torque."
            )
        if any(x.ndim > 1 for x in controller.gains.values()):
            raise ArgumentError(
                f"{controller.name} has gains for several runs; code is written for one of them."
            )
        if set(ranges) != set(INPUTS):
            raise ArgumentError(f"ranges has {', '.join(ranges)}; expected {', '.join(INPUTS)}.")
        self.controller, self.bits = controller, bits
        why = controller.robot.shape_reason
        self.ranges = {name: checked(name, ranges[name], (controller.robot.n, 2), why) for name in INPUTS}
        ends = {name: [(float(a), float(b)) for a, b in x] for name, x in self.ranges.items()}
        self.plan: Plan = planned(self.law.program, ends, bits, fraction, self.label)

    @classmethod
    def along(
        cls, controller: Controller, motion: Trajectory, off: Any = 0.1, slip: Any = 1.0, bits: int = 32,
        fraction: int | None = None,
    ) -> FixedController:  # fmt: skip
        """For a motion, from which positions may be ``off`` and velocities ``slip`` (rad/s or m/s) at most."""
        robot = controller.robot
        motion = in_order(motion, robot.joint_names, robot.name)
        wanted = [np.stack([x.least, x.largest], axis=1) for x in map(motion.extremes, range(3))]
        around = np.array([-1.0, 1.0])
        q, qd = (
            ends + around * np.reshape(controller.per_joint(name, most), (-1, 1))
            for name, ends, most in (("off", wanted[0], off), ("slip", wanted[1], slip))
        )
        return cls(controller, dict(zip(INPUTS, (q, qd, *wanted), strict=True)), bits, fraction)

    @cached_property
    def law(self) -> Traced:
        """The control law in numbers, gains folded in."""
        controller, n = self.controller, self.controller.robot.n
        gains = {name: x.tolist() for name, x in controller.gains.items()}

        def law(
            q: Numbers, qd: Numbers, q_wanted: Numbers, qd_wanted: Numbers, qdd_wanted: Numbers
        ) -> list[Num]:
            measured, wanted = Measured(q, qd, [0.0] * n), Wanted(q_wanted, qd_wanted, qdd_wanted)
            return controller.step(measured, wanted, {}, gains)[0]

        return trace(law, **dict.fromkeys(INPUTS, n))

    @property
    def bound(self) -> Array:
        """How far each torque may be from that of the law (nv,): proven, the rounding to words included."""
        return np.array(self.plan.bounds)

    def torques(self, q: Any, qd: Any, wanted: Any) -> Array:
        """tau (..., nv) as the C code gives it; ``wanted`` (..., 3 n) is position, velocity, acceleration."""
        parts = np.split(np.asarray(wanted, float), 3, axis=-1)
        numbers = dict(zip(INPUTS, (np.asarray(q, float), np.asarray(qd, float), *parts), strict=True))
        if any(np.isnan(x).any() for x in numbers.values()):
            raise ArgumentError("a state with NaN has no words; give numbers.")
        return self._numbers(carried_out(self.plan, self._words(numbers))[0])

    def c_files(self, name: str = "controller") -> dict[str, str]:
        """A header, a source, conversions, a test and a Makefile by their names."""
        from strobe.compiler.export.provenance import origin
        from strobe.compiler.fixed_point.c_source import FixedFunction, source
        from strobe.compiler.fixed_point.c_test import files

        robot = self.controller.robot
        about = f"{self.controller.title} of {robot.name} in fixed point, {self.bits} bits"
        meanings = {vector: f"{words}, in the order of the joints" for vector, words in WORDS_FOR.items()}
        function = FixedFunction(f"{name}_step", self.plan, (about,), meanings, self.label)
        made = replace(function, origin=origin(robot, name, source(function)))
        return files(made, self._expected())

    def label(self, name: str) -> str:
        """A number of the program in words."""
        vector, _, index = name.rstrip("]").partition("[")
        joint = self.controller.robot.coordinates.joints[int(index)]
        word = "force" if vector == "out" and not joint.angular else WORDS_FOR[vector]
        return f'the {word} of joint "{joint.name}"'

    def _words(self, numbers: Mapping[str, Array]) -> dict[str, Array]:
        return {name: to_words(self.plan.given[name], numbers[name]) for name in INPUTS}

    def _numbers(self, words: Array) -> Array:
        return words * np.array([format.resolution for format in self.plan.formats])

    def _expected(self) -> Expected:
        """States for the test: within the ranges, and at their ends."""
        from strobe.compiler.fixed_point.c_test import Expected

        rng = np.random.default_rng(1)
        words = self._words(
            {name: rng.uniform(x[:, 0], x[:, 1], (TESTED, len(x))) for name, x in self.ranges.items()}
        )
        for name, given in self.plan.given.items():
            words[name] = np.clip(words[name], *_ends(given))
            words[name][:2] = _ends(given)
        out, codes = carried_out(self.plan, words)
        exact = self.law(*(words[name] * _resolutions(self.plan.given[name]) for name in INPUTS))
        states = {name: x.tolist() for name, x in words.items()}
        return Expected(states, out.tolist(), codes.tolist(), exact.tolist(), "in double precision")


def _ends(given: Sequence[Given]) -> tuple[list[int], list[int]]:
    return [g.low for g in given], [g.high for g in given]


def _resolutions(given: Sequence[Given]) -> Array:
    return np.array([g.format.resolution for g in given])
