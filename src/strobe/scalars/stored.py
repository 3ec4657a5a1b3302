# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
"""Stored numbers that a function over numbers reads by a computed place.

    sines = Stored([math.sin(0.01 * k) for k in range(629)])
    f = strobe.trace(lambda x: [sines.at(x[0] * 100.0)], x=1)

A place is rounded down and held where there are as many numbers as are asked for, so that none beyond is ever read;
where it is not a number, neither is the result. In a graph they are a leaf: machine code is made for their size and
gets them at every call; source has them as constants.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

import numpy as np

from strobe.errors import ArgumentError
from strobe.scalars.scalar import Num, Scalar

MOST = 2**31  # numbers: a place in code has 32 bits
MOST_SINGLE = 2**24  # the places that single precision tells apart


class Stored:
    """Numbers in a row, in double precision, that never change."""

    def __init__(self, values: Any, name: str = "stored") -> None:
        numbers = np.array(values, np.float64)
        if numbers.ndim != 1 or not 0 < numbers.size <= MOST:
            raise ArgumentError(
                f'stored numbers "{name}" have shape {numbers.shape}; expected one row of 1 to {MOST:,}.'
            )
        numbers.setflags(write=False)
        self.values: np.ndarray[Any, Any] = numbers
        self.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return Stored, (self.values, self.name)

    @property
    def size(self) -> int:
        return len(self.values)

    def at(self, place: Num) -> Num:
        """The number at a place, which is rounded down; the first or the last one beyond the ends."""
        return self.row(place, 1)[0]

    def row(self, place: Num, width: int) -> list[Num]:
        """So many numbers from a place on, which is rounded down; the first or the last ones beyond the ends."""
        if not 0 < width <= self.size:
            raise ArgumentError(f"a row of {width} cannot be read from {self.size} stored numbers.")
        return place.pick(self, width) if isinstance(place, Scalar) else self.read(place, width)

    def read(self, place: float, width: int = 1) -> list[Num]:
        """A row at a place that is a Python number."""
        if place != place:
            return [place] * width
        first = int(min(max(place, 0.0), float(self.size - width)))
        return [float(x) for x in self.values[first : first + width]]

    def read_all(self, places: Any, width: int = 1) -> list[Any]:
        """Rows at an array of places, in its precision: an array for every number of a row."""
        within = np.clip(np.nan_to_num(places), 0, self.size - width).astype(np.intp)
        values, unknown = self.in_precision(np.result_type(places)), np.isnan(places)
        return [np.where(unknown, places, values[within + k]) for k in range(width)]

    def in_precision(self, dtype: Any) -> np.ndarray[Any, Any]:
        """All numbers in single or double precision."""
        return self.single if dtype == np.float32 else self.values

    @cached_property
    def single(self) -> np.ndarray[Any, Any]:
        if self.size > MOST_SINGLE:
            raise ArgumentError(
                f'there are {self.size:,} stored numbers "{self.name}"; single precision tells only '
                f"{MOST_SINGLE:,} places apart. Pass float64 arrays."
            )
        return self.values.astype(np.float32)

    @cached_property
    def digest(self) -> str:
        """What tells them from others of the same name and size."""
        return hashlib.sha256(self.values.tobytes()).hexdigest()[:32]

    def __repr__(self) -> str:
        return f"{self.name}[{self.size}] {self.digest}"
