"""What a certificate with divisions asks of an arm, and what it loses beside that.

Every divisor among its constants is a polynomial of the arm's parameters over products of earlier divisors. Its
irreducible factors are the *conditions*: the program runs where none of them vanishes. On a condition it divides by
zero; at a distance ε from it, in doubles, digits go. Cosine and sine of a twist count as two parameters.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from strobe.errors import ZeroPivotError
from strobe.models.model import Model
from strobe.papers.certificates import OPERATIONS, Certificate, Given, Line, parameters
from strobe.scalars import FieldSystem, Num, cos, sin
from strobe.scalars.field import Field
from strobe.scalars.precise import PreciseSystem

DISTANCES = (1e-3, 1e-6, 1e-9)
STATES = 3
ROUNDING = 2.0**-53


@dataclass(frozen=True, slots=True)
class Condition:
    """A factor that must not vanish, as it is printed, and one of its parameters that it is linear in."""

    text: str
    solved_for: str
    rest: str  # the factor without that parameter
    slope: str  # what multiplies it

    def root(self, values: Mapping[str, Any]) -> Any:
        """The value of its parameter at which it vanishes, on numbers of any system."""
        return -_value(self.rest, values) / _value(self.slope, values)

    def __str__(self) -> str:
        return f"{self.text} ≠ 0"


@cache
def conditions(certificate: Certificate, names: tuple[str, ...]) -> tuple[Condition, ...]:
    """The conditions of a certificate on an arm with these parameters, shortest first."""
    if not certificate.divisions:
        return ()
    found = dict(map(_condition, _factors(certificate, names)))
    return tuple(found[text] for text in sorted(found, key=lambda text: (len(text.split()), text)))


def _factors(certificate: Certificate, names: Sequence[str]) -> Iterator[Any]:
    """The irreducible factors of all divisors, as polynomials with whole coefficients."""
    from sympy import QQ
    from sympy.polys.fields import field

    domain, *generators = field(names, QQ)
    known: dict[str, Any] = dict(zip(names, generators, strict=True))

    def value(name: str) -> Any:
        written = None if name in known else Fraction(name)
        return known[name] if written is None else domain(QQ(written.numerator, written.denominator))

    divisors: dict[Any, None] = {}
    divided = set(map(id, certificate.divisions))
    for line in _behind_divisions(certificate):
        right = value(line.right)
        if id(line) in divided:
            divisors |= {right.numer: None, right.denom: None}
        known[line.name] = (
            OPERATIONS[line.operation](value(line.left), right) if line.left else domain(0) - right
        )
    for divisor in divisors:
        yield from (factor.primitive()[1] for factor, _ in divisor.factor_list()[1])


def _behind_divisions(certificate: Certificate) -> list[Line]:
    """The constants that a divisor is made of, and the divisions."""
    needed = {line.name for line in certificate.divisions}
    kept: list[Line] = []
    for line in reversed(certificate.constants):
        if line.name in needed:
            needed |= {line.left, line.right}
            kept.append(line)
    return kept[::-1]


def _condition(factor: Any) -> tuple[str, Condition]:
    """A factor with a positive first term, and the parameter to solve it for: a length or a mass before a twist."""
    if factor.LC < 0:
        factor = -factor
    ring = factor.ring
    linear = [k for k in range(ring.ngens) if factor.degree(k) == 1]
    _, place = min((str(ring.symbols[k]).startswith(("ca", "sa")), k) for k in linear)
    generator = ring.gens[place]
    slope = factor.diff(generator)
    rest = factor - slope * generator
    text = _text(factor)
    return text, Condition(text, str(ring.symbols[place]), _text(rest), _text(slope))


def _text(polynomial: Any) -> str:
    """A polynomial as sums of products, spaces between all tokens of a sum."""
    names = [str(symbol) for symbol in polynomial.ring.symbols]
    written = ""
    for powers, coefficient in polynomial.terms():
        factors = [name for name, power in zip(names, powers, strict=True) for _ in range(power)]
        size = abs(coefficient)
        product = "·".join(([] if size == 1 and factors else [str(size)]) + factors)
        sign = "− " if coefficient < 0 else "+ "
        written += f" {sign}{product}"
    return written.removeprefix(" + ").strip() or "0"


def _value(text: str, values: Mapping[str, Any]) -> Any:
    total: Any = 0
    sign = 1
    for token in text.split():
        if token in "+−":
            sign = 1 if token == "+" else -1
            continue
        product: Any = sign
        for name in token.split("·"):
            product = (values[name] if name in values else int(Fraction(name))) * product
        total, sign = product + total, 1
    return total


# -- on a condition, and beside it --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Margin:
    """Whether a program stops on a condition, and the digits that doubles lose at `DISTANCES` from it."""

    condition: Condition
    stops: bool
    lost: tuple[float, ...]


def margins(certificate: Certificate, model: Model) -> tuple[Margin, ...]:
    """Every condition of a certificate, tried on arms of the pattern that break it and that nearly do."""
    return tuple(
        Margin(
            condition,
            stops_on(certificate, model, condition),
            tuple(digits_lost(certificate, model, condition, distance) for distance in DISTANCES),
        )
        for condition in conditions(certificate, tuple(parameters(model)))
    )


def stops_on(certificate: Certificate, model: Model, condition: Condition, seed: int = 0) -> bool:
    """Whether the program divides by zero on arms of the pattern that break one condition, in a prime field."""
    system = FieldSystem(seed)
    values = parameters(model.lift(system))
    values[condition.solved_for] = condition.root(values)
    try:
        certificate.evaluated(Given({**values, **_drawn(system, model)}, _angles(system, model)))
    except (ZeroPivotError, ZeroDivisionError):
        return True
    return False


def _drawn(system: FieldSystem, model: Model) -> dict[str, Field]:
    return {f"{name}{k}": system.draw() for name in ("q", "qd", "qdd") for k in range(1, model.nv + 1)}


def _angles(system: FieldSystem, model: Model) -> dict[str, tuple[Num, Num]]:
    return {f"q{k}": system.draw_point() for k, joint in enumerate(model.joints, 1) if joint.turns}


def digits_lost(
    certificate: Certificate, model: Model, condition: Condition, distance: float, seed: int = 0
) -> float:
    """Decimal digits of the largest torque that doubles lose, at most, where a condition is met by ``distance``."""
    rng = random.Random(seed)
    worst = max(_error(certificate, model, condition, distance, rng) for _ in range(STATES))
    return max(0.0, math.log10(worst / ROUNDING))


def _error(
    certificate: Certificate, model: Model, condition: Condition, distance: float, rng: random.Random
) -> float:
    """Of one random arm and state: doubles against fifty digits."""
    system = PreciseSystem()
    twists = {name[2:]: rng.uniform(0.3, 1.2) for name in parameters(model) if name.startswith("ca")}
    plain = {name: rng.uniform(0.5, 1.5) for name in parameters(model) if name[:2] not in ("ca", "sa")}
    if condition.solved_for in plain:
        plain[condition.solved_for] = 0.0
        root = condition.root({**plain, **_points(twists, math.cos, math.sin)})
        plain[condition.solved_for] = float(root) + distance
    else:
        twists[condition.solved_for[2:]] = distance + (math.pi / 2 if condition.text[0] == "c" else 0.0)
    moving = {
        f"{name}{k}": rng.uniform(-3.0, 3.0) for name in ("q", "qd", "qdd") for k in range(1, model.nv + 1)
    }
    turning = [k for k, joint in enumerate(model.joints, 1) if joint.turns]
    exact = _torques(
        certificate,
        {name: system.exact(x) for name, x in (plain | moving).items()},
        {k: system.exact(x) for k, x in twists.items()},
        turning,
    )
    found = _torques(certificate, plain | moving, twists, turning)
    expected = [float(system.lower(x)) for x in exact]
    return max(abs(float(x) - y) for x, y in zip(found, expected, strict=True)) / max(map(abs, expected))


def _torques(
    certificate: Certificate, numbers: Mapping[str, Any], twists: Mapping[str, Any], turning: Iterable[int]
) -> list[Any]:
    points = {f"q{k}": (cos(numbers[f"q{k}"]), sin(numbers[f"q{k}"])) for k in turning}
    return certificate.evaluated(Given({**numbers, **_points(twists, cos, sin)}, points))


def _points(twists: Mapping[str, Any], cosine: Any, sine: Any) -> dict[str, Any]:
    return {
        f"{name}{k}": function(x)
        for k, x in twists.items()
        for name, function in (("ca", cosine), ("sa", sine))
    }
