"""Certificates of operation counts: a program as text, counted line by line and checked in exact arithmetic.

    constants               computed once for a model: these lines are not counted
    k1 = ca2 * a3
    program                 one operation a line: * is a multiplication, + and - are additions
    x1 = qd1 * s2
    torques                 signs cost nothing
    tau1 = - x1

Names that are given: the arm's own numbers as in `parameters`; qk, qdk, qddk of joint k; ck, sk, tk, which are
cos qk, sin qk and tan(qk/2). Those of a sum of angles, c23, need the line q23 = q2 + q3, which is counted.

The check takes nothing from whoever wrote the text: it runs the lines in a prime field, on a random arm of the
pattern at a random state, beside a formulation of this package. Equal torques mean the same rational function, wrong
with probability at most degree/prime per trial.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import add, mul, sub, truediv
from typing import Any

from strobe.algebra import Shift, Turn
from strobe.algebra.rows import minus
from strobe.analysis.equivalence import TRIALS, degree, redrawn
from strobe.errors import CertificateError
from strobe.formulations import REFERENCE, formulation
from strobe.models.model import Body, Model
from strobe.scalars import DegreeSystem, FieldSystem, Num, System, cos, sin
from strobe.scalars.scalar import is_number

CONSTANTS, PROGRAM, TORQUES = SECTIONS = ("constants", "program", "torques")
OPERATIONS: Mapping[str, Callable[[Any, Any], Num]] = {"*": mul, "+": add, "-": sub, "/": truediv}
COUNTED = {"*": "multiplications", "+": "additions", "-": "additions"}
VARYING = re.compile(r"q\d|qd\d|qdd\d|[cst]\d+")  # given names of what moves

Angle = tuple[Num, Num]  # cosine and sine


@dataclass(frozen=True, slots=True)
class Line:
    """name = left operation right, or name = [-] right."""

    number: int
    name: str
    left: str
    operation: str
    right: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """A program by its three sections."""

    title: str
    constants: tuple[Line, ...]
    program: tuple[Line, ...]
    torques: tuple[Line, ...]

    @property
    def multiplications(self) -> int:
        return self._count("multiplications")

    @property
    def additions(self) -> int:
        return self._count("additions")

    @property
    def divisions(self) -> tuple[Line, ...]:
        """The constants that divide by something of the arm; without any, the program runs on every arm."""
        return tuple(
            line for line in self.constants if line.operation == "/" and not _is_written(line.right)
        )

    def _count(self, kind: str) -> int:
        return sum(COUNTED.get(line.operation) == kind for line in self.program)

    def evaluated(self, given: Given) -> list[Num]:
        """The torques, on the numbers of whatever is given."""
        known = dict(given.numbers)
        angles = dict(given.angles)
        for line in (*self.constants, *self.program, *self.torques):
            right = _operand(line, line.right, known, angles)
            if line.left:
                known[line.name] = OPERATIONS[line.operation](
                    _operand(line, line.left, known, angles), right
                )
            else:
                known[line.name] = -right if line.operation else right
            if line.operation == "+" and line.left in angles and line.right in angles:
                angles[line.name] = _summed(angles[line.left], angles[line.right])
        return [known[line.name] for line in self.torques]


@dataclass(frozen=True, slots=True)
class Given:
    """Numbers by name, and the points of angles by the names of these."""

    numbers: Mapping[str, Num]
    angles: Mapping[str, Angle]


def _is_written(name: str) -> bool:
    """Whether an operand is a number as it is written."""
    return name[0] in "-.0123456789"


# -- reading ------------------------------------------------------------------------------------------


def read(text: str) -> Certificate:
    """A certificate from its text; what could be counted wrong is refused."""
    title, *rest = text.splitlines() or [""]
    lines: dict[str, list[Line]] = {section: [] for section in SECTIONS}
    names: dict[str, str] = {}  # where each is from
    section = ""
    for number, written in enumerate(rest, 2):
        if written.strip() in SECTIONS:
            section = written.strip()
        elif written.strip():
            line = _line(number, written, section)
            _admit(line, section, names)
            names[line.name] = section
            lines[section].append(line)
    return Certificate(title, *(tuple(lines[section]) for section in SECTIONS))


def _line(number: int, written: str, section: str) -> Line:
    match written.split():
        case [name, "=", left, operation, right] if section in SECTIONS[:2] and operation in OPERATIONS:
            return Line(number, name, left, operation, right)
        case [name, "=", "-", right] if section:
            return Line(number, name, "", "-", right)
        case [name, "=", right] if section == TORQUES:
            return Line(number, name, "", "", right)
    raise CertificateError(
        number, f'"{written.strip()}" is no line of the section {section or "before the first"}'
    )


def _admit(line: Line, section: str, names: Mapping[str, str]) -> None:
    """Refuse what would count too little: division, work on what moves among the constants, a name used twice."""
    used = [x for x in (line.left, line.right) if x]
    moving = [x for x in used if names.get(x) == PROGRAM or (x not in names and VARYING.fullmatch(x))]
    if line.name in names or VARYING.fullmatch(line.name):
        raise CertificateError(line.number, f"{line.name} has a value already")
    if section == CONSTANTS and moving:
        raise CertificateError(
            line.number, f"{moving[0]} moves; a constant is computed from constants only"
        )
    if section == PROGRAM and (line.operation == "/" or not line.left):
        raise CertificateError(line.number, "a line of the program is a multiplication or an addition")


def _operand(line: Line, name: str, known: Mapping[str, Num], angles: Mapping[str, Angle]) -> Num:
    """The value of a name, of a function of an angle, or of a number as it is written."""
    if name in known:
        return known[name]
    if name[0] in "cst" and "q" + name[1:] in angles:
        c, s = angles["q" + name[1:]]
        return s / (c + 1) if name[0] == "t" else {"c": c, "s": s}[name[0]]
    try:
        return float(name)
    except ValueError:
        raise CertificateError(line.number, f"{name} has no value") from None


def _summed(a: Angle, b: Angle) -> Angle:
    return a[0] * b[0] - a[1] * b[1], a[1] * b[0] + a[0] * b[1]


# -- what is given ------------------------------------------------------------------------------------


def parameters(model: Model) -> dict[str, Num]:
    """The constants of an arm by name, but for zeros and right angles: g for gravity along z, then for link k

    cak sak        cosine and sine of its twist       ak dk     its lengths
    mk hxk …       mass and first moments, or cxk … for the centre of mass
    Ixxk …         inertia, about the centre of mass where that is given, else about the origin
    """
    found: dict[str, Num] = {"g": model.gravity.linear.z}
    for k, body in enumerate(model.bodies, 1):
        found |= {f"{name}{k}": x for name, x in (*_geometry(body), *_mass(body))}
    return {name: x for name, x in found.items() if not _is_structure(x)}


def _is_structure(x: Num) -> bool:
    """Whether a number is the same in every arm of a pattern: a zero, or a whole number of a right angle."""
    return isinstance(x, int) or (is_number(x) and x == 0)


def _geometry(body: Body) -> Iterator[tuple[str, Num]]:
    for step in body.before.steps:
        if isinstance(step, Turn):
            yield from (("ca", step.c), ("sa", step.s))
        elif isinstance(step, Shift):
            yield from ((name, x) for name, x in (("a", step.p.x), ("d", step.p.z)) if not _is_structure(x))


def _mass(body: Body) -> Iterator[tuple[str, Num]]:
    own = body.inertial
    at_com = own.given == "com" and own.com is not None and own.central is not None
    first, second = (own.com, own.central) if at_com else (own.about_origin.h, own.about_origin.I)
    assert first is not None
    assert second is not None
    yield "m", own.about_origin.m
    yield from zip(("cx", "cy", "cz") if at_com else ("hx", "hy", "hz"), first, strict=True)
    yield from zip(("Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"), second, strict=True)


def given(model: Model, state: tuple[Sequence[Num], Sequence[Num], Sequence[Num]]) -> Given:
    """What a program may use, on an arm at a state."""
    q, qd, qdd = state
    moving = {
        f"{name}{k}": x for name, row in (("q", q), ("qd", qd), ("qdd", qdd)) for k, x in enumerate(row, 1)
    }
    turning = [(k, x) for k, (x, joint) in enumerate(zip(q, model.joints, strict=True), 1) if joint.turns]
    return Given({**parameters(model), **moving}, {f"q{k}": (cos(x), sin(x)) for k, x in turning})


# -- the check ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Check:
    """The verdict: whether torques were equal in all trials, modulo which primes, and a bound on the degree."""

    holds: bool
    primes: tuple[int, ...]
    degree: int

    @property
    def probability(self) -> float:
        """That one trial finds different functions equal."""
        return self.degree / min(self.primes)

    def __str__(self) -> str:
        trials = f"in {len(self.primes)} trials"
        if not self.holds:
            return f"NOT EQUAL {trials}"
        return f"equal {trials}, each wrong with probability below {self.probability:.0e}"


def check(certificate: Certificate, model: Model, trials: int = TRIALS, seed: int = 0) -> Check:
    """A certificate against the reference formulation, on random arms of the model's pattern."""

    def difference(system: System) -> list[Num]:
        lifted = model.lift(system)
        state = lifted.variables()
        expected = formulation(REFERENCE).inverse_dynamics(lifted, *state)
        return minus(certificate.evaluated(given(lifted, state)), expected)

    def vanishes(system: FieldSystem) -> bool:
        return not any(system.lower(x) for x in difference(system))

    outcomes = [redrawn(vanishes, seed, k) for k in range(trials)]
    system = DegreeSystem()
    return Check(
        all(zero for zero, _ in outcomes),
        tuple(prime for _, prime in outcomes),
        degree(system, difference(system)),
    )
