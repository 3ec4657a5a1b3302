"""Strobe: a robot goes in (DH table, URDF, MJCF), its dynamics come out.

import strobe

robot = strobe.load("panda")
q, qd, qdd = robot.random_state(seed=0)
tau = robot.inverse_dynamics(q, qd, qdd)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from strobe.errors import ModelFileError, ModelWarning, StrobeError

if TYPE_CHECKING:
    from strobe.control import control
    from strobe.robot import Robot, convert_state, load, random
    from strobe.runtime.traced import trace
    from strobe.simulate import simulate
    from strobe.sweep import sweep

__version__ = "0.1.0"

__all__ = [
    "ModelFileError",
    "ModelWarning",
    "Robot",
    "StrobeError",
    "control",
    "convert_state",
    "load",
    "random",
    "simulate",
    "sweep",
    "trace",
]


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    """NumPy and the rest are imported when they are first needed: the command's help must not wait for them."""
    if name in ("Robot", "convert_state", "load", "random"):
        from strobe import robot

        return getattr(robot, name)
    if name == "trace":
        from strobe.runtime import traced

        return traced.trace
    if name in ("control", "simulate", "sweep"):  # packages that are called as their functions
        return importlib.import_module(f"strobe.{name}")
    raise AttributeError(f"module 'strobe' has no attribute '{name}'")
