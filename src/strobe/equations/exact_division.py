"""Exact division of waves: whether one trigonometric polynomial is a multiple of another.

With z = e^{iθ} for every angle a wave is a polynomial in z, 1/z and the other variables over the Gaussian rationals.
There leading terms multiply, so that long division decides: exponents of a quotient lie in a known box.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from strobe.equations.trig_polynomials import Wave
from strobe.scalars import Num, cos, sin

Exponents: TypeAlias = tuple[int, ...]  # of every z, then of every variable
Gaussian: TypeAlias = tuple[Fraction, Fraction]  # real and imaginary part
Laurent: TypeAlias = dict[Exponents, Gaussian]


def quotient(x: Wave, y: Wave) -> Wave | None:
    """x / y where that is a wave, or None."""
    if x.is_zero() or y.is_zero():
        return x if x.is_zero() and not y.is_zero() else None
    rest, divisor = _laurent(x), _laurent(y)
    lowest, highest = _box(rest, divisor)
    if min(lowest[len(x.system.angles) :], default=0) < 0:
        return None  # variables have no negative powers
    head = max(divisor)
    result: Laurent = {}
    while rest:
        top = max(rest)
        step = tuple(a - b for a, b in zip(top, head, strict=True))
        if not all(a <= b <= c for a, b, c in zip(lowest, step, highest, strict=True)):
            return None
        factor = result[step] = _over(rest[top], divisor[head])
        for exponents, coefficient in divisor.items():
            _subtract(rest, tuple(a + b for a, b in zip(exponents, step, strict=True)), factor, coefficient)
    return _wave(x, result)


def _laurent(x: Wave) -> Laurent:
    """cos φ = (z + 1/z)/2, sin φ = (z − 1/z)/2i with z = e^{iφ}."""
    ring, found = x.system, Laurent()
    angles, names = ring.angles, ring.names
    for term in x.terms:
        frequencies, powers = dict(term.frequencies), dict(term.powers)
        up = tuple(frequencies.get(name, 0) for name in angles)
        others = tuple(powers.get(name, 0) for name in names)
        half = term.coefficient / 2
        pairs = {
            "1": ((1, (term.coefficient, Fraction(0))),),
            "cos": ((1, (half, Fraction(0))), (-1, (half, Fraction(0)))),
            "sin": ((1, (Fraction(0), -half)), (-1, (Fraction(0), half))),
        }[term.function]
        for sign, coefficient in pairs:
            key = (*(sign * k for k in up), *others)
            real, imaginary = found.get(key, (Fraction(0), Fraction(0)))
            found[key] = real + coefficient[0], imaginary + coefficient[1]
    return found


def _box(x: Laurent, y: Laurent) -> tuple[Exponents, Exponents]:
    """The least and largest exponents that a quotient may have: those of a product are sums."""
    ends = [[f(column) for column in zip(*p, strict=True)] for f in (min, max) for p in (x, y)]
    (x_low, y_low, x_high, y_high) = ends
    lowest = tuple(a - b for a, b in zip(x_low, y_low, strict=True))
    return lowest, tuple(a - b for a, b in zip(x_high, y_high, strict=True))


def _over(a: Gaussian, b: Gaussian) -> Gaussian:
    size = b[0] * b[0] + b[1] * b[1]
    return (a[0] * b[0] + a[1] * b[1]) / size, (a[1] * b[0] - a[0] * b[1]) / size


def _subtract(rest: Laurent, key: Exponents, a: Gaussian, b: Gaussian) -> None:
    real, imaginary = rest.get(key, (Fraction(0), Fraction(0)))
    left = real - (a[0] * b[0] - a[1] * b[1]), imaginary - (a[0] * b[1] + a[1] * b[0])
    if any(left):
        rest[key] = left
    else:
        rest.pop(key, None)


def _wave(like: Wave, p: Laurent) -> Wave:
    """Σ Re(c z): the imaginary parts of a real function cancel."""
    ring = like.system
    parts: list[Num] = []
    for exponents, (real, imaginary) in p.items():
        up, others = exponents[: len(ring.angles)], exponents[len(ring.angles) :]
        product: Num = 1.0
        for name, e in zip(ring.names, others, strict=True):
            for _ in range(e):
                product = product * ring.variable(name)
        phase = ring.total(ring.variable(name) * k for name, k in zip(ring.angles, up, strict=True) if k)
        wave = cos(phase) * ring.constant(real) - sin(phase) * ring.constant(imaginary)
        parts.append(wave * product)
    return ring.total(parts)
