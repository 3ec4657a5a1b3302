"""A planned motion, drawn: the phase plane, positions, velocities, accelerations and torques against their limits.

In the phase plane the signed square of the velocity stands over the position, so that constant acceleration is a
straight line of slope 2a [Waters1979, Figure 5].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strobe.equations.figure_motion import units
from strobe.robot import Robot
from strobe.show.axes import NARROW, WIDTH
from strobe.show.plots import Panel, near, small_multiples
from strobe.show.rounding_noise import quiet
from strobe.show.time_series import joints_figure
from strobe.show.units import EITHER
from strobe.trajectory.motion import Trajectory

Array = np.ndarray

COLUMNS = ("phase", "q", "qd", "qdd", "tau")
PLAIN = ("phase", "tau")  # where there is little room
WIDE = 1240  # pixels: five panels side by side
LOOKS = 500  # instants, about, at which a motion is drawn
ROWS = 12  # joints, at most: those that move most
DOTS = 40  # switches of acceleration that are shown
JUMP = 1e-6  # of the largest acceleration: less is no switch


def trajectory_figure(
    robot: Robot, motion: Trajectory, bounds: Any, columns: Sequence[str] = COLUMNS, width: int = WIDE,
    title: str = "",
) -> str:  # fmt: skip
    """A row per joint, a panel per quantity; ``bounds`` as in a request."""
    t = instants(motion)
    state = motion(t)
    dynamic = not robot.model.without_dynamics
    tau = quiet(robot.inverse_dynamics(*state)) if dynamic and "tau" in columns else np.zeros_like(state.q)
    shown = [name for name in columns if name != "tau" or dynamic]
    travel = np.ptp(state.q, axis=0)
    kept = np.sort(np.argsort(-travel, kind="stable")[:ROWS])
    rows = [[_panel(robot, motion, bounds, name, int(j), t, state, tau) for name in shown] for j in kept]
    title = title or f"A motion of {robot.name} in {motion.duration:.3g} s ({motion.method})"
    names = ", ".join(motion.joint_names[j] for j in kept)
    described = f"{', '.join(shown)} of {names}, with their limits as dashed lines."
    return small_multiples(title, described, rows, width=width)


def motion_figure(motion: Trajectory) -> str:
    """Position, velocity and acceleration of every joint over time."""
    t, state = motion.sampled(count=LOOKS)
    names = zip(motion.joint_names, *(x.T for x in state), strict=True)
    units: tuple[str, ...] = (f"q, {EITHER}", "q̇, per s", "q̈, per s²")
    rows: dict[str, dict[str, Array]] = {
        name: dict(zip(units, values, strict=True)) for name, *values in names
    }
    return joints_figure(f"A {motion.method} motion of {motion.duration:.3g} s", "time (s)", t, rows)


def plain_figures(robot: Robot, motion: Trajectory, bounds: Any, title: str) -> tuple[str, str]:
    """The phase plane and the torques, for a wide and for a narrow page."""
    wide, narrow = (
        trajectory_figure(robot, motion, bounds, PLAIN, width, title) for width in (WIDTH, NARROW)
    )
    return wide, narrow


def instants(motion: Trajectory, looks: int = LOOKS) -> Array:
    """About so many times of a motion: both sides of every switch, if there are not too many."""
    starts, lengths = motion.times[:-1], np.diff(motion.times)
    starts, lengths = starts[lengths > 0], lengths[lengths > 0]
    if not len(starts):
        return np.zeros(1)
    if 3 * len(starts) > looks:
        return np.linspace(0.0, motion.duration, looks)
    inside = np.linspace(0.0, 1.0 - 1e-9, looks // len(starts))
    return (starts[:, None] + lengths[:, None] * inside).ravel()


def _panel(
    robot: Robot, motion: Trajectory, bounds: Any, name: str, j: int, t: Array, state: Any, tau: Array
) -> Panel:
    """One quantity of one joint."""
    joint, turns = motion.joint_names[j], robot.coordinates.joints[j].angular
    length, force = ("rad", "N m") if turns else ("m", "N")
    at = np.unique(motion.points)
    there = motion(at)
    if name == "phase":
        x, y = state.q[:, j], _signed_square(state.qd[:, j])
        dots = motion(np.union1d(at, _switches(motion, j)))
        V = bounds.velocity[j] ** 2
        return Panel(
            joint, f"q̇ |q̇|, {length}²/s²", f"position ({units(robot, 'rad', 'm')})", x, y,
            near((-V, V), y), near((bounds.lower[j], bounds.upper[j]), x),
            (dots.q[:, j], _signed_square(dots.qd[:, j])),
        )  # fmt: skip
    curve, unit, levels = {
        "q": (state.q, length, (bounds.lower[j], bounds.upper[j])),
        "qd": (state.qd, f"{length}/s", (-bounds.velocity[j], bounds.velocity[j])),
        "qdd": (state.qdd, f"{length}/s²", (-bounds.acceleration[j], bounds.acceleration[j])),
        "tau": (tau, force, (-bounds.effort[j], bounds.effort[j])),
    }[name]
    dots = (at, {"q": there.q, "qd": there.qd}[name][:, j]) if name in ("q", "qd") else (at[:0], at[:0])
    finite = tuple(float(level) for level in levels if np.isfinite(level))
    words = {"q": "q", "qd": "q̇", "qdd": "q̈", "tau": "torque" if turns else "force"}
    return Panel(joint, f"{words[name]}, {unit}", "time (s)", t, curve[:, j], finite, (), dots)


def _signed_square(v: Array) -> Array:
    return v * np.abs(v)


def _switches(motion: Trajectory, j: int) -> Array:
    """When the acceleration of a joint jumps."""
    inner = motion.times[1:-1]
    if not len(inner):
        return inner
    last = motion.coefficients[:-1, j], np.diff(motion.times)[:-1]
    before = _acceleration(*last)
    after = (
        2.0 * motion.coefficients[1:, j, 2] if motion.coefficients.shape[-1] > 2 else np.zeros_like(before)
    )
    largest = max(float(np.abs(before).max()), float(np.abs(after).max()))
    jumps = inner[np.abs(after - before) > JUMP * largest]
    return jumps if len(jumps) <= DOTS else jumps[:0]


def _acceleration(pieces: Array, lengths: Array) -> Array:
    """At the ends of pieces (K, powers) of these lengths."""
    p = np.arange(pieces.shape[1])
    return (pieces * p * (p - 1) * lengths[:, None] ** np.maximum(p - 2, 0)).sum(axis=1)
