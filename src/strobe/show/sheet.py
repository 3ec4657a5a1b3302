"""What an answer shows: a line that says what it is, tables with units, sentences, perhaps a figure.

    @displayed
    @dataclass(frozen=True, eq=False)
    class Hand:
        def _sheet(self) -> Sheet:
            return Sheet("Hand …", [by_joint(names, [Column("q", self.q, units)])], figure)

`displayed` gives a class its faces, all from one `Sheet`: ``repr`` is the line, ``print`` the sheet as text of a
screen at most, and a notebook shows it as HTML with the figure. Names are those of files of strangers: `tag` escapes
them.

Numbers of one state stand in columns, joint by joint; of many states the least and the largest do.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeVar

import numpy as np

from strobe.errors import StrobeError, harmless
from strobe.show.html import Html, markup, tag
from strobe.show.picture import image
from strobe.show.rounding_noise import quiet

ROWS = 20  # of a table, at most
LINES = 50  # of a sheet, at most
WIDTH = 100  # letters, of a sentence
WIDEST = 12  # columns of a matrix that is written out
DIGITS = 6

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below the names of their columns; numbers stand to the right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


class Lines(str):
    """Text whose lines stay as they are."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """What an answer shows."""

    head: str  # one line: what it is, and the gist
    parts: Sequence[Table | str] = ()
    figure: Callable[[], str | None] | None = None  # SVG text, drawn where it is looked at

    def text(self) -> str:
        """As text."""
        body: list[str] = []
        for before, part in zip((None, *self.parts), self.parts, strict=False):
            body += (
                ["", *_lines(part)]
                if isinstance(before, Table) and isinstance(part, Table)
                else _lines(part)
            )
        if len(body) > LINES:
            body = [*body[:LINES], "…"]
        return harmless("\n".join([self.head, *body]))

    def html(self) -> Html:
        """As HTML."""
        drawn = self._drawn()
        return tag(
            "div",
            tag("p", tag("b", self.head)),
            map(_html, self.parts),
            tag("div", image(drawn)) if drawn else None,
        )

    def _drawn(self) -> str | None:
        """The figure; none where there is nothing to draw, such as a motion that was lost at once."""
        try:
            return self.figure() if self.figure is not None else None
        except StrobeError:
            return None


def displayed(cls: type[T]) -> type[T]:
    """Give a class the faces that people see: from its `_sheet`, or from a ``__str__`` of its own, line by line."""
    faces: dict[str, Callable[..., Any]] = {
        "__repr__": lambda self: f"<{self._sheet().head}>",
        "_repr_html_": lambda self: str(self._sheet().html()),
        "_repr_pretty_": lambda self, printer, cycle: printer.text(str(self)),
    }
    if "_sheet" in vars(cls):
        faces["__str__"] = lambda self: self._sheet().text()
    else:
        faces["_sheet"] = _from_text
    for name, face in faces.items():
        setattr(cls, name, face)
    return cls


def _from_text(self: object) -> Sheet:
    head, *lines = str(self).splitlines()
    return Sheet(head, [Lines("\n".join(lines))] if lines else [])


# -- numbers ------------------------------------------------------------------------------------------


def number(x: float) -> str:
    """A number to six digits, as people write it."""
    if x != x:
        return "–"  # there is none
    if abs(x) == float("inf"):
        return "∞" if x > 0 else "−∞"
    return f"{x + 0.0:.{DIGITS}g}".replace("-", "−", 1) if x < 0 else f"{x + 0.0:.{DIGITS}g}"


def tiny(x: float) -> str:
    """A deviation to read: its size, or 0 where there is none."""
    return f"{x:.1e}" if x else "0"


def cell(value: Any) -> str:
    """A value as a person reads it; nothing where there is none."""
    if value is None:
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | np.integer):
        return f"{int(value):,}"
    return number(float(value)) if isinstance(value, float | np.floating) else str(value)


def listed(values: Any, unit: str = "") -> str:
    """Numbers of a short vector in a line."""
    inside = ", ".join(map(number, quiet(values).ravel().tolist()))
    return f"({inside}) {unit}".rstrip()


def ended(status: Any, kinds: Iterable[Any]) -> str:
    """How runs ended, in sentences: of many with how many of them."""
    counts = [(int((status == kind).sum()), kind) for kind in kinds]
    if status.size == 1:
        return " ".join(kind.sentence for count, kind in counts if count)
    return " ".join(f"{count:,} of {status.size:,}: {kind.sentence}" for count, kind in counts if count)


def states(shape: Sequence[int]) -> str:
    """How many states there are: "for 1,000 states", or nothing of one."""
    count = int(np.prod(shape, dtype=int)) if len(shape) else 1
    return f" for {count:,} {'state' if count == 1 else 'states'}" if len(shape) else ""


def spread(values: Any, axes: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The least and the largest of every number over all states; ``axes`` at the end belong to one state."""
    array = quiet(values)
    flat = array.reshape(-1, *array.shape[array.ndim - axes :])
    if not len(flat):
        nothing = np.full(flat.shape[1:], np.nan)
        return nothing, nothing
    with np.errstate(all="ignore"):
        least, largest = np.fmin.reduce(flat), np.fmax.reduce(flat)  # NaN only where every one is
    return least, largest


