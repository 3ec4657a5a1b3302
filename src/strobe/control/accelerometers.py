"""Pairs of accelerometers, one on either side of every joint, and the joint acceleration that they tell. [Waters1979]

    f_P   on the link before, where the joint sits          three axes, in that link's axes
    f_Q   on the link after, ``reach`` beside the axis      three axes, in its own

An accelerometer says specific force, f = a − g. With both sides in the axes of the link after the joint,

    f_Q − f_P = d q̈ + (what q, q̇ and the accelerations of the joints before make)        d = ∂a_Q/∂q̈

gravity is in both and leaves with the difference, the rest is computed from positions, velocities, and from the
accelerations told by the pairs nearer to the base. What is left along d is the joint's own acceleration. Trees too.
"""

from __future__ import annotations

from strobe.algebra import Motion, Vec3
from strobe.errors import UnsupportedModelError
from strobe.models.model import ROOT, Body, Model
from strobe.scalars import Num, Numbers

READINGS = 6  # numbers of a pair
REACH = 0.1  # m


def require_pairs(model: Model) -> None:
    """Refuse joints that a pair of accelerometers does not fit."""
    for joint in model.joints:
        if joint.nv != 1:
            raise UnsupportedModelError(
                f'accelerometers take joints with one degree of freedom; "{joint.name}" of {model.name} is '
                f"{joint.kind}."
            )
    for coupling in model.couplings:
        raise UnsupportedModelError(
            f'accelerometers take joints that move by themselves; "{coupling.joint}" of {model.name} follows others.'
        )


def readings(model: Model, q: Numbers, qd: Numbers, qdd: Numbers, reach: float = REACH) -> list[Num]:
    """What the pairs say: f_P and f_Q of every joint, six numbers each, in m/s²."""
    model = model.proximal()
    v, a = {ROOT: Motion.zero()}, {ROOT: -model.gravity}
    said: list[Num] = []
    for body in model.bodies:
        i, p = body.index, body.parent
        v[i], a[i] = _carried(body, q, qd, v[p], a[p])
        a[i] = a[i] + body.S @ body.rates(qdd)
        said += [*_at(v[p], a[p], body.before.translation), *_at(v[i], a[i], _mount(body, reach))]
    return said


def accelerations(model: Model, q: Numbers, qd: Numbers, said: Numbers, reach: float = REACH) -> list[Num]:
    """The joint accelerations that readings tell, from the base on; nothing is assumed of gravity."""
    model = model.proximal()
    v, a = {ROOT: Motion.zero()}, {ROOT: Motion.zero()}
    found: list[Num] = []
    for body in model.bodies:
        i, p, k = body.index, body.parent, READINGS * body.joint.v
        inward = body.pose(q).inverse().inward
        v[i], a[i] = _carried(body, q, qd, v[p], a[p])
        there = _mount(body, reach)
        others = _at(v[i], a[i], there) - inward(_at(v[p], a[p], body.before.translation))
        difference = Vec3(*said[k + 3 : k + 6]) - inward(Vec3(*said[k : k + 3]))
        (column,) = body.S
        d = column.linear + column.angular.cross(there)
        found.append((difference - others).dot(d) / d.dot(d))
        a[i] = a[i] + body.S @ [found[-1]]
    return found


def _carried(body: Body, q: Numbers, qd: Numbers, v: Motion, a: Motion) -> tuple[Motion, Motion]:
    """Velocity and acceleration of a body whose own joint does not accelerate, from those of its parent."""
    X, own = body.pose(q).inverse(), body.S @ body.rates(qd)
    v = X @ v + own
    return v, X @ a + v.cross(own)


def _at(v: Motion, a: Motion, r: Vec3) -> Vec3:
    """The acceleration of a point r of a body, in its axes."""
    return a.linear + a.angular.cross(r) + v.angular.cross(v.linear + v.angular.cross(r))


def _mount(body: Body, reach: float) -> Vec3:
    """Where the accelerometer of a link is: beside the axis of a joint that turns, in one that slides."""
    joint = body.joint
    return Vec3.unit((joint.axis + 1) % 3) * reach if joint.angular else Vec3.zero()
