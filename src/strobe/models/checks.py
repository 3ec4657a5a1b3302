"""Whether what a file states can be true: masses, inertias, magnitudes, limits.

Nothing is repaired. An inertia is that of some body only if no principal moment exceeds the sum of the
other two; equivalently, if the second moments Σ = ½ tr(I) 1 − I are positive semidefinite. The valid
tensor nearest to a stated one comes from the nearest such Σ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from strobe.algebra import Pose, Sym3, Turn, Vec3
from strobe.errors import COMMANDS, excerpt, wrong_name
from strobe.models.inertial import ENTRIES, principal_moments, symmetric

if TYPE_CHECKING:
    from strobe.models.assembly import Assembly, JointData, LinkData
    from strobe.models.inertial import Inertial

Triple = tuple[float, float, float]

SLACK = 1e-9  # of the trace: how far principal moments may break an inequality by rounding
FAR = 50.0  # metres: no link is that long
LONG = 10.0  # metres: not every link is that long
OFF_CENTRE = 5.0  # metres: no centre of mass of a link is that far, unless the link is
HEAVY = 1000.0  # kg: a crane, a vehicle
FULL_TURN = 2 * math.pi * 1.01
TWO_TURNS = 4 * math.pi
NO_AXIS = 1e-12  # the length of an axis that points nowhere
UNIT = 1e-6  # how far the length of an axis may be from 1 before it is worth a note
SPREAD = 5.0  # radius of gyration over the size of a link; sound links of real robots reach 4
SMALLEST = 0.02  # metres: below this size, offsets say nothing about how far a link extends
LARGEST = 1e50  # of any unit: nothing is that large, and products of a few such numbers are infinite


def check(data: Assembly) -> None:
    """Report every implausible link and joint of a file into its faults."""
    _check_names(data)
    sizes = _sizes(data)
    for link in data.links:
        if not _is_finite(link):
            data.faults.error(link.where, f'link "{link.name}" has an inertial number that is not finite.')
            continue
        _check_size(data, link.where, f'link "{link.name}"', link.inertial.about_origin.parameters)
        _check_mass(data, link)
        _check_inertia(data, link)
        _check_spread(data, link, sizes.get(link.name, 0.0))
        _check_angles(data, link.where, f'link "{link.name}" has an inertia turned by', _angles(link.axes))
    for joint in data.joints:
        if joint.has_axis:
            _check_axis(data, joint)
        if joint.has_pitch and not joint.pitch:
            text = f'joint "{joint.name}" has pitch 0; a {joint.kind} joint slides as it turns, in m/rad.'
            data.faults.error(joint.where, f"{text} Without a pitch it is revolute.")
        _check_size(data, joint.where, f'joint "{joint.name}"', _numbers(joint))
        _check_drive(data, joint)
        _check_limits(data, joint)
        angles = _angles(joint.before @ joint.after)
        _check_angles(data, joint.where, f'joint "{joint.name}" is placed with', angles)
    for name, _, placement, where in data.frames:
        _check_angles(data, where, f'frame "{name}" is placed with', _angles(placement))
    places = {joint.name: joint.where for joint in data.joints}
    for coupling in data.couplings:
        factors = (*coupling.terms.values(), coupling.offset)
        _check_size(
            data, places.get(coupling.joint, ""), f'joint "{coupling.joint}" follows others and', factors
        )
    for curve in data.curves:
        _check_size(data, "", f'curve "{curve.name}"', curve.coefficients)
    _check_size(data, "", "gravity", data.gravity)
    _check_metres(data)


def _numbers(joint: JointData) -> Iterator[object]:
    """Where a joint is, and what its drive is like."""
    motor, friction = joint.motor, joint.friction
    yield from (*joint.before.translation, *joint.after.translation)
    yield from (
        joint.pitch,
        motor.gear,
        motor.inertia,
        motor.viscous,
        *motor.coulomb,
        friction.viscous,
        *friction.coulomb,
    )


def _check_size(data: Assembly, where: str, what: str, numbers: Iterable[object]) -> None:
    """Refuse what is no measurement of anything."""
    wrong = [x for x in numbers if isinstance(x, float | int) and not abs(x) <= LARGEST]
    if wrong:
        data.faults.error(where, f"{what} has the number {wrong[0]:g}; expected sizes up to {LARGEST:g}.")


def _check_names(data: Assembly) -> None:
    """Refuse names and words that a terminal, an editor or a compiler would not take as words."""
    named = [(link.name, link.where) for link in data.links]
    named += [(joint.name, joint.where) for joint in data.joints]
    named += [(name, where) for name, _, _, where in data.frames]
    parts = (part.name for part in (*data.loops, *data.curves))
    others = [data.name, *data.poses, *data.parameters, *parts]
    for name, where in [*named, *((name, "") for name in others)]:
        if wrong := wrong_name(name):
            data.faults.error(where, wrong)
    for words in (data.title, data.source, data.kinematic_only):
        if COMMANDS.search(words):
            data.faults.error(
                "", f'the words "{excerpt(words)}" have control characters; use letters and signs.'
            )


def _physical(data: Assembly, link: LinkData, text: str) -> None:
    """Something no body can be: how loudly it is said, the file decides."""
    speak = {"error": data.faults.error, "known-violation": data.faults.note}
    speak.get(data.physical, data.faults.warning)(link.where, text, "inertia")


# -- links ----------------------------------------------------------------------------------------------


def _is_finite(link: LinkData) -> bool:
    """Whether a link's numbers are, also about its centre of mass, which may be as far as h/m."""
    central = link.inertial.central
    entries = [x for row in central.matrix() for x in row] if central is not None else []
    return all(math.isfinite(cast(float, x)) for x in (*link.inertial.about_origin.parameters, *entries))


