"""Arms with seven joints: one of them is the parameter, and the six others are solved for each value of it.

    E_1 … E_7 home = T        with joint j held at v:  E_1 … E_{j−1} E'_{j+1} … E'_7 (E_j(v) home) = T

where E' turns about the line that E_j(v) has moved. Held at either end of the chain a joint changes no line: every
value is then one more pose for the same six joints. Which joint is held is chosen so that the others have a closed
form, if they have one: the last, the first, then those between. From one value to the next each solution moves along
the self-motion of the arm; `nearest` follows it to the place closest to where the joints are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strobe.errors import ArgumentError, ShapeError, UnknownNameError, UnsupportedModelError, counted
from strobe.kinematics import analytic, general_6r
from strobe.kinematics.screws import error, inverse, motions, newton, placement, placement_and_jacobian
from strobe.kinematics.serial_chain import Serial, by_search
from strobe.show.sheet import Sheet, Table, displayed

Array = np.ndarray

SAMPLES = 36  # values of the parameter where none are given
_STEPS = 60
_LONGEST = 0.3  # of a step along the self-motion
_TRIED = 8  # members of a family that are followed
_OUTSIDE = 100.0  # what leaving the limits weighs against distance


@displayed
@dataclass(frozen=True, eq=False)
class Family:
    """Solutions for each pose and each value of the parameter; NaN in empty places."""

    q: Array  # (N, P, K, 7)
    joint: str  # the parameter
    values: Array  # (P,)
    recognised: str  # how the other six joints were solved

    def _sheet(self) -> Sheet:
        found, poses = np.isfinite(self.q).all(-1), len(self.q)
        values = f"{len(self.values)} values of {self.joint}"
        head = f"{int(found.sum()):,} solutions of {counted(poses, 'pose')} at {values}"
        rows = [[float(v), int(n)] for v, n in zip(self.values, found.sum(axis=(0, 2)), strict=True)]
        return Sheet(
            head,
            [Table([f"{self.joint} (rad or m)", "solutions"], rows), f"the others by: {self.recognised}"],
        )


def solve(chain: Serial, poses: Array, joint: str | None = None, values: Array | None = None) -> Family:
    """All solutions of poses (N, 4, 4) at the given values of one joint, or at values spread over its range."""
    j, recognised = parameter(chain, joint)
    values = _values(chain, j, values)
    poses = np.asarray(poses, dtype=float)
    if j in (0, chain.n - 1):
        six = held(chain, j, 0.0)
        moved = _seen_without(chain, j, values, poses)
        found = _six(six, recognised, moved.reshape(-1, 4, 4)).reshape(len(poses), len(values), -1, 6)
    else:
        found = np.stack([_six(held(chain, j, value), recognised, poses) for value in values], axis=1)
    column = np.where(np.isfinite(found[..., :1]), values[:, None, None], np.nan)
    q = np.concatenate([found[..., :j], column, found[..., j:]], axis=-1)
    return Family(q, chain.names[j], values, recognised)


def held(chain: Serial, j: int, value: float) -> Serial:
    """The chain of the other joints while one is held; lines behind it and the frame move with it."""
    E = motions(chain, np.full(chain.n, value))[j]
    R, p = E[:3, :3], E[:3, 3]
    behind = (np.arange(chain.n) > j)[:, None]
    rest = np.arange(chain.n) != j
    return Serial(
        names=tuple(name for k, name in enumerate(chain.names) if k != j),
        revolute=chain.revolute[rest],
        axes=np.where(behind, chain.axes @ R.T, chain.axes)[rest],
        points=np.where(behind, chain.points @ R.T + p, chain.points)[rest],
        home=E @ chain.home,
        lower=chain.lower[rest],
        upper=chain.upper[rest],
        columns=chain.columns[rest],
    )


def nearest(chain: Serial, poses: Array, q0: Array, family: Family | None = None) -> tuple[Array, Array]:
    """The solution (N, 7) of each pose nearest to q0, within the limits where there is one, and its residual.

    The nearest of a family (`solve` gives one where none is given), and what Newton's method finds from q0, are
    followed along the self-motion as long as that brings them nearer. NaN where there is no solution.
    """
    poses = np.asarray(poses, dtype=float)
    q0 = np.broadcast_to(np.asarray(q0, dtype=float), (len(poses), chain.n))
    members = (family or solve(chain, poses)).q.reshape(len(poses), -1, chain.n)
    near = np.concatenate([newton(chain, q0, poses)[0][:, None], members], axis=1)
    near = _turned_within(chain, general_6r.polished(chain, near, poses), q0[:, None])
    near = _best(chain, q0, near, _TRIED)
    pose, place = np.nonzero(np.isfinite(near[..., 0]))
    near[pose, place] = _followed(chain, poses[pose], q0[pose], near[pose, place])
    q = _best(chain, q0, general_6r.polished(chain, near, poses), 1)[:, 0]
    return q, np.linalg.norm(error(placement(chain, q), poses), axis=-1)


def _best(chain: Serial, q0: Array, q: Array, count: int) -> Array:
    """The places of q (N, K, n) that come first: within the limits, then near q0; NaN comes last."""
    cost = _cost(chain, q, q0[:, None])
    return np.take_along_axis(q, np.argsort(cost, axis=1)[:, :count, None], axis=1)


def parameter(chain: Serial, joint: str | None = None) -> tuple[int, str]:
    """Which joint is held, the one that is named or the best, and how the others are solved."""
    if chain.n != 7:
        raise UnsupportedModelError(
            by_search(
                f"the chain has {chain.n} joints; a family of solutions by one parameter needs seven."
            )
        )
    if joint is not None and joint not in chain.names:
        raise UnknownNameError("joint", joint, "the chain", chain.names)
    order = [6, 0, 3, 2, 4, 1, 5] if joint is None else [chain.names.index(joint)]
    for j in order:
        classes = {_class(held(chain, j, value)) for value in (0.0, 0.3, 1.1)}
        if len(classes) == 1 and (name := classes.pop()):
            return j, name
    for j in order:
        if general_6r.covers(held(chain, j, 0.0)):
            return j, general_6r.NAME
    raise UnsupportedModelError(
        by_search(
            f"{int(np.sum(~chain.revolute))} joints of the chain are prismatic; with one held, elimination solves "
            "the others only where at most one of them is."
        )
    )


def _class(arm: Serial) -> str | None:
    method = analytic.recognise(arm)
    return None if method is None else method.name


def _values(chain: Serial, j: int, values: Array | None) -> Array:
    if values is not None:
        given = np.atleast_1d(np.asarray(values, dtype=float))
        if given.ndim != 1:
            raise ShapeError(
                "values", given.shape, "(P,)", f'they are positions of joint "{chain.names[j]}"'
            )
        if not np.isfinite(given).all():
            raise ArgumentError(f'values of joint "{chain.names[j]}" must be finite; got {given.tolist()}.')
        return given
    lower, upper = float(chain.lower[j]), float(chain.upper[j])
    if chain.revolute[j] and not upper - lower < 2 * np.pi:
        return np.linspace(-np.pi, np.pi, SAMPLES, endpoint=False)
    if not np.isfinite(upper - lower):
        raise ArgumentError(f'joint "{chain.names[j]}" slides without limits; give values of it.')
    return np.linspace(lower, upper, SAMPLES)


def _seen_without(chain: Serial, j: int, values: Array, poses: Array) -> Array:
    """(N, P, 4, 4): the poses that the other joints are asked for when the first or last is held at each value."""
    back = inverse(motions(chain, np.repeat(values[:, None], chain.n, axis=1))[:, j])
    if j == 0:
        return back @ poses[:, None]
    return poses[:, None] @ inverse(chain.home) @ back @ chain.home


def _six(arm: Serial, recognised: str, poses: Array) -> Array:
    """(N, 16, 6): solutions of six joints, NaN in empty places."""
    method = None if recognised == general_6r.NAME else analytic.recognise(arm)
    if method is None or method.name != recognised:  # as it may be at single values of the parameter
        return general_6r.solve(arm, poses)
    found = analytic.branches_at(arm, method, poses)
    q = np.full((len(poses), general_6r.MOST, 6), np.nan)
    q[:, : found.shape[1]] = found
    return general_6r.polished(arm, q, poses)


def _turned_within(chain: Serial, q: Array, q0: Array) -> Array:
    """Angles in the turn nearest to q0, or in the next one if only that is within the limits."""
    near = q - 2 * np.pi * np.rint((q - q0) / (2 * np.pi))
    for other in (near + 2 * np.pi, near - 2 * np.pi):
        near = np.where(~_each_within(chain, near) & _each_within(chain, other), other, near)
    return np.where(chain.revolute, near, q)


def _each_within(chain: Serial, q: Array) -> Array:
    return (q >= chain.lower) & (q <= chain.upper)


def _cost(chain: Serial, q: Array, q0: Array) -> Array:
    """How far positions are from q0, and much more so how far they are outside the limits."""
    beyond = np.maximum(np.maximum(chain.lower - q, q - chain.upper), 0.0).sum(axis=-1)
    return np.linalg.norm(q - q0, axis=-1) + _OUTSIDE * beyond


def _followed(chain: Serial, poses: Array, q0: Array, q: Array) -> Array:
    """Solutions moved along the self-motion of the arm, into the limits and towards q0.

    A step that does not help is halved.
    """
    q, share, going = q.copy(), np.ones(len(q)), np.arange(len(q))
    for _ in range(_STEPS):
        here, target = q[going], poses[going]
        _, J = placement_and_jacobian(chain, here)
        null = np.linalg.svd(J)[2][:, -1]
        aim = q0[going] + _OUTSIDE * (np.clip(here, chain.lower, chain.upper) - here)
        step = share[going] * np.clip(np.sum(null * (aim - here), axis=-1), -_LONGEST, _LONGEST)
        there, residual = newton(chain, here + step[:, None] * null, target)
        nearer = _cost(chain, there, q0[going]) < _cost(chain, here, q0[going])
        better = (residual < general_6r.RESIDUAL) & nearer
        q[going[better]] = there[better]
        share[going] = np.where(better, np.minimum(1.0, 2 * share[going]), 0.5 * share[going])
        going = going[np.abs(step) > 1e-10]
        if not len(going):
            break
    return q
