"""Edits of a model, each returning a new one: lock, payload, gravity, base, frame, sub-chain, scale.

A locked joint becomes the fixed placement before · joint(q) · after: its link merges into the body that
carries it, what hung on the link hangs on that body, and the link stays as a named frame. Placements
remain chains of known turns and shifts, so an edited model lifts to any number system.

Self-tests stated with the model (`golden`) no longer fit an edited robot and are dropped; named
positions (`poses`) are dropped where the edit changes what a position is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from strobe.algebra import Inertia, Motion, Pose, Shift, Spin, Sym3, Turn, Vec3, quaternion_rotation
from strobe.errors import ArgumentError, Fault, UnknownNameError
from strobe.models.assembly import SNAP, snapped
from strobe.models.expressions import Expression
from strobe.models.inertial import Inertial
from strobe.models.joints import Friction, Joint, Limits, Motor
from strobe.models.model import ROOT, Body, Coupling, Frame, Model, moved

BASES = ("fixed", "translating", "floating")
SAME = 1e-9  # positions closer than this (rad, m) do not contradict each other
SLACK = 1e-6  # rounding allowed in a stated inertia, relative to its trace

Position = list[float]


def apply(
    model: Model,
    *,
    lock: Mapping[str, Any] | None = None,
    base: str | None = None,
    gravity: Sequence[float] | None = None,
) -> Model:
    """The edits one may ask for when loading: joints locked, then the base, then gravity changed."""
    if lock is not None:
        model = _locked(model, lock)
    if base is not None:
        model = change_base(model, base)
    return model if gravity is None else change_gravity(model, gravity)


# -- locking ------------------------------------------------------------------------------------------


def lock(model: Model, joints: Mapping[str, Any]) -> Model:
    """The model with joints held at positions; names may use ``*`` and ``?``.

    A position is a number, or a sequence for a joint with a quaternion. Joints that follow a locked one
    are locked with it; a following joint cannot be locked against the joints it follows.
    """
    return _locked(model, joints)


def _locked(model: Model, joints: Mapping[str, Any]) -> Model:
    positions = _with_followers(model, _chosen(model, joints))
    return _merged(model, positions) if positions else model


def _chosen(model: Model, joints: Mapping[str, Any]) -> dict[str, Position]:
    """The position of every joint that a pattern names."""
    positions: dict[str, Position] = {}
    origin: dict[str, str] = {}
    for pattern, value in joints.items():
        for joint in _matching(model, pattern):
            position = _position(joint, value)
            known = positions.setdefault(joint.name, position)
            if not _agree(known, position):
                raise ArgumentError(
                    f'joint "{joint.name}" is locked at {_shown(known)} by "{origin[joint.name]}" and at '
                    f'{_shown(position)} by "{pattern}"; lock it at one position.'
                )
            origin.setdefault(joint.name, pattern)
    return positions


def _matching(model: Model, pattern: str) -> list[Joint]:
    exact = [joint for joint in model.joints if joint.name == pattern]
    found = exact or [joint for joint in model.joints if fnmatchcase(joint.name, pattern)]
    if not found:
        raise UnknownNameError("joint", pattern, model.name, model.joint_names, "robot.joint_names")
    return found


def _position(joint: Joint, value: Any) -> Position:
    """A position for a joint as Python floats, checked."""
    numbers = _numbers(f'the position of joint "{joint.name}"', value)
    if len(numbers) != joint.nq:
        raise ArgumentError(
            f'the position of joint "{joint.name}" has {len(numbers)} numbers; '
            f"a {joint.kind} joint takes {joint.nq}."
        )
    if joint.nq > 1 and not any(numbers[-4:]):
        raise ArgumentError(
            f'the position of joint "{joint.name}" has the quaternion (0, 0, 0, 0), which is no rotation; '
            "give w x y z, (1, 0, 0, 0) for none."
        )
    return numbers


def _with_followers(model: Model, positions: dict[str, Position]) -> dict[str, Position]:
    """The same positions with those of the joints that must follow them."""
    pending = list(model.couplings)
    while ready := [c for c in pending if all(other in positions for other in c.terms)]:
        for coupling in ready:
            pending.remove(coupling)
            value = coupling.offset + sum(k * positions[other][0] for other, k in coupling.terms.items())
            stated = positions.setdefault(coupling.joint, [value])
            if not _agree(stated, [value]):
                raise ArgumentError(
                    f'joint "{coupling.joint}" is locked at {_shown(stated)}, but it follows '
                    f"{_leaders(coupling)}, which puts it at {_shown([value])}. Lock only what it follows."
                )
    for coupling in pending:
        if coupling.joint in positions:
            raise ArgumentError(
                f'joint "{coupling.joint}" cannot be locked by itself: it follows {_leaders(coupling)}. '
                "Lock what it follows."
            )
    return positions


def _leaders(coupling: Coupling) -> str:
    return " and ".join(f'"{name}"' for name in coupling.terms)


def _agree(a: Position, b: Position) -> bool:
    return all(abs(x - y) <= SAME for x, y in zip(a, b, strict=True))


def _shown(position: Position) -> str:
    return f"{position[0]:g}" if len(position) == 1 else "(" + ", ".join(f"{x:g}" for x in position) + ")"


def _merged(model: Model, positions: Mapping[str, Position]) -> Model:
    """The model with the locked joints' links merged into what carries them."""
    bodies: list[Body] = []
    base = model.base_inertial
    placed: dict[int, tuple[int, Pose]] = {ROOT: (ROOT, Pose())}  # old body -> new carrier, and where
    names = {frame.name for frame in model.frames}
    links: list[Frame] = []
    for body in model.bodies:
        carrier, placement = placed[body.parent]
        if body.joint.name not in positions:
            placed[body.index] = len(bodies), Pose()
            before = joined(placement @ body.before)
            bodies.append(replace(body, index=len(bodies), parent=carrier, before=before))
            continue
        here = joined(placement @ body.before @ _held(body.joint, positions[body.joint.name]) @ body.after)
        placed[body.index] = carrier, here
        extra = moved(body.inertial, here)
        if carrier == ROOT:
            base = base + extra
        else:
            bodies[carrier] = replace(bodies[carrier], inertial=bodies[carrier].inertial + extra)
        if body.name not in names:
            links.append(Frame(body.name, carrier, here))
    return replace(
        model,
        bodies=_numbered(bodies),
        frames=(*links, *(_reattached(frame, placed) for frame in model.frames)),
        couplings=tuple(_reduced(c, positions) for c in model.couplings if c.joint not in positions),
        base_inertial=base,
        poses={},
        golden=(),
    )