def _check_mass(data: Assembly, link: LinkData) -> None:
    body = link.inertial.about_origin
    m = cast(float, body.m)
    if m < 0:
        data.faults.error(link.where, f'link "{link.name}" has mass {m!r}; a mass is zero or positive.')
    elif m == 0 and _any(body.h):
        moments = _listed(body.h)
        _physical(
            data, link, f'link "{link.name}" has mass 0 but first moments ({moments}); kept as stated.'
        )
    elif m == 0 and _any(body.I):
        _physical(
            data,
            link,
            f'link "{link.name}" has mass 0 but inertia ({_listed(body.I)}); kept as stated (other tools '
            "may drop it). Give it a mass, or zero inertia.",
        )
    elif m == 0 and link.inertial.com is not None and _any(link.inertial.com):
        data.faults.note(
            link.where, f'link "{link.name}" has mass 0: its centre of mass has no effect.', "inertia"
        )


def _check_inertia(data: Assembly, link: LinkData) -> None:
    central = link.inertial.central
    if central is None:
        return
    moments = principal_moments(central)
    fault = broken_rule(moments)
    if not fault:
        return
    a, b, c = moments
    shown = ", ".join(f"{x:.6g}" for x in moments)
    broken = (
        f"{a:.6g} is negative; none may be"
        if fault == "sign"
        else f"{a:.6g} + {b:.6g} >= {c:.6g} fails by {c - a - b:.3g}"
    )
    names = zip(ENTRIES, nearest_valid(central), strict=True)
    valid = " ".join(f"{name}={cast(float, x):.9g}" for name, x in names)
    _physical(
        data,
        link,
        f'link "{link.name}" has principal moments of inertia {shown}: {broken}. No body has them; kept as '
        f"stated. Nearest valid: {valid}",
    )


def broken_rule(moments: Sequence[float]) -> str:
    """Which rule ascending principal moments break beyond rounding: ``sign``, ``triangle`` or none."""
    a, b, c = moments
    tolerance = SLACK * abs(a + b + c)
    if a < -tolerance:
        return "sign"
    return "triangle" if a + b - c < -tolerance else ""


def broken_rules(ten: Sequence[float]) -> list[str]:
    """What keeps ten inertial parameters from being those of a body: m ≥ 0, and Σ ≥ 0 about its centre of mass."""
    m, h = ten[0], np.array(ten[1:4])
    if not all(map(math.isfinite, ten)):
        return ["its parameters are not finite."]
    if m < 0:
        return [f"its mass is {m:g}; a mass is zero or positive."]
    if m == 0 and any(ten[1:]):
        return ["its mass is 0, but not its moments; a body without mass has none."]
    I = Sym3(*ten[4:]).matrix()
    about = np.array([[float(cast(float, x)) for x in row] for row in I])
    central = about - (h @ h * np.eye(3) - np.outer(h, h)) / m if m else about
    a, b, c = (float(x) for x in np.linalg.eigvalsh(central))
    fault = broken_rule((a, b, c))
    if fault == "sign":
        return [f"its principal moments of inertia are {a:.6g}, {b:.6g}, {c:.6g}; none may be negative."]
    broken = f"its principal moments of inertia break {a:.6g} + {b:.6g} >= {c:.6g} by {c - a - b:.3g}."
    return [broken] if fault else []


def nearest_valid(central: Sym3) -> Sym3:
    """The inertia of a possible body nearest to the one stated, by its second moments."""
    I = np.array([[float(cast(float, x)) for x in row] for row in central.matrix()])
    values, axes = np.linalg.eigh(0.5 * np.trace(I) * np.eye(3) - I)
    second = (axes * np.maximum(values, 0.0)) @ axes.T
    return symmetric(np.trace(second) * np.eye(3) - second)


def _check_spread(data: Assembly, link: LinkData, reach: float) -> None:
    """A radius of gyration far beyond the link's size: an inertia in other units, or a slipped digit."""
    body, com, central = link.inertial.about_origin, link.inertial.com, link.inertial.central
    if com is None or central is None or cast(float, body.m) <= 0:
        return
    size = _length(com) + reach
    trace = cast(float, central.xx + central.yy + central.zz)
    radius = math.sqrt(max(trace, 0.0) / (2.0 * cast(float, body.m)))
    if size >= SMALLEST and radius > SPREAD * size:
        _physical(
            data,
            link,
            f'link "{link.name}" has a radius of gyration of {radius:.3g} m but its centre of mass and '
            f"joints are within {size:.3g} m; check the units of its inertia (kg m²).",
        )


