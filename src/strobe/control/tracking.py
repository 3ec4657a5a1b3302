"""`control`: an arm made to follow a motion, period by period."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from strobe.compiler.graph.recurrence import sample
from strobe.compiler.runtime.arrays import some
from strobe.control.controller import Controller
from strobe.control.loop import GAINS, NOISE, REFERENCE, SENSING, Loop
from strobe.control.loop_cache import shared
from strobe.control.modes import warn_unstable, warned
from strobe.control.motion_controller import motion_controller
from strobe.control.plant_steps import plant_steps
from strobe.control.request_timeline import Planner
from strobe.control.sample_rates import WHOLE, periods, whole_steps
from strobe.control.sensor_failures import stops_of
from strobe.control.sensor_noise import disturbances
from strobe.control.sensors import PERFECT, Sensors
from strobe.control.status import TrackingStatus
from strobe.control.tracking_result import Tracked
from strobe.control.verdict import judged, tolerances
from strobe.models.arguments import finite_numbers, require_above, require_truth
from strobe.robot import Robot
from strobe.simulate.integrators import fixed_method
from strobe.simulate.problem import Problem, problem
from strobe.trajectory.motion import Trajectory

Array = np.ndarray
DONE = int(TrackingStatus.DONE)


def control(
    robot: Robot, motion: Any, controller: str | Controller = "computed-torque", *, rate: float | None = None,
    gains: Mapping[str, Any] | None = None, planner: Planner | None = None, bounds: Mapping[str, Any] | None = None,
    stop_at: float | None = None, tolerance: Any = None, plant: Robot | None = None, q0: Any = None,
    qd0: Any = None, t: float | None = None, steps: int | None = None, plant_rate: float | None = None,
    trajectory_rate: float | None = None, delay: float = 0.0, continuous: bool = False,
    sensors: Sensors | None = None, payload: Any = None, frame: str | None = None, wrench: Any = None,
    limits: bool = False, stops: Any = None, friction: bool = True, method: str = "rk4", threads: int | None = None,
    check: bool = True,
) -> Tracked:  # fmt: skip
    """How an arm follows a motion, or a request as `Robot.plan` takes it, under a controller.

    Requests may arrive one after another: ``[(0.0, request), (0.8, request), Stop(1.1)]``. A later one begins at the
    position and velocity that are wanted when it arrives, and all its points lie ahead.

    ::

        controller       its name (strobe.control.CONTROLLERS) with ``gains``, or a `Controller`
        rate             of the controller, Hz: 1000, or that which it was made for
        planner          a method of `Robot.plan`, or a function of a request
        bounds           by name (velocity, acceleration, effort, …) in place of the robot's or the request's own
        stop_at          seconds: an emergency stop, as fast as bounds (with ``limits`` also torques) allow
        tolerance        how far a joint may be from where it should be before the status says so: 0.5 rad or m
        plant            the arm as it is, where it is not the robot that the controller believes in
        q0, qd0          where it starts (..., n): on the motion if nothing is said
        t                seconds; the motion's duration if nothing is said
        steps            of the integrator in a period, or plant_rate in Hz, a multiple of the controller's; as many
                         as the arm needs if nothing is said
        trajectory_rate  Hz, a whole part of the controller's: what is wanted is held in between
        delay            seconds from measuring to torque
        continuous       the torque follows the state without a period
        limits           motors give no more than the robot's effort and velocity limits allow
        check            warn of a loop that is unstable near rest at the start, middle or end of the motion
    """
    arm = robot if plant is None else plant
    system = motion_controller(
        robot, controller, arm, gains=gains, rate=rate, planner=planner, bounds=bounds, motors=limits,
        plant_rate=plant_rate, trajectory_rate=trajectory_rate, steps=steps, continuous=continuous,
    )  # fmt: skip
    controller, hold = system.controller, system.rates.hold
    motion, unkept = system.planning.timeline(motion, stop_at)
    allowed = tolerances(arm, tolerance)
    used = fixed_method(method)
    end = motion.duration if t is None else _duration(t)
    start = motion.beginning
    asked = problem(
        arm, start.q if q0 is None else q0, start.qd if qd0 is None else qd0, np.zeros(arm.nv), end,
        wrench=wrench, frame=frame, payload=payload, stops=stops, limits=limits, friction=friction,
    )  # fmt: skip
    require_above("delay", delay, "seconds, zero or more", or_zero=True)
    require_truth("check", check)
    given = 1 if continuous else system.rates.steps
    steps, unsteady = plant_steps(asked, used, controller.period, delay, given)
    step = controller.period / steps
    loop = shared(Loop(
        arm, asked.rate, used, controller, PERFECT if sensors is None else sensors, steps,
        whole_steps("delay", delay, step), continuous,
    ), system.made_of)  # fmt: skip
    rounds = periods(end, controller.period, loop.layout.end + arm.nv)
    if check and unsteady is not None:
        warned(unsteady)
        asked = replace(asked, notes=(*asked.notes, unsteady))
    run = _run(asked, loop, motion, rounds, step, hold, threads, check)
    return judged(run, unkept, allowed, asked.rate.limited)


def _duration(t: Any) -> float:
    """Seconds of a run; what is not above zero is refused with the run."""
    (seconds,) = finite_numbers("t", t, 1)
    return seconds


def _run(
    asked: Problem, loop: Loop, motion: Trajectory, rounds: int, step: float, hold: int, threads: int | None,
    check: bool,
) -> Tracked:  # fmt: skip
    p, arm, period = loop.parts, loop.plant, loop.controller.period
    constants, batch = constants_of(asked, loop, step)
    count = prod(batch)
    state = np.zeros((count, loop.layout.end))
    state[:, : p.size] = _spread(asked.state, asked.batch, batch)
    q, qd = state[:, p.q].copy(), state[:, p.qd].copy()
    state[:, p.size :] = loop.first(q, qd, constants.get(SENSING, np.empty((1, 0))))
    times = period * np.arange(rounds)
    within = loop.method.times if loop.continuous else (0.0,)
    known = period * hold * (np.arange(rounds) // hold)  # when what is wanted was last told
    wanted = _wanted(motion, known[:, None] + period * np.array(within))
    out = np.empty((count, rounds, loop.layout.end + arm.nv))
    checked = warn_unstable(loop, constants, wanted[:, 0, : arm.nq]) if check else ()
    notes = (*asked.notes, *loop.instruments.notes, *checked)
    signals = {REFERENCE: np.ascontiguousarray(wanted.reshape(1, rounds, -1))}
    _march(loop, state, constants, signals, out, threads)
    done = state[:, p.steps] * step
    lost = np.arange(rounds)[None, :] * period > done[:, None]
    gone = some(lost)
    if gone:
        out[lost] = np.nan
    whole = out.reshape((*batch, rounds, -1))
    cut = state[:, p.cut] if p.limited else np.zeros((count, arm.nv))
    stopped, why = stops_of(loop, out, state)
    status = np.full(count, DONE)
    if gone or some(stopped):
        status = np.where(
            lost.any(axis=1),
            TrackingStatus.DIVERGED,
            np.where(stopped, TrackingStatus.STOPPED, TrackingStatus.DONE),
        )
    return Tracked(
        arm, loop.controller, times, wanted[:, 0], whole[..., p.q], whole[..., p.qd], whole[..., loop.layout.end :],
        cut.reshape((*batch, -1)), done.reshape(batch), status.reshape(batch), motion, (*notes, *why),
        {name: whole[..., place] for name, place in loop.remembered.items()},
    )  # fmt: skip


def _wanted(motion: Trajectory, t: Array) -> Array:
    """Position, velocity and acceleration (..., 3 n) of a motion, which stays where it ends."""
    at = motion(np.minimum(t, motion.duration))
    over = t > motion.duration * (1 + WHOLE)
    if some(over):
        at.qd[over] = at.qdd[over] = 0.0
    return np.concatenate(at, axis=-1)


def _march(
    loop: Loop, state: Array, constants: Mapping[str, Array], signals: Mapping[str, Array], out: Array,
    threads: int | None,
) -> None:  # fmt: skip
    """All rounds; those with noise piece by piece."""
    rounds = np.arange(out.shape[1])
    if NOISE not in loop.recurrence.signals:
        loop.marching(state, constants, signals, rounds, out, threads)
        return
    for piece, noise in disturbances(loop.instruments, len(state), len(rounds)):
        some = {name: x[:, piece] for name, x in signals.items()} | {NOISE: noise}
        loop.marching(state, constants, some, rounds[piece], out, threads)


def constants_of(asked: Problem, loop: Loop, step: float) -> tuple[dict[str, Array], tuple[int, ...]]:
    """All that the rounds of loops are given beside signals (N or 1, size), and the batch that it makes.

    They are what acts on the arm, gains, numbers of sensors, and the arm's step.
    """
    given = {GAINS: loop.controller.gains, SENSING: loop.instruments.numbers}
    leading = [x.shape[:-1] for numbers in given.values() for x in numbers.values()]
    batch = np.broadcast_shapes(asked.batch, *leading) if any(leading) else asked.batch
    acting = asked.constants_in(asked.spans[0])
    constants = {name: _spread(x, asked.batch, batch) for name, x in acting.items() if name != "tau"}
    constants |= {sample("h", 0): np.array([[step]]), GAINS: np.zeros((1, loop.gains.end))}
    return constants | {name: _rows(numbers, batch) for name, numbers in given.items() if numbers}, batch


def _spread(rows: Array, given: tuple[int, ...], batch: tuple[int, ...]) -> Array:
    """Rows (N or 1, size) of the batch that was given, for every member of the whole one."""
    if len(rows) == 1 or given == batch:
        return rows
    whole = np.broadcast_to(rows.reshape((*given, -1)), (*batch, rows.shape[-1]))
    return np.ascontiguousarray(whole.reshape(-1, rows.shape[-1]))


def _rows(numbers: Mapping[str, Array], batch: tuple[int, ...]) -> Array:
    if all(x.ndim == 1 for x in numbers.values()):  # shared by all
        return np.concatenate([*numbers.values()])[None]
    rows = [np.broadcast_to(x, batch + x.shape[-1:]) for x in numbers.values()]
    whole = np.concatenate(rows, axis=-1)
    return np.ascontiguousarray(whole.reshape(-1, whole.shape[-1]))
