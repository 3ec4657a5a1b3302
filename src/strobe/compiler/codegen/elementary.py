"""Sine and cosine, arc tangent and hyperbolic tangent, in operations that every processor has: over numbers.

Sums, products, quotients, `floor`, comparisons and stored numbers, no integers. One text serves double and single
precision, and every language that a graph is rendered in; vector code runs it on numbers that are lines of IR.

    circle         k = round(x · 2/π),  r − t = x − k π/2, then the polynomials of `sincos` and the quadrant k mod 4
    reduced        π/2 in four parts, of which the first three have few bits: their products with k are exact; where
                   multiply-adds are rounded once, in three parts with all bits
    far            x · 2/π modulo 4 in digits of base β = 2ᵇ, each a whole number [Payne and Hanek's reduction]:
                   x = Σ dᵢ βʲ⁻ⁱ times the digits of 2/π that matter, picked by j; carried, then rounded once
    arc_tangent    t + t³ A(t²) of t = low / high, or (low − high) / (low + high) where low > tan(π/8) high, which are
                   |x| and |y|; the octant then adds a multiple of π/4, in two parts, and signs
    tanh           t + t³ T(t²) below 0.6; else of a 32nd, doubled five times by tanh 2t = 2 T / (1 + T²), which
                   makes relative errors smaller

Errors in units of the last place, in either precision: sine and cosine below 1 for every finite angle, arc tangent
below 2, hyperbolic tangent below 3. Infinite angles and NaN give NaN; arc tangents of zeros, infinities and NaN are
those of the C library.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property

from strobe.compiler.codegen import sincos
from strobe.compiler.codegen.constants import double_of
from strobe.compiler.graph.program import Program, trace
from strobe.scalars import Graph, Num, Numbers, Scalar, Stored
from strobe.scalars.functions import absolute, floor, less, where

AHEAD = 3  # digits of a number behind its first one, and so digits of 2/π before the first that matters
BEHIND = 7  # digits of the product after the point that are computed; six make the angle
HALVINGS = 5
SMALL_TANH = 0.6
TAN_EIGHTH = 0.41421356237309503


@dataclass(frozen=True)
class Precision:
    """What the functions are made of for numbers of so many bits."""

    bits: int
    limit: float  # the largest angle for `near`
    two_over_pi: float
    parts: tuple[float, float, float, float]  # of π/2
    half_pi: tuple[float, float]  # π/2 in two parts with all bits
    sine: tuple[float, ...]
    cosine: tuple[float, ...]
    atan: tuple[float, ...]
    tanh: tuple[float, ...]
    digit: int  # bits of a digit: four products of two are added without rounding
    largest: int  # the exponent of the largest number
    rest: float = 0.0  # of π/2 behind its two parts
    fused: bool = False  # whether a multiply-add is rounded once

    # what a processor may do better than the operations of a graph

    def fma(self, a: Num, b: Num, c: Num) -> Num:
        """a b + c."""
        return _applied("fma", a, b, c) if self.fused else a * b + c

    def fnma(self, a: Num, b: Num, c: Num) -> Num:
        """c − a b."""
        return _applied("fnma", a, b, c) if self.fused else c - a * b

    def fms(self, a: Num, b: Num, c: Num) -> Num:
        """a b − c."""
        return _applied("fma", a, b, -c) if self.fused else a * b - c

    def horner(self, coefficients: tuple[float, ...], z: Num) -> Num:
        total: Num = coefficients[-1]
        for coefficient in reversed(coefficients[:-1]):
            total = self.fma(total, z, coefficient)
        return total

    def or_zero(self, x: Num, y: Num) -> Num:
        """y, or x where that is a zero whose sign is kept; here tiny angles are their own sines anyway."""
        return y

    def negative(self, x: Num) -> Num:
        """1 where the sign is set, of zeros too, else 0."""
        return less(where(less(0.0, absolute(x)), x, 1.0 / x), 0.0)

    def signed_like(self, x: Num, y: Num) -> Num:
        """x, which is not negative, with the sign of y."""
        return where(self.negative(y), -x, x)

    def unless_nan(self, value: Num, *given: Num) -> Num:
        """A value, or the first that is not a number of those it is made from."""
        for x in reversed(given):
            value = where(_is_nan(x), x, value)
        return value

    # what follows from the bits

    @property
    def base(self) -> float:
        return 2.0**self.digit

    @property
    def tiny(self) -> float:
        """Below it an angle is its own sine."""
        return 2.0 ** -(self.bits // 2 + 1)

    @property
    def huge(self) -> float:
        """Beyond it a sum of two may overflow."""
        return 2.0 ** (self.largest - 2)

    @cached_property
    def digits(self) -> Stored:
        """The digits of 2/π behind as many zeros as a product needs."""
        most = self.largest // self.digit
        found = sincos.two_over_pi(self.digit, most + BEHIND)
        return Stored([0.0] * (AHEAD + 1) + [float(x) for x in found], "two_over_pi")


DOUBLE = Precision(
    bits=53,
    limit=sincos.LIMIT,
    two_over_pi=double_of(sincos.TWO_OVER_PI),
    parts=(double_of(sincos.PI_A), double_of(sincos.PI_B), double_of(sincos.PI_C), double_of(sincos.PI_D)),
    half_pi=(double_of(sincos.PI_HIGH), double_of(sincos.PI_LOW)),
    rest=double_of(sincos.PI_REST),
    sine=sincos.SINE,
    cosine=sincos.COSINE,
    atan=(  # interpolates (atan(√z)/√z − 1)/z at the Chebyshev points of [0, tan²(π/8)]
        -0.3333333333333333, 0.19999999999995516, -0.14285714284665682, 0.11111111015187018, -0.0909090457530649,
        0.07692183125376892, -0.06664510525508936, 0.05858140904866328, -0.050854078345894844,
        0.03923044778479309, -0.019175404711104935,
    ),
    tanh=(
        -0.3333333333333333, 0.13333333333333205, -0.05396825396808531, 0.021869488527368107,
        -0.008863235292803289, 0.0035921242500086925, -0.0014557958855734635, 0.0005897680994688268,
        -0.00023795201383924994, 9.332432233847448e-05, -3.2086614037935994e-05, 6.934046420988954e-06,
    ),
    digit=24,
    largest=1024,
)  # fmt: skip

# polynomials that interpolate at Chebyshev points: sine and cosine up to 0.79, the others as in double precision
SINGLE = Precision(
    bits=24,
    limit=4096.0,
    two_over_pi=0.6366197466850281,
    parts=(1.5703125, 0.0004837512969970703, 7.549533620476723e-08, 2.5633440682570896e-12),
    half_pi=(1.5707963705062866, -4.371139000186241e-08),
    sine=(-0.1666666716337204, 0.008333331905305386, -0.00019840059394482523, 2.724633304751478e-06),
    cosine=(0.0416666641831398, -0.001388828968629241, 2.454497735016048e-05),
    atan=(
        -0.3333333432674408, 0.19999977946281433, -0.14284151792526245, 0.1107136532664299, -0.08624675869941711,
        0.05048138648271561,
    ),
    tanh=(
        -0.3333333432674408, 0.13333313167095184, -0.05396155267953873, 0.021788321435451508,
        -0.008410071022808552, 0.0023707656655460596,
    ),
    digit=10,
    largest=128,
)  # fmt: skip


FUSED = replace(DOUBLE, fused=True)
FUSED_SINGLE = replace(SINGLE, fused=True, rest=-1.7151245100058819e-15)


def precision(single: bool, fused: bool = False) -> Precision:
    """Single or double, which may be that of a processor that fuses."""
    if single:
        return FUSED_SINGLE if fused else SINGLE
    return FUSED if fused else DOUBLE


def _applied(op: str, *args: Num) -> Num:
    """An operation that operators do not spell."""
    return next(x for x in args if isinstance(x, Scalar)).apply(op, *args)


# -- the circle ---------------------------------------------------------------------------------------


def near(p: Precision, x: Num) -> list[Num]:
    """k, r and t of an angle up to the limit."""
    k = floor(x * p.two_over_pi + 0.5)
    return [k, *reduced(p, x, k)]


def reduced(p: Precision, x: Num, k: Num) -> list[Num]:
    """r and t with r − t = x − k π/2."""
    if p.fused:
        high, low = p.half_pi
        exact = p.fnma(k, high, x)
        r = exact - k * low
        return [r, p.fma(k, p.rest, p.fma(k, low, r - exact))]  # what rounding of product and sum added
    a, b, c, d = p.parts
    first = x - k * a
    w = k * b
    second = first - w
    v = k * c
    third = second - v
    tail = (((first - second) - w) + ((second - third) - v)) - k * d
    r = p.or_zero(x, third + tail)
    return [r, (r - third) - tail]


def far(p: Precision, x: Num) -> list[Num]:
    """k modulo 4, r and t of any angle of at least 1."""
    k, digits = _carried(p, *_digits(p, absolute(x)))
    over = less(0.5 * p.base - 0.5, digits[0])  # more than half a quadrant: counted from the next one
    digits[0] = where(over, digits[0] - p.base, digits[0])
    high, low = _in_two(p, digits)
    r, t = _times_half_pi(p, high, low)
    negative = less(x, 0.0)
    k = where(over, k + 1.0, k)
    return [where(negative, -value, value) for value in (k, r, t)]


def _digits(p: Precision, x: Num) -> tuple[Num, list[Num]]:
    """j and the digits d of x = Σ dᵢ βʲ⁻ⁱ, for x of at least 1."""
    j: Num = 0.0
    step = 1 << ((p.largest - 1) // p.digit).bit_length() - 1
    while step:
        over = less(2.0 ** (step * p.digit) * (1.0 - 2.0**-p.bits), x)
        x = where(over, x * 2.0 ** -(step * p.digit), x)
        j = where(over, j + float(step), j)
        step //= 2
    found = []
    for _ in range(AHEAD):
        found.append(floor(x))
        x = (x - found[-1]) * p.base
    return j, [*found, x]


def _carried(p: Precision, j: Num, digits: list[Num]) -> tuple[Num, list[Num]]:
    """The product with 2/π: its whole part, and its digits after the point."""
    row = p.digits.row(j, AHEAD + 1 + BEHIND)
    carry: Num = 0.0
    found: list[Num] = []
    for n in reversed(range(1, BEHIND + 1)):
        total = carry
        for i, digit in enumerate(digits):
            total = total + digit * row[n - i + AHEAD]
        carry = floor(total * (1.0 / p.base))
        found.insert(0, total - carry * p.base)
    whole = carry
    for i, digit in enumerate(digits):
        whole = whole + digit * row[AHEAD - i]
    return whole - 4.0 * floor(whole * 0.25), found


def _in_two(p: Precision, digits: list[Num]) -> tuple[Num, Num]:
    """The number 0.d₁d₂…d₆ as a rounded one and what rounding took."""
    pairs = [(digits[k] * p.base + digits[k + 1]) for k in (0, 2, 4)]  # without rounding
    square = p.base * p.base
    high, low = pairs[0], 0.0
    for pair in pairs[1:]:
        scaled, beside = high * square, low * square + pair
        high = scaled + beside
        low = beside - (high - scaled)
    return high * p.base**-6, low * p.base**-6


def _times_half_pi(p: Precision, high: Num, low: Num) -> tuple[Num, Num]:
    """π/2 (high + low) as r − t, r the nearest number; nothing depends on whether a compiler fuses.

    Of products of halves none is rounded, so that the largest may be added last [Dekker's].
    """
    pi_high, pi_low = p.half_pi
    a, b = _halves(p, high)
    unit = 2.0 ** (1 - p.bits // 2)
    c = round(pi_high / unit) * unit
    d = pi_high - c
    first = a * c
    rest = (a * d + b * c) + (b * d + (high * pi_low + low * pi_high))
    r = first + rest
    return r, (r - first) - rest


def _halves(p: Precision, x: Num) -> tuple[Num, Num]:
    """A number as the sum of two with half the bits each [Veltkamp's]."""
    c = x * 2.0 ** ((p.bits + 1) // 2) + x
    high = c - (c - x)
    return high, x - high


def first_quadrant(p: Precision, r: Num, t: Num) -> list[Num]:
    """Sine and cosine of r − t, |r| at most π/4."""
    z = r * r
    if p.fused:
        return in_multiply_adds(p, r, t, z)
    sine = r + (z * r * p.horner(p.sine, z) - t)
    small = z * 0.5
    rough = 1.0 - small
    return [sine, rough + (((1.0 - rough) - small) + (z * z * p.horner(p.cosine, z) + r * t))]


def in_multiply_adds(p: Precision, r: Num, t: Num, z: Num) -> list[Num]:
    """The same: r · r/2 is not rounded by itself, and a sine of −0 keeps its sign where t is +0 there."""
    sine = r - p.fnma(z * r, p.horner(p.sine, z), t)
    small = p.fma(z * z, p.horner(p.cosine, z), r * t)
    return [sine, 1.0 - p.fms(r, r * 0.5, small)]


def turned(p: Precision, x: Num, k: Num, r: Num, t: Num) -> list[Num]:
    """Sine and cosine of x = k π/2 + r − t."""
    sine, cosine = first_quadrant(p, r, t)
    quadrant = k - 4.0 * floor(k * 0.25)
    half = floor(quadrant * 0.5)
    odd = quadrant - 2.0 * half
    even, sign = 1.0 - odd, 1.0 - 2.0 * half  # chosen by products: there is no branch to predict
    s = (sine * even + cosine * odd) * sign
    c = (cosine * even - sine * odd) * sign
    return [where(less(absolute(x), p.tiny), x, s), c]


# -- the others ---------------------------------------------------------------------------------------


def arc_tangent(p: Precision, y: Num, x: Num) -> list[Num]:
    """The angle of a point; zeros, infinities and NaN give what the C library gives."""
    ax, ay = absolute(x), absolute(y)
    steep = less(ax, ay)
    high, low = where(steep, ay, ax), where(steep, ax, ay)
    high, low = _finite(p, high, low)
    beyond = less(high * TAN_EIGHTH, low)
    above, below = where(beyond, low - high, low), where(beyond, low + high, high)
    t = above / where(less(0.0, below), below, 1.0)
    z = t * t
    r = p.fma(t * z, p.horner(p.atan, z), t)
    backwards = p.negative(x)
    angle, rest = (_octant(part, beyond, steep, backwards) for part in (2.0 * h for h in p.half_pi))
    r = where(steep, where(backwards, r, -r), where(backwards, -r, r))
    return [p.unless_nan(p.signed_like(angle + (r + rest), y), x, y)]


def _finite(p: Precision, high: Num, low: Num) -> tuple[Num, Num]:
    """The same ratio where neither is infinite and their sum does not overflow."""
    infinite = float("inf")
    one, both = less(high, infinite), less(low, infinite)
    low = where(both, where(one, low, 0.0), 1.0)
    high = where(one, high, 1.0)
    scale = where(less(p.huge, high), 0.25, 1.0)
    return high * scale, low * scale


def _octant(pi_part: float, beyond: Num, steep: Num, backwards: Num) -> Num:
    """The multiple of π/4 that is added, in one of its two parts."""
    angle = where(beyond, 0.25 * pi_part, 0.0)
    angle = where(steep, 0.5 * pi_part - angle, angle)
    return where(backwards, pi_part - angle, angle)


def _is_nan(x: Num) -> Num:
    """1 where nothing can be said of a size, else 0."""
    return where(less(absolute(x), float("inf")), 0.0, where(less(0.0, absolute(x)), 0.0, 1.0))


def hyperbolic_tangent(p: Precision, x: Num) -> list[Num]:
    """From −1 to 1, odd; its own sign for zeros."""
    size = absolute(x)
    most = 0.5 * p.bits  # beyond it the nearest number is 1
    small = less(size, SMALL_TANH)
    held = where(less(most, size), most, size)
    t = where(small, held, held * 2.0**-HALVINGS)
    z = t * t
    direct = t + t * z * p.horner(p.tanh, z)
    doubled = direct
    for _ in range(HALVINGS):
        doubled = (doubled + doubled) / (doubled * doubled + 1.0)
    found = where(small, direct, doubled)
    return [where(less(0.0, size), where(less(x, 0.0), -found, found), x)]


# -- as programs --------------------------------------------------------------------------------------

FUNCTIONS: dict[str, tuple[Callable[..., list[Num]], tuple[str, ...], int]] = {
    "near": (near, ("x",), 3),
    "reduced": (reduced, ("x", "k"), 2),
    "first_quadrant": (first_quadrant, ("r", "t"), 2),
    "far": (far, ("x",), 3),
    "turned": (turned, ("x", "k", "r", "t"), 2),
    "atan2": (arc_tangent, ("y", "x"), 1),
    "tanh": (hyperbolic_tangent, ("x",), 1),
}
"""Each with the names of its arguments and the number of its results."""


@cache
def program(name: str, single: bool, fused: bool = False) -> Program:
    """One of the functions as a graph, whose inputs are numbers."""
    function, arguments, results = FUNCTIONS[name]

    def of_lists(**given: Numbers) -> list[Num]:
        return function(precision(single, fused), *(given[argument][0] for argument in arguments))

    return trace(of_lists, dict.fromkeys(arguments, 1), (results,), Graph())