def _sizes(data: Assembly) -> dict[str, float]:
    """For each link the distance from its origin to its farthest joint."""
    sizes: dict[str, float] = {}
    for joint in data.joints:
        for link, pose in ((joint.parent, joint.before), (joint.child, joint.after)):
            sizes[link] = max(sizes.get(link, 0.0), _length(pose.translation))
    return sizes


# -- joints ---------------------------------------------------------------------------------------------


def _check_axis(data: Assembly, joint: JointData) -> None:
    size = math.hypot(*joint.axis)
    who = f'joint "{joint.name}" has axis ({_listed(joint.axis)})'
    where = joint.axis_where or joint.where
    if not NO_AXIS <= size < math.inf:
        data.faults.error(where, f"{who}; a {joint.kind} joint needs a unit axis.")
    elif abs(size - 1) > UNIT:
        data.faults.note(where, f"{who} of length {size:.6g}; normalised.", "axis")


def _check_drive(data: Assembly, joint: JointData) -> None:
    never_negative = {
        "damping": joint.friction.viscous,
        "motor damping": joint.motor.viscous,
        "rotor inertia": joint.motor.inertia,
        "a velocity limit of": joint.limits.velocity,
        "an acceleration limit of": joint.limits.acceleration,
        "an effort limit of": joint.limits.effort,
    }
    for what, value in never_negative.items():
        if value < 0:
            data.faults.error(
                joint.where, f'joint "{joint.name}" has {what} {value!r}; it must be zero or positive.'
            )
    if joint.motor.efficiency != 1:
        data.faults.warning(
            joint.where,
            f'joint "{joint.name}" has motor efficiency {joint.motor.efficiency:g}: kept, not modelled.',
        )


def _check_limits(data: Assembly, joint: JointData) -> None:
    bounds = (joint.limits.lower, joint.limits.upper)
    if any(map(math.isnan, (*bounds, joint.limits.velocity, joint.limits.effort))):
        data.faults.error(joint.where, f'joint "{joint.name}" has a limit that is not a number.')
    if joint.turns and not joint.unlimited and any(_like_degrees(bound) for bound in bounds):
        data.faults.warning(
            joint.where,
            f'joint "{joint.name}" has limits {bounds[0]:g} and {bounds[1]:g}, which look like degrees; '
            "radians are expected.",
        )


def _like_degrees(bound: float) -> bool:
    return TWO_TURNS < abs(bound) <= 720 and bound % 5 == 0


def _check_angles(data: Assembly, where: str, what: str, angles: Iterable[float]) -> None:
    """Angles of more than a full turn, which are degrees more often than turns."""
    steepest = max(angles, key=abs, default=0.0)
    if abs(steepest) > FULL_TURN:
        data.faults.warning(
            where,
            f"{what} an angle of {steepest:g}, more than a full turn; radians are expected, not degrees.",
        )


def _angles(pose: Pose) -> Iterator[float]:
    return (step.angle for step in pose.steps if isinstance(step, Turn) and step.angle is not None)


def _check_metres(data: Assembly) -> None:
    """Offsets and centres of mass that look like millimetres: one warning for all of them."""
    joints = [
        (joint.where, f'joint "{joint.name}" is placed', _length((joint.before @ joint.after).translation))
        for joint in data.joints
    ]
    links = [
        (link.where, f'link "{link.name}" has its centre of mass', _length(link.inertial.com))
        for link in data.links
        if link.inertial.com is not None and _is_off_centre(link.inertial)
    ]
    far = [*(item for item in joints if item[2] > FAR), *links]
    offsets = [item for item in joints if item[2] > 0]
    if not far and len(offsets) > 1 and all(length > LONG for _, _, length in offsets):
        far = offsets
    if far:
        where, what, length = far[0]
        others = f" (and {len(far) - 1} more)" if len(far) > 1 else ""
        data.faults.warning(
            where, f"{what} {length:g} m away{others}, which looks like millimetres; metres are expected."
        )


def _is_off_centre(inertial: Inertial) -> bool:
    """Whether a centre of mass is farther away than that of a link of its mass can be."""
    most = FAR if cast(float, inertial.m) > HEAVY else OFF_CENTRE
    return inertial.com is not None and _length(inertial.com) > most


def _any(numbers: Vec3 | Sym3) -> bool:
    return any(x != 0 for x in numbers)


def _listed(numbers: Vec3 | Sym3 | Triple) -> str:
    return ", ".join(f"{cast(float, x):g}" for x in numbers)


def _length(v: Vec3) -> float:
    return math.hypot(*(cast(float, x) for x in v))
