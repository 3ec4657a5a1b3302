"""Joints held at positions.

A locked joint becomes the fixed placement before · joint(q) · after: its link merges into the body that
carries it, what hung on the link hangs on that body, and the link stays as a named frame. Placements
remain chains of known turns and shifts, so an edited model lifts to any number system.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from strobe.algebra import Pose, Spin, Turn
from strobe.errors import ArgumentError, UnknownNameError, shown
from strobe.models.arguments import finite_numbers
from strobe.models.assembly import snapped
from strobe.models.body_transfer import numbered, reattached
from strobe.models.joints import Joint
from strobe.models.loops import settled
from strobe.models.model import ROOT, Body, Coupling, Curve, Frame, Model, moved
from strobe.models.placements import factored, joined

SAME = 1e-9  # positions closer than this (rad, m) do not contradict each other

Position = list[float]


def lock(model: Model, joints: Mapping[str, Any]) -> Model:
    """The model with joints held at positions; names may use ``*`` and ``?``.

    A position is a number, or a sequence for a joint with several. Joints that follow a locked one
    are locked with it; a following joint cannot be locked against the joints it follows. Closed chains that
    become rigid are no longer there; refused where they would be open.
    """
    positions = locked_positions(model, joints)
    return _merged(model, positions) if positions else model


def locked_positions(model: Model, joints: Mapping[str, Any]) -> dict[str, Position]:
    """Where each joint is held that `lock` would hold, those that follow the named ones included."""
    return _with_followers(model, _chosen(model, joints))


def _chosen(model: Model, joints: Mapping[str, Any]) -> dict[str, Position]:
    """The position of every joint that a pattern names."""
    if not isinstance(joints, Mapping):
        raise ArgumentError(
            f"the joints to lock are {shown(joints)}; expected a mapping from names to positions, "
            'such as {"elbow": 0.3}.'
        )
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
    if not isinstance(pattern, str):
        raise ArgumentError(f"a joint to lock is named {shown(pattern)}; expected its name, a text.")
    if (exact := model.joints_by_name.get(pattern)) is not None:
        return [exact]
    found = [joint for joint in model.joints if fnmatchcase(joint.name, pattern)]
    if not found:
        raise UnknownNameError("joint", pattern, model.name, model.joint_names, "robot.joint_names")
    return found


def _position(joint: Joint, value: Any) -> Position:
    """A position for a joint as Python floats, checked."""
    numbers = finite_numbers(f'the position of joint "{joint.name}"', value)
    if len(numbers) != joint.nq:
        raise ArgumentError(
            f'the position of joint "{joint.name}" has {len(numbers)} numbers; '
            f"a {joint.kind} joint takes {joint.nq}."
        )
    if joint.has_quaternion and not any(numbers[-4:]):
        raise ArgumentError(
            f'the position of joint "{joint.name}" has the quaternion (0, 0, 0, 0), which is no rotation; '
            "give w x y z, (1, 0, 0, 0) for none."
        )
    return numbers


def _with_followers(model: Model, positions: dict[str, Position]) -> dict[str, Position]:
    """The same positions with those of the joints that must follow them."""
    rules = [*model.couplings, *model.curves]
    missing = [set(followed(rule)) - positions.keys() for rule in rules]
    waiting: dict[str, list[int]] = {}
    for k, names in enumerate(missing):
        for name in names:
            waiting.setdefault(name, []).append(k)
    ready = deque(k for k, names in enumerate(missing) if not names)
    while ready:
        coupling = rules[ready.popleft()]
        value = _value(coupling, positions)
        stated = positions.setdefault(coupling.joint, [value])
        if not _agree(stated, [value]):
            raise ArgumentError(
                f'joint "{coupling.joint}" is locked at {_shown(stated)}, but it follows '
                f"{leaders(coupling)}, which puts it at {_shown([value])}. Lock only what it follows."
            )
        for k in waiting.pop(coupling.joint, ()):
            missing[k].discard(coupling.joint)
            if not missing[k]:
                ready.append(k)
    for coupling, names in zip(rules, missing, strict=True):
        if names and coupling.joint in positions:
            raise ArgumentError(
                f'joint "{coupling.joint}" cannot be locked by itself: it follows {leaders(coupling)}. '
                "Lock what it follows."
            )
    return positions


def followed(rule: Coupling | Curve) -> tuple[str, ...]:
    """The joints that a rule follows."""
    return (rule.other,) if isinstance(rule, Curve) else tuple(rule.terms)


def _value(rule: Coupling | Curve, positions: Mapping[str, Position]) -> float:
    """Where a rule puts its joint."""
    if isinstance(rule, Curve):
        return sum(c * positions[rule.other][0] ** k for k, c in enumerate(rule.coefficients))
    return rule.offset + sum(k * positions[other][0] for other, k in rule.terms.items())


def leaders(rule: Coupling | Curve) -> str:
    """The same for a sentence."""
    return " and ".join(f'"{name}"' for name in followed(rule))


def _agree(a: Position, b: Position) -> bool:
    return all(abs(x - y) <= SAME for x, y in zip(a, b, strict=True))


def _shown(position: Position) -> str:
    return f"{position[0]:g}" if len(position) == 1 else "(" + ", ".join(f"{x:g}" for x in position) + ")"


def _merged(model: Model, positions: Mapping[str, Position]) -> Model:
    """The model with the locked joints' links merged into what carries them."""
    bodies: list[Body] = []
    base = model.base_inertial
    placed: dict[int, tuple[int, Pose]] = {ROOT: (ROOT, Pose())}  # old body -> new carrier, and where
    deeper = {ROOT: 0}  # old body -> locked joints between the new carrier and it
    names = {frame.name for frame in model.frames}
    links: list[Frame] = []
    for body in model.bodies:
        carrier, placement = placed[body.parent]
        deeper[body.index] = 0
        if body.joint.name not in positions:
            placed[body.index] = len(bodies), Pose()
            before = joined(placement @ body.before)
            bodies.append(replace(body, index=len(bodies), parent=carrier, before=before))
            continue
        here = joined(placement @ body.before @ _held(body.joint, positions[body.joint.name]) @ body.after)
        placed[body.index] = carrier, here
        deeper[body.index] = deeper[body.parent] + 1
        extra = moved(body.inertial, here)
        if carrier == ROOT:
            base = base + extra
        else:
            bodies[carrier] = replace(bodies[carrier], inertial=bodies[carrier].inertial + extra)
        if body.name not in names:
            links.append(Frame(body.name, carrier, here, deeper[body.index]))
    merged = replace(
        model,
        bodies=numbered(bodies),
        frames=(*links, *(reattached(frame, placed, deeper[frame.body]) for frame in model.frames)),
        couplings=tuple(_reduced(c, positions) for c in model.couplings if c.joint not in positions),
        curves=tuple(curve for curve in model.curves if curve.joint not in positions),
        actuated=tuple(name for name in model.actuated if name not in positions),
        base_inertial=base,
        poses={},
        golden=(),
    )
    return settled(merged)


def _held(joint: Joint, position: Position) -> Pose:
    """The placement of a joint held at a position."""
    placed = joint.record.pose(joint, position, _held_turn)
    return Pose(
        tuple(
            part
            for step in placed.steps
            for part in (factored(Pose((step,))).steps if isinstance(step, Spin) else (step,))
        )
    )


def _held_turn(axis: int, sign: int, angle: Any) -> Turn:
    return Turn.by(axis, snapped(sign * angle))


def _reduced(coupling: Coupling, positions: Mapping[str, Position]) -> Coupling:
    """A coupling whose locked terms have become part of the offset."""
    fixed = sum(factor * positions[name][0] for name, factor in coupling.terms.items() if name in positions)
    terms = {name: factor for name, factor in coupling.terms.items() if name not in positions}
    return replace(coupling, terms=terms, offset=coupling.offset + fixed)
