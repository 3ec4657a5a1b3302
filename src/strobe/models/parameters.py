"""The constants of a robot as two vectors: its inertial parameters, and the numbers that place its joints.

    inertial    per body m, mcx, mcy, mcz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz, about the body's origin in body axes
    geometry    per body the steps of ``before`` and then of ``after`` as they stand: x, y, z of a displacement,
                the angle of a turn

Names end in the number of the body, from 1: m3, mcx3, Ixy3; x3, y3, z3 and rx3, ry3, rz3 for turns about the axes, a
second one of a kind on the same body with a suffix: rx3_2.

A structural zero of an inertia is a measurement like any other and stays a parameter. A zero of the geometry makes
a robot what it is: displacements of zero and right angles are no part of the geometry unless the ``full`` one is
asked for, which holds every number of the steps that there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeVar

from strobe.algebra import Inertia, Pose, Shift, Spin, Sym3, Turn, Vec3
from strobe.errors import Fault
from strobe.models.checks import broken_rules
from strobe.models.inertial import Inertial
from strobe.models.model import Body, Model
from strobe.scalars import FLOAT, Num, Numbers, absolute, cos, less, quarter_turns, sin, where
from strobe.scalars.scalar import is_number

INERTIAL = ("m", "mcx", "mcy", "mcz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
PER_BODY = len(INERTIAL)
AXES = "xyz"
T = TypeVar("T")


def inertial_names(model: Model) -> tuple[str, ...]:
    """One name per inertial parameter."""
    return tuple(f"{name}{body.index + 1}" for body in model.bodies for name in INERTIAL)


def inertial_numbers(model: Model) -> list[Num]:
    """The inertial parameters of the bodies in turn."""
    return [x for body in model.bodies for x in body.inertia.parameters]


def drive_names(model: Model) -> tuple[str, ...]:
    """Four names per degree of freedom: rotor inertia, viscous, Coulomb friction forwards and backwards."""
    return tuple(f"{name}{k + 1}" for k in range(model.nv) for name in ("Ir", "v", "fp", "fn"))


def drive_numbers(model: Model) -> list[float]:
    """The drives of all degrees of freedom, as `drive_names` has them."""
    joints = (joint for joint in model.joints for _ in range(joint.nv))
    return [x for joint in joints for x in (joint.rotor_inertia, joint.damping, *joint.coulomb)]


def with_inertial(model: Model, numbers: Numbers) -> Model:
    """The model with other inertial parameters; any number system."""
    bodies = zip(model.bodies, _tens(numbers), strict=True)
    return replace(model, bodies=tuple(replace(body, inertial=inertial(ten)) for body, ten in bodies))


def inertial(ten: Numbers) -> Inertial:
    """A link of ten numbers; its centre of mass is the origin where it has neither mass nor first moments."""
    body = Inertia(ten[0], Vec3(*ten[1:4]), Sym3(*ten[4:]))
    if is_number(body.m):
        return Inertial.of(body)
    com = body.h.map(lambda moment: _over(moment, body.m))
    return Inertial(body.m, com, body.I - Sym3.steiner(com, body.h), body, "parameters")


def _over(moment: Num, m: Num) -> Num:
    """A coordinate of the centre of mass; infinite where there are first moments without mass."""
    return where(less(0.0, absolute(m) + absolute(moment)), moment / m, 0.0)


def unphysical(model: Model, numbers: Sequence[float]) -> tuple[Fault, ...]:
    """Why no body has these parameters: the body, the rule that it breaks, and by how much."""
    bodies = zip(model.bodies, _tens(numbers), strict=True)
    found = ((body.name, text) for body, ten in bodies for text in broken_rules(ten))
    return tuple(Fault(f'body "{name}"', text, "warning") for name, text in found)


def _tens(numbers: Sequence[T]) -> list[Sequence[T]]:
    """The parameters body by body."""
    return [numbers[k : k + PER_BODY] for k in range(0, len(numbers), PER_BODY)]


# -- geometry -----------------------------------------------------------------------------------------


def geometry_names(model: Model, full: bool = False) -> tuple[str, ...]:
    """One name per number of the geometry."""
    names = (f"{name}{body.index + 1}" for body in model.bodies for name, _ in _numbers(body, full))
    seen: Counter[str] = Counter()
    result: list[str] = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return tuple(result)


def geometry_numbers(model: Model, full: bool = False) -> list[float]:
    """The numbers of the geometry of a model over floats."""
    return [number for body in model.bodies for _, number in _numbers(body, full)]


def with_geometry(model: Model, numbers: Numbers, full: bool = False) -> Model:
    """The model with other numbers that place its joints; any number system."""
    given = iter(numbers)
    bodies = tuple(
        replace(body, before=_placed(body.before, given, full), after=_placed(body.after, given, full))
        for body in model.bodies
    )
    return replace(model, bodies=bodies)


def _numbers(body: Body, full: bool) -> Iterator[tuple[str, float]]:
    """Every number of a body's placements that belongs to the geometry, with its letters."""
    for step in chain(body.before.steps, body.after.steps):
        if isinstance(step, Shift):
            along = zip(AXES, step.p, strict=True)
            yield from ((name, FLOAT.lower(x)) for name, x in along if full or _is_free(x))
        elif isinstance(step, Turn) and _is_oblique(step, full):
            yield f"r{AXES[step.axis]}", FLOAT.lower(step.angle or 0.0)


def _placed(pose: Pose, given: Iterator[Num], full: bool) -> Pose:
    return Pose(tuple(_step(step, given, full) for step in pose.steps))


def _step(step: Turn | Shift | Spin, given: Iterator[Num], full: bool) -> Turn | Shift | Spin:
    if isinstance(step, Shift):
        return Shift(step.p.map(lambda x: next(given) if full or _is_free(x) else x))
    if isinstance(step, Turn) and _is_oblique(step, full):
        angle = next(given)
        return Turn.by(step.axis, angle) if is_number(angle) else Turn(step.axis, cos(angle), sin(angle))
    return step


def _is_free(x: Num) -> bool:
    return not (is_number(x) and x == 0)


def _is_oblique(step: Turn, full: bool) -> bool:
    return step.angle is not None and (full or quarter_turns(step.angle) is None)
