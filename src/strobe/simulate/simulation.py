"""`simulate`: from what is asked to a run, with its step chosen."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strobe.errors import ArgumentError, SimulationWarning, UnknownNameError
from strobe.robot import Robot
from strobe.simulate import step_size
from strobe.simulate.adaptive import ADAPTIVE, integrate
from strobe.simulate.events import Event
from strobe.simulate.march import Rows, Watch, march
from strobe.simulate.problem import Problem, problem
from strobe.simulate.report import report
from strobe.simulate.run import Checkpoint, Errors, Run
from strobe.simulate.steps import FIXED, Method, fixed_method
from strobe.simulate.times import Grid, grid

Array = np.ndarray
METHODS = (*FIXED, *ADAPTIVE)
MOST_KEPT = 10_000_000  # numbers of a run that are kept unless it is said which: 80 MB
MOST_ROWS = 10_001
ROWS = 1001  # of a run whose steps are not ours
TRIES = 4  # of a step that is chosen, while the motion turns out to be faster than it looked
SLACK = 2.0  # times the rule, before a chosen step is made shorter


def simulate(
    robot: Robot, q0: Any, qd0: Any, torque: Any, t: Any, method: str = "rk4", step: float | None = None, *,
    parameters: Mapping[str, Any] | None = None, wrench: Any = None, frame: str | None = None,
    payload: Any = None, stops: Any = None, limits: bool = False, friction: bool = True,
    formulation: str | None = None, events: Sequence[Event] = (), every: int | None = None,
    conserve_energy: bool = False, error: bool = False, rtol: float = 1e-8, atol: float = 1e-10,
    threads: int | None = None, watch: Watch | None = None, resume: Checkpoint | None = None,
) -> Run:  # fmt: skip
    """How a robot moves under torques, from q0 (..., nq) and qd0 (..., nv), for t seconds or at times t (T,).

    ::

        torque           (..., n) constant, a `Table`, ``strobe.trace(law, t=1, q=n, qd=n, …)``, or ``f(t, q, qd)``
        method           fixed steps: "rk4", "rk8" (Dormand-Prince), "semi-implicit-euler";
                         steps chosen by SciPy within rtol and atol: "rk45", "dop853", "radau", "bdf", "lsoda"
        step             of a fixed-step method, in seconds; chosen from speeds and modes if it is not given
        parameters       of a traced law: arrays (..., size) or tables by name
        wrench           (..., 6), a `Table`, or either by frame; ``frame`` (the last one) where it and payloads act
        payload          (..., 4) mass and centre or (..., 10), in frame axes, or by frame
        stops            True, or `Stops`: joint limits as springs and dampers
        limits           motors give no more than the robot's effort and velocity limits allow
        events           `Attach`, `Drop`, `Lock`, `Release`, each at a time
        every            keep each k-th step; all of them if they are few
        conserve_energy  scale velocities after each step so that the energy changes by the work done only
        error            estimate the error by a second run with half the step
        watch            is told the time reached, now and then; an interrupt keeps what is done
        resume           the checkpoint of an interrupted run, all else as it was: it ends with the same bits
    """
    if method not in METHODS:
        raise UnknownNameError("method", method, "strobe", METHODS)
    if every is not None and (not isinstance(every, int | np.integer) or every < 1):
        raise ArgumentError(f"every is {every!r}; expected a whole number, 1 or more.")
    if step is not None:
        _require_above("step", step, "a time above zero")
    _require_above("rtol", rtol, "a number above zero")
    _require_above("atol", atol, "a number, zero or more", or_zero=True)
    asked = problem(
        robot, q0, qd0, torque, t, parameters=parameters, wrench=wrench, frame=frame, payload=payload,
        stops=stops, limits=limits, friction=friction, formulation=formulation, events=events,
    )  # fmt: skip
    _warn(asked.notes)
    if method in ADAPTIVE:
        ours = {
            "step": step,
            "every": every,
            "conserve_energy": conserve_energy,
            "error": error,
            "resume": resume,
        }
        for word in (word for word, given in ours.items() if given):
            raise ArgumentError(
                f"{word}= is for methods of fixed step ({', '.join(FIXED)}), not for {method}."
            )
        return _adaptive(asked, method, rtol, atol, watch)
    fixed = _Fixed(asked, fixed_method(method), every, conserve_energy, threads, watch)
    if resume is not None:
        _require_fit(asked, resume)
    return fixed.run(resume.step if resume is not None else step, error, resume)


def _adaptive(asked: Problem, method: str, rtol: float, atol: float, watch: Watch | None) -> Run:
    times = np.linspace(asked.start, asked.end, ROWS) if asked.rows is None else asked.rows
    rows, reached = integrate(asked, method, times, rtol=rtol, atol=atol, watch=watch)
    return report(asked, rows, times, reached, method, np.nan, list(asked.notes))


@dataclass(frozen=True, eq=False)
class _Fixed:
    """A run of fixed steps."""

    asked: Problem
    method: Method
    every: int | None
    conserved: bool
    threads: int | None
    watch: Watch | None

    def run(self, step: float | None, error: bool, resume: Checkpoint | None) -> Run:
        if step is None:
            rows, steps, step, said = self._chosen()
        else:
            said = None if resume else self._too_long(step)
            _warn([said] if said else [])
            steps = grid(self.asked.start, self.asked.end, step, self.asked.marks)
            if resume is not None and resume.state[:, self.asked.parts.steps].max() > steps.total:
                raise ArgumentError(
                    f"resume holds a run that went beyond {self.asked.end:g} s; give t as it was, or a longer one."
                )
            rows = self._march(steps, resume=resume)
        kept = self._kept(steps, resume)
        notes = [*self.asked.notes, *([said] if said else [])]
        if self.every is None and self.asked.rows is None and len(self._kept(steps, None)) <= steps.total:
            notes.append(f"of {steps.total:,} steps {len(kept):,} are kept; every= and t= say which.")
        reached = steps.steps(rows.state[:, self.asked.parts.steps].astype(np.int64)).t
        run = report(self.asked, rows, steps.steps(kept).t, reached, self.method.name, step, notes)
        return replace(run, error=self._error(run, steps)) if error else run

    def _too_long(self, step: float) -> str | None:
        return step_size.too_long(self.asked, self.method, step, step_size.modes(self.asked))

    def _march(self, steps: Grid, kept: Array | None = None, resume: Checkpoint | None = None) -> Rows:
        kept = self._kept(steps, resume) if kept is None else kept
        return march(
            self.asked, self.method, steps, kept, conserved=self.conserved, threads=self.threads, watch=self.watch,
            resume=resume,
        )  # fmt: skip

    def _kept(self, steps: Grid, resume: Checkpoint | None) -> Array:
        """The numbers of the steps at whose beginning a row is kept; the end is always one."""
        p = self.asked.parts
        if self.asked.rows is not None:
            kept = steps.number_at(self.asked.rows)
        else:
            room = max(2, min(MOST_ROWS, MOST_KEPT // (len(self.asked.state) * (p.size + p.nv))))
            every = self.every or -(-steps.total // (room - 1))
            kept = np.append(np.arange(0, steps.total, every), steps.total)
        return kept if resume is None else kept[kept >= resume.state[:, p.steps].max()]

    def _chosen(self) -> tuple[Rows, Grid, float, str]:
        """A run with a step that is shortened while the motion turns out to be faster than it looked."""
        asked, modes = self.asked, step_size.modes(self.asked)
        speed, acceleration = step_size.at_start(asked)
        left = 1 if asked.function is not None else TRIES
        while True:
            choice = step_size.chosen(asked, self.method, modes, speed, acceleration)
            steps = grid(asked.start, asked.end, choice.step, asked.marks)
            rows = self._march(steps)
            moved, left = rows.out[..., asked.parts.qd], left - 1
            speed = float(np.max(np.abs(moved), initial=speed, where=np.isfinite(moved)))
            if not left or rows.interrupted or choice.step * speed <= SLACK * step_size.TURN:
                said = f"the step was chosen: {choice.step:.3g} s, for {choice.reason}."
                return rows, steps, choice.step, said

    def _error(self, run: Run, steps: Grid) -> Errors:
        """What a run with half the step differs by, over 1 − 2^−order."""
        halves = Grid(steps.marks, steps.counts * 2)
        finer = self._march(halves, 2 * self._kept(steps, None)).out[:, : len(run.times)]
        p, scale = self.asked.parts, 1.0 / (1.0 - 0.5**self.method.order)
        q, qd = (self.asked.whole(finer[..., part]) for part in (p.q, p.qd))
        return Errors(np.abs(self.asked.robot.difference(run.q, q)) * scale, np.abs(qd - run.qd) * scale)


def _require_above(name: str, value: Any, expected: str, or_zero: bool = False) -> None:
    """Refuse what is not one finite number above zero, or zero where that will do."""
    number = isinstance(value, int | float | np.integer | np.floating) and np.isfinite(value)
    if not (number and (value > 0 or (or_zero and value == 0))):
        raise ArgumentError(f"{name} is {value!r}; expected {expected}.")


def _require_fit(asked: Problem, resume: Any) -> None:
    """Refuse a checkpoint of another run: what is gone on with is all else as it was."""
    if not isinstance(resume, Checkpoint):
        raise ArgumentError(
            f"resume is a {type(resume).__name__}; expected the checkpoint of a run: run.checkpoint."
        )
    if not np.isfinite(resume.step):
        raise ArgumentError(
            f"resume holds a run whose steps SciPy chose; only fixed steps ({', '.join(FIXED)}) can be gone on with."
        )
    if resume.state.shape != asked.state.shape:
        raise ArgumentError(
            f"resume holds a state of shape {resume.state.shape}, this run needs {asked.state.shape}; give the batch "
            "and limits= that the run had."
        )


def _warn(notes: Sequence[str]) -> None:
    for note in notes:
        warnings.warn(note, SimulationWarning, stacklevel=4)
