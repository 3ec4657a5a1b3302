"""The form of a proof: sections of lines, each an identity with both sides as functions of a moving arm.

A line gives its two sides at every combination of indices that it speaks of; where it gives none, it does
not apply to the arm. A line also holds forms that must not be true: the misprints of the source, and
variants that show what matters (an order of factors, a limit of a sum). Every line says which rules give it;
`proof_rules` tries whether they do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from strobe.algebra import Mat3, Mat4, Vec3
from strobe.scalars import Num

Pairs = Iterator[tuple[Any, Any]]  # the two sides, for every combination of indices
Sides = Callable[[Any], Pairs]
Written = Callable[..., Pairs]  # of an arm, or of an arm and one of its links

ANY = "any"
CHAIN = "R"
JOINT = "R_j"
OWN = "R_i"
SLIDING = "P"
TWO = "R_i, n ≥ 2"

LINKS = {
    ANY: "all_links",
    OWN: "turning_links",
    CHAIN: "turning_chain",
    TWO: "turning_below",
}  # of an arm, that a line speaks of

REASONS = {
    ANY: "it speaks of nothing that this arm has",
    CHAIN: "it assumes that every joint up to link i is revolute, and it speaks of no such link here",
    JOINT: "it speaks of revolute joints, and there is none",
    OWN: "it assumes a revolute joint, and there is none",
    SLIDING: "it speaks of prismatic joints, and there is none",
    TWO: "it assumes a revolute joint with a link above its own, and there is none",
}


@dataclass(frozen=True, slots=True, eq=False)
class FalseForm:
    """A form of a line that must fail: ``printed`` in the source, or a variant of ours."""

    text: str
    printed: bool
    sides: Sides


@dataclass(eq=False)
class Line:
    """One identity of the proof."""

    id: str
    statement: str
    assume: str
    sides: Sides
    by: tuple[str, ...] | None = None  # the rules it follows from; None where that cannot be asked
    rule: str = ""  # the same in words, or what cannot be named
    note: str = ""  # where the source prints it otherwise
    by_link: bool = False  # its forms are written for one link
    false: list[FalseForm] = field(default_factory=list)

    def printed(self, text: str) -> Callable[[Written], Written]:
        """Adds the form that the source prints and that is not true."""
        return self._false(text, True)

    def variant(self, text: str) -> Callable[[Written], Written]:
        """Adds a form that looks alike and is not true."""
        return self._false(text, False)

    def _false(self, text: str, printed: bool) -> Callable[[Written], Written]:
        def add(sides: Written) -> Written:
            of_all = link_by_link(sides, self.assume) if self.by_link else sides
            self.false.append(FalseForm(text, printed, of_all))
            return sides

        return add

    @property
    def because(self) -> str:
        """Its rules as people read them."""
        return "; ".join(part for part in (", ".join(self.by or ()), self.rule) if part)

    @property
    def reason(self) -> str:
        """Why the line does not apply, where it gives no sides."""
        return REASONS[self.assume]


@dataclass(eq=False)
class Section:
    """A part of the proof."""

    title: str
    lines: list[Line] = field(default_factory=list)

    def line(
        self,
        id: str,
        statement: str,
        assume: str = ANY,
        by: tuple[str, ...] | None = None,
        rule: str = "",
        note: str = "",
        by_link: bool = False,
    ) -> Callable[[Written], Line]:
        """Adds the decorated function as a line."""

        def add(sides: Written) -> Line:
            of_all = link_by_link(sides, assume) if by_link else sides
            made = Line(id, statement, assume, of_all, by, rule, note, by_link)
            self.lines.append(made)
            return made

        return add

    def each(self, *what: Any, **more: Any) -> Callable[[Written], Line]:
        """The same of a function of an arm and a link, for every link that it assumes to be there."""
        return self.line(*what, **more, by_link=True)


def link_by_link(sides: Written, assume: str) -> Sides:
    """The sides for every link that a line speaks of."""
    return lambda arm: (pair for i in getattr(arm, LINKS[assume]) for pair in sides(arm, i))


def entries(side: Any) -> list[Num]:
    """The numbers of a side: of a number, a vector, a matrix or a list of them."""
    if isinstance(side, Mat4):
        return [x for row in side.rows for x in row]
    if isinstance(side, Vec3 | Mat3 | list | tuple):
        return [x for part in side for x in entries(part)]
    return [side]
