"""The same tree hung from another link: a robot that stands on a foot, or an arm held by its hand.

Between the old root and the new one every joint carries the other side: with T = before · J(q) · after,

    T⁻¹ = after⁻¹ · J(q)⁻¹ · before⁻¹,    J(q)⁻¹ the joint with its axis turned round.

Names, positions and limits of joints stay what they were, and so do torques where motion and support do; their order
follows the new tree. Nothing is multiplied out, so right angles stay exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from strobe.algebra import Pose
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.models.bases import change_base
from strobe.models.body_transfer import numbered, reattached
from strobe.models.chains import gravity_at
from strobe.models.inertial import Inertial
from strobe.models.joints import Joint
from strobe.models.model import ROOT, Body, Frame, Model, moved
from strobe.models.placements import inverted, joined
from strobe.scalars import Numbers


def reroot(model: Model, frame: str, q: Numbers | None = None) -> Model:
    """The model standing on a frame as on the ground: that frame is the base, and what was the base is a body.

    A base that moved is moved by the joints from now on: its own joints are gone, and frames of the old ground with
    them. Gravity lies in the axes of the frame as it does there at a position q of all joints, their zeros if none.
    """
    start = model.frame(frame)
    gravity = gravity_at(model, start, q)
    still = _without_base_joints(model, start)
    start = still.frame(frame)
    placed: dict[int, tuple[int, Pose]] = {start.body: (ROOT, inverted(start.placement))}
    bodies: list[Body] = []
    for carrier, node, body in _outwards(still, start.body):
        parent, placement = placed[carrier]
        placed[node] = len(bodies), Pose()
        joint, before, after = _seen_from(body, carrier)
        name, inertial = _link(still, node)
        before, after = joined(placement @ before), joined(after)
        bodies.append(Body(len(bodies), name, parent, joint, before, after, inertial))
    frames = sorted((reattached(each, placed) for each in still.frames), key=lambda each: each.body)
    return replace(
        still,
        bodies=numbered(bodies),
        gravity=gravity,
        frames=tuple(sorted(frames, key=lambda each: each.name != frame)),
        base_name=frame,
        base_inertial=moved(_link(still, start.body)[1], inverted(start.placement)),
        poses={},
        golden=(),
    )


def _without_base_joints(model: Model, start: Frame) -> Model:
    """The model on a base that is held, without the frames of the ground it moved over."""
    still = change_base(model, "fixed")
    if still is model:
        return model
    ground = {frame.name for frame in model.frames if frame.body == ROOT}
    if start.name in ground:
        raise ArgumentError(
            f'frame "{start.name}" belongs to the ground of {model.name}; choose a frame that moves with the robot.'
        )
    for loop in model.loops:
        if ground.intersection((loop.frame_a, loop.frame_b)):
            raise UnsupportedModelError(
                f'loop "{loop.name}" binds {model.name} to the ground it moves over, which is gone when it stands on '
                f'"{start.name}". Take the loop away, or hold the base first: robot.with_base("fixed").'
            )
    feet = tuple(foot for foot in still.feet if foot.frame not in ground)
    return replace(still, frames=tuple(each for each in still.frames if each.name not in ground), feet=feet)


def _outwards(model: Model, start: int) -> Iterator[tuple[int, int, Body]]:
    """Every link but the first, after the one that carries it, and the body whose joint lies between.

    Depth first, the joints of a link in the order of the model.
    """
    around: dict[int, list[tuple[int, Body]]] = {node: [] for node in range(ROOT, len(model.bodies))}
    for body in model.bodies:
        around[body.parent].append((body.index, body))
        around[body.index].insert(0, (body.parent, body))
    pending = [(start, node, body) for node, body in reversed(around[start])]
    while pending:
        carrier, node, body = pending.pop()
        yield carrier, node, body
        pending += [(node, other, each) for other, each in reversed(around[node]) if each is not body]


def _seen_from(body: Body, carrier: int) -> tuple[Joint, Pose, Pose]:
    """A joint with what lies before and after it, seen from the link that carries it now."""
    if carrier == body.parent:
        return body.joint, body.before, body.after
    if body.joint.nv != 1:
        raise UnsupportedModelError(
            f'joint "{body.joint.name}" is {body.joint.kind}: seen from its other side it has other positions and '
            "rates. Stand on a frame on its near side, or lock it."
        )
    turned = replace(body.joint, sign=-body.joint.sign)
    return turned, inverted(body.after), inverted(body.before)


def _link(model: Model, node: int) -> tuple[str, Inertial]:
    """The name and the mass properties of a link, the base among them."""
    if node == ROOT:
        return model.base_name, model.base_inertial
    return model.bodies[node].name, model.bodies[node].inertial
