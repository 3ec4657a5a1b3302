"""How joint torques depend on what the hand carries: linearly, through ten numbers.

    tau = tau_empty(q, qd, qdd) + Y(q, qd, qdd) π
    π   = (m, m·cx, m·cy, m·cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz)    about the origin of a frame, in its axes

Column k of Y are the torques of a robot of massless links that carries one unit of parameter k.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strobe.approximate.method import require_open_dynamics
from strobe.models.inertial import Inertial
from strobe.models.joints import Motor
from strobe.models.model import Model
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars import Num, Numbers
from strobe.simulate.equations_of_motion import carrying

Array = np.ndarray
PARAMETERS = ("m", "m·cx", "m·cy", "m·cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
UNITS = ("kg", *["kg m"] * 3, *["kg m²"] * 6)


@dataclass(frozen=True, slots=True)
class PayloadColumns(Request):
    """The torques of ten unit payloads at a frame, side by side."""

    @classmethod
    def at(cls, frame: str) -> PayloadColumns:
        return cls("inverse_dynamics", friction=False, frame=frame)

    def shape(self, model: Model) -> tuple[int, ...]:
        return (*Request.shape(self, model), len(PARAMETERS))

    def evaluate(self, model: Model, **numbers: Numbers) -> list[list[Num]]:
        return [list(row) for row in zip(*self.columns(model, **numbers), strict=True)]

    def columns(self, model: Model, **numbers: Numbers) -> list[list[Num]]:
        """One by one, each with the torques (nv) of a unit of a parameter."""
        massless, frame = _massless(model), str(self.frame)
        return [
            Request.evaluate(self, carrying(massless, {f"payload {frame}": unit}, [frame]), **numbers)
            for unit in np.eye(len(PARAMETERS)).tolist()
        ]


def payload_regressor(robot: Robot, q: Any, qd: Any, qdd: Any, frame: str | None = None) -> Array:
    """Y (..., n, 10): the torques of a payload at a frame (the tip) are Y π."""
    require_open_dynamics(robot)
    return robot.evaluate(PayloadColumns.at(robot.moving_frame(frame)), {"q": q, "qd": qd, "qdd": qdd})


def _massless(model: Model) -> Model:
    """The same joints without anything that has mass, rotors included."""
    bodies = tuple(
        replace(body, inertial=Inertial.zero(), joint=replace(body.joint, motor=Motor()))
        for body in model.bodies
    )
    return replace(model, bodies=bodies)
