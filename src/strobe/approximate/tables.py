"""Torques from tables: of the whole inverse dynamics, or of what it is made of.

    complete          tau = T(q, qd, qdd)                                               [Albus1975]
    Raibert           tau = J(q) qdd + K(q, qd)                                         [Raibert1977]
    Horn-Raibert      tau_i = Σ_j J_ij(q) qdd_j + Σ_jk C^i_jk(q) qd_j qd_k + G_i(q)     [Horn1977], [HornRaibert1978]

J is the mass matrix, C holds Christoffel symbols, G is gravity, K = C qd qd + G. How much each takes is computed
before anything is; what passes the budget is refused with the figure. Friction is computed, not stored: it jumps.
The three are told apart in [Hollerbach1980].
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import copy
from math import prod
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from strobe.algebra.rows import dot
from strobe.approximate.grid_interpolation import (
    INTERPOLATIONS,
    MULTILINEAR,
    Function,
    Plan,
    Tabulated,
    filled,
    plan,
)
from strobe.approximate.grids import Axis, axes, refuse_outside
from strobe.approximate.method import (
    NUMBER,
    Formula,
    Operations,
    exact,
    friction,
    in_system,
    require_open_dynamics,
)
from strobe.approximate.provenance import made_with, require_same
from strobe.approximate.states import RIGID, require_bytes, require_single_numbers
from strobe.approximate.table_files import described_plan, require_shape, restored_plan, save
from strobe.compiler.runtime.arrays import collected
from strobe.compiler.runtime.traced import trace
from strobe.errors import ArgumentError, shown
from strobe.quantities import Request
from strobe.robot import Robot, require_robot
from strobe.scalars import Num, Numbers

Array = np.ndarray
ROUNDING = 1e-12  # of the largest number of a table
BUDGET = 2**28  # bytes of a table, unless asked otherwise
MOST_LOOKED_UP = 4_000  # numbers of one evaluation: code for more takes a minute to make, and more
J, C, G, K = Request("mass_matrix"), Request("coriolis_matrix"), Request("gravity"), Request("bias")


class TableMethod(Formula):
    """Torques by look-up, within the range of the table only."""

    made: float = 0.0  # seconds to fill it

    @property
    @abstractmethod
    def variables(self) -> tuple[Axis, ...]:
        """What a query is looked up by."""

    @abstractmethod
    def looked_up(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        """The rigid-body torques."""

    def torques(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        return [a + b for a, b in zip(self.looked_up(q, qd, qdd), friction(self.robot, qd), strict=True)]

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Array:
        tau = super().inverse_dynamics(q, qd, qdd)
        if np.isnan(tau).any():  # where something is outside, or was not a number before
            self._refuse_outside(q, qd, qdd)
        return tau

    def _refuse_outside(self, q: Any, qd: Any, qdd: Any) -> None:
        robot = self.robot
        sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
        arrays = collected({"q": q, "qd": qd, "qdd": qdd}, sizes, "")
        for axis in self.variables:
            column = arrays[axis.kind][..., [robot.joint_names.index(axis.joint)]]
            refuse_outside([axis], column, f"this table of {robot.name}")

    def save(self, path: Any, *, force: bool = False) -> None:
        """Write it to an .npz file, whole or not at all; ``force`` replaces a file."""
        save(self, path, force=force)

    def use_with(self, robot: Robot) -> Self:
        """The same table for a robot that computes the same; any other is refused, saying what has changed."""
        require_same(made_with(self.robot), robot, f"this {self.title} table")
        other = copy(self)
        other.robot = robot
        return other

    @abstractmethod
    def kept(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What a file holds of it: plain data that describe it, and arrays by name."""

    @classmethod
    @abstractmethod
    def restored(cls, robot: Robot, described: Mapping[str, Any], arrays: Mapping[str, Array]) -> Self:
        """A table from what a file holds."""

    @property
    def preparation(self) -> float:
        return self.made + super().preparation

    @property
    def operations(self) -> Operations:
        program = self.kernel.program
        return Operations.of(program, lookups=program.counts["pick"])

    @property
    def memory(self) -> int:
        return NUMBER * (self.numbers + self.kernel.program.counts["constant"])

    @property
    @abstractmethod
    def numbers(self) -> int:
        """How many are stored."""


class Refilling(NamedTuple):
    """A table filled anew: how many numbers it holds, how many of them were others before, and the seconds."""

    numbers: int
    changed: int
    seconds: float


def same_numbers(old: Array, new: Array) -> int:
    """How many numbers stay as they are, but for rounding."""
    scale = max(float(np.abs(new).max(initial=0.0)), float(np.abs(old).max(initial=0.0)))
    return int(np.count_nonzero(np.abs(new - old) <= ROUNDING * scale))


