"""`simulate`: from what is asked to a run, with its step chosen."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from strobe.compiler.runtime.threads import asked_threads
from strobe.errors import Advised, ArgumentError, LimitsLeftWarning, SimulationWarning, advice_of, shown
from strobe.models.arguments import require_above, require_choice, require_truth, require_whole
from strobe.robot import Robot
from strobe.simulate import step_size
from strobe.simulate.adaptive import ADAPTIVE, integrate
from strobe.simulate.checkpoint import Checkpoint, grid_from, require_fit, setting
from strobe.simulate.events import Event
from strobe.simulate.fixed_steps import Rows, Watch, march
from strobe.simulate.integrators import FIXED, Integrator, fixed_method
from strobe.simulate.limit_violations import limits_left
from strobe.simulate.problem import Problem, problem
from strobe.simulate.report import report
from strobe.simulate.run import Errors, Run, noted
from strobe.simulate.time_grid import Course, Grid, grid

Array = np.ndarray
PLAIN = (type(None), bool, int, float, str)  # types of words that tell equal ones by themselves
PACKAGE = __name__.partition(".")[0]
METHODS = (*FIXED, *ADAPTIVE)
MOST_KEPT = 10_000_000  # numbers of a run that are kept unless it is said which: 80 MB
MOST_ROWS = 10_001
MOST_STEPS, MOST_CALLED = 10**11, 10**9  # a day, at a microsecond each, or by Python at a hundred
SAY_WHICH = Advised("every= and t= say which", {"every= and t= say": "--every says"})
RTOL, ATOL = 1e-8, 1e-10  # of SciPy's methods
SMALLEST_RTOL = 100 * float(np.finfo(float).eps)  # of SciPy, which takes no less
ROWS = 1001  # of a run whose steps are not ours
TRIES = 4  # of a step that is chosen, while the motion turns out to be faster than it looked
SLACK = 2.0  # times the rule, before a chosen step is made shorter


def simulate(
    robot: Robot, q0: Any, qd0: Any, torque: Any, t: Any, method: str = "rk4", step: float | None = None, *,
    parameters: Mapping[str, Any] | None = None, wrench: Any = None, frame: str | None = None,
    payload: Any = None, stops: Any = None, limits: bool = False, friction: bool = True,
    formulation: str | None = None, events: Sequence[Event] = (), every: int | None = None,
    conserve_energy: bool = False, error: bool = False, rtol: float = RTOL, atol: float = ATOL,
    threads: int | None = None, watch: Watch | None = None, resume: Checkpoint | None = None,
) -> Run:  # fmt: skip
    """How a robot moves under torques, from q0 (..., nq) and qd0 (..., nv), for t seconds or at times t (T,).

    ::

        torque           (..., n) constant, a `TimeSeries`, ``strobe.trace(law, t=1, q=n, qd=n, …)``,
                         or ``f(t, q, qd)``
        method           fixed steps: "rk4", "rk8" (Dormand-Prince), "semi-implicit-euler";
                         steps chosen by SciPy within rtol and atol: "rk45", "dop853", "radau", "bdf", "lsoda"
        step             of a fixed-step method, in seconds; chosen from speeds and modes if it is not given
        parameters       of a traced law: arrays (..., size) or tables by name
        wrench           (..., 6), a `TimeSeries`, or either by frame; ``frame`` (the tip) where it and payloads act
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
    require_words(robot, method, step, every, conserve_energy, error, rtol, atol, threads, watch, resume)
    asked = problem(
        robot, q0, qd0, torque, t, parameters=parameters, wrench=wrench, frame=frame, payload=payload,
        stops=stops, limits=limits, friction=friction, formulation=formulation, events=events,
    )  # fmt: skip
    _warn(asked.notes)
    if method in ADAPTIVE:
        return _within(asked, _adaptive(asked, method, rtol, atol, watch))
    fixed = _Fixed(asked, fixed_method(method), every, conserve_energy, threads, watch)
    if resume is not None:
        require_fit(resume, asked, fixed.setting, step)
        step = resume.step
    return _within(asked, fixed.run(step, error, resume))


