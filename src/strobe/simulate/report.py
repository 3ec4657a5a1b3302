"""From the rows of a simulation to a `Run`: what was lost and why, the books, and what there is to say."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from strobe.compiler.runtime.arrays import every, some
from strobe.errors import SimulationError, counted
from strobe.simulate.checkpoint import Checkpoint
from strobe.simulate.energy_audit import Audit, Carried
from strobe.simulate.fixed_steps import Fault, Rows, called_torque, rates_at
from strobe.simulate.problem import Problem
from strobe.simulate.run import Run, RunStatus, later

Array = np.ndarray
MENTIONED = 5  # runs of a batch whose fate is told one by one
DRIFT = 1e-3  # of the kinetic energy: a drift that is mentioned
OPEN = 1e-9  # m, or sines of angles: by which a loop is open if that is mentioned
LOOKS, FEWEST = 20_000, 8  # rows of all runs, and rows of each, at which it is looked for


def report(
    problem: Problem, rows: Rows, times: Array, reached: Array, method: str, step: float, notes: list[str],
    setting: Callable[[], Mapping[str, str]],
) -> Run:  # fmt: skip
    """The run of rows at times; ``reached`` (N,) says when each of the batch had its last good state.

    A function of the user that failed is raised, with the run so far. The books, and most of what there is to say,
    are worked out when somebody reads them.
    """
    p = problem.parts
    recorded = rows.recorded
    complete = rows.whole or every(recorded)
    out = rows.out if complete else rows.out[:, recorded]
    times = times if complete else times[recorded]
    if rows.whole:
        losses, status = [], np.zeros(len(out), np.int8)  # of DONE
    else:
        lost = rows.state[:, p.alive] == 0.0
        losses = _losses(problem, rows, reached, lost, out, times) if some(lost) else []
        status = _status(problem, rows, reached, lost)
    known = {
        "robot": problem.asked_of, "times": times, "method": method, "step": step, "error": None,
        "q": problem.whole(out[..., p.q]), "qd": problem.whole(out[..., p.qd]),
        "tau": problem.whole(out[..., p.size :]), "status": problem.whole(status),
        "stopped": problem.whole(reached),
        "extremes": None if rows.extremes is None else problem.whole(rows.extremes),
    }  # fmt: skip
    if complete and problem.outline.keeps_limits(out, rows.extremes):
        known["exceeded"] = ()

    def cut(_: Run) -> Array:
        return problem.whole(rows.state[:, p.cut] if p.limited else np.zeros((len(out), p.nv)))

    def told(run: Run) -> tuple[str, ...]:
        audit = run.audit
        return *notes, *losses, *_cuts(problem, rows), *_drifts(audit), *_closures(problem, audit.q)

    def checkpoint(_: Run) -> Checkpoint:
        return Checkpoint.of(problem, rows.state, rows.energy, step, float(reached.max()), setting())

    def audit(_: Run) -> Audit:
        return _audit(problem, rows, times, out, recorded)

    unread = {"cut": cut, "notes": told, "checkpoint": checkpoint, "audit": audit}
    run = later(known, unread)
    if rows.failure:
        sentence = f"{rows.failure} What was done until then is in the error's run."
        raise SimulationError(sentence, run) from rows.failure.__cause__
    return run


def _status(problem: Problem, rows: Rows, reached: Array, lost: Array) -> Array:
    """How each of the batch ended."""
    whole = reached == problem.end
    ending = (
        RunStatus.FAILED if rows.failure else RunStatus.INTERRUPTED if rows.interrupted else RunStatus.DONE
    )
    whole &= rows.recorded[-1:].all()
    return np.where(lost, RunStatus.DIVERGED, np.where(whole, RunStatus.DONE, ending)).astype(np.int8)


def _audit(problem: Problem, rows: Rows, times: Array, out: Array, recorded: Array) -> Audit:
    p, whole = problem.parts, problem.whole
    starts = np.searchsorted(times, [span.start for span in problem.spans]).tolist()
    carried = [
        Carried(
            row, {frame: whole(load) if len(load) > 1 else load[0] for frame, load in span.payloads.items()}
        )
        for row, span in zip(starts, problem.spans, strict=True)
    ]
    brought = np.zeros(rows.out.shape[:2])
    for row, gained in rows.events:
        brought[:, row:] += gained[:, None]
    q, qd, work = (whole(out[..., part]) for part in (p.q, p.qd, p.work))
    return Audit(problem.robot, q, qd, carried, work, whole(brought[:, recorded]))


def _losses(
    problem: Problem, rows: Rows, reached: Array, lost: Array, out: Array, times: Array
) -> list[str]:
    """A sentence for each of the first runs that were lost, and how many there are; what follows is no number."""
    which = np.flatnonzero(lost)
    for i in which:
        out[i, times > reached[i]] = np.nan
    said = [_loss(problem, rows, int(i), float(reached[i])) for i in which[:MENTIONED]]
    if len(which) > MENTIONED:
        said.append(f"{len(which):,} of {len(lost):,} runs diverged in all; run.status says which.")
    return said


def _loss(problem: Problem, rows: Rows, i: int, t: float) -> str:
    """What happened to one run, by its last good state."""
    p, robot, state = problem.parts, problem.robot, rows.state[i]
    span = [each for each in problem.spans if each.start <= t][-1]
    tau = _asked_for(problem, rows, i, t)
    rate = rates_at(problem, span, t, t, state[None, : p.moving], np.array([i]), tau, seldom=1)[0]
    who = f"run {i}" if problem.batch else "the run"
    if not np.isfinite(rate[p.qd]).all():
        singular = robot.singular_joints(state[p.q].copy(), span.locked)
        if singular:
            return f'{who} stopped at t = {t:.6g} s: joint "{singular[0]}" moves no inertia there.'
    speeds, slopes = np.abs(state[p.qd]), np.abs(np.nan_to_num(rate[p.qd]))
    k = int(np.argmax(speeds + slopes))
    unit, why = problem.unit_of(k), rows.why.get(i, "was lost in the next step. Is the step too long?")
    return (
        f'{who} diverged at t = {t:.6g} s: joint "{problem.joint_of(k)}", at {speeds[k]:.3g} {unit}/s and '
        f"{slopes[k]:.3g} {unit}/s², {why}"
    )


def _asked_for(problem: Problem, rows: Rows, i: int, t: float) -> Array | None:
    """What a torque function asks of one run in its last good state, if there is one and it can say."""
    try:
        x = rows.state[:, : problem.parts.moving]
        return called_torque(problem, t, x, "at the end")[i : i + 1] if problem.function else None
    except Fault:
        return None


def _cuts(problem: Problem, rows: Rows) -> list[str]:
    """Which motors gave less than was asked, and for how long."""
    p = problem.parts
    if not p.limited:
        return []
    longest = rows.state[:, p.cut].max(axis=0)
    return [
        f'the motor of joint "{problem.joint_of(j)}" gave less than was asked for {longest[j]:.3g} s'
        + (" in one run, the longest." if len(rows.state) > 1 else ".")
        for j in np.flatnonzero(longest > 0)
    ]


def _closures(problem: Problem, q: Array) -> list[str]:
    """Which conditions of closed chains were left to follow from others, and whether loops came open."""
    if problem.closed is None:
        return []
    said = []
    if problem.closed.redundant:
        named = ", ".join(f"{condition} of {loop}" for loop, condition in problem.closed.redundant)
        said.append(f"conditions of loops that follow from others were left to them: {named}.")
    off = np.abs(problem.asked_of.loop_residuals(q))
    worst = np.max(off, initial=0.0, where=np.isfinite(off))
    if worst > OPEN:
        said.append(
            f"loops came open by up to {worst:.2g}: the step is too long, or a position is singular."
        )
    return said


def _drifts(audit: Audit) -> list[str]:
    """A word on energy that nothing accounts for, if there is much: a look at some rows, fewer in a large batch."""
    count = max(FEWEST, LOOKS // max(audit.events[..., 0].size, 1)) if audit.q.shape[-2] else 0
    rows = np.unique(np.linspace(0, max(audit.q.shape[-2] - 1, 0), count).astype(int))
    drift = audit.at(rows).noticed_drift if audit.q.shape[-2] else np.zeros(())
    many = int((drift > DRIFT).sum())
    if not many:
        return []
    who = f"of {counted(many, 'run')} " if drift.ndim else ""
    return [
        f"the energy {who}is off by up to {drift.max():.2g} of the kinetic energy: the step is too long."
    ]
