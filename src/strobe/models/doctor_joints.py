"""Whether joints can do what a file says of them: limits, couplings, angles, and what they move."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import cast

from strobe.files.xml import Element
from strobe.models.assembly import Assembly, JointData, nearly_right
from strobe.models.checks import UNIT
from strobe.models.default_frame import tips
from strobe.models.findings import DOUBTFUL, NOTE, SERIOUS, Finding
from strobe.models.model import Coupling, Model

DIGITS = 4  # behind the point: with fewer, an angle may be meant as it is written
NOISE = 1e-6  # rad: an angle that single precision left over
BEYOND = 1e-6  # of a range: by how much a follower may leave it by rounding


def judged(data: Assembly, model: Model | None, document: Element | None) -> Iterator[Finding]:
    """What is wrong with the joints of a file."""
    unlimited = frozenset[str]() if document is None else _unlimited(document)
    empty = _massless(data)
    stated = any(joint.where for joint in data.joints)  # only files of joints say where
    followers = {coupling.joint for coupling in data.couplings}
    for joint in data.joints:
        if joint.nv == 1:
            yield from _limits(joint, stated, joint.name in followers, joint.name in unlimited)
        if joint.has_axis:
            yield from _axis(joint)
        yield from _angles(joint)
        if not joint.is_fixed and joint.child in empty and not joint.motor.inertia:
            cure = "Give the links beyond it mass and inertia, or make it fixed: accelerations are not defined."
            yield _finding(SERIOUS, "frames", joint, "moves no inertia", "", cure)
    by_name = {joint.name: joint for joint in data.joints}
    for coupling in data.couplings:
        yield from _coupling(coupling, by_name)
    if model is not None and len(several := tips(model)) > 1:
        cure = "Name the frame that is meant where one is asked for."
        yield Finding(
            NOTE, "frames", "the robot", "", f"ends in {len(several)} places", _few(several), cure
        )


def _finding(severity: str, topic: str, joint: JointData, text: str, detail: str, cure: str,
             repair: bool = False) -> Finding:  # fmt: skip
    return Finding(severity, topic, f'joint "{joint.name}"', joint.where, text, detail, cure, repair)


def _limits(joint: JointData, stated: bool, follows: bool, unlimited: bool) -> Iterator[Finding]:
    bounds, unit = joint.limits, joint.position_units[0]
    if not joint.unlimited and unlimited:
        turns = joint.turns
        cure = "Many readers refuse it." + (" A continuous joint needs none." if turns else "")
        yield _finding(DOUBTFUL, "limits", joint, f"is {joint.kind} without limits", "", cure, repair=turns)
    if bounds.lower == bounds.upper:
        cure = "Make it fixed, or give it its range."
        yield _finding(DOUBTFUL, "limits", joint, "cannot move: its lower limit is its upper one",
                       f"{bounds.lower:g} {unit}", cure)  # fmt: skip
    elif not bounds.lower <= 0 <= bounds.upper:
        cure = "Tools that start at 0 start outside."
        yield _finding(
            NOTE, "limits", joint, "cannot be at 0", f"{bounds.lower:g} to {bounds.upper:g} {unit}", cure
        )
    nothing = [name for name in ("effort", "velocity") if getattr(bounds, name) == 0]
    if nothing:
        cure = (
            "Who heeds it does not move the joint; state what the drive can do, or leave the attribute out."
        )
        yield _finding(NOTE if follows else DOUBTFUL, "limits", joint,
                       f"has a limit of 0 for its {' and '.join(nothing)}", "", cure)  # fmt: skip
    missing = [name for name in ("effort", "velocity") if math.isinf(getattr(bounds, name))]
    if stated and missing and not joint.unlimited and not follows:
        cure = "URDF asks for both; planners and controllers use them."
        yield _finding(NOTE, "limits", joint, f"has no limit of {' and '.join(missing)}", "", cure)


def _unlimited(document: Element) -> frozenset[str]:
    """The joints of a URDF for which no position limit is stated."""
    stated = ((joint, joint.first("limit")) for joint in document.all("joint"))
    return frozenset(joint.attributes.get("name", "") for joint, limit in stated if not bounded(limit))


def bounded(limit: Element | None) -> bool:
    """Whether a <limit> states where a joint may be."""
    return limit is not None and any(name in limit.attributes for name in ("lower", "upper"))


def _axis(joint: JointData) -> Iterator[Finding]:
    size = math.hypot(*joint.axis)
    if joint.where and math.isfinite(size) and abs(size - 1) > UNIT and size > 0:
        cure = "It is normalised here; some readers take it as it is."
        yield _finding(
            NOTE, "angles", joint, "has an axis that is no unit vector", f"length {size:.6g}", cure, True
        )


def _angles(joint: JointData) -> Iterator[Finding]:
    """Angles that are right angles but for the digits written."""
    if not joint.where:
        return
    near = [angle for angle in _turned(joint) if nearly_right(angle)]
    if near:
        cure = "If right angles are meant, write them in full: fewer operations, axes exactly parallel."
        yield _finding(NOTE, "angles", joint, "has angles that are nearly right", f"{near[0]:.10g}", cure,
                       all(rounded_right(angle) for angle in near))  # fmt: skip


def _turned(joint: JointData) -> Iterator[float]:
    for step in joint.before.steps:
        angle = getattr(step, "angle", None)
        if angle is not None:
            yield float(angle)


def rounded_right(angle: float) -> bool:
    """Whether an angle is a right one rounded, or cut off, to the digits it is written with; or noise about 0."""
    right = round(angle / (math.pi / 2)) * (math.pi / 2)
    if right == 0:
        return abs(angle) < NOISE
    digits = len(repr(angle).partition(".")[2])
    return "e" not in repr(angle) and digits >= DIGITS and abs(angle - right) < 10.0**-digits


def _coupling(coupling: Coupling, by_name: Mapping[str, JointData]) -> Iterator[Finding]:
    """A joint that follows others further than it can go."""
    joint = by_name.get(coupling.joint)
    leaders = [by_name.get(name) for name in coupling.terms]
    if joint is None or None in leaders or not coupling.terms:
        return
    ends = [
        sorted((factor * leader.limits.lower, factor * leader.limits.upper))  # pyright: ignore[reportOptionalMemberAccess]
        for factor, leader in zip(coupling.terms.values(), leaders, strict=True)
    ]
    if all(factor == 0 for factor in coupling.terms.values()):
        yield _finding(
            DOUBTFUL, "couplings", joint, "follows others by a factor of 0", "", "It stands still."
        )
        return
    low, high = (coupling.offset + sum(end[k] for end in ends) for k in (0, 1))
    own = joint.limits
    slack = BEYOND * (1.0 + abs(own.upper - own.lower)) if math.isfinite(own.upper - own.lower) else 0.0
    if math.isfinite(high - low) and (low < own.lower - slack or high > own.upper + slack):
        detail = f"led to {low:.4g} … {high:.4g}, allowed {own.lower:.4g} … {own.upper:.4g}"
        cure = "The joint that leads cannot use its whole range."
        yield _finding(DOUBTFUL, "couplings", joint, "is led beyond its own limits", detail, cure)


def _massless(data: Assembly) -> set[str]:
    """The links beyond which, themselves included, there is no mass and no inertia."""
    by_name = {link.name: link for link in data.links}
    below: dict[str, list[str]] = {}
    for joint in data.joints:
        below.setdefault(joint.parent, []).append(joint.child)
    children = {joint.child for joint in data.joints}
    order, seen = list[str](), set[str]()
    pending = [link.name for link in data.links if link.name not in children]
    while pending:
        name = pending.pop()
        if name not in seen:  # a file that is no tree has been told already
            seen.add(name)
            order.append(name)
            pending += below.get(name, [])
    empty: set[str] = set()
    for name in reversed(order):
        link = by_name.get(name)
        bare = link is None or not any(cast(float, x) for x in link.inertial.about_origin.parameters)
        if bare and all(child in empty for child in below.get(name, ())):
            empty.add(name)
    return empty


def _few(names: tuple[str, ...], most: int = 6) -> str:
    return ", ".join(names[:most]) + (f", … {len(names) - most} more" if len(names) > most else "")
