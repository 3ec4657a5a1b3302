"""Exact polynomials in n, the number of joints: what an operation count is.

Coefficients are fractions, never floats. A polynomial is written, and read, as papers print it:
``32½n⁴+86 5/12n³−128``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import zip_longest
from typing import TypeAlias

from strobe.errors import ArgumentError

Number: TypeAlias = int | Fraction

SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
VULGAR = {"½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅙": "1/6", "⅚": "5/6"}
GLYPHS = {Fraction(text): glyph for glyph, text in VULGAR.items()}
TERM = re.compile(r"([+−-]?)(?:(\d[\d,]*)(?![\d,/]))?(?: ?(\d+/\d+))?(n?)([⁰¹²³⁴⁵⁶⁷⁸⁹]*)")


class Polynomial:
    """A polynomial in n with exact coefficients, lowest power first."""

    __slots__ = ("coefficients",)

    def __init__(self, *coefficients: Number) -> None:
        exact = [Fraction(c) for c in coefficients]
        while exact and exact[-1] == 0:
            exact.pop()
        self.coefficients = tuple(exact)

    @classmethod
    def parse(cls, text: str) -> Polynomial:
        """A polynomial as printed, such as ``106½n²+620¼n−512``."""
        plain = text
        for glyph, fraction in VULGAR.items():
            plain = plain.replace(glyph, f" {fraction}")
        terms = [match for match in TERM.finditer(plain.strip()) if any(match.group(2, 3, 4))]
        if not terms or "".join(match.group() for match in terms) != plain.strip():
            raise ArgumentError(f'"{text}" is not a polynomial in n, such as 106½n²+620¼n−512.')
        return sum((_term(match) for match in terms), cls())

    @property
    def degree(self) -> int:
        """The highest power with a coefficient; 0 for a constant."""
        return max(len(self.coefficients) - 1, 0)

    def coefficient(self, power: int) -> Fraction:
        """The coefficient of n to a power."""
        return self.coefficients[power] if power < len(self.coefficients) else Fraction(0)

    def __call__(self, n: Number) -> Number:
        """The value at n, an int where it is whole."""
        value = Fraction(0)
        for c in reversed(self.coefficients):
            value = value * n + c
        return whole(value)

    def summed(self) -> Polynomial:
        """Σ p(j) for j = 1 … n, again a polynomial in n."""
        total, values = Fraction(0), {0: Fraction(0)}
        for j in range(1, self.degree + 2):
            total += self(j)
            values[j] = total
        return through(values)

    def __add__(self, other: Polynomial | Number) -> Polynomial:
        pairs = zip_longest(self.coefficients, polynomial(other).coefficients, fillvalue=Fraction(0))
        return Polynomial(*(a + b for a, b in pairs))

    def __neg__(self) -> Polynomial:
        return Polynomial(*(-c for c in self.coefficients))

    def __sub__(self, other: Polynomial | Number) -> Polynomial:
        return self + -polynomial(other)

    def __rsub__(self, other: Number) -> Polynomial:
        return -self + other

    def __mul__(self, other: Polynomial | Number) -> Polynomial:
        factor = polynomial(other).coefficients
        product = [Fraction(0)] * (len(self.coefficients) + len(factor))
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(factor):
                product[i + j] += a * b
        return Polynomial(*product)

    __radd__ = __add__
    __rmul__ = __mul__

    def __truediv__(self, divisor: Number) -> Polynomial:
        return self * (Fraction(1) / divisor)

    def __pow__(self, power: int) -> Polynomial:
        result = Polynomial(1)
        for _ in range(power):
            result = result * self
        return result

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Polynomial | int | Fraction):
            return NotImplemented
        return self.coefficients == polynomial(other).coefficients

    def __hash__(self) -> int:
        return hash(self.coefficients)

    def __bool__(self) -> bool:
        return bool(self.coefficients)

    def __str__(self) -> str:
        terms = [_printed(c, k) for k, c in enumerate(self.coefficients) if c]
        return "".join(reversed(terms)).removeprefix("+") or "0"

    def __repr__(self) -> str:
        return f"Polynomial({self})"


def polynomial(x: Polynomial | Number) -> Polynomial:
    """A number as a constant polynomial; a polynomial as it is."""
    return x if isinstance(x, Polynomial) else Polynomial(x)


def through(values: Mapping[int, Number]) -> Polynomial:
    """The polynomial of lowest degree through points (Newton's divided differences)."""
    nodes = list(values)
    table = [Fraction(values[n]) for n in nodes]
    result, basis = Polynomial(), Polynomial(1)
    for k, node in enumerate(nodes):
        result = result + basis * table[0]
        basis = basis * Polynomial(-node, 1)
        spans = (nodes[i + k + 1] - nodes[i] for i in range(len(table) - 1))
        table = [(b - a) / span for a, b, span in zip(table, table[1:], spans, strict=False)]
    return result


def fit(values: Mapping[int, Number], spare: int = 1) -> Polynomial | None:
    """The polynomial that these counts are values of, or None.

    It must leave at least ``spare`` points over, which it meets without having been made from them.
    """
    found = through(values)
    return found if found.degree + 1 + spare <= len(values) else None


def whole(x: Fraction) -> Number:
    """An int where the fraction is one."""
    return x.numerator if x.denominator == 1 else x


def mixed(x: Number) -> str:
    """A number as papers print it: 86 5/12, 620¼, 7,051."""
    x = Fraction(x)
    units, rest = divmod(abs(x), 1)
    fraction = GLYPHS.get(rest) or (f" {rest}" if units else str(rest))
    digits = f"{units:,}" if units or not rest else ""
    return ("−" if x < 0 else "") + (digits + fraction if rest else digits)


def _term(match: re.Match[str]) -> Polynomial:
    sign, units, part, n, power = match.groups()
    size = Fraction(part or 0) + int((units or "0").replace(",", ""))
    if not (units or part):
        size = Fraction(1)
    exponent = int("".join(str(SUPERSCRIPTS.index(c)) for c in power)) if power else 1
    return Polynomial(0, 1) ** (exponent if n else 0) * (size if sign in ("", "+") else -size)


def _printed(c: Fraction, power: int) -> str:
    """One term with its sign."""
    size = "" if abs(c) == 1 and power else mixed(abs(c))
    exponent = "".join(SUPERSCRIPTS[int(d)] for d in str(power)) if power > 1 else ""
    return ("−" if c < 0 else "+") + size + ("n" if power else "") + exponent


N = Polynomial(0, 1)
"""The number of joints."""
