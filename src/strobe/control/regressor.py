"""How torques depend on what a frame carries, with two velocities: linearly, through ten numbers.

    Y(q, v, w, a) π = M_π a + C_π(q, v) w + g_π
    π               = (m, m·cx, m·cy, m·cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz)    about the origin of a frame, in its axes

In the frame's axes a load needs the force and moment, with p̈ the acceleration of the origin less gravity,

    f = m p̈ + (ω̇ × + ω × ω ×) mc,     n = mc × p̈ + I ω̇ + ω × I ω

Whatever is quadratic in velocity, J̇ q̇ and the products of ω, is taken as half of (v, w) and half of (w, v): that
is the Christoffel matrix of the load. With v = w it is the torque of a motion.
"""

from __future__ import annotations

from collections.abc import Sequence

from strobe.algebra import Vec3
from strobe.algebra.rows import dot
from strobe.approximate.method import in_system
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars import Num, Numbers

PARAMETERS = 10
AXES = (Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))


def load_columns(
    robot: Robot, frame: str, q: Numbers, v: Numbers, w: Numbers, a: Numbers
) -> list[list[Num]]:
    """Ten columns, each with the torques (nv) of one unit of a parameter."""
    model = in_system(robot.model, q)
    placed = Request("forward_kinematics", frame=frame).evaluate(model, q=q)
    R = [Vec3(*(placed[i][k] for i in range(3))) for k in range(3)]  # the frame's axes
    J = Request("jacobian", frame=frame).evaluate(model, q=q)
    rates = [Request("jacobian_dot", frame=frame).evaluate(model, q=q, qd=x) for x in (v, w)]
    moved = [
        dot(row, a) + (dot(of_v, w) + dot(of_w, v)) * 0.5 for row, of_v, of_w in zip(J, *rates, strict=True)
    ]
    lifted = _seen(R, Vec3(*moved[:3]) - model.gravity.linear)
    turned = _seen(R, Vec3(*moved[3:]))
    spins = [_seen(R, Vec3(*(dot(row, x) for row in J[3:]))) for x in (v, w)]
    columns = [(_seen(R, Vec3(*c[:3])), _seen(R, Vec3(*c[3:]))) for c in zip(*J, strict=True)]
    return [
        [linear.dot(force) + angular.dot(moment) for linear, angular in columns]
        for force, moment in _wrenches(lifted, turned, *spins)
    ]


def _wrenches(acceleration: Vec3, turned: Vec3, v: Vec3, w: Vec3) -> list[tuple[Vec3, Vec3]]:
    """Force and moment of a unit of each parameter, for an angular acceleration and two angular velocities."""
    zero = Vec3(0.0, 0.0, 0.0)
    first = [
        (turned.cross(x) + (v.cross(w.cross(x)) + w.cross(v.cross(x))) * 0.5, x.cross(acceleration))
        for x in AXES
    ]
    units = zip(_second(turned), _second(v), _second(w), strict=True)
    second = [(zero, t + (v.cross(of_w) + w.cross(of_v)) * 0.5) for t, of_v, of_w in units]
    return [(acceleration, zero), *first, *second]


def _second(x: Vec3) -> list[Vec3]:
    """I x for a unit of xx, yy, zz, xy, xz, yz."""
    return [
        Vec3(x.x, 0.0, 0.0), Vec3(0.0, x.y, 0.0), Vec3(0.0, 0.0, x.z), Vec3(x.y, x.x, 0.0),
        Vec3(x.z, 0.0, x.x), Vec3(0.0, x.z, x.y),
    ]  # fmt: skip


def _seen(axes: Sequence[Vec3], x: Vec3) -> Vec3:
    """A vector in other axes."""
    return Vec3(*(axis.dot(x) for axis in axes))