def _held(joint: Joint, position: Position) -> Pose:
    """The placement of a joint held at a position."""
    if joint.turns:
        return Pose((Turn.by(joint.axis, snapped(joint.sign * position[0])),))
    if joint.nq == 1:
        return Pose((Shift(Vec3.unit(joint.axis, joint.sign) * position[0]),))
    shift = Pose((Shift(Vec3(*position[:-4])),)) if joint.nq == 7 else Pose()
    return shift @ factored(Pose((Spin(quaternion_rotation(*position[-4:])),)))


def factored(rotation: Pose, tolerance: float = SNAP) -> Pose:
    """A rotation over floats as known turns Rz Ry Rx, those within a tolerance of a right angle exact."""
    roll, pitch, yaw = (snapped(angle, tolerance) for angle in rotation.rpy())
    return Pose.at(rpy=(roll, pitch, yaw))


def joined(pose: Pose) -> Pose:
    """The same fixed placement with neighbouring steps of one kind summed and idle ones gone."""
    steps: list[Any] = []
    for step in pose.trimmed().steps:
        both = _sum(steps[-1], step) if steps else None
        if both is None:
            steps.append(step)
        elif both.is_identity():
            steps.pop()
        else:
            steps[-1] = both
    return Pose(tuple(steps))


def _sum(first: Any, second: Any) -> Shift | Turn | None:
    """Two steps as one, where they are of one kind and no named parameter gets lost."""
    if isinstance(first, Shift) and isinstance(second, Shift):
        named = any(isinstance(x, Expression) for x in (*first.p, *second.p))
        return None if named else Shift(first.p + second.p)
    if isinstance(first, Turn) and isinstance(second, Turn) and first.axis == second.axis:
        angles = first.angle, second.angle
        if all(isinstance(angle, float | int) and not isinstance(angle, Expression) for angle in angles):
            return Turn.by(first.axis, snapped(math.fsum(angles)))  # pyright: ignore[reportArgumentType]
    return None


