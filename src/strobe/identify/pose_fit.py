"""Moves that explain measured poses best: damped Gauss-Newton steps, each kind of error weighed by its own noise.

    minimise  Σ |e_p|² / σ_p² + |e_R|² / σ_R²        J = ∂e/∂moves, compiled

Columns of J may depend on others: a robot whose base was turned is one whose first joint was. Those that depend on
none preferred before them are moved (`dependencies`), the others stay, and the map says what stands for what.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strobe.identify.base_parameters import dependencies
from strobe.identify.pose_errors import ENDS, Placed, PoseErrors
from strobe.identify.pose_readings import Readings

Array = np.ndarray

STEPS = 60
NEAR = 1e-10  # of a step, in units of what is left over: below this it is rounding
DAMPED = 1e-3  # of the scaled columns, at first
LEAST, MOST = 1e-12, 1e9  # of that
WEIGHINGS = 4
ALIKE = 1e-5  # of a column: what is left of one that cannot be told from others by any reading
TINY = 1e-12  # m or rad: poses without noise have some


@dataclass(frozen=True, slots=True, eq=False)
class PoseFit:
    """Where moves ended."""

    placed: Placed
    kept: tuple[int, ...]  # the moves that were found
    map: Array  # (kept, moves): what each stands for
    covariance: Array  # (kept, kept)
    noise: Array  # (1,) or (2,): of positions, of rotations
    condition: float  # of the scaled columns
    converged: bool


def groups(errors: int) -> list[slice]:
    """Errors of one unit each: positions, then rotations."""
    return [slice(0, min(errors, 3)), slice(3, 6)][: 1 + (errors == 6)]


def rms(e: Array) -> Array:
    """The length of errors of each kind: its root mean square over all readings."""
    return np.array([np.sqrt((e[:, k] ** 2).sum(axis=1).mean()) for k in groups(e.shape[1])])


def told(errors: PoseErrors, read: Readings, now: Placed, free: list[int]) -> tuple[tuple[int, ...], Array]:
    """The moves among those free that readings tell apart, and what each stands for."""
    J = errors.slopes(read, now)
    J = J.reshape(-1, J.shape[-1])
    hidden = [k for k in range(J.shape[1]) if k not in free]
    J[:, hidden] = 0.0
    order = sorted(free, key=lambda k: errors.moves[k].rank)
    return dependencies(J, order, ALIKE)


def fit(
    errors: PoseErrors, read: Readings, now: Placed, free: list[int], noise: Array | None = None
) -> PoseFit:
    """The moves among those free, from where they are now."""
    kept, combined = told(errors, read, now, free)
    places, known = list(kept), noise
    parts = groups(read.errors)
    sigma = np.array([max(x, TINY) for x in rms(errors(read, now))]) if known is None else known
    converged = False
    for _ in range(WEIGHINGS if known is None else 1):
        now, converged = _descended(errors, read, now, places, _weights(sigma, read.errors))
        if known is None:
            sigma = _left(errors(read, now), parts, len(places))
    J = errors.slopes(read, now)[..., places] * _weights(sigma, read.errors)[:, None]
    J = J.reshape(-1, len(places))
    scale = np.linalg.norm(J, axis=0)
    s, V = np.linalg.svd(J / scale, full_matrices=False)[1:]
    along = V / scale
    return PoseFit(now, kept, combined, (along.T / s**2) @ along, sigma, float(s[0] / s[-1]), converged)


def _weights(sigma: Array, errors: int) -> Array:
    return np.concatenate(
        [np.full(len(range(errors)[k]), 1 / s) for k, s in zip(groups(errors), sigma, strict=True)]
    )


def _left(e: Array, parts: list[slice], unknowns: int) -> Array:
    """The standard deviation of one number of each kind."""
    spare = max(1 - unknowns / e.size, 1 / e.size)
    return np.array([max(np.sqrt((e[:, k] ** 2).mean() / spare), TINY) for k in parts])


def _descended(
    errors: PoseErrors, read: Readings, now: Placed, places: list[int], weights: Array
) -> tuple[Placed, bool]:
    damping = DAMPED
    e = (errors(read, now) * weights).ravel()
    for _ in range(STEPS):
        J = (errors.slopes(read, now)[..., places] * weights[:, None]).reshape(len(e), -1)
        scale = np.linalg.norm(J, axis=0)
        scale[scale == 0] = 1.0
        J /= scale
        while damping < MOST:
            found = np.linalg.lstsq(
                np.vstack([J, np.sqrt(damping) * np.eye(len(places))]),
                np.append(-e, np.zeros(len(places))),
                rcond=None,
            )[0]
            step = np.zeros(len(errors.moves))
            step[places] = found / scale
            there = now.after(step)
            after = (errors(read, there) * weights).ravel()
            if np.linalg.norm(found) <= NEAR * max(np.linalg.norm(e), 1.0):
                return (there if after @ after <= e @ e else now), True
            if after @ after < e @ e:
                break
            damping *= 10
        else:
            return now, False
        now, e, damping = there, after, max(damping / 10, LEAST)
    return now, False


# -- a first guess ----------------------------------------------------------------------------------


def first_guess(
    errors: PoseErrors, read: Readings, hand: Array, base: Array | None, tool: Array | None
) -> Placed:
    """Where the base and the target are, as far as nobody said: the best of fits from several guesses.

    ``hand`` (N, 4, 4) is where the robot, as it was given, takes the frame.
    """
    nothing = np.zeros(len(errors.joints))
    free = [*(range(6) if base is None else ()), *(range(6, len(ENDS)) if tool is None else ())]
    starts = _starts(read, hand, base, tool)
    found = [Placed(*each, nothing) for each in starts]
    if free:
        found = [_brought(errors, read, each, free) for each in found]
    return min(found, key=lambda each: float((errors(read, each) ** 2).sum()))


def _brought(errors: PoseErrors, read: Readings, now: Placed, free: list[int]) -> Placed:
    kept = [*told(errors, read, now, free)[0]]
    return _descended(errors, read, now, kept, np.ones(read.errors))[0]


def _starts(
    read: Readings, hand: Array, base: Array | None, tool: Array | None
) -> list[tuple[Array, Array]]:
    one = np.eye(4)
    tools = [one] if tool is None else [tool]
    if tool is None and read.kind == "poses":
        tools += [_rotation(R) for R in _tool_rotations(read, hand)]
    return [(_base(read, hand @ E) if base is None else base, E) for E in tools]


def _base(read: Readings, target: Array) -> Array:
    """The base that takes predicted targets nearest to what was measured."""
    p = target[:, :3, 3]
    if read.kind == "distances":  # |p − c|² = d²: linear in c and in |c|² − r²
        d = read.measured[:, 0]
        A = np.column_stack([2 * p, np.ones(len(p))])
        return _shift(-np.linalg.lstsq(A, (p**2).sum(axis=1) - d**2, rcond=None)[0][:3])
    if read.kind == "poses":
        M = (read.rotations @ target[:, :3, :3].transpose(0, 2, 1)).sum(axis=0)
    else:
        m = read.positions
        M = (m - m.mean(axis=0)).T @ (p - p.mean(axis=0))
    R = _nearest_rotation(M)
    T = _rotation(R)
    T[:3, 3] = (read.positions - p @ R.T).mean(axis=0)
    return T


def _tool_rotations(read: Readings, hand: Array) -> list[Array]:
    """Rotations E with R_m = B F E, by the vector that R_m ⊗ F and B ⊗ E have in common."""
    F, M = hand[:, :3, :3], read.rotations
    rows = [np.hstack([np.kron(np.eye(3), f.T), -np.kron(m, np.eye(3))]) for f, m in zip(F, M, strict=True)]
    v = np.linalg.svd(np.vstack(rows))[2][-1]  # B F − M Eᵀ = 0, row by row
    E = v[9:].reshape(3, 3).T
    return [_nearest_rotation(E), _nearest_rotation(-E)]


def _nearest_rotation(M: Array) -> Array:
    U, _, V = np.linalg.svd(M)
    return U @ np.diag([1, 1, np.sign(np.linalg.det(U @ V))]) @ V


def _rotation(R: Array) -> Array:
    T = np.eye(4)
    T[:3, :3] = R
    return T


def _shift(p: Array) -> Array:
    T = np.eye(4)
    T[:3, 3] = p
    return T
