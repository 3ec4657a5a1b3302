"""What differs between two models that share names: geometry, inertia, limits, drives, couplings, names.

A part is compared with the one of the same name: joints and the links they carry, the base, frames. Geometry is where
a link is seen from the one before it while its joint is at 0, and the joint's axis in the axes of its link; so a
change shows where it was made, and not in everything that hangs on it. A revolute joint without bounds is continuous.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from strobe.algebra import Pose, Vec3
from strobe.errors import vector
from strobe.models.differences import differences
from strobe.models.fingerprint import described
from strobe.models.inertial import ENTRIES, Inertial
from strobe.models.joints import Joint
from strobe.models.model import ROOT, Body, Frame, Model

Array = np.ndarray

LIMITS = {"lower": ("rad", "m"), "upper": ("rad", "m"), "velocity": ("rad/s", "m/s"),
          "acceleration": ("rad/s²", "m/s²"), "effort": ("N m", "N")}  # fmt: skip
DRIVES = {"damping": ("N m s", "N s/m"), "rotor_inertia": ("kg m²", "kg")}
BINDINGS = ("couplings", "loops", "curves", "actuated", "feet")


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not the same, in the first and in the second model."""

    topic: str  # geometry, inertia, limits, drives, couplings, names, gravity
    part: str  # such as: joint "elbow"
    what: str
    first: str
    second: str
    unit: str = ""

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.part}: {self.what} {self.first} → {self.second}{unit}"


def changes(a: Model, b: Model, tolerance: float = 1e-9) -> Iterator[Change]:
    """Where two models differ, by more than a tolerance relative to what is compared (1 m, 1 rad of places)."""
    yield from _names(a, b)
    joints_a, joints_b = ({body.joint.name: body for body in model.bodies} for model in (a, b))
    for name, body in joints_a.items():
        if name in joints_b:
            yield from _joint(a, b, body, joints_b[name], tolerance)
    links_a, links_b = _links(a), _links(b)
    for name, inertial in links_a.items():
        if name in links_b:
            yield from _inertia(f'link "{name}"', inertial, links_b[name], tolerance)
    yield from _frames(a, b, tolerance)
    first, second = (_vector(model.gravity.linear) for model in (a, b))
    if np.abs(first - second).max() > tolerance * max(1.0, np.abs(first).max()):
        yield Change("gravity", "the base", "gravity", vector(first), vector(second), "m/s²")
    yield from _bindings(a, b)


def only_in(a: Model, b: Model) -> dict[str, tuple[str, ...]]:
    """The joints, links and frames of a model whose names another does not have."""
    named = [
        (model.joint_names, tuple(_links(model)), tuple(frame.name for frame in model.frames))
        for model in (a, b)
    ]
    kinds = zip(("joint", "link", "frame"), *named, strict=True)
    return {kind: tuple(name for name in ours if name not in theirs) for kind, ours, theirs in kinds}


def _names(a: Model, b: Model) -> Iterator[Change]:
    for first, second, models in (("there", "not there", (a, b)), ("not there", "there", (b, a))):
        gone = only_in(*models)
        links = set(gone["link"])
        for kind, names in gone.items():
            for name in names:
                if kind != "frame" or name not in links:
                    yield Change("names", f'{kind} "{name}"', "is", first, second)
    shared = [name for name in a.joint_names if name in b.joint_names]
    if shared != [name for name in b.joint_names if name in a.joint_names]:
        order = (", ".join(name for name in model.joint_names if name in shared) for model in (a, b))
        yield Change("names", "the joints", "order", *order)


# -- joints -------------------------------------------------------------------------------------------


def _joint(a: Model, b: Model, first: Body, second: Body, tolerance: float) -> Iterator[Change]:
    one, two = first.joint, second.joint
    part = f'joint "{one.name}"'
    said = (
        ("kind", one.kind_by_limits, two.kind_by_limits),
        ("moves link", first.name, second.name),
        ("hangs on link", _carrier(a, first), _carrier(b, second)),
    )
    for what, old, new in said:
        if old != new:
            yield Change("geometry", part, what, old, new)
    if all(old == new for _, old, new in said):
        yield from _placed(part, _at_zero(first), _at_zero(second), tolerance)
        yield from _axis(part, first, second, tolerance)
    yield from _numbers(
        "limits", part, LIMITS, one, two, lambda joint, name: getattr(joint.limits, name), tolerance
    )
    yield from _numbers("drives", part, DRIVES, one, two, getattr, tolerance)
    if any(_differ(x, y, tolerance) for x, y in zip(one.coulomb, two.coulomb, strict=True)):
        unit = "N" if one.slides else "N m"
        yield Change("drives", part, "Coulomb friction", vector(one.coulomb), vector(two.coulomb), unit)


def _numbers(
    topic: str, part: str, units: Mapping[str, tuple[str, str]], one: Joint, two: Joint,
    of: Callable[[Joint, str], float], tolerance: float,
) -> Iterator[Change]:  # fmt: skip
    for name, pair in units.items():
        old, new = of(one, name), of(two, name)
        if _differ(old, new, tolerance):
            unit = pair[one.slides]
            yield Change(topic, part, name.replace("_", " "), _shown(old), _shown(new), unit)


