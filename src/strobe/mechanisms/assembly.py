"""Closed chains put together: joint positions that close every loop, found from a guess.

Δq = −K⁺ c(q)      Newton's step of least length, shortened until the loops come nearer to closed
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from strobe.errors import ArgumentError, AssemblyError
from strobe.models.loops import conditions
from strobe.robot import Robot
from strobe.runtime.arrays import checked

Array = np.ndarray
CLOSED = 1e-12  # metres or sines: what counts as closed
STEPS = 100
LONGEST = 0.5  # rad or m: of one step, in the joint that moves most
TRIES = 200  # guesses for random states


def assemble(robot: Robot, q: Any = None, hold: Mapping[str, float] | None = None) -> Array:
    """Positions (..., nq) near q (the neutral one if none is given) in which every loop is closed.

    ``hold`` gives positions of joints by name that are kept. Refused where some loop stays open.
    """
    start = robot.neutral if q is None else checked("q", q, (robot.nq,), robot._why).astype(float)
    kept = _held(robot, hold or {})
    start = start.copy()
    for place, value in kept.values():
        start[..., place] = value
    found, off = closed(robot, start, list(kept))
    if (off > CLOSED).any():
        _refuse(robot, found, off)
    return found


def closed(robot: Robot, q: Array, kept: list[int]) -> tuple[Array, Array]:
    """The nearest positions that were found, and by how much the worst loop is open there (...)."""
    free = np.array([k not in kept for k in range(robot.nv)], dtype=float)
    now = robot.loop_residuals(q)
    for _ in range(STEPS):
        size = np.abs(now).max(axis=-1, initial=0.0)
        moving = size > CLOSED
        if not moving.any():
            break
        K = robot.loop_jacobian(q) * free
        step = -(np.linalg.pinv(K, rcond=1e-9) @ now[..., None])[..., 0]
        longest = np.abs(step).max(axis=-1, initial=0.0)
        step *= (moving * np.minimum(1.0, LONGEST / np.maximum(longest, 1e-300)))[..., None]
        q, now = _shortened(robot, q, step, now)
    return q, np.abs(now).max(axis=-1, initial=0.0)


def _shortened(robot: Robot, q: Array, step: Array, now: Array) -> tuple[Array, Array]:
    """The first of ever shorter steps that brings the loops nearer to closed."""
    before = np.linalg.norm(now, axis=-1)
    share = np.ones(before.shape)
    for _ in range(12):
        there = robot.integrate(q, step * share[..., None])
        off = robot.loop_residuals(there)
        worse = np.linalg.norm(off, axis=-1) > before
        if not worse.any():
            break
        share = np.where(worse, share / 2, share)
    return there, off


def random_positions(
    robot: Robot, draw: Callable[[tuple[int, ...]], Array], shape: tuple[int, ...]
) -> Array:
    """Closed positions (*shape, nq) from guesses, which are drawn again where loops do not close."""
    count = math.prod(shape)
    found = np.empty((count, robot.nq))
    left = np.arange(count)
    for _ in range(TRIES):
        if not len(left):
            break
        found[left], off = closed(robot, draw((len(left),)), [])
        left = left[~(off <= CLOSED)]
    if len(left):
        _refuse(robot, found[left], off[~(off <= CLOSED)])
    return found.reshape(*shape, robot.nq)


def _held(robot: Robot, hold: Mapping[str, float]) -> dict[int, tuple[int, float]]:
    """By degree of freedom: where the position of a joint that is held lies, and what it is."""
    held: dict[int, tuple[int, float]] = {}
    for name in hold:
        (found,) = robot._joints_like([name])
        joint = next(joint for joint in robot.coordinates.joints if joint.name == found)
        if joint.nq != 1:
            raise ArgumentError(
                f'joint "{name}" has {joint.nq} position numbers; only joints with one are held.'
            )
        held[joint.v] = joint.q, float(hold[name])
    return held


def _refuse(robot: Robot, q: Array, off: Array) -> None:
    which = np.unravel_index(int(np.argmax(off)), off.shape)
    residuals = robot.loop_residuals(q[which])
    worst = int(np.argmax(np.abs(residuals)))
    loop, condition = conditions(robot.model)[worst]
    why = "the links do not reach, or the guess is too far off. Give another guess, or hold fewer joints."
    raise AssemblyError(robot.name, loop, condition, float(abs(residuals[worst])), why, q[which])
