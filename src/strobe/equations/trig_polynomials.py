"""`Wave`: trigonometric polynomials in normal form, for closed forms that print and compare.

A value is a finite sum of exact rationals times

    x₁^e₁ x₂^e₂ …  cos(k₁θ₁ + k₂θ₂ + …)      or      … sin(k₁θ₁ + k₂θ₂ + …)

x: parameters, positions, rates, accelerations;  θ: angles;  e, k integers, the first k of a wave positive.
Products become sums at once (2 cos a cos b = cos(a − b) + cos(a + b)), so that equal functions have equal
terms and zero has none: no simplifier guesses.

Inside, a term is one integer: exponents in fields of eight bits, the frequencies above them. A product of
terms is a sum of integers, and the sign of a difference of frequencies is the sign of the integer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from strobe.errors import UnknownNameError, UnsupportedOperationError
from strobe.models.assembly import snapped
from strobe.scalars import LANES, Lanes, Num, Scalar, System, cos, sin
from strobe.scalars.scalar import is_number

FIELD = 8  # bits of an exponent or a frequency
LARGEST = 127  # what fits in such a field, either sign
CIRCLE_DIGITS = 10**9  # denominators of tan(angle/2) of a fixed angle without a name

Terms: TypeAlias = dict[int, int]  # exponents and frequencies, packed -> numerator
Powers: TypeAlias = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Term:
    """One term for reading: coefficient · Π name^power · function(Σ k·angle); ``function`` is 1, cos or sin."""

    coefficient: Fraction
    powers: Powers
    function: str
    frequencies: Powers


@dataclass(frozen=True, slots=True, order=True)
class Shape:
    """What a coefficient belongs to: Π name^power · function(Σ k·angle); ``function`` is 1, cos or sin."""

    powers: Powers = ()
    function: str = "1"
    frequencies: Powers = ()


def exact(x: float | Fraction) -> Fraction:
    """A number as the fraction that its shortest decimal form says."""
    return x if isinstance(x, Fraction) else Fraction(x) if isinstance(x, int) else Fraction(repr(float(x)))


class TooManyProducts(Exception):
    """A ring with a budget has spent it."""


class Waves(System):
    """The ring over given angles and other variables; constants enter by name where the model has one."""

    name = "Wave"

    def __init__(
        self,
        angles: Iterable[str],
        others: Iterable[str] = (),
        named: bool = True,
        budget: float = math.inf,
    ) -> None:
        self.angles = tuple(dict.fromkeys(angles))
        self.names = (*self.angles, *(name for name in dict.fromkeys(others) if name not in self.angles))
        self.named = named
        self.budget = budget  # products of terms after which `TooManyProducts` is raised
        self._place = {name: k for k, name in enumerate(self.names)}
        self._bits = FIELD * len(self.names)
        self.one = 1 << self._bits  # the lowest frequency: below it there is none
        first = len(self.angles) - 1
        self._frequency = {
            name: 1 << (self._bits + FIELD * (first - k)) for k, name in enumerate(self.angles)
        }
        self._bias = sum(128 << (FIELD * k) for k in range(len(self.angles)))
        # the shortest form, and its notation
        self.readable: Callable[[Wave], tuple[Any, Any]] | None = None

    # -- the door of every number system ------------------------------------------------------------

    def number(self, x: float) -> Num:
        evaluate = getattr(x, "evaluate", None) if self.named else None
        if evaluate is not None:
            return evaluate(self.variable, self.constant)
        return float(x) if x in (0, 1, -1) else self.constant(x)

    def point(self, angle: float) -> tuple[Num, Num]:
        evaluate = getattr(angle, "evaluate", None) if self.named else None
        if evaluate is None:
            return self._rational_point(angle)
        turn = evaluate(lambda name: math.pi if name == "pi" else self.variable(name), self.constant)
        return cos(turn), sin(turn)

    def variable(self, name: str, angle: bool = False) -> Wave:
        return Wave(self, {1 << (FIELD * self.place(name)): 1}, {}, 1, 1)

    def constant(self, x: float | Fraction) -> Wave:
        """An exact number."""
        fraction = exact(x)
        return Wave(self, {0: fraction.numerator} if fraction else {}, {}, fraction.denominator, 0)

    def lower(self, x: Num) -> Wave:
        return self.constant(x) if is_number(x) else x  # pyright: ignore[reportReturnType]

    # -- names and fields ---------------------------------------------------------------------------

    def place(self, name: str) -> int:
        if name not in self._place:
            raise UnknownNameError("variable", name, "these equations", self.names)
        return self._place[name]

    def exponents(self, key: int) -> bytes:
        """The exponent of every variable in a term."""
        return (key & (self.one - 1)).to_bytes(len(self.names), "little")

    def powers(self, key: int) -> Powers:
        """The variables of a term with their exponents."""
        return tuple((name, e) for name, e in zip(self.names, self.exponents(key), strict=True) if e)

    def frequencies(self, key: int) -> Powers:
        """The angles of a term with their factors."""
        if key < self.one:
            return ()
        fields = ((key >> self._bits) + self._bias).to_bytes(len(self.angles), "big")
        return tuple((name, k - 128) for name, k in zip(self.angles, fields, strict=True) if k != 128)

    def frequency(self, key: int, angle: str) -> int:
        """The factor of one angle in a term."""
        shift = FIELD * (len(self.angles) - 1 - self._place[angle])
        return ((((key >> self._bits) + self._bias) >> shift) & 255) - 128

    def wave(self, name: str) -> int:
        """The frequency field of an angle."""
        if name not in self._frequency:
            raise UnsupportedOperationError("Wave", "sin or cos", f"{name} is not one of its angles.")
        return self._frequency[name]

    def conjugate(self, key: int) -> int:
        """The same exponents with the opposite frequencies."""
        return key - ((key >> self._bits) << (self._bits + 1))

    def _rational_point(self, angle: float) -> tuple[Wave, Wave]:
        """Cosine and sine of a fixed angle, exactly on the circle and as near as doubles are."""
        t = Fraction(math.tan(angle / 2)).limit_denominator(CIRCLE_DIGITS)
        norm = 1 + t * t
        return self.constant((1 - t * t) / norm), self.constant(2 * t / norm)

    def total(self, values: Iterable[Num]) -> Wave:
        """The sum of many values in one pass."""
        waves = [self.lower(x) for x in values]
        common = math.lcm(*(w.denominator for w in waves))
        cosines: Terms = {}
        sines: Terms = {}
        for w in waves:
            factor = common // w.denominator
            _add(cosines, w.cosines, factor)
            _add(sines, w.sines, factor)
        return _reduced(self, cosines, sines, common, max((w.reach for w in waves), default=0))


class Wave(Scalar):
    """A trigonometric polynomial: numerators of its cosines and sines over one denominator.

    Terms without an angle stand among the cosines. ``reach`` bounds every exponent and frequency.
    """

    __slots__ = ("cosines", "denominator", "reach", "sines")

    system: Waves

    def __init__(self, system: Waves, cosines: Terms, sines: Terms, denominator: int, reach: int) -> None:
        self.system = system
        self.cosines = cosines
        self.sines = sines
        self.denominator = denominator
        self.reach = reach

    # -- arithmetic ---------------------------------------------------------------------------------

    def apply(self, op: str, *args: Num) -> Num:
        match op, [self.admit(a) for a in args]:
            case "add", [x, y]:
                return self.system.total((x, y))
            case "sub", [x, y]:
                return self.system.total((x, _scaled(y, -1, 1)))
            case "neg", [x]:
                return _scaled(x, -1, 1)
            case "mul", [x, y]:
                return _product(x, y)
            case "div", [x, y] if not y.is_zero() and (number := y.as_fraction()) is not None:
                return _scaled(x, number.denominator, number.numerator)
            case (("cos" | "sin"), [x]):
                return _circle(x)[op == "sin"]
            case _:
                raise UnsupportedOperationError(
                    "Wave",
                    op,
                    "only sums, products, quotients by numbers and waves of angles are in normal form.",
                )

    def literal(self, x: float) -> Wave:
        return self.system.constant(x)

    # -- reading ------------------------------------------------------------------------------------

    def __str__(self) -> str:
        from strobe.equations.printed import printed

        return printed(self)

    __repr__ = __str__

    def latex(self) -> str:
        """All of it as mathematics for LaTeX."""
        from strobe.equations.printed import whole_latex

        return whole_latex(self)

    def _repr_latex_(self) -> str:
        from strobe.equations.printed import latex_of

        return f"${latex_of(self)}$"

    def __len__(self) -> int:
        """The number of terms."""
        return len(self.cosines) + len(self.sines)

    def is_zero(self) -> bool:
        return not self.cosines and not self.sines

    def equals(self, other: Num) -> bool:
        """Whether two values are one function, which is whether they have the same terms."""
        y = self.admit(other)
        return (self.denominator, self.cosines, self.sines) == (y.denominator, y.cosines, y.sines)

    def as_fraction(self) -> Fraction | None:
        """The value of a constant; None of anything else."""
        if self.sines or any(self.cosines):
            return None
        return Fraction(self.cosines.get(0, 0), self.denominator)

    @property
    def terms(self) -> list[Term]:
        """Every term, ordered by frequencies (none first) and then by exponents."""
        return list(self._terms())

    def _terms(self) -> Iterator[Term]:
        ring = self.system
        both = [(key, 0, n) for key, n in self.cosines.items()] + [(k, 1, n) for k, n in self.sines.items()]
        for key, is_sine, numerator in sorted(both, key=lambda term: self._order(term[0], term[1])):
            function = ("cos", "sin")[is_sine] if key >= ring.one else "1"
            coefficient = Fraction(numerator, self.denominator)
            yield Term(coefficient, ring.powers(key), function, ring.frequencies(key))

    def _order(self, key: int, is_sine: int) -> tuple[Any, ...]:
        ring = self.system
        waves = ring.frequencies(key)
        return len(waves), waves, is_sine, tuple(-e for e in ring.exponents(key))

    @property
    def key(self) -> Hashable:
        """What equal functions have in common."""
        return self.denominator, frozenset(self.cosines.items()), frozenset(self.sines.items())

    def primitive(self) -> tuple[Wave, Fraction]:
        """A multiple with coprime integer coefficients, the first one positive, and what it must be multiplied by."""
        number = Fraction(math.gcd(*self.cosines.values(), *self.sines.values()), self.denominator)
        factor = number if self.terms[0].coefficient > 0 else -number
        return _scaled(self, factor.denominator, factor.numerator), factor

    def _grouped(self) -> dict[tuple[str, int], Wave]:
        ring = self.system
        groups: dict[tuple[str, int], Terms] = {}
        for name, terms in (("cos", self.cosines), ("sin", self.sines)):
            for key, numerator in terms.items():
                wave = key & -ring.one
                groups.setdefault((name if wave else "1", wave), {})[key - wave] = numerator
        return {
            group: _reduced(ring, terms, {}, self.denominator, self.reach)
            for group, terms in groups.items()
        }

    def collect(self, names: Iterable[str]) -> dict[Shape, Wave]:
        """The coefficients of everything that depends on some variables, free of these variables.

        The value is the sum over shapes of coefficient · Π name^power · function(Σ k·angle).
        """
        ring, chosen = self.system, frozenset(names)
        parts: dict[Shape, tuple[Terms, Terms]] = {}

        def put(shape: Shape, is_sine: int, key: int, numerator: int) -> None:
            terms = parts.setdefault(shape, ({}, {}))[is_sine]
            terms[key] = terms.get(key, 0) + numerator

        for is_sine, terms in enumerate((self.cosines, self.sines)):
            for key, n in terms.items():
                rest, powers, waves = _split(ring, key, chosen)
                if not waves:
                    put(Shape(powers), is_sine, rest, n)
                    continue
                if waves[0][1] < 0:  # cos(−x) = cos x, sin(−x) = −sin x
                    waves, rest = tuple((name, -k) for name, k in waves), ring.conjugate(rest)
                    n = -n if is_sine else n
                same, other = ("sin", "cos") if is_sine else ("cos", "sin")
                put(Shape(powers, same, waves), 0, rest, n)  # cos(w + r) = cos w cos r − sin w sin r
                put(Shape(powers, other, waves), 1, rest, n if is_sine else -n)
        found = {
            shape: _signed(ring, cosines, sines, self.denominator, self.reach)
            for shape, (cosines, sines) in parts.items()
        }
        return {shape: found[shape] for shape in sorted(found) if not found[shape].is_zero()}

    def variables(self) -> set[str]:
        """The names that it depends on."""
        ring = self.system
        keys = (*self.cosines, *self.sines)
        found = {name for e in {key & (ring.one - 1) for key in keys} for name, _ in ring.powers(e)}
        return found | {name for w in {key & -ring.one for key in keys} for name, _ in ring.frequencies(w)}

    # -- calculus and values ------------------------------------------------------------------------

    def derivative(self, name: str) -> Wave:
        """The partial derivative with respect to a variable or an angle."""
        ring = self.system
        shift = FIELD * ring.place(name)
        cosines, sines = (
            {key - (1 << shift): n * e for key, n in terms.items() if (e := (key >> shift) & 255)}
            for terms in (self.cosines, self.sines)
        )
        if name in ring.angles:
            _add(sines, _times_frequency(ring, self.cosines, name), -1)
            _add(cosines, _times_frequency(ring, self.sines, name), 1)
        return _reduced(ring, cosines, sines, self.denominator, self.reach)

    def substitute(self, values: Mapping[str, Num]) -> Wave:
        """Some variables replaced by numbers or by other values of this ring."""
        ring = self.system
        gone = {name: ring.lower(x) for name, x in values.items()}
        groups: dict[tuple[Powers, Powers], tuple[Terms, Terms]] = {}
        for is_sine, terms in enumerate((self.cosines, self.sines)):
            for key, numerator in terms.items():
                rest, powers, waves = _split(ring, key, gone)
                groups.setdefault((powers, waves), ({}, {}))[is_sine][rest] = numerator
        parts: list[Num] = []
        for (powers, waves), (cosines, sines) in groups.items():
            factor: Num = 1.0
            for name, e in powers:
                for _ in range(e):
                    factor = factor * gone[name]
            phase = ring.total(gone[name] * k for name, k in waves)
            c, s = _circle(phase)
            kept = _signed(ring, cosines, sines, self.denominator, self.reach)
            ahead = _signed(ring, sines, {k: -n for k, n in cosines.items()}, self.denominator, self.reach)
            parts.append((kept * c + ahead * s) * factor)  # cos(x + φ) = cos x cos φ − sin x sin φ
        return ring.total(parts)

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """Its value where every variable is a float or an array."""
        return Evaluation(values)(self)


# -- operations on terms ------------------------------------------------------------------------------


def _add(target: Terms, terms: Terms, factor: int) -> None:
    get = target.get
    for key, n in terms.items():
        target[key] = get(key, 0) + n * factor


def _reduced(ring: Waves, cosines: Terms, sines: Terms, denominator: int, reach: int) -> Wave:
    """The normal form: no zero terms, nothing in common between numerators and denominator."""
    cosines = {key: n for key, n in cosines.items() if n}
    sines = {key: n for key, n in sines.items() if n}
    common = 1 if denominator == 1 else math.gcd(denominator, *cosines.values(), *sines.values())
    if common > 1:
        denominator //= common
        cosines = {key: n // common for key, n in cosines.items()}
        sines = {key: n // common for key, n in sines.items()}
    return Wave(ring, cosines, sines, denominator, reach)


def _signed(ring: Waves, cosines: Terms, sines: Terms, denominator: int, reach: int) -> Wave:
    """The normal form of terms whose first frequency may be negative, or a sine of nothing."""
    even: Terms = {}
    odd: Terms = {}
    for key, n in cosines.items():
        key = key if key >= 0 else ring.conjugate(key)
        even[key] = even.get(key, 0) + n
    for key, n in sines.items():
        key, n = (key, n) if key >= 0 else (ring.conjugate(key), -n)
        if key >= ring.one:
            odd[key] = odd.get(key, 0) + n
    return _reduced(ring, even, odd, denominator, reach)


def _scaled(x: Wave, numerator: int, denominator: int) -> Wave:
    """x · numerator / denominator."""
    if denominator < 0:
        numerator, denominator = -numerator, -denominator
    cosines, sines = ({key: n * numerator for key, n in terms.items()} for terms in (x.cosines, x.sines))
    if abs(numerator) == denominator == 1:
        return Wave(x.system, cosines, sines, x.denominator, x.reach)
    return _reduced(x.system, cosines, sines, x.denominator * denominator, x.reach)


def _product(x: Wave, y: Wave) -> Wave:
    ring = x.system
    reach = x.reach + y.reach
    if reach > LARGEST:
        reach = _reach(x) + _reach(y)
        if reach > LARGEST:
            raise UnsupportedOperationError("Wave", "mul", f"an exponent would pass {LARGEST}.")
    if len(x) > len(y):
        x, y = y, x
    ring.budget -= len(x) * len(y)
    if ring.budget < 0:
        raise TooManyProducts
    denominator = x.denominator * y.denominator
    if not x.sines and all(key < ring.one for key in x.cosines):
        cosines, sines = (_polynomial_product(x.cosines, terms) for terms in (y.cosines, y.sines))
        return _reduced(ring, cosines, sines, denominator, reach)
    cosines: Terms = {}
    sines: Terms = {}
    conjugate = ring.conjugate
    x_cosines, x_sines, y_cosines, y_sines = (
        [(key, conjugate(key), n) for key, n in terms.items()]
        for terms in (x.cosines, x.sines, y.cosines, y.sines)
    )
    _even(cosines, x_cosines, y_cosines, 1)
    _even(cosines, x_sines, y_sines, -1)
    _odd(sines, x_sines, y_cosines, ring.one)
    _odd(sines, y_sines, x_cosines, ring.one)
    return _reduced(ring, cosines, sines, 2 * denominator, reach)


def _polynomial_product(p: Terms, q: Terms) -> Terms:
    """Where one factor has no waves."""
    product: Terms = {}
    get = product.get
    for a, m in p.items():
        for b, n in q.items():
            key = a + b
            product[key] = get(key, 0) + m * n
    return product


Triples: TypeAlias = list[tuple[int, int, int]]  # key, its conjugate, numerator


def _even(target: Terms, p: Triples, q: Triples, sign: int) -> None:
    """2 cos a cos b = cos(a − b) + cos(a + b);  2 sin a sin b = cos(a − b) − cos(a + b)."""
    get = target.get
    for a, a_, m in p:
        for b, b_, n in q:
            mn = m * n
            key = a + b
            target[key] = get(key, 0) + sign * mn
            key = a + b_
            if key < 0:
                key = a_ + b
            target[key] = get(key, 0) + mn


def _odd(target: Terms, p: Triples, q: Triples, one: int) -> None:
    """2 sin a cos b = sin(a + b) + sin(a − b)."""
    get = target.get
    for a, a_, m in p:
        for b, b_, n in q:
            mn = m * n
            key = a + b
            target[key] = get(key, 0) + mn
            key = a + b_
            if key >= one:
                target[key] = get(key, 0) + mn
            elif key < 0:
                key = a_ + b
                target[key] = get(key, 0) - mn


def _reach(x: Wave) -> int:
    """The largest exponent or frequency there is."""
    ring = x.system
    keys = (*x.cosines, *x.sines)
    exponents = (max(ring.exponents(e), default=0) for e in {key & (ring.one - 1) for key in keys})
    waves = (abs(k) for w in {key & -ring.one for key in keys} for _, k in ring.frequencies(w))
    return max(max(exponents, default=0), max(waves, default=0))


def _times_frequency(ring: Waves, terms: Terms, angle: str) -> Terms:
    return {key: n * k for key, n in terms.items() if (k := ring.frequency(key, angle))}


def _split(ring: Waves, key: int, names: Container[str]) -> tuple[int, Powers, Powers]:
    """A term without some variables, and their powers and frequencies in it."""
    powers = tuple((name, e) for name, e in ring.powers(key) if name in names)
    waves = tuple((name, k) for name, k in ring.frequencies(key) if name in names)
    removed = sum(e << (FIELD * ring.place(name)) for name, e in powers)
    return key - removed - sum(k * ring.wave(name) for name, k in waves), powers, waves


def _circle(x: Wave) -> tuple[Num, Num]:
    """Cosine and sine of a sum of integer multiples of angles and a fixed angle."""
    ring = x.system
    frequency, offset, reach = 0, 0.0, 0
    if x.sines or any(key >= ring.one for key in x.cosines):
        _refuse_circle("something that is a wave already")
    for key, numerator in x.cosines.items():
        factor = Fraction(numerator, x.denominator)
        powers = ring.powers(key)
        if not powers:
            offset = float(factor)
            continue
        (name, e), *more = powers
        if more or e != 1:
            _refuse_circle("a product")
        if factor.denominator != 1:
            _refuse_circle(f"{factor}·{name}")
        frequency += factor.numerator * ring.wave(name)
        reach = max(reach, abs(factor.numerator))
    c, s = _wave_pair(ring, frequency, reach)
    if not offset:
        return c, s
    c0, s0 = ring.circle(snapped(offset))
    return c * c0 - s * s0, s * c0 + c * s0


def _wave_pair(ring: Waves, frequency: int, reach: int) -> tuple[Num, Num]:
    if frequency == 0:
        return 1.0, 0.0
    if reach > LARGEST:
        raise UnsupportedOperationError("Wave", "sin or cos", f"a multiple beyond {LARGEST} of an angle.")
    sign = 1 if frequency > 0 else -1
    return Wave(ring, {abs(frequency): 1}, {}, 1, reach), Wave(ring, {}, {abs(frequency): sign}, 1, reach)


def _refuse_circle(what: str) -> None:
    raise UnsupportedOperationError(
        "Wave", f"sin or cos of {what}", "an angle must be a sum of integer multiples of its angles."
    )


# -- values -------------------------------------------------------------------------------------------


@dataclass
class Evaluation:
    """Waves over other numbers: every variable has a value; cosine and sine of an angle may be given.

    ``number`` makes a coefficient of a fraction: `float`, or for an exact system the fraction itself. What
    several waves share (powers, products, multiple angles) is computed once.
    """

    values: Mapping[str, Any]
    circle: Mapping[str, tuple[Num, Num]] = field(default_factory=dict)
    number: Callable[[Fraction], Any] = float
    _products: dict[Powers, Num] = field(default_factory=dict, repr=False)
    _waves: dict[Powers, tuple[Num, Num]] = field(default_factory=dict, repr=False)

    def __call__(self, x: Num) -> Any:
        """The value of a wave (a Python number is its own)."""
        if is_number(x):
            return x
        assert isinstance(x, Wave)
        total: Num = 0
        for (function, wave), polynomial in x._grouped().items():
            value = self._polynomial(polynomial)
            if function != "1":
                value = value * self._wave(x.system.frequencies(wave))[function == "sin"]
            total = total + value
        return LANES.lower(total) if isinstance(total, Lanes) else total

    def _polynomial(self, x: Wave) -> Num:
        total: Num = 0
        for key, numerator in x.cosines.items():
            coefficient = self.number(Fraction(numerator, x.denominator))
            total = total + self._product(x.system.powers(key)) * coefficient
        return total

    def _product(self, powers: Powers) -> Num:
        """Π name^power, each prefix once."""
        if not powers:
            return 1
        if powers not in self._products:
            *before, (name, e) = powers
            rest = (*before, (name, e - 1)) if e > 1 else tuple(before)
            self._products[powers] = self._product(rest) * self._value(name)
        return self._products[powers]

    def _wave(self, frequencies: Powers) -> tuple[Num, Num]:
        """Cosine and sine of Σ k·angle, by the addition theorem, each prefix once."""
        if not frequencies:
            return 1, 0
        if frequencies not in self._waves:
            *before, (name, k) = frequencies
            sign = 1 if k > 0 else -1
            rest = (*before, (name, k - sign)) if k != sign else tuple(before)
            (c, s), (c1, s1) = self._wave(rest), self._angle(name)
            s1 = s1 * sign
            self._waves[frequencies] = c * c1 - s * s1, s * c1 + c * s1
        return self._waves[frequencies]

    def _value(self, name: str) -> Num:
        if name not in self.values:
            raise UnknownNameError("value", name, "the values given", list(self.values))
        value = self.values[name]
        return Lanes(np.asarray(value)) if isinstance(value, np.ndarray) else value

    def _angle(self, name: str) -> tuple[Num, Num]:
        if name in self.circle:
            return self.circle[name]
        value = self._value(name)
        return cos(value), sin(value)