def _numbered(bodies: Iterable[Body]) -> tuple[Body, ...]:
    """The same bodies with their joints' slices one after the other."""
    numbered: list[Body] = []
    q = v = 0
    for body in bodies:
        numbered.append(replace(body, joint=body.joint.at(q, v)))
        q, v = q + body.joint.nq, v + body.joint.nv
    return tuple(numbered)


def _reattached(frame: Frame, placed: Mapping[int, tuple[int, Pose]]) -> Frame:
    carrier, placement = placed[frame.body]
    return Frame(frame.name, carrier, joined(placement @ frame.placement))


def _reduced(coupling: Coupling, positions: Mapping[str, Position]) -> Coupling:
    """A coupling whose locked terms have become part of the offset."""
    fixed = sum(factor * positions[name][0] for name, factor in coupling.terms.items() if name in positions)
    terms = {name: factor for name, factor in coupling.terms.items() if name not in positions}
    return replace(coupling, terms=terms, offset=coupling.offset + fixed)


# -- payload ------------------------------------------------------------------------------------------


def attach_payload(
    model: Model,
    mass: float,
    com: Sequence[float] = (0.0, 0.0, 0.0),
    inertia: Any = None,
    *,
    frame: str,
    size: float | None = None,
    replacing: tuple[float, Sequence[float], Any] | None = None,
) -> Model:
    """The model with a load fixed to a frame, in place of ``replacing`` = (mass, com, inertia) if given.

    ``com`` is in frame axes and ``inertia`` about the centre of mass: xx yy zz xy xz yz, or a 3×3 matrix.
    With ``size``, the longest dimension, in its place the load counts as a solid sphere of that diameter
    about ``com``; with neither it is a point mass.
    """
    place = model.frame(frame)
    load = payload(mass, com, inertia, size)
    body = None if place.body == ROOT else model.bodies[place.body]
    carried = model.base_inertial if body is None else body.inertial
    carried = carried + moved(load, place.placement)
    if replacing is not None:
        carried = _without(carried, moved(payload(*replacing), place.placement), frame)
    if body is None:
        return replace(model, base_inertial=carried, golden=())
    bodies = list(model.bodies)
    bodies[body.index] = replace(body, inertial=carried)
    return replace(model, bodies=tuple(bodies), golden=())


def payload(mass: float, com: Sequence[float], inertia: Any = None, size: float | None = None) -> Inertial:
    """The mass properties of a load in its frame, checked."""
    (m,), c = _numbers("the payload's mass", mass, 1), _numbers("the payload's com", com, 3)
    if m < 0:
        raise ArgumentError(f"the payload's mass is {m:g} kg; a mass is not negative.")
    if inertia is not None and size is not None:
        raise ArgumentError("give the payload's inertia or its size, not both.")
    return Inertial.at_com(m, Vec3(*c), _ball(m, size) if inertia is None else _inertia(m, inertia))


def _ball(m: float, size: float | None) -> Sym3:
    """The inertia 2/5 m r² of a solid sphere by its diameter; of a point if none is given."""
    (diameter,) = _numbers("the payload's size", 0.0 if size is None else size, 1)
    if diameter < 0:
        raise ArgumentError(f"the payload's size is {diameter:g} m; its longest dimension is not negative.")
    moment = 0.1 * m * diameter**2
    return Sym3(moment, moment, moment, 0.0, 0.0, 0.0)