class GridTable(TableMethod):
    """A table on a grid: planned, then filled, or read from a file.

    ``interpolation`` is "multilinear" or "nearest"; ``derivatives`` stores those beside the values; ``budget`` is in
    bytes.
    """

    SOURCES: ClassVar[tuple[str, ...]]  # the tables it is made of, by name
    STRUCTURED: ClassVar[bool] = True  # whether a number is stored over those variables only that move it

    def __init__(
        self, robot: Robot, grids: Mapping[str, Sequence[Axis]], interpolation: str, derivatives: bool,
        budget: Any,
    ) -> None:  # fmt: skip
        self.robot, room = robot, require_bytes(budget)
        plans = {name: self._plan(name, grids[name], interpolation, derivatives) for name in self.SOURCES}
        self._require_room(plans, room)
        start = time.perf_counter()
        self.tables = {
            name: Tabulated(each, filled(self._function(name), each), name) for name, each in plans.items()
        }
        self.made = time.perf_counter() - start

    @classmethod
    def of(cls, robot: Robot, tables: Mapping[str, Tabulated]) -> Self:
        """A table that was filled before."""
        self = cls.__new__(cls)
        self.robot, self.tables = robot, dict(tables)
        return self

    def kept(self) -> tuple[dict[str, Any], dict[str, Array]]:
        plans = {name: described_plan(each) for name, each in self.plans.items()}
        arrays = {
            f"{name} {k}": x for name, each in self.tables.items() for k, x in enumerate(each.numbers)
        }
        return {"plans": plans}, arrays

    @classmethod
    def restored(cls, robot: Robot, described: Mapping[str, Any], arrays: Mapping[str, Array]) -> Self:
        self = cls.of(robot, {})
        for name in cls.SOURCES:
            own = restored_plan(described["plans"][name], robot, len(self._kinds(name)))
            shapes = [(own.grid(part).points, own.row(part)) for part in own.parts]
            numbers = [require_shape(f"{name} {k}", arrays[f"{name} {k}"], x) for k, x in enumerate(shapes)]
            self.tables[name] = Tabulated(own, numbers, name)
        return self

    def refilled_for(self, robot: Robot) -> Refilling:
        """What of it holds no more for another robot, as when a load is picked up, and what filling it anew takes."""
        start = time.perf_counter()
        other = copy(self)
        other.robot = robot
        plans = {
            name: other._plan(name, old.axes, old.interpolation, old.derivatives)
            for name, old in self.plans.items()
        }
        fresh = {name: filled(other._function(name), each) for name, each in plans.items()}
        took = time.perf_counter() - start
        kept = sum(
            same_numbers(old, new)
            for name, arrays in fresh.items()
            if plans[name].parts == self.plans[name].parts
            for old, new in zip(self.tables[name].numbers, arrays, strict=True)
        )
        stored = sum(each.stored for each in plans.values())
        return Refilling(stored, stored - kept, took)

    @property
    def plans(self) -> dict[str, Plan]:
        return {name: each.plan for name, each in self.tables.items()}

    @property
    def variables(self) -> tuple[Axis, ...]:
        found = (each.axes[k] for each in self.plans.values() for k in each.variables)
        return tuple(dict.fromkeys(found))

    @property
    def numbers(self) -> int:
        return sum(each.stored for each in self.plans.values())

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"It stores {self.numbers:,} numbers; {self._figure(self.plans)}.",)

    def _plan(self, name: str, grid: Sequence[Axis], interpolation: str, derivatives: bool) -> Plan:
        if interpolation not in INTERPOLATIONS:
            choices = " or ".join(f'"{choice}"' for choice in INTERPOLATIONS)
            raise ArgumentError(f"interpolation is {shown(interpolation)}; expected {choices}.")
        function, kinds = self._function(name), self._kinds(name)
        return plan(function, grid, kinds, interpolation, bool(derivatives), self.STRUCTURED)

    def _require_room(self, plans: Mapping[str, Plan], budget: int | None) -> None:
        needed = sum(each.bytes for each in plans.values())
        what = f"a {self.title} table of {self.robot.name}"
        if budget is not None and needed > budget:
            raise ArgumentError(
                f"{what} takes {needed:,} bytes, and the budget is {budget:,}: {self._figure(plans)}. {self.WAY_OUT}"
            )
        read = sum(each.looked_up for each in plans.values())
        if read > MOST_LOOKED_UP:
            raise ArgumentError(
                f"{what} reads {read:,} numbers for one state; code is made for {MOST_LOOKED_UP:,} at most. "
                'Take interpolation="nearest".'
            )

    WAY_OUT: ClassVar[str] = "Take fewer points, or a larger budget."

    @abstractmethod
    def _function(self, name: str) -> Function:
        """What one of the tables holds, over numbers."""

    @abstractmethod
    def _kinds(self, name: str) -> list[str]:
        """For each of its numbers the name of those that it is of a size with."""

    @abstractmethod
    def _figure(self, plans: Mapping[str, Plan]) -> str:
        """The size as it is usually computed, in words."""


