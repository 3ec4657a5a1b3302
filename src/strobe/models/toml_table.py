"""A TOML table read key by key: what is missing, misspelt or of the wrong kind becomes a fault.

A value that cannot be used is reported with its path (``dh.link[2].mass``, counted from 1) and replaced
by a harmless one, so that reading goes on and every fault of a file is found in one go.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from strobe.errors import excerpt, nearest, wrong_name
from strobe.files.faults import Faults
from strobe.models.assembly import LARGEST_ANGLE, SNAP, nearly_right, snapped
from strobe.models.expressions import Expression, ExpressionError, parse_expression

Triple = tuple[float, float, float]
ZERO: Triple = (0.0, 0.0, 0.0)


@dataclass(slots=True)
class Context:
    """What reading any value of one file needs."""

    faults: Faults
    snap: float = SNAP
    degrees: bool = False
    parameters: dict[str, float] = field(default_factory=dict)

    def number(self, value: object, where: str, *, infinite: bool = False) -> float:
        """A number, or the value of an expression over the parameters."""
        if isinstance(value, str):
            try:
                return parse_expression(value, self.parameters)
            except ExpressionError as error:
                self.faults.error(where, str(error))
                return 0.0
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.faults.error(
                where, f"found {as_written(value)}, expected a number or an expression in quotes."
            )
            return 0.0
        return self._finite(value, where, infinite)

    def _finite(self, value: float, where: str, infinite: bool) -> float:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isnan(number) or (math.isinf(number) and not infinite):
            self.faults.error(where, f"found {number}, expected a finite number.")
            return 0.0
        return number

    def unit(self, turns: bool) -> float:
        """What one unit of a joint's position in the file is, in radians or metres."""
        return math.pi / 180 if self.degrees and turns else 1.0

    def radians(self, value: float) -> float:
        """An angle (or its rate) as the file means it; a named one keeps its name."""
        if not self.degrees:
            return value
        if isinstance(value, Expression):
            return parse_expression(f"({value.text})*pi/180", self.parameters)
        return math.radians(value)

    def angle(self, value: float, where: str) -> float:
        """A fixed angle in radians, snapped to the right angle it is meant to be."""
        if abs(self.radians(value)) > LARGEST_ANGLE:
            self.faults.error(where, f"found {float(value)!r}, which is too large for an angle.")
            return 0.0
        angle = snapped(self.radians(value), self.snap)
        if nearly_right(angle, self.snap):
            self.faults.note(
                where,
                f"{float(value)!r} is almost a right angle and is kept as it is; "
                'write it exactly (such as "pi/2"), or load with snap=1e-4.',
            )
        return angle


