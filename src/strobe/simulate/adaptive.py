"""Integrators of SciPy that choose their own steps, one run of the batch after another.

A run is cut where torques jump and where events happen. Quaternions are integrated as four numbers, of which only the
direction counts, and have unit length in what comes back. For stiff motions (stops, Coulomb friction, high gains):
"radau" and "bdf".

After every step the run can be watched (by the mean time that the batch has reached) and interrupted. A motion that
grows without end asks for ever shorter steps: a run whose steps hardly bring it further is given up as lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from strobe.simulate.events import Span
from strobe.simulate.fixed_steps import Fault, Rows, Watch, begin, blank, called_torque, rates_at, tell
from strobe.simulate.integrators import BOUND
from strobe.simulate.limit_extremes import bounded, bounds, extended, start
from strobe.simulate.problem import Problem

Array = np.ndarray
ADAPTIVE = {"rk45": "RK45", "dop853": "DOP853", "radau": "Radau", "bdf": "BDF", "lsoda": "LSODA"}
CROWD, TOO_LITTLE = 1_000, 1e-6  # steps in a row that bring a run no further than this part of its length
WENT_BEYOND = "was lost in the next step."


def integrate(
    problem: Problem, method: str, times: Array, *, rtol: float, atol: float, watch: Watch | None = None
) -> tuple[Rows, Array]:
    """Rows at times, and the time (N,) that each run reached."""
    state = problem.state.copy()
    runs = len(state)
    rows = Rows(blank(problem, len(times)), np.zeros(len(times), bool), state, lambda: np.zeros(runs))
    rows.out[...] = np.nan
    rows.extremes = start(problem.robot.model, len(state)) if bounds(problem.robot.model) else None
    going = _Going(problem, method, times, rtol, atol, watch, rows, np.full(len(state), problem.start))
    ends = [*(span.start for span in problem.spans[1:]), problem.end]
    try:
        for k, (span, end) in enumerate(zip(problem.spans, ends, strict=True)):
            begin(problem, k, rows, int(np.searchsorted(times, span.start)))
            for i in np.flatnonzero(rows.state[:, problem.parts.alive]):
                going.move(int(i), span, end)
    except KeyboardInterrupt:
        rows.interrupted = True
    except Fault as fault:
        rows.failure = fault
    return rows, going.reached


@dataclass(frozen=True, eq=False)
class _Going:
    """The batch on its way."""

    problem: Problem
    method: str
    times: Array
    rtol: float
    atol: float
    watch: Watch | None
    rows: Rows
    reached: Array  # (N,)

    def move(self, i: int, span: Span, end: float) -> None:
        """One run through a span, piece by piece between the jumps of what drives it."""
        jumps = np.concatenate([[span.start, end], *(t.jumps for t in self.problem.tables.values())])
        marks = np.unique(jumps[(jumps >= span.start) & (jumps <= end)])
        for a, b in pairwise(marks.tolist()):
            why = self._through(_Piece(self.problem, span, i, a, b))
            if why:
                self.rows.state[i, self.problem.parts.alive] = 0.0
                self.rows.why[i] = why
                return

    def _through(self, piece: _Piece) -> str:
        """Step after step to the end of a piece, or until the run is lost: then why."""
        p, state = self.problem.parts, self.rows.state[piece.i]
        here = (self.times > piece.a) & ((self.times < piece.b) | (piece.b == self.problem.end))
        waiting, recent = np.flatnonzero(here), deque([piece.a], maxlen=CROWD)
        start = state[: p.integrated].copy()
        self._keep(piece, np.flatnonzero(self.times == piece.a), lambda t: start)
        if not np.isfinite(piece.rate(piece.a, start)).all():
            return WENT_BEYOND
        solver = self._solver(piece, start)
        while solver.status == "running":
            if why := _lost(solver, p.moving) or self._crowded(recent, solver.t):
                return why
            passed = int(np.searchsorted(self.times[waiting], solver.t, side="right"))
            if passed:
                self._keep(piece, waiting[:passed], solver.dense_output())
                waiting = waiting[passed:]
            state[: p.integrated], self.reached[piece.i] = piece.landed(solver.y), solver.t
            self._look(piece, solver.t, state)
            if self.watch is not None:
                tell(self.watch, float(self.reached.mean()))
        return ""

    def _solver(self, piece: _Piece, start: Array) -> Any:
        from scipy import integrate

        solver = getattr(integrate, ADAPTIVE[self.method])
        with np.errstate(all="ignore"):
            return solver(piece.derivative, piece.a, start, piece.b, rtol=self.rtol, atol=self.atol)

    def _keep(self, piece: _Piece, rows: Array, y: Callable[[float], Array]) -> None:
        """The rows of times that a step has passed."""
        p = self.problem.parts
        for row in rows:
            t = float(self.times[row])
            here = piece.landed(y(t))
            self.rows.out[piece.i, row] = [*here, 1.0, 0.0, *piece.rate(t, here)[p.integrated :]]
            self.rows.recorded[row] = True

    def _look(self, piece: _Piece, t: float, state: Array) -> None:
        """The extremes with those at the end of a step, whether it is kept or not."""
        p, model, extremes = self.problem.parts, self.problem.robot.model, self.rows.extremes
        if extremes is None:
            return
        tau = piece.rate(t, state[: p.integrated])[p.integrated :]
        values = bounded(model, *(part.tolist() for part in (state[p.q], state[p.qd], tau)))
        extremes[piece.i] = extended(model, extremes[piece.i].tolist(), values)

    def _crowded(self, recent: deque[float], t: float) -> str:
        """What to say when the last steps hardly brought the run further."""
        gained, full = t - recent[0], len(recent) == CROWD
        recent.append(t)
        if not full or gained > TOO_LITTLE * (self.problem.end - self.problem.start):
            return ""
        return (
            f"came only {gained:.2g} s further in {CROWD:,} steps. "
            "If it does not diverge, it is stiff: take radau, bdf or fixed steps."
        )


def _lost(solver: Any, moving: int) -> str:
    """One step of a solver; what to say if the run is lost by it."""
    try:
        with np.errstate(all="ignore"):
            solver.step()
    except (ValueError, np.linalg.LinAlgError):  # as linear algebra says to numbers that are not finite
        return WENT_BEYOND
    if solver.status == "failed":
        return "asks for steps shorter than any: it diverges, or rtol and atol are too small."
    return "" if np.abs(solver.y[:moving]).sum() < BOUND else WENT_BEYOND


@dataclass(frozen=True, eq=False)
class _Piece:
    """One run of the batch between two jumps, a and b."""

    problem: Problem
    span: Span
    i: int
    a: float
    b: float

    def derivative(self, t: float, y: Array) -> Array:
        return self.rate(t, y)[: self.problem.parts.integrated]

    def rate(self, t: float, y: Array) -> Array:
        """Rates and what stands behind them, by the values that tables have between the jumps."""
        problem, x = self.problem, y[None, : self.problem.parts.moving]
        inside = min(max(t, np.nextafter(self.a, self.b)), np.nextafter(self.b, self.a))
        tau = None
        if problem.function is not None:
            every = np.repeat(x, len(problem.state), axis=0)
            tau = called_torque(problem, t, every, f"run {self.i}")[self.i][None]
        return rates_at(problem, self.span, t, inside, x, np.array([self.i]), tau)[0]

    def landed(self, y: Array) -> Array:
        """With quaternions of unit length."""
        p, robot = self.problem.parts, self.problem.robot
        if not robot.coordinates.has_quaternions:
            return y
        y = y.copy()
        y[p.q] = robot.integrate(y[p.q].copy(), np.zeros(p.nv))
        return y
