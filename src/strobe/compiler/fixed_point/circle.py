"""The sine in integers: an angle as a part of a turn, a polynomial on an eighth of it, and a proven error.

A word of w bits holds an angle in units of 2⁻ʷ turns, so that whole turns fall off its end; the nearest quarter is
taken off, and the rest r with |r| ≤ 2ʷ⁻³ is y = r 2³⁻ʷ in [−1, 1], an eighth of a turn either way:

    sin(π/4 y) = y S(y²),    cos(π/4 y) = 1 + y² C(y²)

S and C are polynomials whose coefficients are whole multiples of 2¹⁻ʷ, evaluated by Horner's rule; every product
is rounded to nearest. A cosine is the sine a quarter turn on. The error is bounded, not measured: the difference of
a polynomial from the series in terms of Chebyshev polynomials, none of which exceeds 1, plus every rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

TERMS = 14  # of the series: the next one is below 1e-30
SLACK = 1e-14  # for the rounding of this bound's own evaluation


@dataclass(frozen=True)
class Circle:
    """Sines of w-bit words: the polynomials, lowest power first, and the largest errors."""

    bits: int
    sine: tuple[int, ...]
    cosine: tuple[int, ...]

    @property
    def fraction(self) -> int:
        """Of the result, whose 1 is a word."""
        return self.bits - 2

    @property
    def per_radian(self) -> int:
        """The units of half a 2⁻ʷ turn in a radian, nearly: a word."""
        return round(2 ** (self.bits + 1) / math.tau)

    def turning_error(self, size: float) -> float:
        """How far, in radians, the part of a turn may be from an angle of at most this size."""
        unit = math.tau / 2**self.bits
        return unit * (0.5 + size * abs(self.per_radian - 2 ** (self.bits + 1) / math.tau) / 2)

    @cached_property
    def error(self) -> float:
        """The largest error of the sine of a part of a turn, its own rounding with it."""
        return max(self._error(self.sine, 1), self._error(self.cosine, 2))

    def _error(self, words: Sequence[int], power: int) -> float:
        """Of the polynomial y S (power 1) or 1 + y² C (power 2)."""
        unit = 2.0 ** (1 - self.bits)
        square = unit  # y² is rounded to a fraction of bits − 2
        size, error = abs(words[-1]) * unit, 0.0
        for word in reversed(words[:-1]):
            error, size = error + size * square + unit / 2, size + abs(word) * unit
        outside = size * square if power == 2 else 0.0
        return self._distance(words, power) + error + outside + 2.0 ** -(self.fraction + 1)

    def _distance(self, words: Sequence[int], power: int) -> float:
        """The largest difference of a polynomial in y² from the function it stands for."""
        angle = math.pi / 4
        series = [
            (-1) ** (k + power - 1) * angle ** (2 * k + power) / math.factorial(2 * k + power)
            for k in range(TERMS)
        ]
        own = [word * 2.0 ** (1 - self.bits) for word in words]
        difference = Polynomial(series) - Polynomial(own)
        spread = difference(Polynomial([0.5, 0.5])).convert(kind=Chebyshev)  # y² from 0 to 1
        return float(np.abs(spread.coef).sum()) + SLACK


CIRCLES = {  # by the bits of a word; interpolated where Chebyshev polynomials vanish, then rounded
    16: Circle(16, (25736, -2645, 80), (-10106, 519, -11)),
    32: Circle(32, (1686629713, -173399667, 5348079, -78539, 664), (-662337939, 34046932, -699997, 7606)),
}
