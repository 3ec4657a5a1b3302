"""What a terminal shows: texts with a style, tables whose lines are never cut; plain text where nobody looks at one.

Styles follow NO_COLOR, FORCE_COLOR and TERM. A control sequence within a text is written out, not obeyed: names may
come from files of strangers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, TextIO

from strobe.errors import harmless

STYLES = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33, "cyan": 36}
COLOURS = 30  # the first code that is a colour
TAB = 8

Piece = tuple[str, str]  # of a line, and its style
Line = Sequence[Piece]


@dataclass(frozen=True, slots=True, eq=False)
class Text:
    """Lines in one style: words of `STYLES`."""

    plain: str
    style: str = ""

    def __str__(self) -> str:
        return self.plain

    def lines(self, ascii_only: bool) -> Iterator[Line]:
        return ([(line, self.style)] for line in _lines(self.plain))


class Pieces(tuple[Piece, ...]):
    """One line in several styles."""

    def lines(self, ascii_only: bool) -> Iterator[Line]:
        yield [(" ".join(_lines(text)), style) for text, style in self]


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A heading and what stands below it."""

    header: str
    cells: Sequence[str]
    justify: str = "left"

    def padded(self) -> list[list[str]]:
        """The lines of every entry, heading first, all equally wide."""
        entries = [_lines(text) for text in (self.header, *self.cells)]
        width = max(_width(line) for lines in entries for line in lines)
        return [[self._set(line, width) for line in lines] for lines in entries]

    def _set(self, line: str, width: int) -> str:
        room = " " * (width - _width(line))
        return room + line if self.justify == "right" else line + room


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns beside one another, a line below their headings."""

    columns: Sequence[Column] = field(default_factory=tuple)

    def lines(self, ascii_only: bool) -> Iterator[Line]:
        between, rule, crossing = (" | ", "-", "-+-") if ascii_only else ("   ", "─", "───")
        padded = [column.padded() for column in self.columns]
        widths = [_width(column[0][0]) for column in padded]
        for row, entries in enumerate(zip(*padded, strict=True)):
            blank = [" " * width for width in widths]
            for line in zip_longest(*entries):
                words = (empty if word is None else word for word, empty in zip(line, blank, strict=True))
                yield [(between.join(words), "" if row else "bold")]
            if not row:
                yield [(crossing.join(rule * width for width in widths), "")]


def write(parts: Iterable[Any], stream: TextIO) -> None:
    """Texts, tables and lines, one below the other."""
    styled = _shows_styles(stream)
    ascii_only = not (getattr(stream, "encoding", None) or "utf-8").lower().startswith("utf")
    for part in parts:
        shown = part if isinstance(part, Text | Pieces | Table) else Text(str(part))
        for line in shown.lines(ascii_only):
            stream.write("".join(_in_style(*piece) if styled else piece[0] for piece in line) + "\n")


def _in_style(text: str, style: str) -> str:
    codes = [STYLES[word] for word in style.split()]
    told = ";".join(str(code) for code in codes if code < COLOURS or not os.environ.get("NO_COLOR"))
    return f"\x1b[{told}m{text}\x1b[0m" if told and text else text


def _shows_styles(stream: TextIO) -> bool:
    if os.environ.get("TERM", "").lower() in ("dumb", "unknown"):
        return False
    forced = os.environ.get("FORCE_COLOR")
    return stream.isatty() if forced is None else forced != ""


def _lines(text: str) -> list[str]:
    return [line.expandtabs(TAB) for line in harmless(text).split("\n")]


def _width(line: str) -> int:
    """Places that a line takes on a terminal: two for a wide sign, none for one that stands on another."""
    return len(line) if line.isascii() else sum(map(_places, line))


def _places(sign: str) -> int:
    from unicodedata import category, east_asian_width

    if east_asian_width(sign) in "WF":
        return 2
    return 0 if category(sign) in ("Mn", "Me", "Cf") else 1
