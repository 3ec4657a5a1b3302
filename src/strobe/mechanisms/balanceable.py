"""Which joints a counterweight can balance, and what would do where none can.

Gravity asks nothing of a joint that always turns about the vertical or slides across it. A turning joint else is
balanced by a mass if what it carries has a centre of mass that never leaves a line along its axis: if the joints
beyond are balanced, and no slide beyond moves its load across the axis. A slide carries its load whatever masses
there are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from strobe.algebra import Vec3
from strobe.errors import UnsupportedModelError
from strobe.models.joints import Joint
from strobe.models.model import ROOT, Body, Model
from strobe.scalars import Num
from strobe.show.sheet import displayed

PARALLEL = 1e-9  # sine of the angle between directions that are meant to be parallel


@displayed
@dataclass(frozen=True, slots=True)
class Obstacle:
    """A joint that no mass balances: why, and what would do."""

    joint: str
    why: str
    instead: str

    def __str__(self) -> str:
        return f"{self.joint}: {self.why}; {self.instead}."


def plan(model: Model, weight: bool) -> tuple[tuple[str, ...], dict[str, str]]:
    """The joints to balance, and for those that no mass balances the slide, or the joint, that stands in the way.

    ``weight`` is whether gravity is what matters; else every joint on whose position H may depend.
    """
    tree = model.proximal()
    for joint in tree.joints:
        if not (joint.is_elementary or joint.is_ball or joint.is_free):
            raise UnsupportedModelError(
                f'joint "{joint.name}" of {model.name} is {joint.kind}; masses are balanced about joints that '
                f"turn or slide. {joint.record.otherwise}"
            )
    down = _down(tree)
    # loads beyond a body
    sliding: dict[int, list[tuple[Vec3, str]]] = {body.index: [] for body in tree.bodies}
    swinging: dict[int, str] = {}  # a joint from a body on that is not balanced
    chosen: list[str] = []
    blocked: dict[str, str] = {}
    for body in reversed(tree.bodies):
        joint, i = body.joint, body.index
        axis = Vec3.unit(joint.axis)
        felt = not _spared(joint, down[i])
        if joint.slides or joint.is_free:
            sliding[i].append((axis, joint.name))
            if weight and felt:
                blocked[joint.name] = joint.name
        elif felt if weight else body.parent != ROOT:
            across = [name for d, name in sliding[i] if joint.is_ball or not _parallel(d, axis)]
            stands = swinging.get(i) or next(iter(across), None)
            if stands is None:
                chosen.append(joint.name)
            else:
                blocked[joint.name] = stands
                swinging[i] = joint.name
        if body.parent != ROOT:
            sliding[body.parent] += [(body.before.direction(d), name) for d, name in sliding[i]]
            if i in swinging:
                swinging.setdefault(body.parent, swinging[i])
    return tuple(reversed(chosen)), blocked


def _down(tree: Model) -> dict[int, Vec3 | None]:
    """Gravity in the axes of each joint before it moves; None where that depends on the pose."""
    before: dict[int, Vec3 | None] = {}
    beyond: dict[int, Vec3 | None] = {ROOT: tree.gravity.linear}
    for body in tree.bodies:
        g = beyond[body.parent]
        g = g if g is None else body.before.inverse().inward(g)
        before[body.index] = g
        stays = body.joint.slides or _spared(body.joint, g)
        beyond[body.index] = g if stays else None
    return before


def _spared(joint: Joint, g: Vec3 | None) -> bool:
    """Whether gravity asks nothing of a joint, wherever its masses are."""
    if g is None or _length(g) == 0:
        return g is not None
    axis = Vec3.unit(joint.axis)
    if joint.slides:
        return abs(real(g.dot(axis))) <= PARALLEL * _length(g)
    return joint.turns and _parallel(g, axis)


def obstacles(model: Model, blocked: Mapping[str, str]) -> tuple[Obstacle, ...]:
    """Why each joint of a plan that no mass balances is not, and what would do, with the masses of this model."""
    tree = model.proximal()
    down, carried, g = _down(tree), _carried(tree), _length(model.gravity.linear)
    by_name = {body.joint.name: body for body in tree.bodies}
    return tuple(
        _obstacle(body, other := by_name[blocked[name]], down[body.index], carried[other.index], g)
        for name, body in by_name.items()
        if name in blocked
    )


def _obstacle(body: Body, other: Body, down: Vec3 | None, mass: float, g: float) -> Obstacle:
    """A joint and what stands in its way, which may be itself; ``mass`` is carried by the latter."""
    load = f"{mass:.4g} kg"
    if body.joint.is_free:
        why = f"it floats, and carries the weight of its {load} wherever they are"
        instead = f"a force of {mass * g:.4g} N upwards would hold it"
    elif body is other and down is not None:
        force = mass * abs(real(down.dot(Vec3.unit(body.joint.axis))))
        why = f"a slide carries its {load} wherever they are"
        instead = f"a constant force of {force:.4g} N (a spring, or a weight over a pulley) would hold it"
    elif body is other:
        why = f"a slide carries its {load} wherever they are, and turns with the joints before it"
        instead = f"it needs up to {mass * g:.4g} N, or {load} that slide the other way"
    elif other.joint.slides:
        why = f'slide "{other.joint.name}" moves {load} across its axis'
        instead = f"{load} that slide the other way would balance it, or a spring that follows"
    else:
        why = f'joint "{other.joint.name}" beyond it is not balanced'
        instead = "what helps there may make a mass here do"
    return Obstacle(body.joint.name, why, instead)


def _carried(tree: Model) -> dict[int, float]:
    """The mass that each joint carries."""
    masses = {body.index: real(body.inertia.m) for body in tree.bodies}
    for body in reversed(tree.bodies):
        if body.parent != ROOT:
            masses[body.parent] += masses[body.index]
    return masses


def _parallel(a: Vec3, b: Vec3) -> bool:
    return _length(a.cross(b)) <= PARALLEL * _length(a) * _length(b)


def _length(v: Vec3) -> float:
    return math.hypot(*map(real, v))


def real(x: Num) -> float:
    """A number of a model that is not lifted."""
    return float(x)  # pyright: ignore[reportArgumentType]
