"""`control`: an arm made to follow a motion, period by period."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from strobe.control.controller import Controller
from strobe.control.loop import GAINS, HELD, REFERENCE, Loop
from strobe.control.sensors import Sensors
from strobe.control.tracked import Tracked
from strobe.errors import ArgumentError
from strobe.graph.recurrence import sample
from strobe.robot import Robot
from strobe.simulate.problem import Problem, problem
from strobe.simulate.steps import fixed_method
from strobe.trajectory.files import in_order
from strobe.trajectory.motion import Trajectory

Array = np.ndarray
WHOLE = 1e-9  # of a step, by which a time may miss a whole number of them


def control(
    robot: Robot, motion: Trajectory, controller: Controller, *, plant: Robot | None = None, q0: Any = None,
    qd0: Any = None, t: float | None = None, steps: int = 1, delay: float = 0.0, continuous: bool = False,
    sensors: Sensors | None = None, payload: Any = None, frame: str | None = None, wrench: Any = None,
    limits: bool = False, stops: Any = None, friction: bool = True, method: str = "rk4", threads: int | None = None,
) -> Tracked:  # fmt: skip
    """How an arm follows a motion under a controller.

    ::

        plant       the arm as it is, where it is not the robot that the controller believes in
        q0, qd0     where it starts (..., n): on the motion if nothing is said
        t           seconds; the motion's duration if nothing is said
        steps       of the integrator in a period of the controller
        delay       seconds from measuring to torque
        continuous  the torque follows the state without a period
    """
    arm = robot if plant is None else plant
    motion = in_order(motion, robot.joint_names, robot.name)
    end = motion.duration if t is None else float(t)
    start = motion(0.0)
    asked = problem(
        arm, start.q if q0 is None else q0, start.qd if qd0 is None else qd0, None, end, parameters=None,
        wrench=wrench, frame=frame, payload=payload, stops=stops, limits=limits, friction=friction,
        formulation=None, events=(),
    )  # fmt: skip
    step = controller.period / steps
    loop = Loop(
        arm, asked.rate, fixed_method(method), controller, Sensors() if sensors is None else sensors, steps,
        _whole("delay", delay, step), continuous,
    )  # fmt: skip
    rounds = max(1, int(np.ceil(end / controller.period - WHOLE)))
    return _run(asked, loop, motion, rounds, step, threads)


def _run(
    asked: Problem, loop: Loop, motion: Trajectory, rounds: int, step: float, threads: int | None
) -> Tracked:
    p, arm, period = loop.parts, loop.plant, loop.controller.period
    gains, batch = _gains(loop, asked.batch)
    count = prod(batch)
    state = np.zeros((count, loop.layout.end))
    state[:, : p.size] = np.broadcast_to(
        asked.state.reshape((*asked.batch, p.size)), (*batch, p.size)
    ).reshape(count, -1)
    q, qd = state[:, p.q].copy(), state[:, p.qd].copy()
    for name, first in loop.controller.first(q, qd).items():
        state[:, loop.layout.places[f"memory {name}"]] = first
    if not loop.continuous:
        state[:, loop.layout.places[HELD]] = arm.gravity(q)  # it was held still
    times = period * np.arange(rounds)
    within = loop.method.times if loop.continuous else (0.0,)
    wanted = _wanted(motion, times[:, None] + period * np.array(within))
    out = np.empty((count, rounds, loop.layout.end + arm.nv))
    constants = asked.constants_in(asked.spans[0]) | {sample("h", 0): np.array([[step]]), GAINS: gains}
    constants.pop("tau")
    signals = {REFERENCE: np.ascontiguousarray(wanted.reshape(1, rounds, -1))}
    loop.marching(state, constants, signals, np.arange(rounds), out, threads)
    done = state[:, p.steps] * step
    lost = np.arange(rounds)[None, :] * period > done[:, None]
    out[lost] = np.nan
    whole = out.reshape((*batch, rounds, -1))
    return Tracked(
        arm, loop.controller, times, wanted[:, 0], whole[..., p.q], whole[..., p.qd], whole[..., loop.layout.end :],
        state[:, p.cut].reshape((*batch, -1)), done.reshape(batch), asked.notes,
    )  # fmt: skip


def _wanted(motion: Trajectory, t: Array) -> Array:
    """Position, velocity and acceleration (..., 3 n) of a motion, which stays where it ends."""
    at = motion(np.minimum(t, motion.duration))
    over = (t > motion.duration * (1 + WHOLE))[..., None]
    return np.concatenate([at.q, np.where(over, 0.0, at.qd), np.where(over, 0.0, at.qdd)], axis=-1)


def _gains(loop: Loop, batch: tuple[int, ...]) -> tuple[Array, tuple[int, ...]]:
    """The gains as rows (N or 1, size), and the batch that they make with the rest."""
    given = loop.controller.gains
    if not given:
        return np.zeros((1, loop.gains.end)), batch
    whole = np.broadcast_shapes(batch, *(x.shape[:-1] for x in given.values()))
    shared = all(x.ndim == 1 for x in given.values())
    rows = [np.broadcast_to(x, ((1,) if shared else whole) + x.shape[-1:]) for x in given.values()]
    return np.ascontiguousarray(np.concatenate(rows, axis=-1).reshape(-1, loop.gains.end)), whole


def _whole(name: str, value: float, step: float) -> int:
    """A time as a number of steps."""
    number = round(value / step)
    if value < 0 or abs(value / step - number) > WHOLE:
        raise ArgumentError(f"{name} is {value:g} s; expected a whole number of steps of {step:g} s.")
    return number
