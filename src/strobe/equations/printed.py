"""Closed forms as people meet them: an entry prints as a formula, a matrix as rows of them, a notebook typesets both.

    >>> equations.mass_matrix[0]
    [m1 lc1² + I1 + m2 (l1² + lc2² + 2 l1 lc2 cos q2) + I2 + …, m2 (lc2² + l1 lc2 cos q2) + I2]

They stay the lists that they are. A value of more than `SMALL` terms is not brought to its shortest form, which would
take seconds: its first terms are written, and how many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from strobe.equations import expression as ex
from strobe.equations.expression import Expression
from strobe.equations.notation import Notation, index
from strobe.equations.trig_polynomials import Term, Wave

SMALL = 60  # terms of a value that is brought to its shortest form
FIRST = 6  # terms that are written of a longer one
ENTRIES = 40  # of a matrix, at most
TYPESET = 24  # entries in a notebook


class Vector(list[Wave]):
    """Closed forms in a row."""

    __slots__ = ()

    def __str__(self) -> str:
        return _lines((f"[{k + 1}]", x) for k, x in enumerate(self))

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        printer.text(str(self))  # pyright: ignore[reportAttributeAccessIssue]

    def latex(self) -> str:
        """All of it as mathematics for LaTeX."""
        return _typeset([[x] for x in self])

    def _repr_latex_(self) -> str | None:
        return _array([[x] for x in self])


class Matrix(list[list[Wave]]):
    """Closed forms in rows; an entry is ``[i][j]`` or ``[i, j]``."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            row, column = key
            return super().__getitem__(row)[column]
        return super().__getitem__(key)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), len(self[0]) if self else 0

    def latex(self) -> str:
        """All of it as mathematics for LaTeX."""
        return _typeset(self)

    def __str__(self) -> str:
        return _lines(
            (f"[{index(i + 1, j + 1)}]", x) for i, row in enumerate(self) for j, x in enumerate(row)
        )

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        printer.text(str(self))  # pyright: ignore[reportAttributeAccessIssue]

    def _repr_latex_(self) -> str | None:
        return _array(self)


class Symbols(list[Matrix]):
    """The Christoffel symbols c_ijk: first index the torque, then the two rates."""

    __slots__ = ()

    def __str__(self) -> str:
        return _lines(
            ((f"c{index(i + 1, j + 1, k + 1)}", x) for i, j, k, x in self._different()),
            " = ",
            "alike in the last two; all others are zero",
        )

    def _different(self) -> Iterator[tuple[int, int, int, Wave]]:
        """Those that are not zero, of equal ones the first."""
        for i, matrix in enumerate(self):
            for j, row in enumerate(matrix):
                for k, x in enumerate(row):
                    if j <= k and not x.is_zero():
                        yield i, j, k, x

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        printer.text(str(self))  # pyright: ignore[reportAttributeAccessIssue]

    def _repr_latex_(self) -> str | None:
        found = list(islice(self._different(), TYPESET + 1))
        if len(found) > TYPESET or not all(map(_is_short, (x for *_, x in found))):
            return None
        rows = [f"c_{{{index(i + 1, j + 1, k + 1)}}} &= {latex_of(x)}" for i, j, k, x in found]
        return "$$\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}$$"


# -- one value -----------------------------------------------------------------------------------------


def printed(x: Wave) -> str:
    """A value in one line of text."""
    from strobe.equations.text import text

    rest = "" if _is_short(x) else f" + … ({len(x):,} terms)"
    return text(*_form(x)) + rest


def latex_of(x: Wave) -> str:
    """A value as mathematics."""
    from strobe.equations.latex import latex

    rest = "" if _is_short(x) else rf" + \dots \text{{ ({len(x):,} terms)}}"
    return latex(*_form(x)) + rest


def whole_latex(x: Wave) -> str:
    """A value as mathematics, however long."""
    from strobe.equations.latex import latex

    return latex(*(_form(x) if _is_short(x) else _terms(x, x.terms)))


def _is_short(x: Wave) -> bool:
    return len(x) <= SMALL


def _form(x: Wave) -> tuple[Expression, Notation]:
    """The shortest form of a short value whose names are known, else its terms one by one."""
    if _is_short(x) and not x.is_zero() and x.system.readable is not None:
        return x.system.readable(x)
    return _terms(x, x.terms if _is_short(x) else x.terms[:FIRST])


def _terms(x: Wave, terms: Iterable[Term]) -> tuple[Expression, Notation]:
    return ex.total(map(_term, terms), sorting=False), Notation(decimals=not x.system.named)


def _term(term: Term) -> Expression:
    wave = [] if term.function == "1" else [ex.Trig(term.function, term.frequencies)]
    powers = [ex.power(ex.Symbol(name), e) for name, e in term.powers]
    return ex.product([ex.Number(term.coefficient), *powers, *wave])


# -- many ----------------------------------------------------------------------------------------------


def _lines(entries: Iterable[tuple[str, Wave]], between: str = " ", last: str = "") -> str:
    """A value a line, as many as a screen holds."""
    whole = iter(entries)
    lines = [f"{name}{between}{x}" for name, x in islice(whole, ENTRIES)]
    more = sum(1 for _ in whole)
    return "\n".join([*lines, *([f"… and {more:,} more"] if more else [last] if last else [])])


def _array(rows: Iterable[Iterable[Wave]]) -> str | None:
    """A matrix between brackets; nothing where it would not fit on a page."""
    inside = [list(row) for row in rows]
    entries = [x for row in inside for x in row]
    if len(entries) > TYPESET or not all(map(_is_short, entries)):
        return None
    return f"$${_typeset(inside)}$$"


def _typeset(rows: Iterable[Iterable[Wave]]) -> str:
    """A matrix between brackets, every entry in full."""
    lines = [" & ".join(map(whole_latex, row)) for row in rows]
    return "\\begin{bmatrix}\n" + " \\\\\n".join(lines) + "\n\\end{bmatrix}"