def require_words(
    robot: Robot, method: str, step: Any, every: Any, conserve_energy: Any, error: Any, rtol: Any, atol: Any,
    threads: Any, watch: Any, resume: Any,
) -> None:  # fmt: skip
    """Refuse words of `simulate` that are not what they should be, or that its method would not listen to."""
    plain = method, step, every, conserve_energy, error, rtol, atol
    if isinstance(method, str) and method in FIXED and all(type(x) in PLAIN for x in plain):
        _require_fixed(*plain)
    else:
        require_choice("method", method, METHODS)
        _require_owner(
            method,
            {"step": step, "every": every, "conserve_energy": conserve_energy, "error": error, "threads": threads,
             "resume": resume},
            {"rtol": _unusual(rtol, RTOL), "atol": _unusual(atol, ATOL)},
        )  # fmt: skip
        if method in ADAPTIVE and robot.model.is_closed:
            raise ArgumentError(
                f"{robot.name} has closed chains, which {method} would let drift open; "
                f"choose a method of fixed step ({', '.join(FIXED)}): it closes them after every step."
            )
        _require_numbers(step, every, rtol, atol, conserve_energy, error)
    if watch is not None and not callable(watch):
        raise ArgumentError(f"watch is {shown(watch)}; expected a function of the time.")
    asked_threads(threads)


@lru_cache(256, typed=True)
def _require_fixed(
    method: str, step: Any, every: Any, conserve_energy: Any, error: Any, rtol: Any, atol: Any
) -> None:
    """The same of plain words for a method of fixed steps: looked at once, unless they are refused."""
    _require_owner(method, {}, {"rtol": _unusual(rtol, RTOL), "atol": _unusual(atol, ATOL)})
    _require_numbers(step, every, rtol, atol, conserve_energy, error)


def _unusual(x: Any, usual: float) -> Any:
    """What somebody said, nothing where it is what holds anyhow."""
    return None if isinstance(x, float) and x == usual else x


def _within(asked: Problem, run: Run) -> Run:
    """The run, with a word on limits that it left while nothing held it there."""
    if not run.exceeded:
        return run
    acting = [name for name, on in (("stops", asked.rate.stops), ("limits", asked.rate.limited)) if on]
    said = limits_left(run.exceeded, run.status.size, acting)
    _warn(said, LimitsLeftWarning)
    return noted(run, said) if said else run


def _adaptive(asked: Problem, method: str, rtol: float, atol: float, watch: Watch | None) -> Run:
    times = np.linspace(asked.start, asked.end, ROWS) if asked.rows is None else asked.rows
    rows, reached = integrate(asked, method, times, rtol=rtol, atol=atol, watch=watch)
    return report(asked, rows, times, reached, method, np.nan, list(asked.notes), dict)