class Table:
    """One table of the file; ``finish`` reports the keys that nobody asked for."""

    def __init__(self, data: Mapping[str, Any], path: str, context: Context) -> None:
        self.data = data
        self.path = path
        self.context = context
        self.asked: dict[str, None] = {}

    # -- faults -------------------------------------------------------------------------------------

    def where(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def error(self, key: str, text: str) -> None:
        self.context.faults.error(self.where(key) if key else self.path, text)

    def finish(self) -> None:
        """Report every key that means nothing here."""
        for key in self.data:
            if key not in self.asked:
                words = [known for known in self.asked if len(known) > 1]  # a letter is like any word
                hint = nearest(key, words) or f" Known keys: {', '.join(self.asked)}."
                self.error(key, f"unknown key.{hint}")

    def refuse(self, keys: Sequence[str], why: str) -> None:
        """Report keys that exist but have no meaning in this place."""
        for key in keys:
            if key in self:
                self.error(key, f"{why}; remove this key.")

    def __contains__(self, key: str) -> bool:
        self.asked[key] = None
        return key in self.data

    def as_written(self, key: str) -> str:
        """What the file says under a key."""
        return as_written(self.data.get(key))

    def _missing(self, key: str, expected: str) -> None:
        self.error("", f'the key "{key}" is missing; expected {expected}.')

    def _wrong(self, key: str, expected: str) -> None:
        self.error(key, f"found {as_written(self.data[key])}, expected {expected}.")

    # -- values -------------------------------------------------------------------------------------

    def text(self, key: str, default: str | None = None) -> str:
        """A string; required where there is no default."""
        if key not in self:
            if default is None:
                self._missing(key, "a string")
            return default or ""
        if isinstance(self.data[key], str) and (self.data[key] or default is not None):
            return self.data[key]
        self._wrong(key, "a string that is not empty" if default is None else "a string")
        return default or ""

    def name(self, key: str, default: str | None = None) -> str:
        """A string that is shown to people."""
        name = self.text(key, default)
        if wrong := wrong_name(name):
            self.error(key, wrong)
        return name

    def choice(self, key: str, options: Sequence[str], default: str | None = None) -> str:
        """One of a few words; required where there is no default."""
        listed = ", ".join(f'"{option}"' for option in options)
        if key not in self:
            if default is None:
                self._missing(key, f"one of {listed}")
            return default or options[0]
        value = self.data[key]
        if value in options:
            return value
        hint = nearest(value, options) if isinstance(value, str) else ""
        self.error(key, f"found {as_written(value)}, expected one of {listed}.{hint}")
        return default or options[0]

    def flag(self, key: str, default: bool) -> bool:
        if key not in self or isinstance(self.data[key], bool):
            return self.data.get(key, default)
        self._wrong(key, "true or false")
        return default

    def number(self, key: str, default: float = 0.0) -> float:
        return self.context.number(self.data[key], self.where(key)) if key in self else default

    def angle(self, key: str) -> float:
        """A fixed angle, zero where it is missing."""
        return self.context.angle(self.number(key), self.where(key))

    def numbers(self, key: str, count: int | None = None, *, infinite: bool = False) -> tuple[float, ...]:
        """An array of numbers, zeros where it is missing or of the wrong length."""
        if key not in self:
            return (0.0,) * (count or 0)
        value = self.data[key]
        if not isinstance(value, list) or (count is not None and len(value) != count):
            self._wrong(key, f"an array of {'' if count is None else f'{count} '}numbers")
            return (0.0,) * (count or 0)
        places = ((entry, f"{self.where(key)}[{k}]") for k, entry in enumerate(value, 1))
        return tuple(self.context.number(entry, where, infinite=infinite) for entry, where in places)

    def texts(self, key: str) -> tuple[str, ...]:
        """An array of strings."""
        value = self.data[key] if key in self else None
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            self.error(key, f"found {as_written(value)}, expected an array of strings.")
            return ()
        return tuple(value)

    def triple(self, key: str, default: Triple = ZERO) -> Triple:
        return self.numbers(key, 3) if key in self else default  # pyright: ignore[reportReturnType]

    def matrix(self, key: str, rows: int, columns: int) -> tuple[tuple[float, ...], ...]:
        """An array of rows, zeros where it is of the wrong shape."""
        value = self.data[key] if key in self else None
        if not isinstance(value, list) or [_length(row) for row in value] != [columns] * rows:
            self._wrong(key, f"{rows} rows of {columns} numbers")
            return ((0.0,) * columns,) * rows
        return tuple(
            tuple(self.context.number(x, f"{self.where(key)}[{i}][{j}]") for j, x in enumerate(row, 1))
            for i, row in enumerate(value, 1)
        )

    # -- tables within ------------------------------------------------------------------------------

    def table(self, key: str) -> Table:
        """A table within this one, empty where it is missing."""
        value = self.data[key] if key in self else {}
        if not isinstance(value, dict):
            self._wrong(key, "a table")
            value = {}
        return Table(value, self.where(key), self.context)

    def tables(self, key: str) -> list[Table]:
        """An array of tables, empty where it is missing."""
        value = self.data[key] if key in self else []
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            self._wrong(key, f"tables, each under [[{self.where(key)}]]")
            return []
        return [Table(entry, f"{self.where(key)}[{k}]", self.context) for k, entry in enumerate(value, 1)]


def _length(value: object) -> int:
    return len(value) if isinstance(value, list) else -1


def as_written(value: object) -> str:
    """A value of a file as a person would write it there, cut short."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        listed = ", ".join(map(as_written, value[:4]))
        return f"[{listed}{', …' if len(value) > 4 else ''}]"
    if isinstance(value, str):
        return f'"{excerpt(value, 60)}"'
    try:
        return str(value)[:60]
    except ValueError:  # an integer beyond the digits that Python writes
        return "a huge integer"