@dataclass(frozen=True, slots=True)
class Column:
    """One number of every joint (..., n), with its name and its units."""

    name: str
    values: Any
    units: Sequence[str] | str = ""


def by_joint(names: Sequence[str], columns: Iterable[Column], first: str = "joint") -> Table:
    """Joints below one another: the numbers of one state, or the least and largest of many."""
    heads: list[str] = [first]
    body: list[list[str]] = []
    for column in columns:
        array = np.asarray(column.values)
        one = array.ndim <= 1
        pairs = (
            [("", quiet(array))] if one else list(zip(("least ", "largest "), spread(array), strict=True))
        )
        for prefix, values in pairs:
            head, cells = _column(f"{prefix}{column.name}", values.tolist(), column.units)
            heads.append(head)
            body.append(cells)
    return Table(heads, [[name, *row] for name, *row in zip(names, *body, strict=True)])


def _column(head: str, values: Sequence[float], units: Sequence[str] | str) -> tuple[str, list[str]]:
    """Numbers with their unit: above them where it is one for all, else behind each."""
    each = [units] * len(values) if isinstance(units, str) else list(units)
    if len(set(each)) <= 1:
        unit = each[0] if each else ""
        return (f"{head} ({unit})" if unit else head), [number(x) for x in values]
    return head, [
        f"{number(x)} {unit}" if isfinite(x) else number(x) for x, unit in zip(values, each, strict=True)
    ]


def matrix(name: str, values: Any, rows: Sequence[str], columns: Sequence[str]) -> list[Table | str]:
    """A matrix (..., m, n) with the names of its rows and columns; of many states how large its entries get."""
    array = np.asarray(values)
    if array.ndim == 2 and array.shape[1] <= WIDEST:
        inside = quiet(array).tolist()
        return [Table([name, *columns], [[row, *line] for row, line in zip(rows, inside, strict=True)])]
    least, largest = spread(array, 0)
    return [f"{name}: {' × '.join(map(str, array.shape))} numbers between {number(float(least))} and "
            f"{number(float(largest))}"]  # fmt: skip


def numbered(letter: str, count: int) -> list[str]:
    """q1, q2, …: names where there are none."""
    return [f"{letter}{k + 1}" for k in range(count)]


def facts(pairs: Mapping[str, Any]) -> Table:
    """Names and what they are, one a line; what is None is left out."""
    return Table(["", ""], [[name, value] for name, value in pairs.items() if value is not None])


# -- text ---------------------------------------------------------------------------------------------


def _lines(part: Table | str) -> Iterator[str]:
    if isinstance(part, Lines):
        yield from part.splitlines()
        return
    if isinstance(part, str):
        yield from textwrap.wrap(
            part, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        return
    rows = [[cell(value) for value in row] for row in part.rows]
    some = _some(rows)
    widths = [max(map(len, column)) for column in zip(part.columns, *some, strict=True)]
    right = _right(rows, len(part.columns))
    for row in [part.columns, *some] if any(part.columns) else some:
        words = [
            word.rjust(width) if side else word.ljust(width)
            for word, width, side in zip(row, widths, right, strict=True)
        ]
        yield f"  {'  '.join(words)}".rstrip()
    if len(some) < len(rows):
        yield f"  … and {len(rows) - len(some):,} more"


def _some(rows: list[T]) -> list[T]:
    """As many rows as are shown; one that would be left out alone is shown too."""
    return rows if len(rows) <= ROWS + 1 else rows[:ROWS]


def _right(rows: Sequence[Sequence[str]], count: int) -> list[bool]:
    """Which columns hold numbers: all that is in them begins with a digit, a sign or what stands for none."""
    return [
        bool(rows) and all(row[k][:1] in "0123456789-−–∞±<" for row in rows) and any(row[k] for row in rows)
        for k in range(count)
    ]


# -- HTML ---------------------------------------------------------------------------------------------


def _html(part: Table | str) -> Html:
    if isinstance(part, str):
        return tag("pre" if isinstance(part, Lines) else "p", part)
    rows = [[cell(value) for value in row] for row in part.rows]
    some = _some(rows)
    sides = ["text-align:right" if side else "text-align:left" for side in _right(rows, len(part.columns))]
    head = [tag("th", name, style=side) for name, side in zip(part.columns, sides, strict=True)]
    body = [
        tag("tr", (tag("td", word, style=side) for word, side in zip(row, sides, strict=True)))
        for row in some
    ]
    more = tag("p", f"… and {len(rows) - len(some):,} more") if len(some) < len(rows) else None
    above = tag("thead", tag("tr", head)) if any(part.columns) else None
    return markup(tag("table", above, tag("tbody", body)), more)
