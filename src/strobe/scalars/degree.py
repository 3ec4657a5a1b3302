"""`Degree`: bounds the degree of what a formulation computes, for `Field`'s probability of error.

A value is N ∏ D^e: a polynomial N and powers, negative ones too, of everything that was divided by. N carries a
degree per angle (in its cosine and sine) and one degree for all other variables: sum under ×, maximum under +,
after both terms are brought to the least power of every D. A divisor keeps its name, so that terms over one
pivot need no second copy of it and a pivot cancels its own reciprocal. An angle's point is a rational function
of degree 2 in one parameter, so the cleared numerator has degree other + 2 Σ angles.
"""

from __future__ import annotations

from collections.abc import Mapping

from strobe.errors import UnsupportedOperationError
from strobe.scalars.scalar import Num, Scalar, System, is_number

Powers = Mapping[str, int]

OTHER = ""  # the one name under which everything that is not an angle is counted
ONE: Powers = {}


def _times(a: Powers, b: Powers) -> Powers:
    if not (a and b):
        return a or b
    both = dict(a)
    for name, power in b.items():
        both[name] = both.get(name, 0) + power
    return both


def _either(a: Powers, b: Powers) -> Powers:
    larger = {name: power for name, power in b.items() if power > a.get(name, 0)}
    return {**a, **larger} if larger else a


class DegreeSystem(System):
    """Lifts every constant that `Field` would draw at random to a variable of degree one."""

    name = "Degree"

    def __init__(self) -> None:
        self._angles = 0

    def number(self, x: float) -> Num:
        return Degree(self, {OTHER: 1}) if x else 0

    def point(self, angle: float) -> tuple[Num, Num]:
        point = Degree(self, {self._fresh(): 1})
        return point, point

    def variable(self, name: str, angle: bool = False) -> Num:
        return Degree(self, {OTHER: 1}, angle=self._fresh() if angle else None)

    def _fresh(self) -> str:
        self._angles += 1
        return f"angle {self._angles}"

    def lower(self, x: Num) -> int:
        """The degree of the cleared numerator."""
        return 0 if is_number(x) else x.total  # pyright: ignore


class Degree(Scalar):
    """An upper bound on the degrees of a rational function; what it was divided by is named by the divisor."""

    __slots__ = ("angle", "divisors", "powers")

    system: DegreeSystem

    def __init__(
        self,
        system: DegreeSystem,
        powers: Powers,
        divisors: Mapping[Degree, int] | None = None,
        angle: str | None = None,
    ) -> None:
        self.system = system
        self.powers = powers
        self.divisors = divisors or {}
        self.angle = angle

    @property
    def total(self) -> int:
        """Degree of the numerator once circle points are cleared of their denominators."""
        powers = self._over({D: min(e, 0) for D, e in self.divisors.items()})
        return sum(power * (1 if name == OTHER else 2) for name, power in powers.items())

    def apply(self, op: str, *args: Num) -> Degree:
        if op in ("sin", "cos"):
            if self.angle is None:
                raise UnsupportedOperationError(
                    "Degree", op, "only an input angle has a sine and cosine there."
                )
            return Degree(self.system, {self.angle: 1})
        match op, [self.admit(a) for a in args]:
            case (("add" | "sub"), [x, y]):
                return x._plus(y)
            case "mul", [x, y]:
                return Degree(self.system, _times(x.powers, y.powers), x._divisors(y, 1))
            case "div", [x, y]:
                return Degree(self.system, x.powers, _summed(x._divisors(y, -1), y._named(), -1))
            case "neg", [x]:
                return x
            case _:
                raise UnsupportedOperationError("Degree", op, "it is not a rational operation.")

    def literal(self, x: float) -> Degree:
        return Degree(self.system, ONE)

    def _plus(self, other: Degree) -> Degree:
        a, b = self.divisors, other.divisors
        if a == b:
            return Degree(self.system, _either(self.powers, other.powers), a)
        least = {D: min(a.get(D, 0), b.get(D, 0)) for D in {**a, **b}}
        return Degree(self.system, _either(self._over(least), other._over(least)), least)

    def _named(self) -> Mapping[Degree, int]:
        """The polynomial of this number as a divisor; a literal is none."""
        return {self: 1} if self.powers else {}

    def _divisors(self, other: Degree, sign: int) -> Mapping[Degree, int]:
        return _summed(self.divisors, other.divisors, sign)

    def _over(self, least: Mapping[Degree, int]) -> Powers:
        """The degrees of N with every divisor's power beyond the least one multiplied in."""
        powers = self.powers
        for divisor, lower in least.items():
            excess = self.divisors.get(divisor, 0) - lower
            if excess:
                powers = _times(powers, {k: v * excess for k, v in divisor.powers.items()})
        return powers


def _summed(a: Mapping[Degree, int], b: Mapping[Degree, int], sign: int) -> Mapping[Degree, int]:
    if not b:
        return a
    return {D: e for D in {**a, **b} if (e := a.get(D, 0) + sign * b.get(D, 0))}
