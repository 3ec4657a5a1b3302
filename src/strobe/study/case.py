"""One robot at one state: what every section of a study looks at."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from strobe.equations.meaning import Explanation
from strobe.errors import UnsupportedModelError
from strobe.formulations import FORMULATIONS, Formulation
from strobe.models.default_frame import hands
from strobe.robot import Robot
from strobe.study.sample_motion import Swing, resting_position

Array = np.ndarray

# Methods whose operations grow faster than the number of joints, and the joints up to which a study waits for them:
# beyond, each takes minutes in exact arithmetic. A quick study waits for half as many.
LARGEST = {
    "uicker-kahn": 12, "configuration-space": 12, "lagrange-jacobian": 16, "turney-lagrange": 16, "waters": 16,
    "hollerbach-backward": 16,
    "decomposition": 24, "waters-recursive": 32, "hollerbach-4x4": 32, "gibbs-appell": 40, "newton-euler-orin": 40,
    "hollerbach-3x3": 40, "newton-euler-base": 40, "composite-body": 40,
    "newton-euler-hat": 80, "newton-euler-armstrong": 80, "newton-euler-moments": 80, "modified-newton-euler": 80,
}  # fmt: skip
SMALL = 8  # joints up to which nothing takes long

# devices on Windows, whatever follows a point
RESERVED = re.compile(r"con|prn|aux|nul|com\d|lpt\d", re.IGNORECASE)


@dataclass(frozen=True)
class Case:
    """A robot, a state, and where the state comes from."""

    robot: Robot
    q: Array
    qd: Array
    qdd: Array
    origin: str
    golden: Mapping[str, Any] | None = None  # reference values of this state
    quick: bool = False  # whether what takes long is left out
    called: str = ""  # the robot with its edits, as a command line names it
    seed: int | None = None  # of a random state
    file: str = ""  # the file of the model, whose shapes can be drawn; none where they are not known
    # of the robot that can be moved; else the state's, or one that one would draw
    pose: Array | None = None

    @classmethod
    def of(
        cls, robot: Robot, seed: int | None = None, *, quick: bool = False, called: str = "", file: str = "",
        pose: Array | None = None,
    ) -> Case:  # fmt: skip
        """The robot at its reference state, or at a reproducible random one.

        It is interpreted: a study asks many questions once each, which is not worth compiling.
        """
        robot = Robot(robot.model, compiled=False)
        called = called or robot.name
        fitting = [g for g in robot.model.golden if _fits(robot, g)]
        if fitting and seed is None:
            golden = fitting[0]
            q, qd, qdd = (np.array(golden[name], dtype=float) for name in ("q", "qd", "qdd"))
            return cls(robot, q, qd, qdd, "the reference state", golden, quick, called, seed, file, pose)
        origin = f"a random state within the limits (seed {seed or 0})"
        state = robot.random_state(seed=seed or 0)
        return cls(robot, *state, origin, None, quick, called, seed, file, pose)

    @cached_property
    def formulations(self) -> dict[str, Formulation]:
        """The formulations that this robot allows and a study has the time for."""
        return {name: method for name, method in FORMULATIONS.items() if name not in self.refused}

    @cached_property
    def refused(self) -> dict[str, str]:
        """The formulations that are left out, each with its own reason."""
        reasons = {name: self._reason(name, method) for name, method in FORMULATIONS.items()}
        return {name: reason for name, reason in reasons.items() if reason is not None}

    def _reason(self, name: str, method: Formulation) -> str | None:
        refusal = method.refusal(self.robot.model)
        joints = self.robot.model.nv
        most = LARGEST.get(name, joints) // (2 if self.quick and joints > SMALL else 1)
        if refusal is None and joints > most and name in LARGEST:
            return (
                f"a study{' --quick' if self.quick else ''} waits for {name} on up to {most} joints only."
            )
        return refusal

    @cached_property
    def swing(self) -> Swing:
        """The motion to look at: about the reference state, or about a pose that one would draw."""
        if self.pose is not None:
            return Swing.about(self.robot, self.pose, kept=True)
        return Swing.about(self.robot, self.q if self.golden else resting_position(self.robot))

    @cached_property
    def explanation(self) -> Explanation:
        """The torques of the state, term by term."""
        return self.robot.explain(self.q, self.qd, self.qdd)

    @cached_property
    def hand(self) -> str:
        """The frame whose motion is looked at: the tip, of several the last."""
        ends = hands(self.robot.model)
        return ends[-1] if ends else self.robot.tip  # which says why there is none

    @property
    def file_name(self) -> str:
        """The robot's name as files take it."""
        return file_name(self.robot.name)

    @property
    def study(self) -> str:
        """The command of the whole study."""
        random = "" if self.seed is None else f" --seed {self.seed}"
        return f"study {self.called}{random}{' --quick' if self.quick else ''}"

    def at_state(self, verb: str) -> str:
        """A command about this robot at this state."""
        state = (
            f"--{name} {numbers(x)}" for name, x in (("q", self.q), ("qd", self.qd), ("qdd", self.qdd))
        )
        return f"{verb} {self.called} {' '.join(state)}"

    def require_dynamics(self) -> None:
        """Raise, with the reason, where the robot has no dynamics."""
        robot = self.robot
        robot.gravity(robot.neutral)

    def require_at_most(self, most: int, what: str, instead: str) -> None:
        """Raise where there are more degrees of freedom than a section takes in a sensible time."""
        if self.robot.nv > most:
            raise UnsupportedModelError(
                f"{what} of {self.robot.nv} degrees of freedom take long (a study waits for {most}). {instead}"
            )


def file_name(robot: str) -> str:
    """A robot's name as a file or folder takes it."""
    name = re.sub(r"[^\w.-]+", "_", robot).strip("._-")[:100] or "robot"
    return f"_{name}" if RESERVED.fullmatch(name.split(".")[0]) else name


def _fits(robot: Robot, golden: Mapping[str, Any]) -> bool:
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
    return all(len(golden.get(name, ())) == size for name, size in sizes.items())


def numbers(values: Array) -> str:
    """Numbers as an option takes them, with every digit."""
    return ",".join(repr(float(x)).removesuffix(".0") for x in values)
