"""The one walk over an expression that every kind of output shares.

A `Writer` knows where brackets and signs stand; its subclasses know how a number, a letter, a wave, a power and a
product look. A `BREAK` stands before every sign at which a line may end, a `WEAK` one within brackets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from strobe.equations.expression import (
    Angle,
    Call,
    Expression,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    Trig,
    coefficient,
    negative,
    product,
    without_number,
)
from strobe.equations.notation import PLAIN, Name, Notation

BREAK = "\x1f"  # a line may end here
WEAK = "\x1e"  # within brackets: a line ends here only where it must

Remark: TypeAlias = str | tuple[str | Expression, ...]  # a sentence, in which expressions may stand


class Writer(ABC):
    """Expressions as text of some kind."""

    def __init__(self, notation: Notation = PLAIN) -> None:
        self.notation = notation

    def write(self, x: Expression) -> str:
        """An expression in one line."""
        return self.expression(x).replace(BREAK, "").replace(WEAK, "")

    def symbol(self, name: str) -> str:
        """A single name."""
        return self.name(self.notation.read(name), name)

    def remark(self, remark: Remark) -> str:
        """A sentence with its expressions."""
        parts = (remark,) if isinstance(remark, str) else remark
        return "".join(self.words(x) if isinstance(x, str) else self.inline(self.write(x)) for x in parts)

    def words(self, text: str) -> str:
        """Ordinary text."""
        return text

    def inline(self, written: str) -> str:
        """An expression within ordinary text."""
        return written

    def expression(self, x: Expression) -> str:
        match x:
            case Number(value):
                return self.minus(self.number(-value)) if value < 0 else self.number(value)
            case Symbol(name):
                return self.symbol(name)
            case Trig():
                return self.wave(x)
            case Call(function, argument):
                return self.call(function, self.expression(argument))
            case Power(Trig() as wave, exponent):
                return self.wave(wave, exponent)
            case Power(base, exponent):
                return self.power(self._base(base), exponent)
            case Product(factors):
                return self._product(factors)
            case Sum(terms):
                return self._sum(terms)

    def wave(self, x: Trig, exponent: int = 1) -> str:
        """cos(q1 + q2), or c12 in short."""
        index = self.notation.shortened(x.angle) if self.notation.short else None
        if index is None:
            return self.trig(x.function, self._angle(x.angle), len(x.angle) > 1, exponent)
        letter = self.name(Name(x.function[0], 0, index), f"{x.function[0]}{index}")
        return letter if exponent == 1 else self.power(letter, exponent)

    # -- where things stand -------------------------------------------------------------------------

    def _sum(self, terms: Sequence[Expression]) -> str:
        first, *others = terms
        result = self.expression(first)
        for term in others:
            if negative(term):
                result += BREAK + self.sign("−", self._factor(_positive(term)))
            else:
                result += BREAK + self.sign("+", self.expression(term))
        return result

    def _product(self, factors: Sequence[Expression]) -> str:
        head, *others = factors
        if head == Number(Fraction(-1)):
            return self.minus(self._product(others))
        if isinstance(head, Number) and head.value < 0:
            return self.minus(self._product((Number(-head.value), *others)))
        result = self._factor(head)
        for before, factor in zip(factors, others, strict=False):
            result = self.times(result, self._factor(factor), self._needs_dot(before, factor))
        return result

    def _needs_dot(self, before: Expression, factor: Expression) -> bool:
        """Whether what follows a wave could be taken for a part of its angle."""
        return self._open(before) and not _is_wave(factor)

    def _open(self, x: Expression) -> bool:
        wave = x.base if isinstance(x, Power) else x
        if not isinstance(wave, Trig) or len(wave.angle) > 1:
            return False
        return not (self.notation.short and self.notation.shortened(wave.angle) is not None)

    def _factor(self, x: Expression) -> str:
        """What may stand beside another factor, or behind a minus."""
        return self._bracketed(x) if isinstance(x, Sum) or negative(x) else self.expression(x)

    def _base(self, x: Expression) -> str:
        """What may bear an exponent."""
        return self.expression(x) if isinstance(x, Symbol | Call) else self._bracketed(x)

    def _bracketed(self, x: Expression) -> str:
        return self.brackets(self.expression(x).replace(BREAK, WEAK))

    def _angle(self, angle: Angle) -> str:
        result = ""
        for name, k in angle:
            term = self.multiple(abs(k), self.symbol(name))
            if result:
                result += self.sign("−" if k < 0 else "+", term)
            else:
                result = self.minus(term) if k < 0 else term
        return result

    # -- how things look ----------------------------------------------------------------------------

    @abstractmethod
    def number(self, x: Fraction) -> str: ...

    @abstractmethod
    def name(self, name: Name, written: str) -> str: ...

    @abstractmethod
    def trig(self, function: str, angle: str, several: bool, exponent: int) -> str: ...

    @abstractmethod
    def call(self, function: str, argument: str) -> str: ...

    @abstractmethod
    def power(self, base: str, exponent: int) -> str: ...

    @abstractmethod
    def times(self, left: str, right: str, dot: bool) -> str: ...

    @abstractmethod
    def multiple(self, k: int, angle: str) -> str: ...

    @abstractmethod
    def sign(self, sign: str, term: str) -> str:
        """A plus or minus between two terms, and the second one."""

    @abstractmethod
    def minus(self, x: str) -> str: ...

    @abstractmethod
    def brackets(self, x: str) -> str: ...


def lines(written: str, width: int, visible: Callable[[str], int] = len) -> Iterator[str]:
    """A written expression in lines of about a width (as ``visible`` measures it), broken before signs."""
    line, room = "", width
    for piece in _pieces(written, width, visible):
        size = visible(piece)
        if line and size > room:
            yield line
            line, room = "", width
        line, room = line + piece, room - size
    yield line


def _pieces(written: str, width: int, visible: Callable[[str], int]) -> Iterator[str]:
    """What stands between two places at which a line may end; brackets are opened where they fill a line."""
    for piece in written.split(BREAK):
        whole = piece.replace(WEAK, "")
        if visible(whole) <= width:
            yield whole
        else:
            yield from piece.split(WEAK)


def _is_wave(x: Expression) -> bool:
    return isinstance(x.base if isinstance(x, Power) else x, Trig)


def _positive(x: Expression) -> Expression:
    return product((Number(abs(coefficient(x))), without_number(x)))


# -- remarks ------------------------------------------------------------------------------------------


def joined(values: Iterable[Expression]) -> list[str | Expression]:
    """Expressions with commas between them."""
    return separated((x,) for x in values)


def separated(groups: Iterable[Sequence[str | Expression]]) -> list[str | Expression]:
    """Groups of words and expressions with commas between them."""
    parts: list[str | Expression] = []
    for group in groups:
        parts += [", ", *group] if parts else group
    return parts