@dataclass(frozen=True, eq=False)
class _Fixed:
    """A run of fixed steps."""

    asked: Problem
    method: Integrator
    every: int | None
    conserved: bool
    threads: int | None
    watch: Watch | None

    @cached_property
    def setting(self) -> dict[str, str]:
        return setting(self.asked, self.method.name, self.conserved)

    def run(self, step: float | None, error: bool, resume: Checkpoint | None) -> Run:
        if step is None:
            rows, course, step, said = self._chosen()
        else:
            said = [] if resume else self._too_long(step)
            _warn(said)
            course = self._course(step, resume)
            said += self._many(course, f"step is {step:g} s", resume)
            rows = self._march(course, resume=resume)
        steps, kept = course.grid, course.kept
        notes = [*self.asked.notes, *said]
        usual = kept if resume is None else self._kept(steps, None)
        if self.every is None and self.asked.rows is None and len(usual) <= steps.total:
            said_so = f"of {steps.total:,} steps {len(kept):,} are kept; {SAY_WHICH}."
            notes.append(Advised(said_so, advice_of(SAY_WHICH)))
        run = report(
            self.asked, rows, course.times.copy(), self._reached(steps, rows), self.method.name, step, notes,
            lambda: self.setting,
        )  # fmt: skip
        if error and rows.interrupted:
            return noted(run, ["the error was not estimated: the run was interrupted."])
        return self._with_error(run, steps, kept[rows.recorded]) if error else run

    def _too_long(self, step: float) -> list[str]:
        said = step_size.too_long(self.asked, self.method, step)
        return [said] if said else []

    def _reached(self, steps: Grid, rows: Rows) -> Array:
        """The time (N,) at which each run of the batch had its last good state."""
        if rows.whole:
            return np.full(len(rows.state), self.asked.end)
        return steps.steps(rows.state[:, self.asked.parts.steps].astype(np.int64)).t

    def _many(self, course: Course, why: str, resume: Checkpoint | None = None) -> list[str]:
        """What to say, beforehand, of a run that lasts for very many steps; too many are refused."""
        runs = len(self.asked.state)
        done = 0 if resume is None else int(resume.state[:, self.asked.parts.steps].max())
        called = self.asked.function is not None
        number, most = (
            (course.grid.total - done) * (1 if called else runs),
            MOST_CALLED if called else MOST_STEPS,
        )
        if number > most:
            raise ArgumentError(
                f"{why}: the run would take {number:,} steps, a day or more (at most {most:,} are taken). "
                "Give a longer step, or a shorter t and go on from there with resume=."
            )
        if number < most // 100:
            return []
        rows = len(course.kept)
        sentence = (
            f"the run takes {number:,} steps and keeps {rows:,} rows ({SAY_WHICH}); it can be interrupted."
        )
        said = Advised(sentence, advice_of(SAY_WHICH))
        _warn([said])
        return [said]

    def _march(self, course: Course, resume: Checkpoint | None = None, looked_at: bool = True) -> Rows:
        return march(
            self.asked, self.method, course, conserved=self.conserved, threads=self.threads, watch=self.watch,
            resume=resume, looked_at=looked_at,
        )  # fmt: skip

    def _course(self, step: float, resume: Checkpoint | None = None) -> Course:
        """The steps of this length; where they end nowhere in particular, made once for runs that are alike."""
        asked, marks = self.asked, self.asked.marks
        if resume or len(marks):
            steps = grid_from(resume, asked) if resume else grid(asked.start, asked.end, step, marks)
            return Course(steps, self._kept(steps, resume))

        def made() -> Course:
            steps = grid(asked.start, asked.end, step, marks)
            return Course(steps, self._kept(steps, None))

        return asked.outline.courses((asked.start, asked.end, step, self.every, len(asked.state)), made)

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

    def _chosen(self) -> tuple[Rows, Course, float, list[str]]:
        """A run with a step that is shortened while the motion turns out to be faster than it looked."""
        asked, modes = self.asked, step_size.modes(self.asked, tried=True)
        speed, acceleration = step_size.at_start(asked)
        left = 1 if asked.function is not None else TRIES
        while True:
            choice = step_size.chosen(asked, self.method, modes, speed, acceleration)
            course = self._course(choice.step)
            said = f"the step was chosen: {choice.step:.3g} s, for {choice.reason}"
            many = self._many(course, said)
            rows = self._march(course)
            moved, left = rows.out[:, rows.recorded, asked.parts.qd], left - 1
            speed = float(np.max(np.abs(moved), initial=speed, where=np.isfinite(moved)))
            if not left or rows.interrupted or choice.step * speed <= SLACK * step_size.TURN:
                return rows, course, choice.step, [f"{said}.", *many]

    def _with_error(self, run: Run, steps: Grid, kept: Array) -> Run:
        """The run with what one of half the step, from the start on, differs by, over 1 − 2^−order."""
        halves = Grid(steps.marks, steps.counts * 2)
        finer = self._march(Course(halves, 2 * kept), looked_at=False)
        finer.out[:, ~finer.recorded] = np.nan
        p, scale = self.asked.parts, 1.0 / (1.0 - 0.5**self.method.order)
        q, qd = (self.asked.whole(finer.out[..., part]) for part in (p.q, p.qd))
        off = Errors(np.abs(self.asked.robot.difference(run.q, q)) * scale, np.abs(qd - run.qd) * scale)
        done = finer.recorded.all()
        said = () if done else ("the run with half the step ended early: errors are known until then.",)
        return noted(run, said, error=off)


def _require_owner(method: str, fixed: Mapping[str, Any], chosen: Mapping[str, Any]) -> None:
    """Refuse what a method would not listen to: words of fixed steps, and of steps that SciPy chooses."""
    others, owners, named = (
        (fixed, FIXED, "of fixed step") if method in ADAPTIVE else (chosen, ADAPTIVE, "of SciPy")
    )
    for word, given in others.items():
        if given is not None and given is not False:
            raise ArgumentError(f"{word}= is for methods {named} ({', '.join(owners)}), not for {method}.")


def _require_numbers(step: Any, every: Any, rtol: Any, atol: Any, conserve_energy: Any, error: Any) -> None:
    if every is not None:
        require_whole("every", every, 1)
    if step is not None:
        require_above("step", step, "a time above zero")
    require_above("rtol", rtol, "a number above zero")
    require_above("atol", atol, "a number, zero or more", or_zero=True)
    if rtol < SMALLEST_RTOL:
        raise ArgumentError(
            f"rtol is {rtol:g}; numbers of sixteen digits allow {SMALLEST_RTOL:.2g} and more."
        )
    require_truth("conserve_energy", conserve_energy)
    require_truth("error", error)


def _warn(notes: Sequence[str], category: type[Warning] = SimulationWarning) -> None:
    """Warn where the package was called from."""
    if not notes:
        return
    frame, level = sys._getframe(1), 2
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(f"{PACKAGE}."):
        frame, level = frame.f_back, level + 1
    for note in notes:
        warnings.warn(note, category, stacklevel=level)
