"""A torque split into gravity, velocity, inertia, friction and external wrenches, joint by joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from strobe.robot import Robot
from strobe.show.tables import in_units, table, tidy

Array = np.ndarray

PARTS = ("gravity", "velocity", "inertial", "friction", "external")
STATES = {"q": "position", "qd": "velocity", "qdd": "acceleration"}


def split(
    robot: Robot, q: Array, qd: Array, qdd: Array, *, wrench: Any = None, frame: str | None = None,
    gravity: Any = None, friction: bool = True, formulation: str | None = None,
) -> dict[str, Array]:  # fmt: skip
    """tau and its parts, each an array of n entries; of a closed chain zero where nothing drives."""
    if robot.model.is_closed:
        loads = {"wrench": wrench, "frame": frame, "gravity": gravity, "friction": friction}
        return _split_by_driving(robot, q, qd, qdd, loads, formulation)
    how: dict[str, Any] = {"formulation": formulation}
    still, weightless = np.zeros(robot.nv), np.zeros(3)
    tau = robot.inverse_dynamics(
        q, qd, qdd, wrench=wrench, frame=frame, gravity=gravity, friction=friction, **how
    )
    velocity = robot.inverse_dynamics(q, qd, still, gravity=weightless, friction=False, **how)
    moving = robot.inverse_dynamics(q, qd, still, gravity=weightless, friction=friction, **how)
    inertial = robot.inverse_dynamics(q, still, qdd, gravity=weightless, friction=False, **how)
    external = np.zeros(robot.nv) if wrench is None else -robot.jacobian(q, frame).T @ np.asarray(wrench)
    return {
        "tau": tau,
        "gravity": robot.gravity(q, gravity=gravity, **how),
        "velocity": velocity,
        "inertial": inertial,
        "friction": moving - velocity,
        "external": external,
    }


def _split_by_driving(
    robot: Robot, q: Array, qd: Array, qdd: Array, loads: dict[str, Any], formulation: str | None
) -> dict[str, Array]:
    """The same for a closed chain, whose actuated joints carry what the others would need."""
    found = robot.explain(q, qd, qdd, **loads)
    parts = found.parts
    named = {
        "gravity": parts["gravity"],
        "velocity": parts["centrifugal"] + parts["Coriolis"],
        "inertial": parts["effective inertia"] + parts["interaction"],
        "friction": parts["friction"],
        "external": parts["external"],
    }
    own = [robot.coordinates.rate_names.index(name) for name in found.joints]
    tau = robot.inverse_dynamics(q, qd, qdd, formulation=formulation, **loads)
    return {"tau": tau} | {name: _placed(x, own, robot.nv) for name, x in named.items()}


def _placed(values: Array, own: Sequence[int], n: int) -> Array:
    whole = np.zeros(n)
    whole[own] = values
    return whole


def split_table(data: Mapping[str, Any]) -> Any:
    """One row per degree of freedom; parts that vanish everywhere are left out."""
    names = ("tau", *PARTS)
    torques: dict[str, list[float]] = dict(zip(names, tidy([data[name] for name in names]), strict=True))
    shown = [part for part in PARTS if any(torques[part]) or part in PARTS[:3]]
    state = ["q", "qd", "qdd"] if len(data["q"]) == len(data["qd"]) else ["qd", "qdd"]
    columns = [*state, "tau", *shown]
    values = [torques.get(name) or np.asarray(data[name]).tolist() for name in columns]
    rows = [[name, *numbers] for name, *numbers in zip(data["joints"], *values, strict=True)]
    heads = [in_units(name, STATES.get(name, "torque"), data["units"]) for name in columns]
    return table(["joint", *heads], rows)
