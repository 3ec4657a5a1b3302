"""Integrators of SciPy that choose their own steps, one run of the batch after another.

A run is cut where torques jump and where events happen. Quaternions are integrated as four numbers, of which only the
direction counts, and have unit length in what comes back. For stiff motions (stops, Coulomb friction, high gains):
"radau" and "bdf".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from strobe.simulate.events import Span
from strobe.simulate.march import Rows, TorqueFault, Watch, begin, blank, called_torque, rates_at
from strobe.simulate.problem import Problem
from strobe.simulate.steps import BOUND

Array = np.ndarray
ADAPTIVE = {"rk45": "RK45", "dop853": "DOP853", "radau": "Radau", "bdf": "BDF", "lsoda": "LSODA"}


def integrate(
    problem: Problem, method: str, times: Array, *, rtol: float, atol: float, watch: Watch | None = None
) -> tuple[Rows, Array]:
    """Rows at times, and the time (N,) that each run reached."""
    state = problem.state.copy()
    rows = Rows(blank(problem, len(times)), np.zeros(len(times), dtype=bool), state, np.zeros(len(state)))
    rows.out[...] = np.nan
    reached = np.full(len(state), problem.start)
    ends = [*(span.start for span in problem.spans[1:]), problem.end]
    try:
        for k, (span, end) in enumerate(zip(problem.spans, ends, strict=True)):
            begin(problem, k, rows, int(np.searchsorted(times, span.start)))
            for i in np.flatnonzero(rows.state[:, problem.parts.alive]):
                one = _One(problem, span, int(i), ADAPTIVE[method], rtol, atol)
                reached[i] = one.run(rows, times, end)
                if watch is not None:
                    watch(float(reached[i]))
    except KeyboardInterrupt:
        rows.interrupted = True
    except TorqueFault as fault:
        rows.failure = str(fault)
    return rows, reached


@dataclass(frozen=True, eq=False)
class _One:
    """One run of the batch in one span."""

    problem: Problem
    span: Span
    i: int
    method: str
    rtol: float
    atol: float

    def run(self, rows: Rows, times: Array, end: float) -> float:
        """The rows of this span, and the time reached."""
        p = self.problem.parts
        jumps = np.concatenate([[self.span.start, end], *(t.jumps for t in self.problem.tables.values())])
        marks = np.unique(jumps[(jumps >= self.span.start) & (jumps <= end)])
        for a, b in pairwise(marks.tolist()):
            reached = self._piece(rows, times, a, b)
            if reached < b:
                rows.state[self.i, p.alive] = 0.0
                return reached
        return end

    def _piece(self, rows: Rows, times: Array, a: float, b: float) -> float:
        """Between two jumps."""
        from scipy.integrate import solve_ivp

        p = self.problem.parts

        def lost(t: float, y: Array) -> float:
            return BOUND - float(np.abs(y[: p.moving]).sum())

        lost.terminal = True  # pyright: ignore[reportFunctionMemberAccess]
        here = np.flatnonzero((times >= a) & ((times < b) | (b == self.problem.end)))
        with np.errstate(all="ignore"):
            found: Any = solve_ivp(
                lambda t, y: self._rate(t, y, a, b)[: p.integrated], (a, b), rows.state[self.i, : p.integrated],
                self.method, t_eval=np.union1d(times[here], [b]), events=lost, rtol=self.rtol, atol=self.atol,
            )  # fmt: skip
        for row, t, y in zip(here, found.t, found.y.T, strict=False):
            y = self._landed(y)
            rows.recorded[row] = True
            rows.out[self.i, row] = [*y, 1.0, 0.0, *self._rate(t, y, a, b)[p.integrated :]]
        if found.t.size:
            rows.state[self.i, : p.integrated] = self._landed(found.y[:, -1])
        if found.status == 0 and np.isfinite(found.y).all():
            return b
        return min(float(found.t[-1]) if found.t.size else a, np.nextafter(b, a))

    def _rate(self, t: float, y: Array, a: float, b: float) -> Array:
        """Rates at a time between two jumps, by the values of tables in between."""
        problem, x = self.problem, y[None, : self.problem.parts.moving]
        inside = min(max(t, np.nextafter(a, b)), np.nextafter(b, a))
        tau = None
        if problem.function is not None:
            every = np.repeat(x, len(problem.state), axis=0)
            tau = called_torque(problem, t, every, f"run {self.i}")[self.i][None]
        return rates_at(problem, self.span, t, inside, x, np.array([self.i]), tau)[0]

    def _landed(self, y: Array) -> Array:
        """With quaternions of unit length."""
        p, robot = self.problem.parts, self.problem.robot
        if p.nq == p.nv:
            return y
        y = y.copy()
        y[p.q] = robot.integrate(y[p.q].copy(), np.zeros(p.nv))
        return y
