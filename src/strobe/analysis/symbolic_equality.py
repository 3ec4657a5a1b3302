# pyright: basic, reportMissingTypeStubs=false
"""Formulations symbolically equal: differences that reduce to zero in a normal form, for small robots.

A number is a polynomial with rational coefficients in the rates, the accelerations, the sliding positions,
the parameters that the model file names, and a pair c, s for every angle that is an input or has a name.
After every product s² becomes 1 − c², so that equal functions have equal polynomials and the test is an
equality: no simplifier guesses. Constants without a name enter as the decimals they were written as, a fixed
angle without one as a rational point of the circle, t = tan(angle/2) to twelve digits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy
from sympy.polys.polyerrors import CoercionFailed, GeneratorsError

from strobe.errors import UnsupportedModelError, UnsupportedOperationError
from strobe.formulations import Formulation
from strobe.models.joints import RAD
from strobe.models.model import Model
from strobe.scalars import Num, Scalar
from strobe.scalars.symbol import SymbolSystem, exact, is_zero_or_one

LARGEST = 3  # joints: beyond, the polynomials grow too long to be worth printing


@dataclass(frozen=True, slots=True)
class Proof:
    """Which methods have the reference's polynomials, and how many terms these have in all."""

    equal: Mapping[str, bool]
    terms: int

    @property
    def passed(self) -> bool:
        return all(self.equal.values())


def refusal(model: Model) -> str:
    """Why a model is not compared symbolically, or nothing."""
    if model.nv > LARGEST:
        return f"{model.name} has {model.nv} degrees of freedom; symbols are compared up to {LARGEST}."
    if any(joint.has_quaternion for joint in model.joints):
        return f"{model.name} has a quaternion, whose rotation is not a polynomial."
    return ""


def compare(methods: Mapping[str, Formulation], reference: str, model: Model) -> Proof:
    """Every method against the reference, polynomial by polynomial."""
    why = refusal(model)
    if why:
        raise UnsupportedModelError(why)
    system = PolynomialSystem(model)
    lifted = model.lift(system)
    state = lifted.variables()
    tau = {
        name: [system.lower(t) for t in method.inverse_dynamics(lifted, *state)]
        for name, method in methods.items()
    }
    equal = {name: found == tau[reference] for name, found in tau.items()}
    return Proof(equal, sum(len(t) for t in tau[reference]))


class Vocabulary(SymbolSystem):
    """A lift that only notes which symbols and which fixed angles a model has."""

    def __init__(self) -> None:
        self.symbols: dict[Any, None] = {}
        self.angles: dict[Any, None] = {}

    def number(self, x: float) -> Num:
        self.symbols |= dict.fromkeys(sorted(self.expression(x).free_symbols, key=str))
        return x

    def point(self, angle: float) -> tuple[Num, Num]:
        value = self.expression(angle)
        if value.free_symbols:
            self.angles[_positive(value)] = None
        return 1.0, 0.0


