"""A function of several variables as stored numbers on a grid, and numbers between them.

    nearest                       v_c                                        error O(h)
    nearest, derivatives          v_c + Σ_a ∂_a v_c (x_a − c_a)              O(h²)
    multilinear                   Σ_c w_c v_c                                O(h²)
    multilinear, derivatives      Σ_c w_c (v_c + ½ Σ_a ∂_a v_c (x_a − c_a))  O(h³)

c runs over the corners of the cell that x lies in, w_c are the weights of multilinear interpolation. The half is no
slip: interpolating between values errs by f (1 − f) h² v''/2 to one side, between full first-order expansions by as
much to the other.

Each number of the function gets a grid over the variables that it depends on, and no more: one that depends on none
is a constant, one that is zero is nothing, and of several that are multiples of one another, a constant added, one is
stored: all four ways above keep such relations. All this is found on random points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isclose
from typing import Any

import numpy as np

from strobe.approximate.grids import Axis, Grid
from strobe.approximate.method import NUMBER
from strobe.compiler.runtime.traced import trace
from strobe.scalars import Num, Numbers, Stored

Array = np.ndarray
Function = Callable[[Numbers], Sequence[Num]]

SAMPLES = 64  # random points on which dependence is looked for
NEGLIGIBLE = 1e-13  # of the largest number of its kind: rounding, not dependence
CHUNK = 2**16  # points that are filled in at once
MULTILINEAR, NEAREST = "multilinear", "nearest"
INTERPOLATIONS = (MULTILINEAR, NEAREST)


@dataclass(frozen=True)
class Part:
    """Some numbers of a function that depend on the same variables."""

    variables: tuple[int, ...]
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Multiple:
    """A number of a function that follows from a stored one: factor · stored + offset."""

    number: int
    of: int
    factor: float
    offset: float


@dataclass(frozen=True)
class Plan:
    """What will be stored of a function: known before anything is."""

    axes: tuple[Axis, ...]
    parts: tuple[Part, ...]
    multiples: tuple[Multiple, ...]
    constants: tuple[float, ...]  # of all numbers; that of one which varies counts no more
    interpolation: str
    derivatives: bool

    def grid(self, part: Part) -> Grid:
        return Grid(tuple(self.axes[k] for k in part.variables))

    def row(self, part: Part) -> int:
        """Numbers stored at a point."""
        return len(part.numbers) * (1 + self.derivatives * len(part.variables))

    @cached_property
    def stored(self) -> int:
        return sum(self.grid(part).points * self.row(part) for part in self.parts)

    @property
    def bytes(self) -> int:
        return NUMBER * self.stored

    @property
    def looked_up(self) -> int:
        """Numbers that one evaluation reads."""
        corners = (1 if self.interpolation == NEAREST else 2 ** len(part.variables) for part in self.parts)
        return sum(count * self.row(part) for count, part in zip(corners, self.parts, strict=True))

    @cached_property
    def variables(self) -> tuple[int, ...]:
        """Those that anything depends on."""
        return tuple(sorted({k for part in self.parts for k in part.variables}))


def plan(
    function: Function,
    axes: Sequence[Axis],
    kinds: Sequence[Any],
    interpolation: str,
    derivatives: bool,
    structured: bool = True,
) -> Plan:
    """How a function is stored; ``kinds`` tells numbers apart that are not of one size, as inertias and forces.

    Unstructured, every number depends on every variable, as far as anyone knows.
    """
    variables = tuple(range(len(axes)))
    if not structured:
        parts = (Part(variables, tuple(range(len(kinds)))),)
        return Plan(tuple(axes), parts, (), (0.0,) * len(kinds), interpolation, derivatives)
    values, moved = _looked_at(function, axes)
    largest = np.abs(values).max(axis=0)
    scale = np.array([max(largest[j] for j, other in enumerate(kinds) if other == kind) for kind in kinds])
    depends = moved > NEGLIGIBLE * scale  # (variables, numbers)
    found: dict[tuple[int, ...], list[int]] = {}
    multiples: list[Multiple] = []
    for number in range(len(kinds)):
        on = tuple(int(k) for k in np.flatnonzero(depends[:, number]))
        known = found.setdefault(on, []) if on else []
        own = next((m for of in known if (m := _multiple(values, number, of, scale)) is not None), None)
        if own is None:
            known.append(number)
        else:
            multiples.append(own)
    constants = np.where(largest > NEGLIGIBLE * scale, values[0], 0.0)
    parts = tuple(Part(on, tuple(numbers)) for on, numbers in sorted(found.items()))
    return Plan(
        tuple(axes), parts, tuple(multiples), tuple(map(float, constants)), interpolation, derivatives
    )


def _multiple(values: Array, number: int, of: int, scale: Array) -> Multiple | None:
    """One column of samples as a multiple of another, with a constant added, if it is one."""
    x, y = values[:, of], values[:, number]
    mean = x.mean(), y.mean()
    factor = float(np.dot(x - mean[0], y - mean[1]) / np.dot(x - mean[0], x - mean[0]))
    factor = next(
        (near for near in (round(factor), round(2 * factor) / 2) if isclose(near, factor)), factor
    )
    offset = float(mean[1] - factor * mean[0])
    if abs(offset) <= NEGLIGIBLE * (scale[number] + abs(factor) * scale[of]):
        offset = 0.0
    rounding = NEGLIGIBLE * (scale[number] + abs(factor) * scale[of])
    if np.abs(factor * x + offset - y).max() > rounding:
        return None
    return Multiple(number, of, factor, offset)


def _looked_at(function: Function, axes: Sequence[Axis]) -> tuple[Array, Array]:
    """Values (samples, m) on random points, and how much each variable moves them (variables, m)."""
    kernel = _compiled(function, len(axes))
    rng = np.random.default_rng(0)
    lower, upper = np.array([(axis.lower, axis.upper) for axis in axes]).T
    x, other = rng.uniform(lower, upper, (2, SAMPLES, len(axes)))
    values = kernel(x)
    moved = []
    for k in range(len(axes)):
        changed = x.copy()
        changed[:, k] = other[:, k]
        moved.append(np.abs(kernel(changed) - values).max(axis=0))
    return values, np.array(moved)


def _compiled(function: Function, size: int) -> Any:
    return trace(lambda x: list(function(x)), x=size)


def filled(function: Function, plan: Plan) -> list[Array]:
    """The numbers of all parts, (points, row) each."""
    size = len(plan.axes)
    values = _compiled(function, size)
    slopes = values.jacobian() if plan.derivatives else None
    return [_filled(plan, part, values, slopes) for part in plan.parts]


def _filled(plan: Plan, part: Part, values: Any, slopes: Any) -> Array:
    """The values of a part's numbers at all points, and its derivatives by a step, or by half a one, after them."""
    grid, numbers = plan.grid(part), list(part.numbers)
    middle = [0.5 * (axis.lower + axis.upper) for axis in plan.axes]
    share = 1.0 if plan.interpolation == NEAREST else 0.5
    steps = np.array([axis.step * share for axis in grid.axes])
    rows = np.empty((grid.points, plan.row(part)))
    for first in range(0, grid.points, CHUNK):
        beyond = min(first + CHUNK, grid.points)
        x = np.tile(middle, (beyond - first, 1))
        x[:, part.variables] = grid.coordinates(first, beyond)
        rows[first:beyond, : len(numbers)] = values(x)[:, numbers]
        if slopes is not None:
            found = slopes(x)[:, numbers][:, :, part.variables] * steps
            rows[first:beyond, len(numbers) :] = found.swapaxes(1, 2).reshape(beyond - first, -1)
    return rows


