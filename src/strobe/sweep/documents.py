"""Robots and motions as plain data, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from strobe.models.toml_reader import read_toml
from strobe.models.toml_writer import write_toml
from strobe.robot import Robot
from strobe.trajectory.motion import Trajectory

BELIEVED = "believed"


def robot_data(robot: Robot, label: str, believed: Robot | None = None) -> dict[str, Any]:
    """A robot as the text of a robot file; what is read from it is the robot of all runs.

    ``believed`` is what controllers take it for, if that is another one.
    """
    data = {"label": label, "model": _text(robot)}
    return data if believed is None else data | {BELIEVED: _text(believed)}


def _text(robot: Robot) -> str:
    return write_toml(replace(robot.model, uncertainty=None))


def robot_from(data: Mapping[str, Any], key: str = "model") -> Robot:
    return Robot(read_toml(f"{data['label']}.toml", text=data[key]))


def motion_data(motion: Trajectory) -> dict[str, Any]:
    """A motion as its polynomials."""
    return {
        "joint_names": list(motion.joint_names),
        "times": motion.times.tolist(),
        "coefficients": motion.coefficients.tolist(),
        "method": motion.method,
        "points": motion.points.tolist(),
        "notes": list(motion.notes),
    }


def motion_from(data: Mapping[str, Any]) -> Trajectory:
    times, coefficients, points = (np.array(data[key]) for key in ("times", "coefficients", "points"))
    return Trajectory(
        tuple(data["joint_names"]), times, coefficients, data["method"], points, tuple(data["notes"])
    )