class PolynomialSystem(SymbolSystem):
    """The ring of one model, and the relation between the two numbers of an angle."""

    name = "Polynomial"

    def __init__(self, model: Model) -> None:
        words = Vocabulary()
        model.lift(words)
        inputs = [f"{kind}{k + 1}" for kind in ("q", "qd", "qdd") for k in range(model.nv)]
        fixed = [f"angle{k + 1}" for k in range(len(words.angles))]
        turning = [
            f"q{joint.q + k + 1}"
            for joint in model.joints
            for k, unit in enumerate(joint.position_units)
            if unit == RAD
        ]
        pairs = [f"{letter}({angle})" for angle in (*turning, *fixed) for letter in "cs"]
        symbols = [*map(sympy.Symbol, (*pairs, *inputs)), *words.symbols]
        self.ring: Any = sympy.ring(symbols, sympy.QQ)[0]
        self.fixed = dict(zip(words.angles, fixed, strict=True))
        self.generator: dict[str, Any] = dict(zip((*pairs, *inputs), self.ring.gens, strict=False))
        self.sines = [(2 * k, 2 * k + 1) for k in range(len(pairs) // 2)]  # positions of c and s

    def number(self, x: float) -> Num:
        if is_zero_or_one(x):
            return float(x)
        try:
            return Polynomial(self, self.ring.from_expr(self.expression(x)))
        except (CoercionFailed, GeneratorsError, ValueError):
            raise UnsupportedModelError(f"{x} is not a polynomial in the model's parameters.") from None

    def point(self, angle: float) -> tuple[Num, Num]:
        value = self.expression(angle)
        if not value.free_symbols:
            return tuple(Polynomial(self, self.ring(x)) for x in _rational_point(angle))  # pyright: ignore
        c, s = self._pair(self.fixed[_positive(value)])
        return Polynomial(self, c), Polynomial(self, s if value == _positive(value) else -s)

    def variable(self, name: str, angle: bool = False) -> Num:
        return Polynomial(self, self.generator[name], name if angle else "")

    def lower(self, x: Num) -> Any:
        return x.value if isinstance(x, Polynomial) else self.ring(exact(x))  # pyright: ignore

    def reduce(self, value: Any) -> Any:
        """s² = 1 − c² until no sine stands in a square."""
        for c, s in self.sines:
            while any(monomial[s] > 1 for monomial in value):
                value = self._step(value, c, s)
        return value

    def _step(self, value: Any, c: int, s: int) -> Any:
        kept: dict[Any, Any] = {}
        for monomial, coefficient in value.items():
            if monomial[s] < 2:
                kept[monomial] = kept.get(monomial, 0) + coefficient
                continue
            once = _shifted(monomial, s, -2)
            for target, share in ((once, coefficient), (_shifted(once, c, 2), -coefficient)):
                kept[target] = kept.get(target, 0) + share
        return self.ring.from_dict({m: k for m, k in kept.items() if k})

    def _pair(self, angle: str) -> tuple[Any, Any]:
        return self.generator[f"c({angle})"], self.generator[f"s({angle})"]


class Polynomial(Scalar):
    """A polynomial in normal form."""

    __slots__ = ("angle", "value")

    system: PolynomialSystem

    def __init__(self, system: PolynomialSystem, value: Any, angle: str = "") -> None:
        self.system = system
        self.value = value
        self.angle = angle  # the input whose sine and cosine may be taken

    def apply(self, op: str, *args: Num) -> Polynomial:
        match op, [self.admit(a).value for a in args]:
            case "cos", _ if self.angle:
                value = self.system._pair(self.angle)[0]
            case "sin", _ if self.angle:
                value = self.system._pair(self.angle)[1]
            case "add", [x, y]:
                value = x + y
            case "sub", [x, y]:
                value = x - y
            case "neg", [x]:
                value = -x
            case "mul", [x, y]:
                value = self.system.reduce(x * y)
            case "div", [x, y] if y.is_ground and y:
                value = x * (1 / y.LC)
            case _:
                raise UnsupportedOperationError(
                    "Polynomial", op, "only sums, products and quotients by numbers are polynomials."
                )
        return Polynomial(self.system, value)

    def literal(self, x: float) -> Polynomial:
        return Polynomial(self.system, self.system.ring(exact(x)))


def _rational_point(angle: float) -> tuple[Any, Any]:
    """Cosine and sine as exact fractions on the circle."""
    t = Fraction(math.tan(angle / 2)).limit_denominator(10**6)
    norm = 1 + t * t
    return tuple(sympy.Rational(x.numerator, x.denominator) for x in ((1 - t * t) / norm, 2 * t / norm))  # pyright: ignore


def _positive(angle: Any) -> Any:
    """One of an angle and its opposite, always the same one."""
    return -angle if angle.could_extract_minus_sign() else angle


def _shifted(monomial: tuple[int, ...], place: int, by: int) -> tuple[int, ...]:
    return (*monomial[:place], monomial[place] + by, *monomial[place + 1 :])
