"""Where a torque comes from: gravity, velocity, inertia, friction and external wrenches, joint by joint.

tau = M(q) qdd + C(q, qd) qd + g(q) + friction(qd) − Σ Jᵀ F
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from strobe.robot import Robot
from strobe.study.case import Array, Case
from strobe.study.labels import rate_labels
from strobe.study.tables import remark, table, tidy

TITLE = "Where the torques come from"

PARTS = ("gravity", "velocity", "inertial", "friction", "external")


def measure(case: Case) -> dict[str, Any]:
    """The split at the state of the study."""
    case.require_dynamics()
    return {
        "joints": rate_labels(case.robot),
        "state": case.origin,
        "q": case.q,
        "qd": case.qd,
        "qdd": case.qdd,
        **split(case.robot, case.q, case.qd, case.qdd),
    }


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        "tau = gravity g(q) + velocity C(q, qd) qd + inertial M(q) qdd + friction(qd), in N m or N"
    )
    yield split_table(data)


def split(
    robot: Robot, q: Array, qd: Array, qdd: Array, *, wrench: Any = None, frame: str | None = None,
    gravity: Any = None, friction: bool = True, formulation: str | None = None,
) -> dict[str, Array]:  # fmt: skip
    """tau and its parts, each an array of n entries."""
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


def split_table(data: Mapping[str, Any]) -> Any:
    """One row per degree of freedom; parts that vanish everywhere are left out."""
    shown = [part for part in PARTS if np.any(data[part]) or part in PARTS[:3]]
    state = ["q", "qd", "qdd"] if len(data["q"]) == len(data["qd"]) else ["qd", "qdd"]
    columns = [*state, "tau", *shown]
    torques = dict(zip(("tau", *shown), tidy([data[name] for name in ("tau", *shown)]), strict=True))
    values = [torques.get(name) or np.asarray(data[name]).tolist() for name in columns]
    rows = [[name, *numbers] for name, *numbers in zip(data["joints"], *values, strict=True)]
    return table(["joint", *columns], rows)
