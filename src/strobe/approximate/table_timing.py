"""Whether a table still pays: its time beside that of the compiled exact torques, measured together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strobe.approximate.method import Exact, Formula
from strobe.approximate.recommendation import TABLES_PAY
from strobe.approximate.tables import TableMethod
from strobe.compiler.runtime.timing import BATCH, Way, best_times


@dataclass(frozen=True, slots=True)
class TableSpeed:
    """Nanoseconds a state in a batch on one thread."""

    robot: str
    table: str
    memory: int
    table_ns: float
    exact_ns: float
    error: float  # the largest, on the states that were timed

    @property
    def ratio(self) -> float:
        return self.table_ns / self.exact_ns

    @property
    def says(self) -> str:
        """The verdict, which follows from the ratio."""
        times = (
            f"{self.table} of {self.robot} takes {self.table_ns:.3g} ns a state and {self.memory:,} bytes, the exact "
            f"torques {self.exact_ns:.3g} ns: {self.ratio:.2f} times as much, with errors up to {self.error:.2g}"
        )
        if self.ratio <= 1.0:
            return f"{times}. The table is no slower; its price is memory and error."
        if self.ratio <= TABLES_PAY:
            return f"{times}. The table keeps up; its price is memory and error."
        return f"{times}. Tables no longer pay: sines and products are faster than memory."


def table_speed(table: TableMethod, batch: int = BATCH, seconds: float = 1.0) -> TableSpeed:
    """A table and the exact torques as compiled functions on the same states, random within its ranges."""
    robot, rng = table.robot, np.random.default_rng(0)
    states = {name: rng.uniform(-1.0, 1.0, (batch, robot.n)) for name in ("q", "qd", "qdd")}
    for axis in table.variables:
        column = robot.joint_names.index(axis.joint)
        states[axis.kind][:, column] = rng.uniform(axis.lower, axis.upper, batch)
    methods: dict[str, Formula] = {"table": table, "exact": Exact(robot)}
    out = np.empty((batch, robot.n))
    ways = {
        name: Way(lambda *x, kernel=method.kernel: kernel(*x, out=out, threads=1), [tuple(states.values())])
        for name, method in methods.items()
    }
    best = {name: 1e9 * each / batch for name, each in best_times(ways, seconds).items()}
    exact, found = (method.kernel(*states.values()) for method in (methods["exact"], table))
    error = float(np.abs(found - exact).max())
    return TableSpeed(
        robot.name, f"the {table.title} table", table.memory, best["table"], best["exact"], error
    )
