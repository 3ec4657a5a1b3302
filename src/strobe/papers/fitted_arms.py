"""Real arms in the names of a certificate: their Denavit-Hartenberg tables on the frames that its pattern asks for.

A certificate knows an arm by the zeros and right angles of its pattern. A robot fits where it has these too, after
what costs nothing: x of a frame turned round, which changes the signs of the next twist and length; the origin of
the last link slid along its axis; whatever lies below the first joint, which is upright. Zeros beyond the pattern's
do no harm, unless the certificate divides by them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from strobe.algebra import Shift, Turn
from strobe.errors import ArgumentError
from strobe.formulations import REFERENCE, formulation
from strobe.kinematics.denavit_hartenberg import Row, denavit_hartenberg
from strobe.models.model import Body, Model
from strobe.papers.certificates import Angle, Certificate, Given
from strobe.robot import Robot
from strobe.scalars.precise import PreciseSystem

NOTHING = 1e-12  # what is left of a zero after a change of frames: metres, cosines, kg m²
ENTRIES = ("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")


@dataclass(frozen=True, slots=True)
class Fitted:
    """The numbers of a robot by the names of a pattern, and the angles that its joints are turned by at zero."""

    robot: Robot
    numbers: Mapping[str, float]
    offsets: tuple[float, ...]

    def torques(self, certificate: Certificate, state: Sequence[Sequence[float]]) -> list[float]:
        """What the program gives in doubles; a division by zero raises as it comes."""
        q, qd, qdd = state
        rows = (("q", q), ("qd", qd), ("qdd", qdd))
        moving = {f"{name}{k}": x for name, row in rows for k, x in enumerate(row, 1)}
        angles = {
            f"q{k}": _point(x, offset)
            for k, (x, offset, joint) in enumerate(
                zip(q, self.offsets, self.robot.model.joints, strict=True), 1
            )
            if joint.turns
        }
        found = certificate.evaluated(Given({**self.numbers, **moving}, angles))
        return [float(x) for x in found]  # pyright: ignore[reportArgumentType]

    def error(self, certificate: Certificate, state: Sequence[Sequence[float]]) -> float:
        """The largest error of a torque, as a part of the largest torque, against fifty digits."""
        system = PreciseSystem()
        lifted = self.robot.model.lift(system)
        exact = formulation(REFERENCE).inverse_dynamics(
            lifted, *([system.exact(x) for x in row] for row in state)
        )
        expected = [system.lower(x) for x in exact]
        found = self.torques(certificate, state)
        off = max(abs(x - y) for x, y in zip(expected, found, strict=True))
        return float(off / max(map(abs, expected)))


def fitted(robot: Robot, pattern: Model) -> Fitted:
    """A robot in the names of a pattern; an error says what the pattern has not."""
    table = denavit_hartenberg(robot, convention="modified")
    rows, model = table.rows, table.model()
    if [row.slides for row in rows] != [joint.slides for joint in pattern.joints]:
        raise ArgumentError(f"{robot.name} has other joints than the arm of the certificate.")
    turns = _turns(rows, pattern)
    numbers = {"g": float(model.gravity.linear.z)}  # pyright: ignore[reportArgumentType]
    for k, (row, body, like) in enumerate(zip(rows, model.bodies, pattern.bodies, strict=True), 1):
        asked = dict(_asked(like))
        free = row.d if k == len(rows) and asked["d"] == 0.0 else 0.0
        own = dict(_lengths(row, turns[k - 1], free)) | dict(_masses(body, turns[k], free, _at_com(like)))
        for name, value in asked.items():
            if k > 1 and value is not None and abs(own[name] - value) > NOTHING:
                raise ArgumentError(
                    f"{robot.name}: {name}{k} is {own[name]:g}; the arm of the certificate has {value:g}."
                )
            numbers[f"{name}{k}"] = own[name]
    quarters = [after - before for before, after in pairwise(turns)]
    offsets = tuple(row.theta + math.pi / 2 * more for row, more in zip(rows, quarters, strict=True))
    return Fitted(robot, numbers, offsets)


def _turns(rows: Sequence[Row], pattern: Model) -> list[int]:
    """Quarter turns of the base and of each link about z: for the sign of the next twist, and back after a slide."""
    turns = [0]
    for row, after, like in zip(rows, rows[1:], pattern.bodies[1:], strict=False):
        s = dict(_asked(like))["sa"]
        flip = 2 * int(s is not None and s * math.sin(after.alpha) < -NOTHING)
        slid = round(-row.theta / (math.pi / 2)) if row.slides else 0
        turns.append(turns[-1] * row.slides + slid + flip)
    return [*turns, 0]


def _lengths(row: Row, turned: int, free: float) -> Iterator[tuple[str, float]]:
    """Twist, a and d of a row whose link before is turned about z; half turns change signs, others need no twist."""
    c, s, sign = math.cos(row.alpha), math.sin(row.alpha), (1, 0, -1, 0)[turned % 4]
    if sign == 0 and (abs(s) > NOTHING or abs(row.a) > NOTHING):
        raise ArgumentError(f"{row.name} follows a slide that is turned about its axis, at an angle to it.")
    yield from (("ca", _snapped(c)), ("sa", _snapped(sign * s)), ("a", sign * row.a), ("d", row.d - free))


def _masses(body: Body, turned: int, free: float, at_com: bool) -> Iterator[tuple[str, float]]:
    """Mass properties in axes turned about z by quarter turns, about an origin that lies lower by ``free``."""
    inertial = body.inertial
    assert inertial.com is not None
    assert inertial.central is not None
    m, *rest = map(float, (inertial.m, *inertial.com, *inertial.central))  # pyright: ignore[reportArgumentType]
    x, y, z, xx, yy, zz, xy, xz, yz = rest
    for _ in range(turned % 4):
        x, y, xx, yy, xy, xz, yz = y, -x, yy, xx, -xy, yz, -xz
    z += free
    if not at_com:
        xx, yy, zz = xx + m * (y * y + z * z), yy + m * (x * x + z * z), zz + m * (x * x + y * y)
        xy, xz, yz = xy - m * x * y, xz - m * x * z, yz - m * y * z
    yield from (("m", m), ("cx", x), ("cy", y), ("cz", z), ("hx", m * x), ("hy", m * y), ("hz", m * z))
    yield from (("Ixx", xx), ("Iyy", yy), ("Izz", zz), ("Ixy", xy), ("Ixz", xz), ("Iyz", yz))


def _snapped(x: float) -> float:
    near = round(x)
    return float(near) if abs(x - near) < NOTHING else x


def _asked(body: Body) -> Iterator[tuple[str, float | None]]:
    """What a link of the pattern is named by: its value where every arm of the pattern has it, else None."""
    c, s, lengths = 1, 0, {"a": 0.0, "d": 0.0}
    for step in body.before.steps:
        if isinstance(step, Turn):
            c, s = step.c, step.s
        elif isinstance(step, Shift):
            lengths = {"a": step.p.x or lengths["a"], "d": step.p.z or lengths["d"]}
    yield from ((name, float(x) if isinstance(x, int) else None) for name, x in (("ca", c), ("sa", s)))
    own = body.inertial
    first = (own.com if _at_com(body) else own.about_origin.h) or ()
    second = (own.central if _at_com(body) else own.about_origin.I) or ()
    names = ("m", *(f"{'c' if _at_com(body) else 'h'}{axis}" for axis in "xyz"), *ENTRIES)
    values = {**lengths, **dict(zip(names, (own.m, *first, *second), strict=True))}
    yield from ((name, None if value else 0.0) for name, value in values.items())


def _at_com(body: Body) -> bool:
    return body.inertial.given == "com"


def _point(q: float, offset: float) -> Angle:
    """Cosine and sine of an angle and its offset; quarter turns lose nothing."""
    c, s = math.cos(q), math.sin(q)
    quarters = offset / (math.pi / 2)
    if abs(quarters - round(quarters)) > NOTHING:
        return math.cos(q + offset), math.sin(q + offset)
    return [(c, s), (-s, c), (-c, -s), (s, -c)][round(quarters) % 4]
