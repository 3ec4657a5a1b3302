"""Expressions for reading: small trees that renderers walk, with a length and a way back to numbers.

    2 l1 lc2 cos(q1 + q2)²   is   Product(Number(2), Symbol("l1"), Symbol("lc2"), Power(Trig("cos", …), 2))

`forms` chooses them; `text`, `latex` and `mathml` print them. ``length`` is what a reader has to take in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from strobe.scalars import Num, cos, maximum, minimum, sin

Angle: TypeAlias = tuple[tuple[str, int], ...]  # Σ k·name


@dataclass(frozen=True, slots=True)
class Number:
    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol:
    name: str


@dataclass(frozen=True, slots=True)
class Trig:
    """Cosine or sine of a sum of multiples of angles."""

    function: str
    angle: Angle


@dataclass(frozen=True, slots=True)
class Call:
    """Any other function of one expression."""

    function: str
    argument: Expression


@dataclass(frozen=True, slots=True)
class Power:
    base: Expression
    exponent: int


@dataclass(frozen=True, slots=True)
class Product:
    factors: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    terms: tuple[Expression, ...]


Expression: TypeAlias = Number | Symbol | Trig | Call | Power | Product | Sum

ZERO, ONE, MINUS_ONE = Number(Fraction(0)), Number(Fraction(1)), Number(Fraction(-1))
BRACKETS, FRACTION = 2, 3  # the lengths of a pair of brackets and of a number that is no integer


def product(factors: Iterable[Expression]) -> Expression:
    """A product in one level, its numbers multiplied and put first."""
    number, rest = Fraction(1), list[Expression]()
    for factor in factors:
        inner = factor.factors if isinstance(factor, Product) else (factor,)
        for x in inner:
            if isinstance(x, Number):
                number *= x.value
            else:
                rest.append(x)
    if not rest or number == 0:
        return Number(number)
    whole = rest if number == 1 else [Number(number), *rest]
    return whole[0] if len(whole) == 1 else Product(tuple(whole))


def total(terms: Iterable[Expression], sorting: bool = True) -> Expression:
    """A sum in one level, a positive term in front where there is one."""
    flat = [x for term in terms for x in (term.terms if isinstance(term, Sum) else (term,)) if x != ZERO]
    if sorting and flat:
        first = next((k for k, x in enumerate(flat) if not negative(x)), 0)
        flat.insert(0, flat.pop(first))
    return ZERO if not flat else flat[0] if len(flat) == 1 else Sum(tuple(flat))


def power(base: Expression, exponent: int) -> Expression:
    return base if exponent == 1 else Power(base, exponent)


def coefficient(x: Expression) -> Fraction:
    """The number in front of a term."""
    head = x.factors[0] if isinstance(x, Product) else x
    return head.value if isinstance(head, Number) else Fraction(1)


def rated(number: Fraction, factors: Iterable[Expression], *rates: str) -> Expression:
    """A number, factors, and one rate or a product of two, which may be a square."""
    square = len(rates) == 2 and rates[0] == rates[1]
    symbols = [power(Symbol(rates[0]), 2)] if square else [Symbol(rate) for rate in rates]
    return product([Number(number), *factors, *symbols])


def quadratic(entries: Mapping[tuple[int, int], Expression]) -> list[Expression]:
    """The terms of ½ q̇ᵀ X q̇, from the entries of X on and above the diagonal that are not zero."""
    return [
        rated(Fraction(1, 2) if i == j else Fraction(1), [x], f"qd{i + 1}", f"qd{j + 1}")
        for (i, j), x in entries.items()
    ]


def negative(x: Expression) -> bool:
    return coefficient(x) < 0


def opposite(x: Expression) -> Expression:
    """−x, in every term of a sum."""
    return (
        total(map(opposite, x.terms))
        if isinstance(x, Sum)
        else product((Number(-coefficient(x)), without_number(x)))
    )


def signed(x: Expression) -> Expression:
    """A sum of mostly negative terms as minus one of mostly positive terms."""
    if isinstance(x, Sum) and 2 * sum(map(negative, x.terms)) > len(x.terms):
        return Product((MINUS_ONE, opposite(x)))
    return x


def without_number(x: Expression) -> Expression:
    """A term without the number in front of it."""
    if isinstance(x, Number):
        return ONE
    return product(x.factors[1:]) if isinstance(x, Product) and isinstance(x.factors[0], Number) else x


def length(x: Expression) -> int:
    """About how many signs a reader takes in; exponents are free."""
    match x:
        case Number(value):
            return 0 if abs(value) == 1 else 1 if value.denominator == 1 else FRACTION
        case Symbol():
            return 1
        case Trig(_, angle):
            return 1 + len(angle) + sum(abs(k) != 1 for _, k in angle)
        case Call(_, argument):
            return 1 + length(argument)
        case Power(base, _):
            return inside(base)
        case Product(factors):
            return sum(map(inside, factors))
        case Sum(terms):
            return len(terms) - 1 + sum(max(1, length(term)) for term in terms)


def inside(x: Expression) -> int:
    """The length as a factor: a sum then has brackets."""
    return length(x) + BRACKETS * isinstance(x, Sum)


def symbols(x: Expression) -> set[str]:
    """Every name in an expression, of angles too."""
    match x:
        case Number():
            return set()
        case Symbol(name):
            return {name}
        case Trig(_, angle):
            return {name for name, _ in angle}
        case Call(_, inner) | Power(inner, _):
            return symbols(inner)
        case Product(parts) | Sum(parts):
            return set[str]().union(*map(symbols, parts))


def has_waves(x: Expression) -> bool:
    """Whether a cosine or sine stands in it."""
    match x:
        case Trig():
            return True
        case Call(_, inner) | Power(inner, _):
            return has_waves(inner)
        case Product(parts) | Sum(parts):
            return any(map(has_waves, parts))
        case _:
            return False


def value(
    x: Expression,
    names: Callable[[str], Any],
    number: Callable[[Fraction], Any] = float,
    abbreviations: Mapping[str, Expression] | None = None,
) -> Any:
    """The expression over any numbers; a name that is an abbreviation is worked out."""
    known = abbreviations or {}

    def walk(x: Expression) -> Num:
        match x:
            case Number(fraction):
                return number(fraction)
            case Symbol(name):
                return walk(known[name]) if name in known else names(name)
            case Trig(function, angle):
                phase: Num = 0.0
                for name, k in angle:
                    phase = phase + names(name) * k
                return cos(phase) if function == "cos" else sin(phase)
            case Call(function, argument):
                return FUNCTIONS[function](walk(argument))
            case Power(base, exponent):
                root = walk(base)
                result = root
                for _ in range(exponent - 1):
                    result = result * root
                return result
            case Product(factors):
                result = walk(factors[0])
                for factor in factors[1:]:
                    result = result * walk(factor)
                return result
            case Sum(terms):
                result = walk(terms[0])
                for term in terms[1:]:
                    result = result + walk(term)
                return result

    return walk(x)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sat": lambda x: maximum(-1.0, minimum(1.0, x)),
    "satp": lambda x: maximum(0.0, minimum(1.0, x)),
    "satn": lambda x: maximum(-1.0, minimum(0.0, x)),
}
