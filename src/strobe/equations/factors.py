"""Polynomials in symbols and waves: common factors, exact division, square roots, products of two sums.

A polynomial is a dictionary from monomials to rational coefficients; a monomial is a set of (atom, exponent),
an atom the name of a variable or the cosine or sine of an angle. Cosine and sine are independent here: what
holds between such polynomials holds for the functions, and the converse is not needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import gcd, isqrt, lcm
from typing import TypeAlias

from strobe.equations.expression import Trig

Atom: TypeAlias = str | Trig
Monomial: TypeAlias = frozenset[tuple[Atom, int]]
Polynomial: TypeAlias = dict[Monomial, Fraction]
Vector: TypeAlias = tuple[int, ...]

UNIT: Monomial = frozenset()


def monomial(powers: Mapping[Atom, int] | Iterable[tuple[Atom, int]]) -> Monomial:
    return frozenset((atom, e) for atom, e in dict(powers).items() if e)


def multiplied(*factors: Monomial) -> Monomial:
    powers: dict[Atom, int] = {}
    for factor in factors:
        for atom, e in factor:
            powers[atom] = powers.get(atom, 0) + e
    return frozenset(powers.items())


def over(a: Monomial, b: Monomial) -> Monomial:
    """a / b, where b divides a."""
    if not b:
        return a
    powers = dict(a)
    for atom, e in b:
        powers[atom] -= e
    return monomial(powers)


def scaled(p: Polynomial, by: Monomial, factor: Fraction = Fraction(1)) -> Polynomial:
    return {multiplied(m, by): c * factor for m, c in p.items()}


def added(*polynomials: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for p in polynomials:
        for m, c in p.items():
            result[m] = result.get(m, Fraction(0)) + c
    return {m: c for m, c in result.items() if c}


def product(p: Polynomial, q: Polynomial) -> Polynomial:
    return added(*(scaled(q, m, c) for m, c in p.items()))


def common_factor(p: Polynomial) -> tuple[Fraction, Monomial]:
    """The largest positive number and monomial that divide every term and leave integers."""
    number = Fraction(gcd(*(c.numerator for c in p.values())), lcm(*(c.denominator for c in p.values())))
    first, *others = (dict(m) for m in p)
    shared = {atom: min(e, *(m.get(atom, 0) for m in others)) if others else e for atom, e in first.items()}
    return number, monomial(shared)


def without_common_factor(p: Polynomial) -> Polynomial:
    number, shared = common_factor(p)
    return {over(m, shared): c / number for m, c in p.items()}


def quotient(p: Polynomial, q: Polynomial) -> Polynomial | None:
    """p / q, or None where q does not divide p."""
    atoms = _atoms(p, q)
    rest, divisor = _vectors(p, atoms), _vectors(q, atoms)
    head = max(divisor)
    result: dict[Vector, Fraction] = {}
    while rest:
        top = max(rest)
        step = tuple(a - b for a, b in zip(top, head, strict=True))
        if min(step, default=0) < 0:
            return None
        factor = result[step] = rest[top] / divisor[head]
        for v, c in divisor.items():
            _subtract(rest, tuple(a + b for a, b in zip(v, step, strict=True)), factor * c)
    return _polynomial(result, atoms)


def square_root(p: Polynomial) -> Polynomial | None:
    """A polynomial whose square is p, or None."""
    atoms = _atoms(p)
    rest = _vectors(p, atoms)
    root: dict[Vector, Fraction] = {}
    while rest:
        top = max(rest)
        if not root:
            number = _rational_root(rest[top])
            if number is None or any(e % 2 for e in top):
                return None
            step, factor = tuple(e // 2 for e in top), number
        else:
            head = next(iter(root))
            step = tuple(a - b for a, b in zip(top, head, strict=True))
            factor = rest[top] / (2 * root[head])
            if min(step, default=0) < 0 or step >= head or len(root) > len(p):
                return None
        for v, c in root.items():
            _subtract(rest, tuple(a + b for a, b in zip(v, step, strict=True)), 2 * c * factor)
        _subtract(rest, tuple(2 * e for e in step), factor * factor)
        root[step] = factor
    return _polynomial(root, atoms)


def two_sums(p: Polynomial) -> tuple[Polynomial, Polynomial] | None:
    """Two sums whose product is p, found where one of them lacks an atom of the other; or None."""
    powers = [dict(m) for m in p]
    for atom in _atoms(p):
        counts = Counter(m.get(atom, 0) for m in powers)
        if len(counts) == 1 or min(counts.values()) == 1:
            continue
        parts: dict[int, Polynomial] = {e: {} for e in counts}
        for m, c in p.items():
            e = dict(m).get(atom, 0)
            parts[e][over(m, monomial({atom: e}))] = c
        divisor = without_common_factor(min(parts.values(), key=len))
        if len(divisor) > 1 and all(quotient(part, divisor) is not None for part in parts.values()):
            other = quotient(p, divisor)
            assert other is not None
            return divisor, other
    return None


def _atoms(*polynomials: Polynomial) -> list[Atom]:
    found = {atom for p in polynomials for m in p for atom, _ in m}
    return sorted(found, key=lambda atom: (isinstance(atom, Trig), str(atom)))


def _vectors(p: Polynomial, atoms: list[Atom]) -> dict[Vector, Fraction]:
    places = {atom: k for k, atom in enumerate(atoms)}
    result: dict[Vector, Fraction] = {}
    for m, c in p.items():
        vector = [0] * len(atoms)
        for atom, e in m:
            vector[places[atom]] = e
        result[tuple(vector)] = c
    return result


def _polynomial(vectors: Mapping[Vector, Fraction], atoms: list[Atom]) -> Polynomial:
    return {monomial(zip(atoms, v, strict=True)): c for v, c in vectors.items()}


def _subtract(rest: dict[Vector, Fraction], v: Vector, x: Fraction) -> None:
    left = rest.get(v, Fraction(0)) - x
    if left:
        rest[v] = left
    else:
        rest.pop(v, None)


def _rational_root(x: Fraction) -> Fraction | None:
    if x < 0:
        return None
    root = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    return root if root * root == x else None
