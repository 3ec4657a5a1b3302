"""The joints between two frames as a model of its own."""

from __future__ import annotations

from dataclasses import replace

from strobe.algebra import Motion, Pose, Vec3
from strobe.errors import ArgumentError, Fault
from strobe.models.body_transfer import numbered, reattached, rehung
from strobe.models.locking import leaders
from strobe.models.loops import settled
from strobe.models.model import ROOT, Body, Frame, Model, moved
from strobe.scalars import Numbers


def take_chain(model: Model, tip: str, base: str | None = None) -> Model:
    """The joints between two frames as a model of its own, ending in frame ``tip``.

    Links on side branches are left out, which a note names. With ``base`` the chain stands on that frame
    as on the ground: held still, with gravity as it is there when every joint is at its zero.
    """
    end = model.frame(tip)
    start = Frame(model.base_name, ROOT, Pose()) if base is None else model.frame(base)
    chain = _between(model, start, end)
    outward = start.placement.inverted()
    placed = {start.body: (ROOT, outward)} | {body.index: (k, Pose()) for k, body in enumerate(chain)}
    bodies = [rehung(body, k, placed) for k, body in enumerate(chain)]
    carrying = model.base_inertial if start.body == ROOT else model.bodies[start.body].inertial
    frames = [reattached(frame, placed) for frame in model.frames if frame.body in placed]
    cut = replace(
        model,
        bodies=numbered(bodies),
        gravity=model.gravity if base is None else gravity_at(model, start),
        frames=tuple(sorted(frames, key=lambda frame: frame.name == tip)),
        tip=tip,
        base_name=start.name,
        base_inertial=moved(carrying, outward),
        poses={},
        golden=(),
    )
    return _without_dangling(cut, model)


def _between(model: Model, start: Frame, end: Frame) -> list[Body]:
    """The bodies after one frame that carry another."""
    support = model.support(end.body)
    indices = [ROOT, *(body.index for body in support)]
    if start.body not in indices:
        raise ArgumentError(
            f'frame "{start.name}" does not carry frame "{end.name}" in {model.name}. '
            "Choose a base frame between the root and the tip."
        )
    chain = support[indices.index(start.body) :]
    if not chain:
        raise ArgumentError(f'no joint lies between "{start.name}" and "{end.name}" in {model.name}.')
    return chain


def gravity_at(model: Model, frame: Frame, q: Numbers | None = None) -> Motion:
    """Gravity in the axes of a frame at a position of all joints, every joint at its zero if none is given."""
    here = [x for joint in model.joints for x in joint.neutral()] if q is None else q
    down = model.gravity.linear
    for body in model.support(frame.body):
        down = body.pose(here).inverse().inward(down)
    return Motion(Vec3.zero(), frame.placement.inverse().inward(down))


def _without_dangling(cut: Model, whole: Model) -> Model:
    """The chain without constraints on what was left out; notes say what that was."""
    joints, frames = set(cut.joint_names), {frame.name for frame in cut.frames}
    bodies = {body.name for body in cut.bodies} | frames
    own = [c for c in whole.couplings if c.joint in joints]
    couplings = [c for c in own if joints.issuperset(c.terms)]
    loops = [loop for loop in whole.loops if frames.issuperset((loop.frame_a, loop.frame_b))]
    left_out = [body.name for body in whole.bodies if body.name not in bodies]
    texts = [f"links left out of the chain: {', '.join(left_out)}."] if left_out else []
    texts += [
        f'joint "{c.joint}" no longer follows {leaders(c)}, which the chain leaves out.'
        for c in own
        if c not in couplings
    ]
    curves = [curve for curve in whole.curves if joints.issuperset((curve.joint, curve.other))]
    gone = [*(("loop", x.name) for x in whole.loops if x not in loops)]
    gone += [("curve", x.name) for x in whole.curves if x not in curves]
    texts += [f'{what} "{name}" is left out of the chain.' for what, name in gone]
    notes = tuple(Fault(cut.name, text, "note") for text in texts)
    return settled(
        replace(
            cut,
            couplings=tuple(couplings),
            loops=tuple(loops),
            curves=tuple(curves),
            actuated=tuple(name for name in whole.actuated if name in joints),
            feet=tuple(foot for foot in whole.feet if foot.frame in frames),
            notes=(*cut.notes, *notes),
        )
    )