def _inertia(m: float, inertia: Any) -> Sym3:
    """A stated inertia about a centre of mass: symmetric, and possible for some mass distribution."""
    I = _matrix(inertia)
    trace = float(np.trace(I))
    if np.max(np.abs(I - I.T)) > SLACK * abs(trace):
        raise ArgumentError(
            f"the payload's inertia is not symmetric: {_first_asymmetric(I)}. "
            "Give xx, yy, zz, xy, xz, yz, or a symmetric 3×3 matrix."
        )
    moments = np.linalg.eigvalsh(0.5 * (I + I.T))
    shown = ", ".join(f"{x:.4g}" for x in moments)
    if moments[0] < -SLACK * abs(trace):
        raise ArgumentError(
            f"the payload's inertia has the principal moments ({shown}); a moment is not negative."
        )
    if moments[2] > (moments[0] + moments[1]) + SLACK * trace:
        raise ArgumentError(
            f"the payload's inertia has the principal moments ({shown}); in no body is one larger than the "
            "sum of the other two. Is it given about the centre of mass?"
        )
    if m == 0 and trace > 0:
        raise ArgumentError("the payload has an inertia but no mass; give its mass.")
    return Sym3(*(float(I[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))


def _matrix(inertia: Any) -> np.ndarray:
    try:
        I = np.asarray(inertia, dtype=float)
    except (TypeError, ValueError):
        I = np.empty(0)
    if I.shape == (6,):
        xx, yy, zz, xy, xz, yz = I
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if I.shape != (3, 3) or not np.all(np.isfinite(I)):
        raise ArgumentError(
            f"the payload's inertia is {inertia!r}; expected six finite numbers xx, yy, zz, xy, xz, yz, "
            "or a 3×3 matrix of them."
        )
    return I


def _first_asymmetric(I: np.ndarray) -> str:
    i, j = np.unravel_index(int(np.argmax(np.abs(I - I.T))), (3, 3))
    return f"{I[i, j]:g} against {I[j, i]:g}"


def _without(carried: Inertial, load: Inertial, frame: str) -> Inertial:
    """Mass properties less those of a load taken off."""
    have, gone = carried.about_origin, load.about_origin
    if float(have.m) - float(gone.m) < -SLACK * float(have.m):  # pyright: ignore[reportArgumentType]
        raise ArgumentError(
            f'the load to be replaced weighs {float(gone.m):g} kg, but with the new one frame "{frame}" '  # pyright: ignore[reportArgumentType]
            f"carries only {float(have.m):g} kg; replace a load that was attached there."  # pyright: ignore[reportArgumentType]
        )
    m = have.m - gone.m
    return Inertial.of(Inertia(m, have.h - gone.h, have.I - gone.I)) if m else Inertial.zero()


# -- gravity, base, frames ----------------------------------------------------------------------------


def change_gravity(model: Model, gravity: Sequence[float]) -> Model:
    """The model under another acceleration of gravity, in base axes."""
    g = _numbers("gravity", gravity, 3)
    return replace(model.with_gravity(Vec3(*g)), golden=())


def change_base(model: Model, base: str) -> Model:
    """The model on a fixed, translating or floating base.

    A floating base is a body with the base's mass properties on a floating joint named ``base``
    (``floating_base`` if that is taken); a translating one slides along x, y and z (``base_x``, ``base_y``,
    ``base_z``). What stands still is then a frame ``world``. ``fixed`` holds such a base at its zero.
    """
    if base not in BASES:
        raise ArgumentError(f"base is {base!r}; choose fixed, translating or floating.")
    now, joints = _mobility(model)
    if now == base:
        return model
    if joints:
        neutral = {name: model.joint(name).neutral() for name in joints}
        model = replace(_locked(model, neutral), base_name=model.bodies[len(joints) - 1].name)
    if base == "fixed":
        return model
    return _on_base(model, _floating_joints(model) if base == "floating" else _sliding_joints(model))


def _mobility(model: Model) -> tuple[str, list[str]]:
    """What kind of base a model stands on, and the joints that move it."""
    roots = [body for body in model.bodies if body.parent == ROOT]
    if len(roots) == 1 and roots[0].joint.kind == "floating":
        return "floating", [roots[0].joint.name]
    first = model.bodies[:3]
    names = [body.joint.name for body in first]
    chained = all(body.parent == body.index - 1 for body in first) and len(roots) == 1
    if chained and names == _fresh_slides(()):
        return "translating", names
    return "fixed", []


def _floating_joints(model: Model) -> list[Joint]:
    name = "floating_base" if "base" in model.joint_names else "base"
    return [Joint(_fresh(name, model.joint_names), "floating")]


def _sliding_joints(model: Model) -> list[Joint]:
    names = _fresh_slides(model.joint_names)
    return [Joint(name, "prismatic", axis) for axis, name in enumerate(names)]


def _fresh_slides(taken: Iterable[str]) -> list[str]:
    return [_fresh(f"base_{axis}", taken) for axis in "xyz"]


def _fresh(name: str, taken: Iterable[str]) -> str:
    """The name, numbered if it is taken."""
    known = set(taken)
    candidates = (name if k == 1 else f"{name}_{k}" for k in range(1, len(known) + 2))
    return next(candidate for candidate in candidates if candidate not in known)


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
    world = _fresh("world", (frame.name for frame in model.frames))
    return replace(
        model,
        bodies=_numbered([*links, *carried]),
        frames=(Frame(world, ROOT, Pose()), *(_reattached(frame, placed) for frame in model.frames)),
        base_name=world,
        base_inertial=Inertial.zero(),
        poses={},
        golden=(),
    )


def add_frame(
    model: Model,
    name: str,
    xyz: Sequence[float] = (0.0, 0.0, 0.0),
    rpy: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    frame: str,
) -> Model:
    """The model with one more named frame (now its last), placed relative to another."""
    place = model.frame(frame)
    if any(known.name == name for known in model.frames):
        raise ArgumentError(f'{model.name} has a frame "{name}" already; names are unique, choose another.')
    x, y, z = _numbers("xyz", xyz, 3)
    roll, pitch, yaw = (snapped(angle) for angle in _numbers("rpy", rpy, 3))
    placement = joined(place.placement @ Pose.at((x, y, z), (roll, pitch, yaw)))
    return replace(model, frames=(*model.frames, Frame(name, place.body, placement)))


# -- sub-chain ----------------------------------------------------------------------------------------


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
    bodies = [_rehung(body, k, placed) for k, body in enumerate(chain)]
    carrying = model.base_inertial if start.body == ROOT else model.bodies[start.body].inertial
    frames = [_reattached(frame, placed) for frame in model.frames if frame.body in placed]
    cut = replace(
        model,
        bodies=_numbered(bodies),
        gravity=model.gravity if base is None else _gravity_at(model, start),
        frames=tuple(sorted(frames, key=lambda frame: frame.name == tip)),
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


def _rehung(body: Body, index: int, placed: Mapping[int, tuple[int, Pose]]) -> Body:
    carrier, placement = placed[body.parent]
    return replace(body, index=index, parent=carrier, before=joined(placement @ body.before))


def _gravity_at(model: Model, frame: Frame) -> Motion:
    """Gravity in the axes of a frame, every joint at its zero."""
    neutral = [x for joint in model.joints for x in joint.neutral()]
    down = model.gravity.linear
    for body in model.support(frame.body):
        down = body.pose(neutral).inverse().inward(down)
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
        f'joint "{c.joint}" no longer follows {_leaders(c)}, which the chain leaves out.'
        for c in own
        if c not in couplings
    ]
    texts += [f'loop "{loop.name}" is left out of the chain.' for loop in whole.loops if loop not in loops]
    notes = tuple(Fault(cut.name, text, "note") for text in texts)
    return replace(cut, couplings=tuple(couplings), loops=tuple(loops), notes=(*cut.notes, *notes))


# -- scale --------------------------------------------------------------------------------------------


def scale(model: Model, length: float, mass: float) -> Model:
    """A geometrically similar model: lengths × length, masses × mass, inertias × mass·length².

    Torques (limits, friction, rotor inertia) scale as they do at equal joint accelerations: × mass·length²
    about revolute joints, × mass·length along prismatic ones. Gravity stays.
    """
    (l,), (m,) = _numbers("length", length, 1), _numbers("mass", mass, 1)
    for name, factor in (("length", l), ("mass", m)):
        if factor <= 0:
            raise ArgumentError(f"{name} is scaled by {factor:g}; a scale is positive (1 changes nothing).")
    kinds = {joint.name: joint.kind for joint in model.joints}
    return replace(
        model,
        bodies=tuple(_scaled_body(body, l, m) for body in model.bodies),
        frames=tuple(replace(frame, placement=_scaled_pose(frame.placement, l)) for frame in model.frames),
        couplings=tuple(_scaled_coupling(coupling, kinds, l) for coupling in model.couplings),
        base_inertial=_scaled_inertial(model.base_inertial, l, m),
        poses={},
        golden=(),
    )


def _scaled_body(body: Body, l: float, m: float) -> Body:
    return replace(
        body,
        joint=_scaled_joint(body.joint, l, m),
        before=_scaled_pose(body.before, l),
        after=_scaled_pose(body.after, l),
        inertial=_scaled_inertial(body.inertial, l, m),
    )


def _scaled_pose(pose: Pose, l: float) -> Pose:
    return Pose(tuple(Shift(step.p * l) if isinstance(step, Shift) else step for step in pose.steps))


def _scaled_inertial(inertial: Inertial, l: float, m: float) -> Inertial:
    def moment(x: Any) -> Any:
        return x * (m * l**2)

    if inertial.com is None or inertial.central is None or inertial.given == "parameters":
        ten = inertial.about_origin
        return Inertial.of(Inertia(ten.m * m, ten.h * (m * l), ten.I.map(moment)))
    if inertial.given == "origin":
        return Inertial.at_origin(inertial.m * m, inertial.com * l, inertial.about_origin.I.map(moment))
    return Inertial.at_com(inertial.m * m, inertial.com * l, inertial.central.map(moment))


def _scaled_joint(joint: Joint, l: float, m: float) -> Joint:
    unit = l if joint.kind == "prismatic" else 1.0  # of its position
    torque = m * l**2 / unit  # of its force or torque
    limits, motor, friction = joint.limits, joint.motor, joint.friction
    return replace(
        joint,
        limits=Limits(
            limits.lower * unit,
            limits.upper * unit,
            limits.velocity * unit,
            limits.acceleration * unit,
            limits.effort * torque,
        ),
        motor=Motor(
            motor.inertia * torque / unit,
            motor.gear,
            motor.viscous * torque / unit,
            _pair(motor.coulomb, torque),
            motor.efficiency,
        ),
        friction=Friction(friction.viscous * torque / unit, _pair(friction.coulomb, torque)),
    )


def _pair(values: tuple[float, float], factor: float) -> tuple[float, float]:
    return values[0] * factor, values[1] * factor


def _scaled_coupling(coupling: Coupling, kinds: Mapping[str, str], l: float) -> Coupling:
    def unit(name: str) -> float:
        return l if kinds.get(name) == "prismatic" else 1.0

    own = unit(coupling.joint)
    terms = {name: factor * own / unit(name) for name, factor in coupling.terms.items()}
    return replace(coupling, terms=terms, offset=coupling.offset * own)


# -- arguments ----------------------------------------------------------------------------------------


def _numbers(name: str, values: Any, count: int | None = None) -> list[float]:
    """One or more finite numbers as Python floats, or a sentence that says what was given."""
    try:
        numbers = [float(x) for x in np.ravel(values)]
    except (TypeError, ValueError):
        numbers = [math.nan]
    if not all(map(math.isfinite, numbers)) or count not in (None, len(numbers)):
        what = {None: "finite numbers", 1: "a finite number"}.get(count, f"{count} finite numbers")
        raise ArgumentError(f"{name} is {values!r}; expected {what}.")
    return numbers
