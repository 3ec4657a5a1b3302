"""`Field`: integers modulo a large prime: exact arithmetic at a random point.

A lift draws a random robot *of the same structure*: zeros stay zero, right angles stay right, every
other angle becomes a random point of the circle and every other constant a random number. Two
formulations that agree there are the same rational function with overwhelming probability.
"""

from __future__ import annotations

import random

from strobe.errors import UnsupportedOperationError, ZeroPivotError
from strobe.scalars.scalar import Num, Scalar, System, is_number

_WITNESSES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)  # decide every integer below 3.3e24


def is_prime(n: int) -> bool:
    """Miller-Rabin with the bases that make it exact in the range used here."""
    if n < 2 or any(n % w == 0 for w in _WITNESSES):
        return n in _WITNESSES
    odd = n - 1
    twos = (odd & -odd).bit_length() - 1
    odd >>= twos

    def passes(base: int) -> bool:
        x = pow(base, odd, n)
        return x in (1, n - 1) or any((x := x * x % n) == n - 1 for _ in range(twos - 1))

    return all(passes(w) for w in _WITNESSES)


def draw_prime(rng: random.Random, bits: int = 61) -> int:
    """A prime with this many bits, drawn at random."""
    while True:
        candidate = rng.randrange(2 ** (bits - 1) + 1, 2**bits, 2)
        if is_prime(candidate):
            return candidate


class FieldSystem(System):
    """One random prime and the stream of random constants."""

    def __init__(self, seed: int, prime: int | None = None) -> None:
        self.rng = random.Random(seed)
        self.prime = prime or draw_prime(self.rng)
        self.name = f"Field mod {self.prime}"

    def number(self, x: float) -> Num:
        return self.draw() if x else 0

    def point(self, angle: float) -> tuple[Num, Num]:
        return self.draw_point()

    def variable(self, name: str, angle: bool = False) -> Num:
        return Angle(self, self.rng.randrange(self.prime), self.draw_point()) if angle else self.draw()

    def draw(self) -> Field:
        return Field(self, self.rng.randrange(1, self.prime))

    def draw_point(self) -> tuple[Field, Field]:
        """A random point of the circle: ((1 − t²)/(1 + t²), 2t/(1 + t²))."""
        p = self.prime
        while True:
            t = self.rng.randrange(p)
            if (norm := (1 + t * t) % p) != 0:
                inverse = pow(norm, -1, p)
                return Field(self, (1 - t * t) * inverse % p), Field(self, 2 * t * inverse % p)

    def residue(self, x: float) -> int:
        """A literal as an exact fraction modulo the prime."""
        numerator, denominator = x.as_integer_ratio()
        return numerator * pow(denominator, -1, self.prime) % self.prime

    def lower(self, x: Num) -> int:
        return self.residue(x) if is_number(x) else x.residue  # pyright: ignore


class Field(Scalar):
    """An integer modulo the prime of its system."""

    __slots__ = ("residue",)

    system: FieldSystem

    def __init__(self, system: FieldSystem, residue: int) -> None:
        self.system = system
        self.residue = residue

    def apply(self, op: str, *args: Num) -> Field:
        if op in ("sin", "cos"):
            return self._point()[op == "sin"]
        p = self.system.prime
        x = self.residue if args[0] is self else self.admit(args[0]).residue
        y = self.admit(args[1]).residue if len(args) > 1 else 0
        match op:
            case "mul":
                value = x * y
            case "add":
                value = x + y
            case "sub":
                value = x - y
            case "neg":
                value = -x
            case "div":
                if y == 0:
                    raise ZeroPivotError
                value = x * pow(y, -1, p)
            case _:
                raise UnsupportedOperationError("Field", op, "it is not a rational operation.")
        return Field(self.system, value % p)

    def literal(self, x: float) -> Field:
        return Field(self.system, self.system.residue(x))

    def admit(self, x: Num) -> Field:  # an Angle may stand where a Field is expected and vice versa
        return x if isinstance(x, Field) and x.system is self.system else super().admit(x)

    def _point(self) -> tuple[Field, Field]:
        raise UnsupportedOperationError(
            "Field", "sin or cos", "only an input angle has a sine and cosine there."
        )


class Angle(Field):
    """An input angle: a number with its own point of the circle."""

    __slots__ = ("point",)

    def __init__(self, system: FieldSystem, residue: int, point: tuple[Field, Field]) -> None:
        super().__init__(system, residue)
        self.point = point

    def literal(self, x: float) -> Field:  # pyright: ignore[reportIncompatibleMethodOverride]
        return Field(self.system, self.system.residue(x))

    def _point(self) -> tuple[Field, Field]:
        return self.point
