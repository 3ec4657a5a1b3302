"""How torques depend on what a frame carries, with two velocities: linearly, through ten numbers.

    Y(q, v, w, a) π = M_π a + C_π(q, v) w + g_π          = Y(q, (v + w)/2, a) π − Y₀(q, (v − w)/2, 0) π
    π               = (m, m·cx, m·cy, m·cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz)    about the origin of a frame, in its axes

M_π, C_π (the Christoffel matrix) and g_π are the load's own; Y(q, qd, qdd) is what it adds to the torques of a
motion, and Y₀ the same without gravity.
"""

from __future__ import annotations

from strobe.algebra.rows import minus
from strobe.approximate.method import in_system
from strobe.control.controller_model import halves
from strobe.identify.payload_regressor import PayloadColumns
from strobe.robot import Robot
from strobe.scalars import Num, Numbers


def load_columns(
    robot: Robot, frame: str, q: Numbers, v: Numbers, w: Numbers, a: Numbers
) -> list[list[Num]]:
    """Ten columns, each with the torques (nv) of one unit of a parameter."""
    load, model, still = PayloadColumns.at(frame), in_system(robot.model, q), [0.0] * len(v)
    middle, half = halves(v, w)
    moved = load.columns(model, q=q, qd=middle, qdd=a)
    without = load.columns(model.weightless(), q=q, qd=half, qdd=still)
    return [minus(*pair) for pair in zip(moved, without, strict=True)]
