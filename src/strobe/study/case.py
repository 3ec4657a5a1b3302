"""One robot at one state: what every section of a study looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from strobe.formulations import FORMULATIONS, Method
from strobe.robot import Robot

Array = np.ndarray


@dataclass(frozen=True)
class Case:
    """A robot, a state, and where the state comes from."""

    robot: Robot
    q: Array
    qd: Array
    qdd: Array
    origin: str
    golden: Mapping[str, Any] | None = None  # published torques of this state

    @classmethod
    def of(cls, robot: Robot, seed: int | None = None) -> Case:
        """The robot at its published golden state, or at a reproducible random one.

        It is interpreted: a study asks many questions once each, which is not worth compiling.
        """
        robot = Robot(robot.model, compiled=False)
        fitting = [g for g in robot.model.golden if _fits(robot, g)]
        if fitting and seed is None:
            golden = fitting[0]
            q, qd, qdd = (np.array(golden[name], dtype=float) for name in ("q", "qd", "qdd"))
            return cls(robot, q, qd, qdd, "the published golden state", golden)
        q, qd, qdd = robot.random_state(seed=seed or 0)
        return cls(robot, q, qd, qdd, f"a random state within the limits (seed {seed or 0})")

    @cached_property
    def formulations(self) -> dict[str, Method]:
        """The formulations that this robot allows."""
        return {name: method for name, method in FORMULATIONS.items() if name not in self.refused}

    @cached_property
    def refused(self) -> dict[str, str]:
        """The formulations that this robot does not allow, each with its own reason."""
        reasons = {name: method.refusal(self.robot.model) for name, method in FORMULATIONS.items()}
        return {name: reason for name, reason in reasons.items() if reason is not None}

    def require_dynamics(self) -> None:
        """Raise, with the reason, where the robot has no dynamics."""
        robot = self.robot
        robot.gravity(robot.neutral)


def _fits(robot: Robot, golden: Mapping[str, Any]) -> bool:
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
    return all(len(golden.get(name, ())) == size for name, size in sizes.items())
