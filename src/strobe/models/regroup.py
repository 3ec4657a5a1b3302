"""Inertia regrouping: what a joint's own motion cannot feel moves to the body that carries it.

A mass on the axis of a revolute joint, a first moment along it and an inertia that is the same about every
axis across it look alike at every joint angle, so they may as well belong to the parent:

    revolute about z    m, h_z and diag(I_yy, I_yy, 0) move;   left: h_x, h_y, I_xx − I_yy, 0, I_zz, products
    prismatic           the whole of I moves, because the body never turns in its parent; left: m, h
    spherical           m moves: a point mass at the centre
    helical, planar     diag(I_yy, I_yy, 0) moves: what no turn about z and no slide changes, nor any torque feels

*Flat* regrouping moves another part of the same kind from last bodies and from those with products of inertia,
diag(δ, δ, 0) with δ = ½ (I_xx + I_yy − I_zz), so that their second moment ∫ z z dm is exactly zero, which
`newton_euler_moments` makes use of.

Every joint torque stays what it was [Khalil1987], and many coefficients become zero. What reaches the base is
gone (`at_base` tells what it was). Regrouped bodies are not physical: m = 0 with a first moment has no centre of
mass.
"""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

from strobe.algebra import Inertia, Sym3, Vec3
from strobe.models.inertial import Inertial
from strobe.models.joints import Joint
from strobe.models.model import ROOT, Model
from strobe.scalars import Num
from strobe.scalars.scalar import is_number

_known: dict[bool, WeakKeyDictionary[Model, Model]] = {
    False: WeakKeyDictionary(),
    True: WeakKeyDictionary(),
}


def regrouped(model: Model, flat: bool = False) -> Model:
    """The model at joint frames with the same joint torques and fewer parameters; any number system."""
    if model not in _known[flat]:
        _known[flat][model] = _regrouped(model, flat)
    return _known[flat][model]


def at_base(model: Model) -> Inertia:
    """What reaches the base, about its origin; any number system."""
    proximal, total = model.proximal(), Inertia.zero()
    inertias = _passed_on(proximal)[1]
    for body in proximal.bodies:
        if body.parent == ROOT:
            total = total + body.before.inertia(inertias[body.index])
    return total


def _passed_on(proximal: Model, flat: bool = False) -> tuple[dict[int, Inertia], dict[int, Inertia]]:
    """By body, what stays with it and what moves to its parent."""
    inertias = {body.index: body.inertia for body in proximal.bodies}
    moved: dict[int, Inertia] = {}
    carrying = {body.parent for body in proximal.bodies}
    for body in reversed(proximal.bodies):
        own = inertias[body.index]
        low = flat and (body.index not in carrying or not _is_principal(own.I))
        inertias[body.index], moved[body.index] = split(body.joint, own, low)
        if body.parent != ROOT:
            inertias[body.parent] = inertias[body.parent] + body.before.inertia(moved[body.index])
    return inertias, moved


def _regrouped(model: Model, flat: bool) -> Model:
    proximal = model.proximal()
    inertias, _ = _passed_on(proximal, flat)
    bodies = tuple(replace(body, inertial=Inertial.of(inertias[body.index])) for body in proximal.bodies)
    return replace(proximal, bodies=bodies)


def split(joint: Joint, body: Inertia, flat: bool = False) -> tuple[Inertia, Inertia]:
    """What stays with the body beyond a joint, and what moves to the body before it."""
    (m, moved_m), (h, moved_h), (I, moved_I) = (body.m, 0.0), (body.h, Vec3.zero()), (body.I, Sym3.zero())
    for part in joint.record.unfelt:
        match part:
            case "mass":
                m, moved_m = 0.0, body.m
            case "first moment along":
                h, moved_h = (
                    Vec3(*(x if (k == joint.axis) == along else 0.0 for k, x in enumerate(body.h)))
                    for along in (False, True)
                )
            case "inertia across":
                I, moved_I = (_flattened if flat else _thinned)(body.I, joint.axis)
            case "inertia":
                I, moved_I = Sym3.zero(), body.I
            case _:
                raise ValueError(f"{part} is no part of an inertia")
    return Inertia(m, h, I), Inertia(moved_m, moved_h, moved_I)


def _is_principal(I: Sym3) -> bool:
    return all(is_number(x) and x == 0 for x in (I.xy, I.xz, I.yz))


def _thinned(I: Sym3, axis: int) -> tuple[Sym3, Sym3]:
    """I less a part that is the same about every axis across one, with the exact zero that leaves; and that part."""
    across = {2: I.yy, 0: I.zz, 1: I.xx}[axis]
    xx, yy, zz = {
        2: (I.xx - I.yy, 0.0, I.zz),
        0: (I.xx, I.yy - I.zz, 0.0),
        1: (0.0, I.yy, I.zz - I.xx),
    }[axis]
    return Sym3(xx, yy, zz, I.xy, I.xz, I.yz), _alike(across, axis)


def _flattened(I: Sym3, axis: int) -> tuple[Sym3, Sym3]:
    """The same, until the second moment along the axis is exactly zero."""
    first, second, own = {2: (I.xx, I.yy, I.zz), 0: (I.yy, I.zz, I.xx), 1: (I.xx, I.zz, I.yy)}[axis]
    across = (first + second - own) * 0.5
    first, second = first - across, second - across
    own = first + second
    xx, yy, zz = {2: (first, second, own), 0: (own, first, second), 1: (first, own, second)}[axis]
    return Sym3(xx, yy, zz, I.xy, I.xz, I.yz), _alike(across, axis)


def _alike(across: Num, axis: int) -> Sym3:
    xx, yy, zz = (0.0 if k == axis else across for k in range(3))
    return Sym3(xx, yy, zz, 0.0, 0.0, 0.0)
