"""Every inverse-kinematic solution of any arm of six joints: six turns, or five turns and one slide, in any order.

`elimination` gives a start for each root; Newton's method on the arm itself brings it to rounding. The answer is
believed where the roots and what became of them agree: every real root was close to a solution, no two ended in the
same one, none was nearly double, nothing else was found. Otherwise the same pose is asked again in another way, and
what is found is added: first with another joint as the eigenvalue, then on twins of the arm whose lines are moved by
about 10⁻⁴ of its size, because special arms (a spherical wrist, parallel axes) leave the elimination with
multiple roots or none, and a general twin has simple roots close by.

A pose that leaves joints undetermined has a continuum of solutions; some of them are given.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strobe.errors import ShapeError, UnsupportedModelError
from strobe.kinematics.elimination import FAR, arm_length, starts
from strobe.kinematics.screws import error, inverse, newton, placement
from strobe.kinematics.serial_chain import Serial, by_search

Array = np.ndarray

NAME = "general 6R"
MOST = 16
RESIDUAL = 1e-9  # metres (per metre of arm) and radians
ROUNDS = ((2, 0.0), (5, 0.0), (2, 1e-4), (0, 1e-4), (4, 1e-3), (1, 1e-5), (3, 1e-4), (5, 1e-4))
_BLOCK = 1024  # poses worked on together
_START = 1e-3  # a root that leads no closer to the pose than this was not resolved
_DOUBLE = 1e-4  # an imaginary part below which a pair of roots may be a double one
_CLOSE = 1e-2  # solutions closer than this are one if the middle between them is a solution too


def solve(chain: Serial, poses: Array) -> Array:
    """All solutions of poses (N, 4, 4): (N, 16, 6), angles in (−π, π], the first places filled, NaN in the others."""
    return solve_in_rounds(chain, poses)[0]


def solve_in_rounds(chain: Serial, poses: Array) -> tuple[Array, Array]:
    """The solutions, and (N,) in how many ways each pose was asked: negative where no answer was believed.

    Poses with a NaN or an infinity, and those further away than the arm is long, are not asked.
    """
    _check(chain)
    poses = np.asarray(poses, dtype=float)
    if poses.ndim != 3 or poses.shape[1:] != (4, 4):
        raise ShapeError("poses", poses.shape, "(N, 4, 4)", "each pose is a 4×4 matrix")
    q, rounds = np.full((len(poses), MOST, 6), np.nan), np.zeros(len(poses), dtype=int)
    (asked,) = np.nonzero(_possible(chain, poses))
    for k in range(0, len(asked), _BLOCK):
        block = asked[k : k + _BLOCK]
        q[block], rounds[block] = _solve(chain, poses[block])
    return q, rounds


def covers(chain: Serial) -> bool:
    """Whether a chain has six joints of which at most one slides."""
    return chain.n == 6 and int(np.sum(~chain.revolute)) <= 1


def _check(chain: Serial) -> None:
    if not covers(chain):
        slides = int(np.sum(~chain.revolute))
        raise UnsupportedModelError(
            by_search(
                f"the chain has {chain.n} joints, {slides} of them prismatic; elimination solves six joints of which "
                "at most one is prismatic."
            )
        )


def _possible(chain: Serial, poses: Array) -> Array:
    """(N,) whether a pose is finite and asks line 6 to be no further from line 1 than the lines between can reach."""
    in_hand = inverse(chain.home) @ np.array([*chain.points[5], 1.0])
    reach = float(np.linalg.norm(np.diff(chain.points, axis=0), axis=1).sum())
    reach += 0.0 if chain.revolute.all() else FAR * arm_length(chain)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.linalg.norm(poses[:, :3] @ in_hand - chain.points[0], axis=-1)
    return np.isfinite(poses).all(axis=(1, 2)) & (distance <= 1.000001 * reach)


def polished(chain: Serial, q: Array, poses: Array) -> Array:
    """Solutions (N, K, n) of poses (N, 4, 4) brought to rounding; NaN in those that do not reach their pose."""
    pose, place = np.nonzero(np.isfinite(q).all(axis=-1))
    better, residual = newton(chain, q[pose, place], poses[pose], steps=3)
    clean = np.full(q.shape, np.nan)
    solved = residual < _tolerance(chain)
    clean[pose[solved], place[solved]] = better[solved]
    return clean


def _solve(chain: Serial, poses: Array) -> tuple[Array, Array]:
    q, rounds = np.full((len(poses), MOST, 6), np.nan), np.zeros(len(poses), dtype=int)
    todo = np.arange(len(poses))
    slides = np.flatnonzero(~chain.revolute)
    for number, (third, moved) in enumerate(ROUNDS, start=1):
        third = int(slides[0]) if len(slides) else third
        found, roots = _asked(chain, _twin(chain, moved, number), poses[todo], third)
        q[todo] = _distinct(chain, poses[todo], np.concatenate([q[todo], found], axis=1))
        believed = roots == np.isfinite(q[todo, :, 0]).sum(axis=1)
        rounds[todo] = np.where(believed, number, -number)
        todo = todo[~believed]
        if not len(todo):
            break
    return q, rounds


def _twin(chain: Serial, moved: float, seed: int) -> Serial:
    """The arm with every line turned and shifted by about this share of its size."""
    if not moved:
        return chain
    draw = np.random.default_rng(seed).normal
    axes = chain.axes + moved * draw(size=(6, 3))
    points = chain.points + moved * np.ptp(chain.points) * draw(size=(6, 3))
    return replace(chain, axes=axes / np.linalg.norm(axes, axis=1, keepdims=True), points=points)


def _asked(chain: Serial, twin: Serial, poses: Array, third: int) -> tuple[Array, Array]:
    """Solutions (N, K, 6), and (N,) the number of real roots; −1 where some root is not to be trusted."""
    start = starts(twin, poses @ inverse(chain.home), third)
    missed = _residual(twin, start.q, poses[start.pose]) > _START
    q, residual = newton(chain, start.q, poses[start.pose])
    solved = residual < _tolerance(chain)
    real = start.imaginary == 0
    doubtful = np.where(real, missed | ~solved, start.imaginary < _DOUBLE)
    roots = np.bincount(start.pose[real], minlength=len(poses))
    roots[start.pose[doubtful]] = -1
    roots[start.singular] = -1
    return _packed(start.pose[solved], q[solved], len(poses)), roots


def _packed(pose: Array, q: Array, poses: int) -> Array:
    """(N, K, 6) of solutions (M, 6), each of which belongs to a pose; ``pose`` ascends."""
    count = np.bincount(pose, minlength=poses)
    place = np.arange(len(pose)) - np.repeat(np.cumsum(count) - count, count)
    packed = np.full((poses, max(count, default=0), 6), np.nan)
    packed[pose, place] = q
    return packed


def _distinct(chain: Serial, poses: Array, q: Array) -> Array:
    """(N, 16, 6): solutions (N, K, 6) wrapped, each once, in the order of the first joint."""
    q = _in_order(_wrapped(chain, q))
    q = q[:, : np.isfinite(q[:, :, 0]).sum(axis=1).max(initial=0)]
    first, second = np.triu_indices(q.shape[1], k=1)
    apart = _wrapped(chain, q[:, second] - q[:, first])
    pose, pair = np.nonzero((np.abs(apart) < _CLOSE).all(axis=-1))
    middle = q[pose, first[pair]] + 0.5 * apart[pose, pair]
    same = _residual(chain, middle, poses[pose]) < _tolerance(chain)
    q[pose[same], second[pair[same]]] = np.nan
    distinct = np.full((len(q), MOST, 6), np.nan)
    distinct[:, : q.shape[1]] = _in_order(q)[:, :MOST]
    return distinct


def _in_order(q: Array) -> Array:
    """Sorted by the first joint; NaN comes last."""
    return np.take_along_axis(q, np.argsort(q[:, :, 0], axis=1)[..., None], axis=1)


def _wrapped(chain: Serial, q: Array) -> Array:
    turned = q - 2 * np.pi * np.rint(q / (2 * np.pi))
    return np.where(chain.revolute, np.where(turned <= -np.pi, np.pi, turned), q)


def _residual(chain: Serial, q: Array, poses: Array) -> Array:
    return np.linalg.norm(error(placement(chain, q), poses), axis=-1)


def _tolerance(chain: Serial) -> float:
    return RESIDUAL * max(1.0, float(np.abs(chain.points).max()), float(np.abs(chain.home[:3, 3]).max()))
