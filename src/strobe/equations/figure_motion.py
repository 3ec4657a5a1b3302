"""A motion through a state, drawn: what its torques are made of, the torques over time, and its phase plane."""

from __future__ import annotations

import math

import numpy as np

from strobe.errors import ArgumentError
from strobe.robot import Robot
from strobe.show.plots import phase_plot, time_plot, torque_bars

Array = np.ndarray

PERIOD = 2.0  # s, of the motion that is drawn through a state
INSTANTS = 601  # of a motion: more than a figure can show


def harmonic(robot: Robot, q: Array, qd: Array, qdd: Array) -> tuple[Array, Array, Array, Array]:
    """A period of the harmonic motion that has the state at time 0: its instants, q, qd and qdd."""
    if not robot.coordinates.is_single or robot.model.is_closed:
        what = "closed chains" if robot.model.is_closed else f"joints with {robot.coordinates.several}"
        raise ArgumentError(f"{robot.name} has {what}, through which no swing is drawn.")
    if not (np.any(qd) or np.any(qdd)):
        raise ArgumentError("nothing moves: give qd or qdd.")
    w = 2.0 * math.pi / PERIOD
    t = np.linspace(-PERIOD / 2, PERIOD / 2, INSTANTS)
    c, s = np.cos(w * t)[:, None], np.sin(w * t)[:, None]
    return t, q + qd / w * s + qdd / w**2 * (1 - c), qd * c + qdd / w * s, qdd * c - qd * w * s


def torques_figure(robot: Robot, q: Array, qd: Array, qdd: Array) -> str:
    """The terms of every torque along a swing through the state, stacked."""
    t, *motion = harmonic(robot, q, qd, qdd)
    return torque_bars(Robot(robot.model, compiled=False).explain(*motion), t)


def time_figure(robot: Robot, q: Array, qd: Array, qdd: Array) -> str:
    """The torques along a swing through the state."""
    t, *motion = harmonic(robot, q, qd, qdd)
    tau = Robot(robot.model, compiled=False).inverse_dynamics(*motion)
    lines = dict(zip(robot.joint_names, tau.T, strict=True))
    return time_plot(f"Torques of {robot.name} along a swing", t, lines, units(robot, "N m", "N"))


def phase_figure(robot: Robot, q: Array, qd: Array, qdd: Array) -> str:
    """Rates over positions along a swing through the state."""
    _, path, rate, _ = harmonic(robot, q, qd, qdd)
    curves = {name: (path[:, k], rate[:, k]) for k, name in enumerate(robot.joint_names)}
    across, up = units(robot, "rad", "m"), units(robot, "rad/s", "m/s")
    return phase_plot(
        f"A swing of {robot.name} in the phase plane", curves, across=f"q ({across})", up=f"qd ({up})"
    )


FIGURES = {"torques": torques_figure, "time": time_figure, "phase": phase_figure}  # by their kinds


def units(robot: Robot, turning: str, sliding: str) -> str:
    """The units of what belongs to the joints, one or two."""
    joints = robot.coordinates.joints
    return ", ".join(dict.fromkeys(turning if joint.angular else sliding for joint in joints))