class Tabulated:
    """A function read from what is stored of it, over numbers of any system."""

    def __init__(self, plan: Plan, numbers: Sequence[Array], name: str = "table") -> None:
        self.plan = plan
        self.stored = [Stored(np.ravel(each), f"{name}_{k}") for k, each in enumerate(numbers)]

    @property
    def numbers(self) -> list[Array]:
        """What is stored of all parts, (points, row) each."""
        rows = [self.plan.row(part) for part in self.plan.parts]
        return [each.values.reshape(-1, row) for each, row in zip(self.stored, rows, strict=True)]

    def at(self, x: Numbers) -> list[Num]:
        """The numbers of the function, nearly, at x."""
        values: list[Num] = list(self.plan.constants)
        places = {k: self.plan.axes[k].place(x[k]) for k in self.plan.variables}
        for part, stored in zip(self.plan.parts, self.stored, strict=True):
            reader = _Reader(self.plan, part, stored, [places[k] for k in part.variables])
            for number, value in zip(part.numbers, reader.values(), strict=True):
                values[number] = value
        for each in self.plan.multiples:
            values[each.number] = values[each.of] * each.factor + each.offset
        return values


class _Reader:
    """One part at one place."""

    def __init__(self, plan: Plan, part: Part, stored: Stored, places: Numbers) -> None:
        self.grid, self.row, self.stored = plan.grid(part), plan.row(part), stored
        self.count, self.derivatives = len(part.numbers), plan.derivatives
        self.places, self.near = places, plan.interpolation == NEAREST

    def values(self) -> list[Num]:
        axes = self.grid.axes
        if self.near:
            found = [axis.nearest(u) for axis, u in zip(axes, self.places, strict=True)]
            base = self._base([point for point, _ in found])
            return self._corner(base, [beyond for _, beyond in found])
        cells = [axis.cell(u) for axis, u in zip(axes, self.places, strict=True)]
        return self._between(cells, [], [])

    def _between(
        self, cells: Sequence[tuple[Num, Num, Num]], points: list[Num], beyond: list[Num]
    ) -> list[Num]:
        """Interpolated along the axes that have no point yet, the first of them last."""
        if len(points) == len(cells):
            return self._corner(self._base(points), beyond)
        below, above, f = cells[len(points)]
        low = self._between(cells, [*points, below], [*beyond, f])
        high = self._between(cells, [*points, above], [*beyond, f - 1.0])
        return [a + (b - a) * f for a, b in zip(low, high, strict=True)]

    def _base(self, points: Numbers) -> Num:
        """Where the numbers of a point begin."""
        base: Num = 0.0
        for point, stride in zip(points, self.grid.strides, strict=True):
            base = base + point * float(stride * self.row)
        return base

    def _corner(self, base: Num, beyond: Numbers) -> list[Num]:
        row = self.stored.row(base, self.row)
        values = row[: self.count]
        if not self.derivatives:
            return values
        for a, distance in enumerate(beyond):
            slopes = row[self.count * (a + 1) : self.count * (a + 2)]
            values = [v + s * distance for v, s in zip(values, slopes, strict=True)]
        return values