class CompleteTable(GridTable):
    """The torques themselves over positions, velocities and accelerations, with nothing known about them.

    ``points`` for every variable, or by "q", "qd" and "qdd", and then perhaps by joint; ``ranges`` likewise.
    """

    name = "complete-table"
    title = "complete"
    SOURCES = ("torques",)
    STRUCTURED = False
    WAY_OUT = "Take fewer points, or a table over positions only (HornRaibert)."

    def __init__(
        self, robot: Robot, points: Any = 5, ranges: Mapping[str, Any] | None = None, *,
        interpolation: str = MULTILINEAR, derivatives: bool = False, budget: Any = BUDGET,
    ) -> None:  # fmt: skip
        require_arm(robot, self.title)
        grid = state_axes(robot, ("q", "qd", "qdd"), points, ranges)
        super().__init__(robot, {"torques": grid}, interpolation, derivatives, budget)

    def looked_up(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        return self.tables["torques"].at([*q, *qd, *qdd])

    def _function(self, name: str) -> Function:
        n = self.robot.n
        return lambda x: exact(self.robot, x[:n], x[n : 2 * n], x[2 * n :], RIGID)

    def _kinds(self, name: str) -> list[str]:
        return ["tau"] * self.robot.n

    def _figure(self, plans: Mapping[str, Plan]) -> str:
        grid = plans["torques"].axes
        return f"{product(grid)} sets of {plans['torques'].row(plans['torques'].parts[0])} numbers"


class Raibert(GridTable):
    """The mass matrix over positions, and what else there is over positions and velocities.

    ``points`` for every variable, or by "q" and "qd", and then perhaps by joint; ``ranges`` likewise.
    """

    name = "raibert"
    title = "Raibert"
    SOURCES = ("J", "K")
    WAY_OUT = "Take fewer points, or a table over positions only (HornRaibert)."

    def __init__(
        self, robot: Robot, points: Any = 5, ranges: Mapping[str, Any] | None = None, *,
        interpolation: str = MULTILINEAR, derivatives: bool = False, budget: Any = BUDGET,
    ) -> None:  # fmt: skip
        require_arm(robot, self.title)
        grid = state_axes(robot, ("q", "qd"), points, ranges)
        grids = {"J": grid[: robot.n], "K": grid}
        super().__init__(robot, grids, interpolation, derivatives, budget)

    def looked_up(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        inertia = symmetric(self.tables["J"].at(q), self.robot.n)
        bias = self.tables["K"].at([*q, *qd])
        return [dot(row, qdd) + b for row, b in zip(inertia, bias, strict=True)]

    def _function(self, name: str) -> Function:
        model, n = self.robot.model, self.robot.n
        if name == "J":
            return lambda q: upper(J.evaluate(in_system(model, q), q=q))
        return lambda x: K.evaluate(in_system(model, x), q=x[:n], qd=x[n:])

    def _kinds(self, name: str) -> list[str]:
        n = self.robot.n
        return ["J"] * (n * (n + 1) // 2) if name == "J" else ["K"] * n

    def _figure(self, plans: Mapping[str, Plan]) -> str:
        n = self.robot.n
        return f"{product(plans['K'].axes)} sets of {n * n + n} numbers if nothing is known of what depends on what"


class HornRaibert(GridTable):
    """The mass matrix, the Christoffel symbols and gravity over positions only.

    ``points`` for every joint or by joint, or ``step``, how far apart they are at most; ``ranges`` likewise.
    """

    name = "horn-raibert"
    title = "Horn-Raibert"
    SOURCES = ("coefficients",)

    def __init__(
        self, robot: Robot, points: Any = None, ranges: Any = None, *, step: Any = None,
        interpolation: str = MULTILINEAR, derivatives: bool = False, budget: Any = BUDGET,
    ) -> None:  # fmt: skip
        require_arm(robot, self.title)
        grid = axes(robot, "q", 5 if points is step is None else points, ranges, step)
        super().__init__(robot, {"coefficients": grid}, interpolation, derivatives, budget)

    def looked_up(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        return assembled(self.tables["coefficients"].at(q), qd, qdd)

    @property
    def notes(self) -> tuple[str, ...]:
        ours, (multiplications, additions) = assembling(self.robot.n), published(self.robot.n)
        return (
            *super().notes,
            f"Once J, C and G are read, the torques take {ours.multiplications} multiplications and {ours.additions} "
            f"additions; {multiplications} and {additions} are published.",
        )

    def _function(self, name: str) -> Function:
        return lambda q: coefficients(self.robot, q)

    def _kinds(self, name: str) -> list[str]:
        n = self.robot.n
        pairs = n * (n + 1) // 2
        return ["J"] * pairs + ["C"] * (n * pairs) + ["G"] * n

    def _figure(self, plans: Mapping[str, Plan]) -> str:
        """All numbers over all joints, and over the joints that anything depends on."""
        each = plans["coefficients"]
        count = len(each.constants)
        moved = [each.axes[k] for k in each.variables]
        every = f"{product(each.axes)} points of {count} numbers are {prod(a.points for a in each.axes) * count:,}"
        if len(moved) == len(each.axes):
            return every
        still = [axis.joint for axis in each.axes if axis not in moved]
        return (
            f"{every}, {prod(a.points for a in moved) * count:,} as nothing depends on {', '.join(still)}"
        )


def coefficients(robot: Robot, q: Numbers) -> list[Num]:
    """J_ij for i ≤ j, then C^i_jk for j ≤ k (twice the Christoffel symbol for j < k) for each i, then G."""
    n, model = robot.n, in_system(robot.model, q)
    columns = [C.evaluate(model, q=q, qd=[float(j == k) for j in range(n)]) for k in range(n)]
    effects = [
        columns[k][i][j] * (1.0 if j == k else 2.0) for i in range(n) for j in range(n) for k in range(j, n)
    ]
    return [*upper(J.evaluate(model, q=q)), *effects, *G.evaluate(model, q=q)]


def assembled(found: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """The torques from the coefficients."""
    n = len(qd)
    pairs = n * (n + 1) // 2
    inertia, gravity = symmetric(found[:pairs], n), found[pairs * (1 + n) :]
    squares = upper([[a * b for b in qd] for a in qd])
    effects = [found[pairs * (1 + i) : pairs * (2 + i)] for i in range(n)]
    return [dot(inertia[i], qdd) + dot(effects[i], squares) + gravity[i] for i in range(n)]


def assembling(n: int) -> Operations:
    """What `assembled` takes for n joints none of whose coefficients is zero."""
    return Operations.of(trace(assembled, found=(n * (n + 1) // 2) * (n + 1) + n, qd=n, qdd=n).program)


def published(n: int) -> tuple[int, int]:
    """Multiplications and additions of the same as published, every C^i_jk with its own products. [Hollerbach1980]"""
    return 2 * n**3 + n**2, n**3 + n**2 + 2 * n


def state_axes(robot: Robot, kinds: Sequence[str], points: Any, ranges: Any) -> tuple[Axis, ...]:
    """Axes of positions, velocities and accelerations, each with its own points and ranges where these are given."""
    by_kind = {}
    for name, given in (("points", points), ("ranges", ranges)):
        own = given if isinstance(given, Mapping) else dict.fromkeys(kinds, given)
        for kind in own:
            if kind not in kinds:
                raise ArgumentError(f"{name} has a part {shown(kind)}; expected {', '.join(kinds)}.")
        by_kind[name] = own
    return tuple(
        axis
        for kind in kinds
        for axis in axes(robot, kind, by_kind["points"].get(kind), by_kind["ranges"].get(kind))
    )


def require_arm(robot: Robot, title: str) -> None:
    """Refuse robots without torques, or with joints whose position is more than one number."""
    require_single_numbers(require_robot(robot), f"a {title} table")
    require_open_dynamics(robot)


def upper(rows: Sequence[Numbers]) -> list[Num]:
    """The entries of a symmetric matrix on and above its diagonal, row by row."""
    return [row[j] for i, row in enumerate(rows) for j in range(i, len(rows))]


def symmetric(entries: Numbers, n: int) -> list[list[Num]]:
    """The matrix of which these are the entries on and above its diagonal."""
    place = {(i, j): k for k, (i, j) in enumerate((i, j) for i in range(n) for j in range(i, n))}
    return [[entries[place[min(i, j), max(i, j)]] for j in range(n)] for i in range(n)]


def product(grid: Sequence[Axis]) -> str:
    """The number of points as it is computed, and what it is."""
    powers = Counter(axis.points for axis in grid)
    factors = " × ".join(
        f"{points}^{count}" if count > 1 else f"{points}" for points, count in powers.items()
    )
    total = prod(axis.points for axis in grid)
    return f"{factors} = {total:,}" if len(grid) > 1 else f"{total:,}"
