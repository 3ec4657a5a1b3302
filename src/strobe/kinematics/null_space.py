"""What a redundant robot does with the freedom that a pose leaves it: a second wish, followed in the null space.

    z  = −α L² ∂h/∂q         downhill for the wish h, with the mobility L of the joints and a step α
    q' = q + Δq(z)           the part of z that the frame does not notice (`step`), then plain steps back to the pose

A step counts where the pose is kept within tolerance and h became less; the next one is then longer, else shorter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.runtime.arrays import checked
from strobe.errors import ArgumentError
from strobe.kinematics.damped_least_squares import Task
from strobe.kinematics.damped_step import ROWS
from strobe.kinematics.joint_ranges import ranges_of
from strobe.kinematics.manipulability import manipulability

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray
Secondary = str | Callable[[Array], Array] | Array | list[float] | None

NAMED = ("center", "manipulability")
OF = {"pose": "all", "position": "translation", "orientation": "rotation"}  # as manipulability names rows
ROUNDS = 100
CORRECTIONS = 4  # plain steps after each one
LONGEST = 0.3  # of a step, in radians and metres
SHORTEST = 1e-3  # of α: where a search ends
SMALL = 1e-6  # of a difference for a derivative


@dataclass(frozen=True, eq=False)
class Objective:
    """A function of positions (..., nq) to make small, its gradient (N, nv), and the joints' mobility (nv)."""

    value: Callable[[Array], Array]
    gradient: Callable[[Array], Array]
    mobility: Array


def objective(robot: Robot, frame: str, what: str, secondary: Secondary) -> Objective | None:
    """What was asked for as a second wish."""
    if secondary is None:
        return None
    if isinstance(secondary, str):
        if secondary not in NAMED:
            raise ArgumentError(
                f'secondary is "{secondary}"; expected one of {", ".join(NAMED)}, a function of q, or a gradient.'
            )
        return _centred(robot) if secondary == "center" else _manipulable(robot, frame, what)
    ones = np.ones(robot.nv)
    if callable(secondary):
        value = _checked_function(secondary)
        return Objective(value, lambda q: _differences(robot, value, q), ones)
    why = f"it is a gradient and {robot.name} has {robot.nv} degrees of freedom"
    g = checked("secondary", secondary, (robot.nv,), why).astype(float)
    rest = robot.neutral
    return Objective(
        lambda q: robot.difference(rest, q) @ g, lambda q: np.broadcast_to(g, (len(q), len(g))), ones
    )


@np.errstate(all="ignore")
def slide(task: Task, q: Array, targets: Array, wish: Objective) -> Array:
    """Positions (N, nq) that reach their targets, moved along them to where the wish is least."""
    q, alpha, least = q.copy(), np.ones(len(q)), wish.value(q)
    moves = _moving(task)
    live = np.arange(len(q))
    for _ in range(ROUNDS):
        if not len(live):
            break
        pull = -alpha[live, None] * np.where(moves, wish.mobility**2 * wish.gradient(q[live]), 0.0)
        length = np.linalg.norm(pull, axis=-1, keepdims=True)
        pull *= np.minimum(1.0, LONGEST / np.maximum(length, 1e-300))
        there, kept = _kept(task, q[live], targets[live], pull, wish.mobility)
        value = wish.value(there)
        better = kept & (value < least[live])
        at = live[better]
        q[at], least[at] = there[better], value[better]
        alpha[live] *= np.where(better, 2.0, 0.25)
        live = live[alpha[live] > SHORTEST]
    return q


def _moving(task: Task) -> Array:
    """(nv,) which degrees of freedom move the frame."""
    model, x = task.robot.model, task.robot.coordinates
    joints = [body.joint for body in model.support(model.frame(task.frame).body)]
    moved = {k for joint in joints for row in x.velocities[joint.v : joint.v + joint.nv] for k in row}
    return np.isin(np.arange(x.nv), list(moved))


def _kept(task: Task, q: Array, targets: Array, pull: Array, mobility: Array) -> tuple[Array, Array]:
    """Positions after a step with a pull, and whether they are still where they should be."""
    out = task.pulled(q, targets, pull, mobility)
    for _ in range(CORRECTIONS + 1):
        out = task.step(out[:, :-1], targets)
    return out[:, :-1], out[:, -1] < task.arrived


def _centred(robot: Robot) -> Objective:
    """½ Σ ((q − middle) / half the range)² of the joints that have limits to both sides."""
    ranges = ranges_of(robot)
    chosen = ranges.bounded & (ranges.upper > ranges.lower)
    at_q, at_v, centre = ranges.columns[chosen], ranges.rates[chosen], ranges.centre[chosen]
    half = (ranges.upper - ranges.lower)[chosen] / 2
    mobility = np.ones(robot.nv)
    mobility[at_v] = half

    def gradient(q: Array) -> Array:
        g = np.zeros((len(q), robot.nv))
        g[:, at_v] = (q[:, at_q] - centre) / half**2
        return g

    return Objective(lambda q: 0.5 * (((q[:, at_q] - centre) / half) ** 2).sum(-1), gradient, mobility)


def _manipulable(robot: Robot, frame: str, what: str) -> Objective:
    """−√det(J Jᵀ), whose derivative along joint k is −√det(J Jᵀ) · tr(J⁺ ∂J/∂q_k)."""
    rows, every = ROWS[what], np.eye(robot.nv)

    def value(q: Array) -> Array:
        return -manipulability(robot, q, frame, OF[what])

    def gradient(q: Array) -> Array:
        J = robot.jacobian(q, frame)[:, rows]
        turning = robot.jacobian_dot(q[:, None], every, frame)[:, :, rows]
        return value(q)[:, None] * np.einsum("nji,nkij->nk", np.linalg.pinv(J), turning)

    return Objective(value, gradient, np.ones(robot.nv))


def _checked_function(function: Callable[[Array], Any]) -> Callable[[Array], Array]:
    def value(q: Array) -> Array:
        found = np.asarray(function(q), dtype=float)
        if found.shape != q.shape[:-1]:
            raise ArgumentError(
                f"secondary gave shape {found.shape} for positions {q.shape}; expected one number for each."
            )
        return found

    return value


def _differences(robot: Robot, value: Callable[[Array], Array], q: Array) -> Array:
    """Central differences along every degree of freedom."""
    way = SMALL * np.eye(robot.nv)
    ahead, behind = (value(robot.integrate(q[:, None], sign * way)) for sign in (1.0, -1.0))
    return (ahead - behind) / (2 * SMALL)
