"""An emergency stop: from a state to rest, as fast as the joints may.

Where every joint may brake at its full acceleration at once, it does: nothing stops sooner, or within less room.

    q_j(t) = q_j + qd_j t − sign(qd_j) A_j t² / 2          until t = |qd_j| / A_j

Where that takes more torque than the motors have (or accelerations have no bounds), the joints stay in proportion:
the arm brakes on the straight line q + qd s, and the equations of motion are linear in s̈,

    |M qd s̈ + C(q, qd ṡ) qd ṡ + g + friction|  ≤  effort

The least s̈ that all joints allow, all the way, is the least time on that line.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from strobe.errors import ArgumentError
from strobe.robot import Robot
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.requests import ROUNDING, Bounds

Array = np.ndarray

METHOD = "stop"
PIECES = 64  # of the line, about, each with one deceleration
MOST_PIECES = 10 * PIECES  # an arm that brakes more slowly falls
LOOKS = 513  # instants at which torques are held against their limits
MARGIN = 1e-3  # of a torque limit, for what happens between two looks
STILL = 1e-12  # rad/s or m/s: a joint that moves more slowly stands


class Stopped(NamedTuple):
    """A motion to rest, and which limits it does not keep, in sentences."""

    motion: Trajectory
    overruns: tuple[str, ...]


def stop(robot: Robot, q: Any, qd: Any, bounds: Bounds, motors: bool = False) -> Stopped:
    """From a state (n,) to rest; ``motors``: within the limits on effort too."""
    q, qd = (np.asarray(x, dtype=float) for x in (q, qd))
    qd = np.where(np.abs(qd) > STILL, qd, 0.0)
    if not qd.any():
        return Stopped(_made(robot, np.zeros(2), q[None], qd[None], qd[None]), ())
    A = bounds.acceleration
    effort = bounds.effort if motors or np.isinf(A[qd != 0]).any() else np.full(len(q), np.inf)
    braked = _at_once(robot, q, qd, A)
    if braked is None or _most(robot, braked, effort).max() > 1.0:
        braked = _on_a_line(robot, q, qd, A, effort) or braked
    if braked is None:
        raise ArgumentError(
            f"{robot.name} cannot be stopped: its motors do not hold it at q = {_shown(q)}, qd = {_shown(qd)}, and "
            "its joints have no bounds on acceleration. Give acceleration bounds, or allow more torque."
        )
    return Stopped(braked, (*_out_of_room(robot, braked, bounds), *_out_of_torque(robot, braked, effort)))


# -- braking ------------------------------------------------------------------------------------------------


def _at_once(robot: Robot, q: Array, qd: Array, A: Array) -> Trajectory | None:
    """Every joint at its full acceleration, if all that move have one."""
    if np.isinf(A[qd != 0]).any():
        return None
    A = np.where(qd != 0, A, 1.0)
    ends = np.unique(np.append(0.0, np.abs(qd) / A))
    t, moving = np.minimum(ends[:-1, None], np.abs(qd) / A), ends[:-1, None] < np.abs(qd) / A
    slope = -np.sign(qd) * A
    return _made(robot, ends, q + (qd + slope * t / 2) * t, (qd + slope * t) * moving, slope * moving)


def _on_a_line(robot: Robot, q: Array, qd: Array, A: Array, effort: Array) -> Trajectory | None:
    """The joints in proportion, as fast as torques allow: s from zero on, ṡ from 1 to 0; None where they do not."""
    if np.isinf(np.minimum(A, effort)[qd != 0]).any():
        j = int(np.argmax(np.isinf(np.minimum(A, effort)) & (qd != 0)))
        raise ArgumentError(
            f'joint "{robot.joint_names[j]}" has no bound on its acceleration or torque: nothing says how fast it '
            "may stop. Give acceleration or effort bounds."
        )
    least = -float(np.min(A[qd != 0] / np.abs(qd[qd != 0])))

    def slope(s: float, v: float) -> float:
        """The least s̈ at a place and a speed, infinite where there is none."""
        return max(least, _least(robot, q + qd * s, qd, max(v, 0.0), (1 - MARGIN) * effort))

    rows, s, v = list[tuple[float, float, float, float]](), 0.0, 1.0
    first = slope(s, v)
    step = -1.0 / (first * PIECES) if first < 0 else 0.0
    while v > 0 and step > 0 and len(rows) < MOST_PIECES:
        h, a = step, slope(s, v)
        for _ in range(2):  # so that both ends of the piece allow it
            h = min(step, -v / a) if a < 0 else step
            a = max(a, slope(s + (v + a * h / 2) * h, v + a * h))
        if not np.isfinite(a):
            return None
        h, last = (-v / a, True) if a < 0 and -v / a <= step else (step, False)
        rows.append((h, s, v, a))
        s, v = s + (v + a * h / 2) * h, 0.0 if last else v + a * h
    if v > 0 or (np.abs(robot.gravity(q + qd * s)) > effort).any():  # it would fall from where it stopped
        return None
    lengths, places, speeds, slopes = np.array(rows).T[..., None]
    times = np.append(0.0, np.cumsum(lengths))
    return _made(robot, times, q + qd * places, qd * speeds, qd * slopes)


def _least(robot: Robot, q: Array, u: Array, v: float, effort: Array) -> float:
    """The least s̈ with |tau + m s̈| ≤ effort in all joints, infinite where there is none."""
    with_and_without = robot.inverse_dynamics(np.stack([q, q]), np.stack([u * v] * 2), np.stack([0 * u, u]))
    tau, m = with_and_without[0], with_and_without[1] - with_and_without[0]
    bound, held = np.isfinite(effort), m == 0.0
    if (np.abs(tau) > effort)[held].any():
        return np.inf
    pushed = bound & ~held
    ends = np.sort((np.array([[-1.0], [1.0]]) * effort[pushed] - tau[pushed]) / m[pushed], axis=0)
    low, high = ends[0].max(initial=-np.inf), ends[1].min(initial=np.inf)
    return float(low) if low <= high else np.inf


def _made(robot: Robot, times: Array, q: Array, qd: Array, qdd: Array) -> Trajectory:
    """Parabolas between times (K + 1,) from states (K, n) at their beginnings."""
    pieces = np.stack([q, qd, qdd / 2], axis=-1)
    return Trajectory(tuple(robot.joint_names), times, pieces, METHOD, times[[0, -1]])


# -- what is not kept ---------------------------------------------------------------------------------------


def _most(robot: Robot, motion: Trajectory, effort: Array) -> Array:
    """The largest part (n,) of its torque limit that every joint needs, on the way and to stay there."""
    t = np.unique(np.concatenate([np.linspace(0.0, motion.duration, LOOKS), motion.times]))
    inside = np.concatenate([t, np.nextafter(motion.times[1:], 0.0)])  # both sides of a knot
    tau = np.concatenate(
        [robot.inverse_dynamics(*motion(inside)), robot.gravity(motion(motion.duration).q)[None]]
    )
    return (np.abs(tau) / effort).max(axis=0)


def _out_of_torque(robot: Robot, motion: Trajectory, effort: Array) -> list[str]:
    need = _most(robot, motion, effort)
    return [
        f'joint "{robot.joint_names[j]}" needs {100 * need[j]:.4g} % of its torque limit to stop.'
        for j in np.flatnonzero(need > 1 + ROUNDING)
    ]


def _out_of_room(robot: Robot, motion: Trajectory, bounds: Bounds) -> list[str]:
    """Which joints pass a limit on their position before they stand, and by how much."""
    reach, said = motion.extremes(0), list[str]()
    for j, joint in enumerate(robot.coordinates.joints):
        (unit,) = joint.position_units
        for side, limit, over in (
            ("lower", bounds.lower[j], bounds.lower[j] - reach.least[j]),
            ("upper", bounds.upper[j], reach.largest[j] - bounds.upper[j]),
        ):
            if over > ROUNDING * (1 + abs(limit)):
                said.append(
                    f'joint "{joint.name}" overruns its {side} limit {limit:g} by {over:.4g} {unit}.'
                )
    return said


def _shown(values: Array) -> str:
    return f"({', '.join(f'{x:.4g}' for x in values)})"
