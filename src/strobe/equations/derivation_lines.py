"""Lines of a derivation: relations between named quantities, and values written out.

    N01 = N12 + m1 r0,c1 × (v̇c1 − g) + r01 × f12 + I1 ω̇1

is a `Formula` over letters. `worked_out` computes it from what the letters stand for, so that what is printed is
what was computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from strobe.algebra import Mat3, Vec3
from strobe.equations.expression import ZERO, Expression
from strobe.equations.trig_polynomials import Wave

Quantity: TypeAlias = Any  # a number, a Vec3 or a Mat3 on waves


@dataclass(frozen=True, slots=True)
class Letter:
    """A quantity by its letter, with an index below and dots over it; ``bold`` ones are vectors and matrices."""

    letter: str
    index: str = ""
    dots: int = 0
    bold: bool = False

    def entry(self, *places: str) -> Letter:
        """One component."""
        return Letter(self.letter, ",".join(filter(None, (self.index, "".join(places)))), self.dots)


@dataclass(frozen=True, slots=True)
class Written:
    """A number as a wave (printed in its shortest form) or as an expression already chosen."""

    value: Wave | Expression


@dataclass(frozen=True, slots=True)
class Times:
    """A product: by a number or a matrix, of vectors with a cross (×), or with a dot (·)."""

    left: Formula
    right: Formula
    sign: str = ""


@dataclass(frozen=True, slots=True)
class Plus:
    """Terms with their signs."""

    terms: tuple[tuple[int, Formula], ...]


@dataclass(frozen=True, slots=True)
class Transposed:
    """Rows for columns."""

    of: Formula


@dataclass(frozen=True, slots=True)
class Rate:
    """The derivative with respect to time."""

    of: Formula


@dataclass(frozen=True, slots=True)
class Slope:
    """A partial derivative."""

    of: Formula
    by: Formula


Formula: TypeAlias = Letter | Written | Times | Plus | Transposed | Rate | Slope
Grid: TypeAlias = tuple[tuple[Wave, ...], ...]


@dataclass(frozen=True, slots=True)
class Values:
    """A vector or a matrix written out, with the names of its rows."""

    rows: Grid
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """Left-hand sides that are equal, and what they are equal to."""

    left: tuple[Formula, ...]
    right: Formula | Values
    about: str = ""  # a heading for this line and those after it with the same one


@dataclass(frozen=True, slots=True)
class Step:
    """What is done and why, in a sentence or two, and the equations that follow."""

    title: str
    words: str
    lines: tuple[Line, ...]


def waves(step: Step) -> Iterator[Wave]:
    """Every wave that is written out in a step."""
    for line in step.lines:
        for side in (*line.left, line.right):
            yield from _waves(side)


def _waves(x: Formula | Values) -> Iterator[Wave]:
    match x:
        case Values(rows, _):
            yield from (entry for row in rows for entry in row)
        case Written(value) if isinstance(value, Wave):
            yield value
        case Times(left, right, _):
            yield from (*_waves(left), *_waves(right))
        case Plus(terms):
            yield from (wave for _, term in terms for wave in _waves(term))
        case _:
            return


def plus(terms: Iterable[tuple[int, Formula]]) -> Formula:
    """A sum; a single positive term is itself, no term is zero."""
    whole = tuple(terms)
    if not whole:
        return Written(ZERO)
    return whole[0][1] if len(whole) == 1 and whole[0][0] > 0 else Plus(whole)


def worked_out(x: Formula, book: Mapping[Letter, Quantity], normal: Vec3 | None = None) -> Quantity:
    """The value of a formula where the letters have the values in the book.

    With the normal of a plane, cross products are the components along it.
    """
    match x:
        case Letter():
            return book[x]
        case Written(value):
            return 0.0 if value == ZERO else value
        case Times(left, right, sign):
            a, b = (worked_out(part, book, normal) for part in (left, right))
            product = _product(a, b, sign)
            return normal.dot(product) if sign == "×" and normal is not None else product
        case Plus(terms):
            total: Quantity = None
            for sign, term in terms:
                value = worked_out(term, book, normal)
                signed = value if sign > 0 else -value
                total = signed if total is None else total + signed
            return total
        case Transposed() | Rate() | Slope():
            raise AssertionError("only relations between letters are worked out")


def _product(a: Quantity, b: Quantity, sign: str) -> Quantity:
    if sign == "×":
        return a.cross(b)
    if sign == "·":
        return a.dot(b)
    if isinstance(a, Mat3):
        return a @ b
    return b * a if isinstance(b, Vec3 | Mat3) else a * b
