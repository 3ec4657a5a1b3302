"""Sums of waves as products of waves, which are fewer: the addition theorems backwards.

    cos(a + b) + cos(a − b) =  2 cos a cos b          sin(a + b) + sin(a − b) = 2 sin a cos b
    cos(a + b) − cos(a − b) = −2 sin a sin b          sin(a + b) − sin(a − b) = 2 cos a sin b

A constant is the cosine of nothing, so that 1 − cos 2a becomes 2 sin² a.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

from strobe.equations import factors
from strobe.equations.expression import Angle, Trig, length
from strobe.equations.factors import Monomial, Polynomial

SPLIT = 12  # waves beside a constant that is split
PAIRS = 400  # waves with one coefficient that are paired

Place: TypeAlias = Callable[[str], int]  # the order of the angles in a wave


def paired(p: Polynomial, place: Place) -> Polynomial:
    """Waves as products, a constant split so that one part of it joins them: ¾ + ¼ cos 2a … = 1 − sin² a cos² b."""
    best = _joined(p, place)
    constant = p.get(factors.UNIT, Fraction(0))
    waves = {m: c for m, c in p.items() if m}
    if constant and len(best) > 2 and len(waves) <= SPLIT:
        for part in sorted({s * abs(c) for c in waves.values() for s in (1, -1, 2, -2)} - {constant}):
            found = factors.added(
                {factors.UNIT: constant - part}, _joined(waves | {factors.UNIT: part}, place)
            )
            best = found if len(found) < len(best) else best
    return best


def _joined(p: Polynomial, place: Place) -> Polynomial:
    """Waves with opposite or equal coefficients as products of waves, again and again."""
    while len(p) <= PAIRS:
        used = set[Monomial]()
        for pair in sorted(_pairs(p, place), key=lambda pair: pair.order):
            if used.isdisjoint(pair.terms):
                used.update(pair.terms)
                rest = {m: c for m, c in p.items() if m not in pair.terms}
                p = factors.added(rest, {pair.product: pair.coefficient})
        if not used:
            break
    return p


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two terms that are one product; short products are taken first."""

    order: tuple[object, ...]
    terms: tuple[Monomial, Monomial]
    product: Monomial
    coefficient: Fraction


def _pairs(p: Polynomial, place: Place) -> Iterator[_Pair]:
    """Every two terms that are one product."""
    sizes: dict[Fraction, list[Monomial]] = {}
    for m, c in p.items():
        sizes.setdefault(abs(c), []).append(m)
    for same in sizes.values():
        for a, b in combinations(same, 2):
            shared = _shared(a, b)
            x, y = _single(a, shared), _single(b, shared)
            found = _as_product(x, y, p[a], p[b], place) if x and y and x.function == y.function else None
            if found is not None:
                c, *waves = found
                short, long = sorted(waves, key=length)
                order = (length(short) + length(long), length(short), short.angle, long.angle)
                product = factors.multiplied(shared, *(factors.monomial({w: 1}) for w in waves))
                yield _Pair(order, (a, b), product, c)


def _shared(a: Monomial, b: Monomial) -> Monomial:
    other = dict(b)
    return factors.monomial({atom: min(e, other.get(atom, 0)) for atom, e in a})


def _single(m: Monomial, shared: Monomial) -> Trig | None:
    """What a term has besides the shared factors where that is one wave (cos 0 where it is nothing)."""
    rest = factors.over(m, shared)
    if not rest:
        return Trig("cos", ())
    ((atom, e), *more) = rest
    return atom if isinstance(atom, Trig) and e == 1 and not more else None


