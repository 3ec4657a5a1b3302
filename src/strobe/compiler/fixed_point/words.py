"""Words of fixed point, the integer steps over them, and what is proven of each."""

from __future__ import annotations

from dataclasses import dataclass

from strobe.scalars import Node

Ends = tuple[float, float]  # of an interval
Errors = tuple[float, float]  # of the arithmetic alone, and with the rounding of inputs to words


@dataclass(frozen=True, slots=True)
class Format:
    """Words of so many bits, their sign included, of which the last ``fraction`` are behind the point."""

    bits: int
    fraction: int

    @property
    def resolution(self) -> float:
        return 2.0**-self.fraction

    @property
    def largest(self) -> float:
        """The largest magnitude of either sign."""
        return (2 ** (self.bits - 1) - 1) * self.resolution

    def __str__(self) -> str:
        return f"Q{self.bits - 1 - self.fraction}.{self.fraction}"


@dataclass(frozen=True, slots=True)
class Word:
    """A constant word."""

    value: int


Operand = int | Word  # the place of the step that made it, or a constant


@dataclass(frozen=True, slots=True)
class Step:
    """One integer operation on words, and by how many bits these or their result are shifted."""

    op: str
    args: tuple[Operand, ...] = ()
    shifts: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Given:
    """One number of an input: its format, and the words between which it must lie."""

    name: str  # as in the graph: "q[3]"
    format: Format
    low: int
    high: int
    step: int | None  # the place of the step that reads it, if any

    @property
    def ends(self) -> Ends:
        return self.low * self.format.resolution, self.high * self.format.resolution


@dataclass(frozen=True, slots=True)
class Doubt:
    """A choice by the sign of a value that rounding may turn around where the value is nearly zero."""

    value: Node
    margins: Errors  # how far from zero it may then be
    spread: float  # how far apart the two choices are
    errors: Errors  # of the choice when it is right


@dataclass(frozen=True, slots=True)
class Value:
    """What is proven of one value, and the word that holds it."""

    low: float
    high: float
    fraction: int
    errors: Errors
    word: Operand
    own: float = 0.0  # the part of the errors that its own rounding adds
    doubt: Doubt | None = None

    @property
    def size(self) -> float:
        return max(abs(self.low), abs(self.high))

    @property
    def ends(self) -> Ends:
        return self.low, self.high
