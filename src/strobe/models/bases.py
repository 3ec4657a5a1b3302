"""What a model stands on: a base that is fixed, translates or floats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from strobe.algebra import Pose
from strobe.errors import ArgumentError, shown
from strobe.models.body_transfer import numbered, reattached
from strobe.models.inertial import Inertial
from strobe.models.joints import FLOATING, PRISMATIC, Joint
from strobe.models.locking import lock
from strobe.models.model import ROOT, Body, Frame, Model
from strobe.models.names import unused_name

FLOATS = FLOATING.name
BASES = ("fixed", "translating", FLOATS)


def change_base(model: Model, base: str) -> Model:
    """The model on a fixed, translating or floating base.

    A floating base is a body with the base's mass properties on a floating joint named ``base``
    (``floating_base`` if that is taken); a translating one slides along x, y and z (``base_x``, ``base_y``,
    ``base_z``). What stands still is then a frame ``world``. ``fixed`` holds such a base at its zero.
    """
    if not isinstance(base, str) or base not in BASES:
        raise ArgumentError(f"base is {shown(base)}; choose fixed, translating or floating.")
    now, joints = mobility(model)
    if now == base:
        return model
    if joints:
        model = _at_rest(model, joints)
    if base == "fixed":
        return model
    return _on_base(model, _floating_joints(model) if base == FLOATS else _sliding_joints(model))


def _at_rest(model: Model, joints: Sequence[str]) -> Model:
    """The model with the joints of its base held at zero, named after the base if that lies at the root."""
    held = lock(model, {name: model.joint(name).neutral() for name in joints})
    base = held.frame(model.bodies[len(joints) - 1].name)
    return held if base.placement.steps else replace(held, base_name=base.name)


def mobility(model: Model) -> tuple[str, list[str]]:
    """What kind of base a model stands on, and the joints that move it."""
    roots = [body for body in model.bodies if body.parent == ROOT]
    if len(roots) == 1 and roots[0].joint.is_free:
        return FLOATS, [roots[0].joint.name]
    first = model.bodies[:3]
    names = [body.joint.name for body in first]
    chained = all(body.parent == body.index - 1 for body in first) and len(roots) == 1
    slides = all(body.joint.slides for body in first)
    if chained and slides and names == _slide_names(()):
        return "translating", names
    return "fixed", []


def _floating_joints(model: Model) -> list[Joint]:
    name = "floating_base" if "base" in model.joint_names else "base"
    return [Joint(unused_name(name, model.joint_names), FLOATING.name)]


def _sliding_joints(model: Model) -> list[Joint]:
    names = _slide_names(model.joint_names)
    return [Joint(name, PRISMATIC.name, axis) for axis, name in enumerate(names)]


def _slide_names(taken: Iterable[str]) -> list[str]:
    return [unused_name(f"base_{axis}", taken) for axis in "xyz"]


def _on_base(model: Model, joints: Sequence[Joint]) -> Model:
    """The model with its base carried by joints; all but the last carry nothing else."""
    count, last = len(joints), len(joints) - 1
    links = [
        Body(k, model.base_name if k == last else f"{joint.name}_link", k - 1, joint, Pose(), Pose(),
             model.base_inertial if k == last else Inertial.zero())
        for k, joint in enumerate(joints)
    ]  # fmt: skip
    carried = [
        replace(body, index=body.index + count, parent=body.parent + count)  # ROOT + count is the last link
        for body in model.bodies
    ]
    placed = {index: (index + count, Pose()) for index in range(ROOT, len(model.bodies))}
    world = unused_name("world", (frame.name for frame in model.frames))
    return replace(
        model,
        bodies=numbered([*links, *carried]),
        frames=(Frame(world, ROOT, Pose()), *(reattached(frame, placed) for frame in model.frames)),
        base_name=world,
        base_inertial=Inertial.zero(),
        poses={},
        golden=(),
    )
