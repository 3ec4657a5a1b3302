"""A run of fixed steps: chunk after chunk of compiled rounds, or round by round where Python gives the torques.

Between chunks a run can be watched and interrupted; what it takes in memory is what is kept, and one chunk of
samples. A run of the batch that is lost stays where it was last, the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from strobe.compiler.graph.recurrence import STATE, Call, round_of, samples
from strobe.compiler.runtime.arrays import every, some
from strobe.compiler.runtime.marching import Marching, cut
from strobe.robot import Robot
from strobe.simulate.checkpoint import Checkpoint
from strobe.simulate.energy_audit import loaded_quantity
from strobe.simulate.equations_of_motion import RateRequest
from strobe.simulate.evaluation import values_of
from strobe.simulate.events import Span, velocities_after
from strobe.simulate.integrators import Integrator, one_step
from strobe.simulate.limit_extremes import start
from strobe.simulate.problem import Problem
from strobe.simulate.time_grid import Course

Array = np.ndarray
Watch = Callable[[float], None]  # is told the time that a run has reached
WORK = 400_000_000  # operations of a chunk: a tenth of a second
MOST_ROUNDS = 65_536
NONE = np.empty(0, bool)
MOST_SAMPLES = 2**21  # numbers of a signal in a chunk


@dataclass(eq=False)
class Rows:
    """What is kept of a run while it goes on."""

    out: Array  # (N, rows, state and torque)
    recorded: Array  # (rows,) which of them are there
    state: Array  # (N, size) now
    held: Callable[[], Array]  # what conservation holds on to (N,), worked out when it is asked for
    # from which row on, and energy brought (N,)
    events: list[tuple[int, Array]] = field(default_factory=list)
    why: dict[int, str] = field(default_factory=dict)  # runs were lost, where a method has more to say
    extremes: Array | None = None  # (N, bounds) in all steps, where not all are kept
    interrupted: bool = False
    failure: Exception | None = None  # what a function of the user did wrong
    whole: bool = False  # whether it is known that every run reached its end, and every row is there

    @property
    def energy(self) -> Array:
        """What conservation holds on to (N,)."""
        energy = self.held()
        self.held = lambda: energy
        return energy


def march(
    problem: Problem, method: Integrator, course: Course, *, conserved: bool = False,
    threads: int | None = None, watch: Watch | None = None, resume: Checkpoint | None = None, looked_at: bool = True,
) -> Rows:  # fmt: skip
    """A run over a course of steps, with a row at the beginning of each step that is to be kept.

    The others are ``looked_at`` too, for limits that they are beyond.
    """
    grid, kept = course.grid, course.kept
    if resume is None and watch is None and len(problem.spans) == 1 and len(kept) > grid.total:
        found = _at_once(problem, method, course, conserved, threads)
        if found is not None:
            return found
    state = (problem.state if resume is None else resume.state).copy()
    number = 0 if resume is None else int(state[:, problem.parts.steps].max())
    watched = looked_at and len(kept) <= grid.total - number
    if watched:
        state = np.hstack([state, start(problem.robot.model, len(state))])
    count, before = len(state), state
    rows = Rows(blank(problem, len(kept)), np.zeros(len(kept), bool), state, lambda: np.zeros(count))
    later = problem.spans[1:]
    starts = [0, *(int(grid.number_at(np.array(span.start))) for span in later)]
    try:
        for k, (span, end) in enumerate(zip(problem.spans, [*starts[1:], grid.total], strict=True)):
            number = steps_done(problem, rows)
            if number >= end:
                continue
            before = rows.state.copy()
            if number == starts[k]:
                begin(problem, k, rows, int(np.searchsorted(kept, number)))
            elif resume is not None:
                energy = resume.energy.copy()
                rows.held = lambda energy=energy: energy
            stepping = Stepping(problem, method, course, span, conserved, threads, watched)
            if watch is None and end == grid.total and stepping.to_the_end(rows, number):
                break
            if not stepping.go(rows, end, watch):
                break
        else:
            last = problem.spans[-1]
            Stepping(problem, method, course, last, conserved, 1, watched).last_row(rows)
    except KeyboardInterrupt:
        rows.interrupted = True
    except Fault as fault:
        rows.failure = fault
    if (rows.interrupted or rows.failure) and steps_done(problem, rows) == number:
        rows.state = before  # who goes on from here meets the events of this moment again
    lost = not alive(problem, rows)  # then the row of the last good state is there too
    rows.recorded |= kept < steps_done(problem, rows) + lost
    if watched:
        size = problem.parts.size
        rows.state, rows.extremes = rows.state[:, :size].copy(), rows.state[:, size:].copy()
    return rows


def _at_once(
    problem: Problem, method: Integrator, course: Course, conserved: bool, threads: int | None
) -> Rows | None:
    """A run that is one chunk from its start to its last row, without events; nothing where it is not that."""
    span, total = problem.spans[0], course.grid.total
    stepping = Stepping(problem, method, course, span, conserved, threads)
    if span.locked or problem.function or total >= stepping.rounds():
        return None
    rows = Rows(blank(problem, total + 1), NONE, problem.state.copy(), lambda: _held_at_start(problem))
    try:
        stepping.run(rows, 0, total + 1)
    except KeyboardInterrupt:
        rows.interrupted, rows.state = True, problem.state.copy()
        rows.recorded = np.zeros(total + 1, bool)
        return rows
    there = alive(problem, rows)
    rows.state = rows.out[:, -1, : problem.parts.size].copy()  # the step of no length is not counted
    if every(rows.state[:, problem.parts.alive :] == course.ended):
        rows.recorded, rows.whole = course.all_rows, True
        return rows
    rows.recorded = course.kept < steps_done(problem, rows) + (not alive(problem, rows))
    rows.recorded[-1] |= there
    return rows


def blank(problem: Problem, count: int) -> Array:
    """Room for so many rows."""
    p = problem.parts
    return np.empty((len(problem.state), count, p.size + p.nv))


def alive(problem: Problem, rows: Rows) -> bool:
    """Whether any run is."""
    return some(rows.state[:, problem.parts.alive])


def steps_done(problem: Problem, rows: Rows) -> int:
    """How many steps the runs that are alive have done."""
    done = rows.state[:, problem.parts.steps]
    return int(done[0] if len(done) == 1 else done.max())


def begin(problem: Problem, k: int, rows: Rows, row: int) -> None:
    """The events at the beginning of a span, and the energy that they bring from some row on."""
    p, robot, state, span = problem.parts, problem.robot, rows.state, problem.spans[k]
    before = problem.spans[k - 1] if k else None
    if before is None and not span.locked:  # nothing changes
        rows.held = lambda: _held_at_start(problem)
        return
    q, qd, work = (state[:, part].copy() for part in (p.q, p.qd, p.work))
    v = velocities_after(robot, before, span, q, qd)

    def energy(loads: Mapping[str, Array], rates: Array) -> Array:
        return loaded_quantity(robot, "energy", loads, q=q, qd=rates).sum(axis=-1)

    if before is not None or v is not qd:
        state[:, p.qd] = v
        gained = energy(span.payloads, v) - energy((before or span).payloads, qd)
        rows.events.append((row, gained))
    rows.held = lambda: energy(span.payloads, v) - work.sum(axis=-1)


def _held_at_start(problem: Problem) -> Array:
    """The energy (N,) of a run that begins."""
    p, loads = problem.parts, problem.spans[0].payloads
    q, qd = (problem.state[:, part].copy() for part in (p.q, p.qd))
    energy = loaded_quantity(problem.robot, "energy", loads, q=q, qd=qd)
    return energy.sum(axis=-1) - problem.state[:, p.work].sum(axis=-1)


class Fault(Exception):
    """A function of the user that raised, or gave what torques cannot be."""


def tell(watch: Watch, t: float) -> None:
    """Tell who watches a run the time that it has reached."""
    try:
        watch(t)
    except Exception as error:
        raise Fault(f"watch failed at t = {t:g} s: {_said(error)}.") from error


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".rstrip(": .")


class Stepping:
    """Rounds of one span: the compiled loop where it can do everything, else call by call."""

    def __init__(
        self, problem: Problem, method: Integrator, course: Course, span: Span, conserved: bool,
        threads: int | None, watched: bool = False,
    ) -> None:  # fmt: skip
        self.problem, self.method, self.course = problem, method, course
        self.conserved, self.threads = conserved, threads
        signals = problem.signals
        key = method.name, span.locked, problem.rank_in(span), *signals, conserved, watched
        self.marching: Marching = problem.outline.steps(
            key, lambda: marching(problem.robot, method, problem.rate_in(span), signals, conserved, watched)
        )
        self.constants = problem.constants_in(span)

    def go(self, rows: Rows, end: int, watch: Watch | None) -> bool:
        """All steps until the number of one; whether a run is alive then."""
        most = self.rounds()
        while alive(self.problem, rows) and (number := steps_done(self.problem, rows)) < end:
            self.run(rows, number, min(number + most, end))
            if watch is not None:
                tell(watch, float(self.course.grid.steps(np.array([steps_done(self.problem, rows)])).t[0]))
        return alive(self.problem, rows)

    def to_the_end(self, rows: Rows, number: int) -> bool:
        """All steps from the number of one on with the last row, at once, where that makes one chunk."""
        total, size = self.course.grid.total, self.problem.parts.size
        alike = rows.state.shape[1] == size  # else extremes of steps go on that no row holds
        if (
            self.problem.function
            or not alike
            or self.course.kept[-1] != total
            or total - number >= self.rounds()
        ):
            return False
        before = rows.state.copy()
        try:
            self.run(rows, number, total + 1)
            there = alive(self.problem, rows)
            rows.state = rows.out[:, -1, :size].copy()  # the step of no length is not counted
            rows.recorded[-1] = there
        except BaseException:  # an interrupt leaves nothing half done
            rows.state, rows.recorded[-1] = before, False
            raise
        return True

    def last_row(self, rows: Rows) -> None:
        """The end as a step of no length, which leaves the state as it is."""
        total = self.course.grid.total
        if self.course.kept[-1] == total:
            state, rows.state = rows.state, rows.state.copy()
            try:
                self.run(rows, total, total + 1)
                rows.recorded[-1] = True
            finally:
                rows.state = state

    def rounds(self) -> int:
        """How many rounds make a chunk."""
        if self.problem.function is not None:
            return 1_000
        N = len(self.problem.state)
        operations = self.marching.operations if self.marching.code else 100_000
        tables = self.problem.tables.values()
        shared = [table.values.shape[0] * table.values.shape[-1] for table in tables] or [1]
        samples = max(shared) * len(self.method.times)
        return max(1, min(WORK // (operations * N + 1), MOST_SAMPLES // samples, MOST_ROUNDS))

    def run(self, rows: Rows, first: int, beyond: int) -> None:
        """The steps from the number of one up to that of another."""
        (t, h, inside), records = self.course.rounds(first, beyond)
        signals: dict[str, Array] = {}
        if self.problem.signals:
            signals = self.problem.sampled(t[:, None] + np.multiply.outer(h, self.method.times), inside)
        signals["h"] = h[None, :, None]
        constants = self.constants
        if self.conserved:
            constants = {**constants, "energy": rows.energy[:, None].copy()}
        if self.problem.function is None:
            self.marching(rows.state, constants, signals, records, rows.out, self.threads)
            return
        for k, number in enumerate(range(first, beyond)):
            sampled = cut(self.marching.recurrence, {name: x[:, k] for name, x in signals.items()})
            cells = {**constants, **sampled}
            self._round(rows, cells, number, float(t[k]), float(h[k]), int(records[k]))

    def _round(
        self, rows: Rows, cells: dict[str, Array], number: int, t: float, h: float, row: int
    ) -> None:
        """One step whose torques Python gives, stage by stage."""

        def run(call: Call, inputs: list[Array]) -> Array:
            if call.program == "rate":
                time = t + self.method.c[int(call.output.removeprefix("k"))] * h
                tau = called_torque(self.problem, time, inputs[0], f"in step {number}")
                inputs = [inputs[0], tau, *inputs[2:]]
            return self.marching.called(call, inputs)

        recurrence = self.marching.recurrence
        awaited = dict.fromkeys(samples("tau", recurrence.signals["tau"]), rows.state)
        cells = round_of(recurrence, run, cells | awaited | {STATE: rows.state})
        if row >= 0:
            rows.out[:, row] = self.marching.record(rows.state, cells)
        rows.state = cells[STATE]


def called_torque(problem: Problem, t: float, x: Array, where: str) -> Array:
    """What the torque function gives at a time for states (N, …), as (N, nv)."""
    p, function = problem.parts, problem.function
    assert function is not None
    q, qd = (problem.whole(x[:, part].copy()) for part in (p.q, p.qd))
    place = f"at t = {t:g} s, {where}"
    try:
        given = function(t, q, qd)
        if np.iscomplexobj(given):
            raise TypeError("it gave complex numbers, expected real ones")
        tau = np.asarray(given, dtype=float)
    except Exception as error:
        raise Fault(f"the torque function failed {place}: {_said(error)}.") from error
    whole = _broadcast(tau, (*problem.batch, p.nv))
    if whole is None:
        expected = f"({p.nv},)" if not problem.batch else f"{(*problem.batch, p.nv)} or ({p.nv},)"
        raise Fault(f"the torque function returned shape {tau.shape} {place}; expected {expected}.")
    alive = problem.whole(np.asarray(np.isfinite(x).all(axis=-1)))
    bad = ~np.isfinite(whole) & alive[..., None]
    if bad.any():
        joint = problem.joint_of(int(np.argwhere(bad)[0][-1]))
        raise Fault(f'the torque function gave a torque that is not finite {place}, joint "{joint}".')
    return np.ascontiguousarray(whole.reshape(-1, p.nv))


def _broadcast(array: Array, shape: tuple[int, ...]) -> Array | None:
    """An array in a shape, or nothing if it does not fit; a row of torques has all its numbers."""
    fits = array.ndim > 0 and array.shape[-1] == shape[-1]
    try:
        return np.broadcast_to(array, shape) if fits else None
    except ValueError:
        return None


def marching(
    robot: Robot, method: Integrator, rate: RateRequest, signals: dict[str, int], conserved: bool = False,
    watched: bool = False,
) -> Marching:  # fmt: skip
    """The step of a method as something to call on arrays, made once per robot."""

    def made() -> Marching:
        requests, recurrence = one_step(robot.model, method, rate, signals, conserved, watched)
        kernels = {name: robot.kernel(request) for name, request in requests.items()}
        return Marching(robot.model, kernels, recurrence, robot.device)

    return robot.kept(("march", method.name, rate, tuple(signals), conserved, watched), made)


def _of(members: Array, rows: Array) -> Array:
    """The rows of some members of a batch, which may share one."""
    return rows.repeat(len(members), 0) if len(rows) == 1 else rows[members]


def rates_at(
    problem: Problem,
    span: Span,
    t: float,
    inside: float,
    x: Array,
    members: Array,
    tau: Array | None = None,
    seldom: int = 0,
) -> Array:
    """The rates (m, …) of some runs of the batch at positions and velocities x (m, nq + nv).

    What Python gives as torques is ``tau`` (m, nv), or taken as zero.
    """
    robot, rate = problem.robot, problem.rate_in(span)
    known = problem.constants_in(span)
    if problem.signals:
        sampled = problem.sampled(np.array([[t]]), np.array([inside]))
        known = {**known, **{name: each[:, 0] for name, each in sampled.items()}}
    arrays = {"x": x, **{name: _of(members, each) for name, each in known.items()}}
    if problem.function is not None:
        arrays["tau"] = np.zeros((1, problem.parts.nv)) if tau is None else tau
    if len(arrays) > 2:  # in the order of the inputs
        arrays = {name: arrays[name] for name in problem.outline.sizes}
    return values_of(robot, rate, arrays, seldom)
