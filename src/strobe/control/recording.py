"""A run of the loop, round by round, with what was read and what was kept in each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strobe.compiler.graph.recurrence import STATE, sample
from strobe.control.controller import Controller
from strobe.control.loop import CONTROL, NOISE, READ, REFERENCE, SENSING, Loop
from strobe.control.sensor_noise import disturbances
from strobe.control.sensors import Sensors
from strobe.control.tracking import constants_of
from strobe.simulate.integrators import fixed_method
from strobe.simulate.problem import problem

Array = np.ndarray
PERIODS = 64
REACH = 0.2  # rad or m that the motion wanted goes
OFF = 0.02  # by which the arm misses it at the start


@dataclass(frozen=True, eq=False)
class Recording:
    """One loop over T periods."""

    loop: Loop
    q: Array  # (nq,) at the start
    qd: Array
    read: Array  # (T, …) what sensors said
    wanted: Array  # (T, nq + 2 nv)
    states: Array  # (T + 1, …) of the loop, before each period and after the last
    tau: Array  # (T, nv)


def recorded(controller: Controller, sensors: Sensors, periods: int = PERIODS) -> Recording:
    """A run along a smooth motion that the arm does not begin on, with the kernels that the compiled loop is of."""
    q, qd = controller.robot.random_state(0)[0], np.zeros(controller.robot.nv)
    loop, constants = _closed(controller, sensors, q, qd)
    wanted = _wanted(controller, q, periods)
    p = loop.parts
    state = np.zeros((1, loop.layout.end))
    state[:, p.q], state[:, p.qd], state[:, p.alive] = q, qd, 1.0
    state[:, p.size :] = loop.first(q[None], qd[None], constants.get(SENSING, np.empty((1, 0))))
    noises = np.zeros((periods, 0))
    if NOISE in loop.recurrence.signals:
        noises = np.concatenate([x[0] for _, x in disturbances(loop.instruments, 1, periods)])
    read, states, tau = [], [state], []
    for k in range(periods):
        given = {sample(REFERENCE, 0): wanted[k : k + 1], sample(NOISE, 0): noises[k : k + 1]}
        cells = loop.marching.round(states[-1], constants | given)
        read.append(cells[READ][0])
        tau.append(cells[CONTROL][0, : p.nv])
        states.append(cells[STATE])
    return Recording(loop, q, qd, np.array(read), wanted, np.concatenate(states), np.array(tau))


def _closed(controller: Controller, sensors: Sensors, q: Array, qd: Array) -> tuple[Loop, dict[str, Array]]:
    asked = problem(controller.robot, q, qd, None, controller.period)
    loop = Loop(controller.robot, asked.rate, fixed_method("rk4"), controller, sensors, 1)
    return loop, constants_of(asked, loop, controller.period)[0]


def _wanted(controller: Controller, q: Array, periods: int) -> Array:
    """Positions, velocities and accelerations (T, nq + 2 nv): one swing away and back."""
    robot, (_, away, aside) = controller.robot, controller.robot.random_state(1)
    away, aside = (x / max(1.0, float(np.abs(x).max())) for x in (away, aside))
    w = np.pi / (periods * controller.period)
    t = controller.period * np.arange(periods)[:, None]
    far = REACH * (1.0 - np.cos(w * t)) / 2 * away
    begin = robot.integrate(q, OFF * aside)
    speed = REACH * w / 2 * np.sin(w * t) * away
    return np.concatenate(
        [robot.integrate(begin, far), speed, REACH * w * w / 2 * np.cos(w * t) * away], axis=-1
    )
