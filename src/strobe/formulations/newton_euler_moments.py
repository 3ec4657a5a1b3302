"""Newton-Euler at joint frames over second moments, O(n), on trees: `newton_euler_armstrong` in fewer operations.

Its equations and letters, with three changes that need no quotient and lose nothing on any robot:

    U_i e = Rᵀ U_p e        a turning joint's axis e has one second derivative, seen from both of its bodies. Where e
                            lies along an axis of the parent it is in U_p already, and ω̇_i follows from it: across e
                            ω̇_i × e = U_i e − (e·ω_i) ω_i, along it e·ω̇_p + q̈; no product with q̇
    N_i over ∫ r rᵀ dm      where one of these second moments ∫ x x dm, ∫ y y dm, ∫ z z dm is zero, as regrouping for
                            moments makes it, N needs four products with U and none of two components of ω
    held                    nothing hangs on a last body: its moments turn into the axes where its joint starts, and
                            no vector does

[Armstrong1979], [Khalil1987]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from strobe.algebra import Force, Inertia, Mat3, Motion, Pose, Sym3, Turn, Vec3
from strobe.formulations.newton_euler_armstrong import inward, moment as euler_moment, offset
from strobe.models.model import ROOT, Body, Model
from strobe.scalars import Num, Numbers
from strobe.scalars.scalar import is_number


@dataclass(frozen=True, slots=True)
class State:
    """How a body moves, in the axes in which it is seen: ω, ω̇, U and v̇."""

    w: Vec3
    wd: Vec3
    U: Mat3
    vd: Vec3


@dataclass(frozen=True, slots=True)
class Moments:
    """∫ dm, ∫ r dm and ∫ r rᵀ dm of a body: the last by its diagonal xx yy zz, and yz xz xy."""

    m: Num
    h: Vec3
    diagonal: Vec3
    products: Vec3
    I: Sym3 | None  # the same as an inertia, while it is constant


def inverse_dynamics(
    model: Model, q: Numbers, qd: Numbers, qdd: Numbers, outside: Mapping[int, Force] | None = None
) -> list[Num]:
    """Joint forces tau = M(q) qdd + C(q, qd) qd + g(q) − Σ Jᵀ F, one per degree of freedom.

    ``outside`` are the forces F on bodies, by index, in the axes of their joint frame at its origin.
    """
    tree = model.proximal()
    states = {ROOT: State(tree.rest.angular, tree.rest.angular, Mat3.zero(), -tree.gravity.linear)}
    carrying = {body.parent for body in tree.bodies}
    poses: dict[int, Pose] = {}  # of the axes in which a body is seen
    P: dict[int, Vec3] = {}
    f: dict[int, Vec3] = {}
    n: dict[int, Vec3] = {}

    for body in tree.bodies:
        i, before, moments = body.index, states[body.parent], _moments(body.inertia)
        own, change = body.S @ body.rates(qd), body.S @ body.rates(qdd)
        poses[i], P[i], turn = body.pose(q), offset(body, q), Pose()
        if (
            body.joint.turns
            and i not in carrying
            and not _is_planar(body.before.inverse().inward(before.w))
        ):
            poses[i], turn = body.before, body.joint.pose(q)
            states[i] = _turned(before, body, Pose(), P[i], own, change)
            moments = held(moments, turn)
        elif body.joint.turns and _is_square(body.before):
            states[i] = _turned(before, body, body.joint.pose(q), P[i], own, change)
        else:
            states[i] = _moved(before, poses[i], P[i], own, change)
        f[i], n[i] = wrench(moments, states[i])
        if outside and i in outside:
            f[i] -= turn.direction(outside[i].force)
            n[i] -= turn.direction(outside[i].moment)

    return inward(tree, poses, P, f, n)


def _is_planar(w: Vec3) -> bool:
    """Whether ω stays along one axis, by the structure of the robot: then vectors are short, and Euler's form is."""
    return sum(is_number(x) and x == 0 for x in w) >= 2


def _is_square(pose: Pose) -> bool:
    """Whether axes lie along axes, by the structure of the robot."""
    R = pose.rotation
    return all(is_number(x) and x in (0, 1, -1) for row in (R.a, R.b, R.c) for x in row)


# -- motion -------------------------------------------------------------------------------------------


