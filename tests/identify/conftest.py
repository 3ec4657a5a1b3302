"""Logs as a robot would have recorded them: motions of Fourier sums, torques with noise, encoders with steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from strobe.identify.logs import Log
from strobe.robot import Robot

Array = np.ndarray


@pytest.fixture(scope="session")
def lab() -> type[Lab]:
    return Lab


class Lab:
    """Where robots move and logs are kept."""

    @staticmethod
    def motion(
        robot: Robot, seed: int, seconds: float = 30.0, rate: float = 200.0, size: float = 0.5
    ) -> tuple[Array, Array, Array, Array]:
        """Times, positions, rates, accelerations of a periodic motion of four frequencies up to 0.4 Hz."""
        rng = np.random.default_rng(seed)
        t = np.arange(0, seconds, 1 / rate)
        w = 2 * np.pi * np.arange(1, 5) / 10.0
        a, b = rng.normal(size=(2, robot.nv, len(w))) * size
        s, c = np.sin(np.outer(w, t)), np.cos(np.outer(w, t))
        q = rng.normal(size=robot.nv) + (a @ s + b @ c).T
        return t, q, ((a * w) @ c - (b * w) @ s).T, (-(a * w**2) @ s - (b * w**2) @ c).T

    @staticmethod
    def log_of(robot: Robot, t: Array, q: Array, tau: Array, name: str = "log.csv", **other: Any) -> Log:
        held = {"qd": None, "qdd": None, "tau": tau, "current": None} | other
        return Log(name, robot.name, robot.joint_names, "t", [], t, q, **held, remarks=[])

    @classmethod
    def recorded(cls, robot: Robot, seed: int, noise: Any = 0.0, step: float = 0.0, **keywords: Any) -> Log:
        """A log of a robot, friction of its own included."""
        t, q, qd, qdd = cls.motion(robot, seed, **keywords)
        tau = robot.inverse_dynamics(q, qd, qdd)
        tau = tau + np.random.default_rng(seed + 1).normal(size=tau.shape) * noise
        return cls.log_of(robot, t, np.round(q / step) * step if step else q, tau)
