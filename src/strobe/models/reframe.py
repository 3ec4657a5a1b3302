"""Link frames laid anew so that neighbours differ by one oblique turn: fewer operations on general arms.

Any rotation between two joint axes z is Rz(φ) Rx(α) Rz(ψ). The first turn may as well belong to the frame of the
link before, the last to the angle of the joint, and an origin may slide along its own joint axis:

    before_i = T(x, 0, z) Rx(α) Rz(ψ)          z along the joint,  x across to the next one

φ = 0 where axes are parallel, and nothing slides where they nearly are; a link that carries several joints follows
the first. Joint coordinates and torques stay what they were. Over floats only: it takes arc tangents of the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from strobe.algebra import Mat3, Pose, Shift, Turn, Vec3
from strobe.models.assembly import snapped
from strobe.models.joints import Joint
from strobe.models.model import ROOT, Body, Model, moved
from strobe.scalars import quarter_turns

PARALLEL = 1e-9  # sine of the angle between two axes below which they have no direction across
# the same from which on an origin may slide: farther than five times where it was, it does not
OBLIQUE = 0.2


@dataclass(frozen=True, slots=True)
class _Angles:
    """Rz(φ) Rx(α) Rz(ψ)."""

    phi: float
    alpha: float
    psi: float


def reframed(model: Model) -> Model:
    """The same robot at joint frames, every joint about or along z."""
    tree = model.proximal()
    upright = {ROOT: Mat3.identity()} | {body.index: _onto_z(body.joint) for body in tree.bodies}
    angles = {
        body.index: _angles(upright[body.parent].T @ body.before.rotation @ upright[body.index])
        for body in tree.bodies
    }
    phi = {ROOT: 0.0}
    for body in tree.bodies:
        phi.setdefault(body.parent, angles[body.index].phi)
    leaves = (body.index for body in tree.bodies if body.index not in phi)
    phi |= dict.fromkeys(leaves, 0.0)
    axes = {index: upright[index] @ _turned(phi[index]) for index in upright}  # old axes of new ones
    slid = {ROOT: 0.0}  # how far the origin of a link is moved along its joint
    bodies: list[Body] = []
    inwards = {ROOT: Pose()}
    for body in tree.bodies:
        at = angles[body.index]
        turns = ((2, at.phi - phi[body.parent]), (0, at.alpha), (2, at.psi + phi[body.index]))
        fixed = Pose(tuple(Turn.by(axis, snapped(angle)) for axis, angle in turns))
        place = axes[body.parent].T @ body.before.translation - Vec3.unit(2) * slid[body.parent]
        axis = fixed.direction(Vec3.unit(2))
        slid[body.index] = _slide(place, axis) if body.parent != ROOT else 0.0
        shift = _without_y(place, axis, slid[body.index])
        inward = inwards[body.index] = _inward(axes[body.index], slid[body.index])
        bodies.append(
            replace(
                body,
                joint=replace(body.joint, axis=2, sign=1),
                before=(Pose((Shift(shift),)) @ fixed).trimmed(),
                inertial=moved(body.inertial, inward),
            )
        )
    frames = (replace(frame, placement=inwards[frame.body] @ frame.placement) for frame in tree.frames)
    return replace(tree, bodies=tuple(bodies), frames=tuple(frames))


def _inward(axes: Mat3, slide: float) -> Pose:
    """What takes points of the old frame of a link to the new one."""
    at = _angles(axes.T)
    turns = (Turn.by(axis, angle) for axis, angle in ((2, at.phi), (0, at.alpha), (2, at.psi)))
    return Pose((Shift(Vec3(0.0, 0.0, -slide)), *turns)).trimmed()


def oblique_turns(model: Model) -> int:
    """Fixed turns between joints by other than right angles; one about the axis of the joint itself is free."""
    return sum(_oblique(body) for body in model.proximal().bodies if body.parent != ROOT)


def _oblique(body: Body) -> int:
    steps = body.before.steps
    if body.joint.turns and steps and getattr(steps[-1], "axis", None) == body.joint.axis:
        steps = steps[:-1]
    angles = [step.angle for step in steps if isinstance(step, Turn)]
    return sum(angle is None or quarter_turns(angle) is None for angle in angles)


def _slide(place: Vec3, axis: Vec3) -> float:
    """How far along its joint axis an origin goes to lose its y in the frame of the link before."""
    y, across = float(place.y), float(axis.y)  # pyright: ignore[reportArgumentType]
    return -y / across if abs(across) > OBLIQUE else 0.0


def _without_y(place: Vec3, axis: Vec3, slide: float) -> Vec3:
    moved = place + axis * slide
    return Vec3(moved.x, 0.0, moved.z) if slide else moved


def _onto_z(joint: Joint) -> Mat3:
    """Columns x, y, z of axes whose z is the joint's, out of the axes that its frame has."""
    first, second = (joint.axis + 1) % 3, (joint.axis + 2) % 3
    if joint.sign < 0:
        first, second = second, first
    return Mat3(Vec3.unit(first), Vec3.unit(second), Vec3.unit(joint.axis, joint.sign)).T


def _turned(angle: float) -> Mat3:
    return Pose((Turn.by(2, angle),)).rotation


def _angles(R: Mat3) -> _Angles:
    across = math.hypot(R.a.z, R.b.z)  # pyright: ignore[reportArgumentType]
    alpha = snapped(math.atan2(across, R.c.z))  # pyright: ignore[reportArgumentType]
    if across < PARALLEL:
        return _Angles(0.0, alpha, snapped(math.atan2(-R.a.y, R.a.x)))  # pyright: ignore
    phi, psi = math.atan2(R.a.z, -R.b.z), math.atan2(R.c.x, R.c.y)  # pyright: ignore
    return _Angles(snapped(phi), alpha, snapped(psi))