def _differ(x: float, y: float, tolerance: float) -> bool:
    if math.isinf(x) or math.isinf(y):
        return x != y
    return abs(x - y) > tolerance * max(abs(x), abs(y))


def _shown(x: float) -> str:
    return "none" if math.isinf(x) else f"{x:.9g}"


def _carrier(model: Model, body: Body) -> str:
    return model.base_name if body.parent == ROOT else model.bodies[body.parent].name


def _at_zero(body: Body) -> Pose:
    """A link seen from the one before it, its joint at zero."""
    return body.before @ body.after


def _placed(part: str, first: Pose, second: Pose, tolerance: float) -> Iterator[Change]:
    p, q = _vector(first.translation), _vector(second.translation)
    if np.abs(p - q).max() > tolerance * max(1.0, np.abs(p).max()):
        yield Change("geometry", part, "position", vector(p), vector(q), "m")
    angle = _angle(_rotation(first), _rotation(second))
    if angle > tolerance:
        old, new = (vector(cast(Sequence[float], pose.rpy())) for pose in (first, second))
        yield Change("geometry", part, f"turned by {angle:.6g} rad, rpy", old, new, "rad")


def _axis(part: str, first: Body, second: Body, tolerance: float) -> Iterator[Change]:
    one, two = first.joint, second.joint
    if _differ(one.pitch, two.pitch, tolerance):  # pyright: ignore[reportArgumentType]
        yield Change("geometry", part, "pitch", _shown(one.pitch), _shown(two.pitch), "m/rad")  # pyright: ignore[reportArgumentType]
    if not one.has_axis:
        return
    x, y = (_vector(body.after.inverse().inward(body.joint.direction)) for body in (first, second))
    if np.abs(x - y).max() > max(tolerance, 1e-12):
        yield Change("geometry", part, "axis", vector(x), vector(y))


def _frames(a: Model, b: Model, tolerance: float) -> Iterator[Change]:
    theirs = {frame.name: frame for frame in b.frames}
    for frame in a.frames:
        other = theirs.get(frame.name)
        if other is None:
            continue
        part = f'frame "{frame.name}"'
        old, new = _on(a, frame), _on(b, other)
        if old != new and frame.name not in (old, new):
            yield Change("geometry", part, "is on link", old, new)
        elif old == new:
            yield from _placed(part, frame.placement, other.placement, tolerance)


def _on(model: Model, frame: Frame) -> str:
    return model.base_name if frame.body == ROOT else model.bodies[frame.body].name


# -- links --------------------------------------------------------------------------------------------


def _links(model: Model) -> dict[str, Inertial]:
    return {model.base_name: model.base_inertial} | {body.name: body.inertial for body in model.bodies}


def _inertia(part: str, first: Inertial, second: Inertial, tolerance: float) -> Iterator[Change]:
    m, n = (float(cast(float, x.m)) for x in (first, second))
    if _differ(m, n, tolerance):
        yield Change("inertia", part, "mass", _shown(m), _shown(n), "kg")
    if first.com is None or second.com is None or first.central is None or second.central is None:
        ten = [[float(cast(float, x)) for x in each.about_origin.parameters] for each in (first, second)]
        if not np.allclose(*ten, rtol=tolerance, atol=0):
            yield Change("inertia", part, "ten parameters", vector(ten[0]), vector(ten[1]))
        return
    p, q = _vector(first.com), _vector(second.com)
    if (m or n) and np.abs(p - q).max() > tolerance * max(1.0, np.abs(p).max()):
        yield Change("inertia", part, "centre of mass", vector(p), vector(q), "m")
    I, K = _vector(first.central), _vector(second.central)
    scale = max(np.abs(I).max(), np.abs(K).max())
    names = [name for name, x, y in zip(ENTRIES, I, K, strict=True) if abs(x - y) > tolerance * scale]
    if names:
        old, new = (", ".join(f"{each[ENTRIES.index(name)]:.6g}" for name in names) for each in (I, K))
        yield Change("inertia", part, f"{', '.join(names)} about its centre of mass", old, new, "kg m²")


# -- what binds them ----------------------------------------------------------------------------------


def _bindings(a: Model, b: Model) -> Iterator[Change]:
    """Couplings, loops, curves and what drives them, as far as they are not the same data."""
    first, second = described(a), described(b)
    for key in BINDINGS:
        for sentence in differences(first.get(key) or None, second.get(key) or None, key):
            yield Change("couplings", key, sentence.removeprefix(key).lstrip(". "), "", "")


def _vector(v: Any) -> Array:
    return np.array([float(cast(float, x)) for x in v])


def _rotation(pose: Pose) -> Array:
    return np.array([_vector(pose.direction(Vec3.unit(k))) for k in range(3)]).T


def _angle(R: Array, S: Array) -> float:
    """Between two orientations, exact for small ones too."""
    D = R.T @ S
    sine = np.linalg.norm([D[2, 1] - D[1, 2], D[0, 2] - D[2, 0], D[1, 0] - D[0, 1]]) / 2
    return math.atan2(float(sine), (float(np.trace(D)) - 1) / 2)
