"""`Degree`: bounds the degree of what a formulation computes, for `Field`'s probability of error.

A value is numerator over denominator; each carries a degree per angle (in its cosine and sine) and
one degree for all other variables: maximum under +, sum under ×. An angle's point is a rational
function of degree 2 in one parameter, so the cleared numerator has degree other + 2 Σ angles.
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
    return {k: a.get(k, 0) + b.get(k, 0) for k in {*a, *b}}


def _either(a: Powers, b: Powers) -> Powers:
    return {k: max(a.get(k, 0), b.get(k, 0)) for k in {*a, *b}}


class DegreeSystem(System):
    """Lifts every constant that `Field` would draw at random to a variable of degree one."""

    name = "Degree"

    def __init__(self) -> None:
        self._angles = 0

    def number(self, x: float) -> Num:
        return Degree(self, {OTHER: 1}, ONE) if x else 0

    def point(self, angle: float) -> tuple[Num, Num]:
        point = Degree(self, {self._fresh(): 1}, ONE)
        return point, point

    def variable(self, name: str, angle: bool = False) -> Num:
        return Degree(self, {OTHER: 1}, ONE, self._fresh() if angle else None)

    def _fresh(self) -> str:
        self._angles += 1
        return f"angle {self._angles}"

    def lower(self, x: Num) -> int:
        """The degree of the cleared numerator."""
        return 0 if is_number(x) else x.total  # pyright: ignore


class Degree(Scalar):
    """An upper bound on the degrees of a rational function."""

    __slots__ = ("above", "angle", "below")

    system: DegreeSystem

    def __init__(
        self, system: DegreeSystem, above: Powers, below: Powers, angle: str | None = None
    ) -> None:
        self.system = system
        self.above = above
        self.below = below
        self.angle = angle

    @property
    def total(self) -> int:
        """Degree of the numerator once circle points are cleared of their denominators."""
        return sum(power * (1 if name == OTHER else 2) for name, power in self.above.items())

    def apply(self, op: str, *args: Num) -> Degree:
        if op in ("sin", "cos"):
            if self.angle is None:
                raise UnsupportedOperationError(
                    "Degree", op, "only an input angle has a sine and cosine there."
                )
            return Degree(self.system, {self.angle: 1}, ONE)
        match op, [self.admit(a) for a in args]:
            case (("add" | "sub"), [x, y]):
                above = _either(_times(x.above, y.below), _times(y.above, x.below))
                return Degree(self.system, above, _times(x.below, y.below))
            case "mul", [x, y]:
                return Degree(self.system, _times(x.above, y.above), _times(x.below, y.below))
            case "div", [x, y]:
                return Degree(self.system, _times(x.above, y.below), _times(x.below, y.above))
            case "neg", [x]:
                return x
            case _:
                raise UnsupportedOperationError("Degree", op, "it is not a rational operation.")

    def literal(self, x: float) -> Degree:
        return Degree(self.system, ONE, ONE)