def _as_product(
    x: Trig, y: Trig, c: Fraction, d: Fraction, place: Place
) -> tuple[Fraction, Trig, Trig] | None:
    """c x + d y with |c| = |d| as a number and two waves, where the half sum of their angles is whole."""
    a, b = dict(x.angle), dict(y.angle)
    names = dict.fromkeys((*a, *b))
    sums = {name: a.get(name, 0) + b.get(name, 0) for name in names}
    differences = {name: a.get(name, 0) - b.get(name, 0) for name in names}
    if any(k % 2 for k in sums.values()):
        return None
    half_sum, half_difference = ({k: v // 2 for k, v in s.items()} for s in (sums, differences))
    equal = c == d
    if x.function == "cos":  # 2 cos cos, or −2 sin sin
        kinds, factor = (("cos", "cos"), 2 * c) if equal else (("sin", "sin"), -2 * c)
    else:  # 2 sin cos, or 2 cos sin
        kinds, factor = (("sin", "cos"), 2 * c) if equal else (("cos", "sin"), 2 * c)
    first, s1 = _wave(kinds[0], half_sum, place)
    second, s2 = _wave(kinds[1], half_difference, place)
    return factor * s1 * s2, first, second


def _wave(function: str, angle: dict[str, int], place: Place) -> tuple[Trig, int]:
    """A wave whose first frequency is positive, and its sign."""
    left = [(name, angle[name]) for name in sorted(angle, key=place) if angle[name]]
    sign = -1 if left and left[0][1] < 0 else 1
    wave = Trig(function, tuple((name, k * sign) for name, k in left))
    return wave, sign if function == "sin" else 1


def halved(p: Polynomial) -> Polynomial:
    """sin 2a = 2 sin a cos a."""
    result: list[Polynomial] = []
    for m, c in p.items():
        for atom, e in m:
            if isinstance(atom, Trig) and atom.function == "sin" and not any(k % 2 for _, k in atom.angle):
                half = tuple((name, k // 2) for name, k in atom.angle)
                waves = factors.monomial({Trig("sin", half): e, Trig("cos", half): e})
                m = factors.multiplied(factors.over(m, factors.monomial({atom: e})), waves)
                c = c * 2**e
        result.append({m: c})
    return factors.added(*result)


def expanded(p: Polynomial) -> Polynomial:
    """Waves of a sum of two angles that occur by themselves, by the addition theorems."""
    waves = {atom for m in p for atom, _ in m if isinstance(atom, Trig)}
    angles = {frozenset(wave.angle): wave.angle for wave in waves}
    result: list[Polynomial] = []
    for m, c in p.items():
        single = [(a, e) for a, e in m if isinstance(a, Trig)]
        parts = _two_angles(single[0][0].angle, angles) if len(single) == 1 and single[0][1] == 1 else None
        if parts is None:
            result.append({m: c})
            continue
        wave = single[0][0]
        rest = factors.over(m, factors.monomial({wave: 1}))
        result.append(factors.scaled(_addition(wave.function, *parts), rest, c))
    return factors.added(*result)


def _two_angles(
    angle: Angle, known: Mapping[frozenset[tuple[str, int]], Angle]
) -> tuple[Angle, Angle] | None:
    """Two of the known angles whose sum is this one, the first such in order."""
    for a in sorted(known.values()):
        b = known.get(frozenset(_difference(angle, a).items()))
        if b is not None and a < b and angle not in (a, b):
            return a, b
    return None


def _difference(a: Angle, b: Angle) -> dict[str, int]:
    left = Counter(dict(a))
    left.subtract(dict(b))
    return {name: k for name, k in left.items() if k}


def _addition(function: str, a: Angle, b: Angle) -> Polynomial:
    """sin(a + b) or cos(a + b)."""
    ca, sa, cb, sb = (Trig(f, x) for x in (a, b) for f in ("cos", "sin"))
    if function == "sin":
        return {
            factors.monomial({sa: 1, cb: 1}): Fraction(1),
            factors.monomial({ca: 1, sb: 1}): Fraction(1),
        }
    return {factors.monomial({ca: 1, cb: 1}): Fraction(1), factors.monomial({sa: 1, sb: 1}): Fraction(-1)}