def _moved(before: State, pose: Pose, P: Vec3, own: Motion, change: Motion) -> State:
    """As Armstrong has it, for any joint."""
    into = pose.inverse().inward
    carried = into(before.w)
    w = carried + own.angular
    wd = into(before.wd) + carried.cross(own.angular) + change.angular
    slip = carried.cross(own.linear * 2.0) + change.linear + own.angular.cross(own.linear)
    return State(w, wd, Mat3.acceleration(w, wd), into(before.vd + before.U @ P) + slip)


def _turned(before: State, body: Body, turn: Pose, P: Vec3, own: Motion, change: Motion) -> State:
    """By the second derivative u of the joint axis e, the same in both bodies; a, b, e are right-handed."""
    back, into = body.before.inverse().inward, turn.inverse().inward
    e = body.joint.axis
    a, b = (e + 1) % 3, (e + 2) % 3
    w0, wd0 = (tuple(back(x)) for x in (before.w, before.wd))
    u = tuple(into(_placed({a: w0[a] * w0[e] + wd0[b], b: w0[b] * w0[e] - wd0[a]})))
    w = into(Vec3(*w0)) + own.angular
    x = tuple(w)
    along = wd0[e] + tuple(change.angular)[e]
    wd = _placed({a: x[b] * x[e] - u[b], b: u[a] - x[a] * x[e], e: along})
    U = Mat3.acceleration(w, wd)
    rows = [[*row] for row in (U.a, U.b, U.c)]
    rows[a][e], rows[b][e] = u[a], u[b]
    return State(w, wd, Mat3(*(Vec3(*row) for row in rows)), into(back(before.vd + before.U @ P)))


def _placed(entries: Mapping[int, Num]) -> Vec3:
    return Vec3(*(entries.get(k, 0.0) for k in range(3)))


# -- moments ------------------------------------------------------------------------------------------


def _moments(body: Inertia) -> Moments:
    I = body.I
    pairs = ((I.yy + I.zz, I.xx), (I.xx + I.zz, I.yy), (I.xx + I.yy, I.zz))
    # equal ones are one node of a graph: a zero of a flat body, whatever its numbers will be
    diagonal = (0.0 if two is own else (two - own) * 0.5 for two, own in pairs)
    return Moments(body.m, body.h, Vec3(*diagonal), Vec3(-I.yz, -I.xz, -I.xy), I)


def held(body: Moments, turn: Pose) -> Moments:
    """Moments in the axes from which a joint turns a body.

    With t = s (xx − yy) + 2 c xy about z: xx − s t, yy + s t and c t − xy; the others turn like vectors.
    """
    (step,) = turn.steps
    assert isinstance(step, Turn)
    e, c, s = step.axis, step.c, step.s
    a, b = (e + 1) % 3, (e + 2) % 3
    square, mixed = [*body.diagonal], [*body.products]
    t = s * (square[a] - square[b]) + c * (mixed[e] * 2.0)
    square[a], square[b] = square[a] - s * t, square[b] + s * t
    across = tuple(turn.direction(_placed({a: mixed[b], b: mixed[a]})))  # ∫ a e dm and ∫ b e dm
    mixed[a], mixed[b], mixed[e] = across[b], across[a], c * t - mixed[e]
    return Moments(body.m, turn.direction(body.h), Vec3(*square), Vec3(*mixed), None)


def wrench(body: Moments, at: State) -> tuple[Vec3, Vec3]:
    """Force and moment behind the motion of a body."""
    flat = any(is_number(x) and x == 0 for x in body.diagonal)
    if body.I is None or (flat and not _is_planar(at.w)):
        own = moment(body.diagonal, body.products, at.w, at.U)
    else:
        own = euler_moment(body.I, at.w, at.wd, at.U)
    return at.vd * body.m + at.U @ body.h, own + body.h.cross(at.vd)


def moment(diagonal: Vec3, products: Vec3, w: Vec3, U: Mat3) -> Vec3:
    """The part of ∫ r × U r dm, for each pair of axes the difference of two entries of U ∫ r rᵀ dm."""
    (xx, yy, zz), (yz, xz, xy) = diagonal, products
    x, y, z = w.x * w.x, w.y * w.y, w.z * w.z
    return Vec3(
        (U.c.y * yy - U.b.z * zz) + ((U.c.x * xy - U.b.x * xz) + (z - y) * yz),
        (U.a.z * zz - U.c.x * xx) + ((U.a.y * yz - U.c.y * xy) + (x - z) * xz),
        (U.b.x * xx - U.a.y * yy) + ((U.b.z * xz - U.a.z * yz) + (y - x) * xy),
    )
