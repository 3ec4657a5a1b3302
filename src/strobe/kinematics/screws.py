"""A chain of lines on arrays: where its joints take the hand, how the hand follows them, and Newton's method.

    E(q) = E_0 + E_c cos q + E_s sin q       a turn about a line, over constant 4×4 matrices
    E(q) = E_0 + E_1 q                       a slide along it
    error = (p_asked − p, log(R_asked Rᵀ))   metres and radians together, base axes

Frames are (..., 4, 4), joint positions (..., n).
"""

from __future__ import annotations

import numpy as np

from strobe.kinematics.serial_chain import Serial

Array = np.ndarray

_LONGEST = 0.5  # of a step of Newton's method, radians or metres


def turn(axes: Array, angles: Array) -> Array:
    """Rotation matrices (..., 3, 3) about unit vectors."""
    cosine, sine = np.cos(angles)[..., None, None], np.sin(angles)[..., None, None]
    along = axes[..., :, None] * axes[..., None, :]
    return along + cosine * (np.eye(3) - along) + sine * cross_matrix(axes)


def cross_matrix(v: Array) -> Array:
    """The matrix [v] with [v] u = v × u."""
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    o = np.zeros_like(x)
    rows = [[o, -z, y], [z, o, -x], [-y, x, o]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def vee(R: Array) -> Array:
    """v of the antisymmetric part [v] of R: the axis of a rotation times the sine of its angle."""
    pairs = ((2, 1), (0, 2), (1, 0))
    return 0.5 * np.stack([R[..., i, j] - R[..., j, i] for i, j in pairs], axis=-1)


def rigid(R: Array, p: Array) -> Array:
    """(..., 4, 4) of a rotation and a position."""
    shape = np.broadcast_shapes(R.shape[:-2], p.shape[:-1])
    T = np.zeros((*shape, 4, 4))
    T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R, p, 1.0
    return T


def inverse(T: Array) -> Array:
    """The inverse of rigid motions (..., 4, 4)."""
    Rt = T[..., :3, :3].swapaxes(-1, -2)
    return rigid(Rt, -(Rt @ T[..., :3, 3:])[..., 0])


def joint_matrices(chain: Serial) -> Array:
    """(3, n, 4, 4): what 1, cos q and sin q (1, q and 0 of a slide) multiply in each joint's motion."""
    a, turns = chain.axes, chain.revolute[:, None, None]
    along = a[:, :, None] * a[:, None, :]
    parts = np.where(turns, [along, np.eye(3) - along, cross_matrix(a)], 0.0)
    E = np.zeros((3, chain.n, 4, 4))
    E[..., :3, :3], E[..., :3, 3] = parts, -(parts @ chain.points[..., None])[..., 0]
    E[0, :, :3, 3] += np.where(chain.revolute[:, None], chain.points, 0.0)
    E[0, ~chain.revolute, :3, :3], E[1, ~chain.revolute, :3, 3] = np.eye(3), a[~chain.revolute]
    E[0, :, 3, 3] = 1.0
    return E


def motions(chain: Serial, q: Array) -> Array:
    """(..., n, 4, 4): each joint's motion in base axes."""
    first = np.where(chain.revolute, np.cos(q), q)
    second = np.where(chain.revolute, np.sin(q), 0.0)
    E = joint_matrices(chain)
    return E[0] + first[..., None, None] * E[1] + second[..., None, None] * E[2]


def placement(chain: Serial, q: Array) -> Array:
    """The frame (..., 4, 4) that the chain carries."""
    E = motions(chain, q)
    T = E[..., 0, :, :]
    for i in range(1, chain.n):
        T = T @ E[..., i, :, :]
    return T @ chain.home


def carried(chain: Serial, q: Array) -> tuple[Array, Array, Array]:
    """Directions and points (..., n, 3) of the axes at q, and what brings the hand there from its rest."""
    E = motions(chain, q)
    T = np.broadcast_to(np.eye(4), (*q.shape[:-1], 4, 4))
    directions, points = [], []
    for i in range(chain.n):
        directions.append(T[..., :3, :3] @ chain.axes[i])
        points.append(T[..., :3, :3] @ chain.points[i] + T[..., :3, 3])
        T = T @ E[..., i, :, :]
    return np.stack(directions, axis=-2), np.stack(points, axis=-2), T


def placement_and_jacobian(chain: Serial, q: Array) -> tuple[Array, Array]:
    """The frame and its Jacobian (..., 6, n), linear rows first, base axes."""
    a, points, T = carried(chain, q)
    T = T @ chain.home
    r = T[..., None, :3, 3] - points
    turns = chain.revolute[:, None]
    columns = np.concatenate([np.where(turns, np.cross(a, r), a), np.where(turns, a, 0.0)], axis=-1)
    return T, columns.swapaxes(-1, -2)


def error(reached: Array, asked: Array) -> Array:
    """(..., 6): the step and the turn, as a rotation vector, from the reached to the asked frame."""
    D = asked[..., :3, :3] @ reached[..., :3, :3].swapaxes(-1, -2)
    w = vee(D)
    sine = np.linalg.norm(w, axis=-1)
    cosine = 0.5 * (np.trace(D, axis1=-2, axis2=-1) - 1)
    small = sine < 1e-8
    w *= np.where(small, 1.0, np.arctan2(sine, cosine) / np.where(small, 1.0, sine))[..., None]
    half = small & (cosine < 0)
    if half.any():
        w[half] = _half_turn(D[half])
    return np.concatenate([asked[..., :3, 3] - reached[..., :3, 3], w], axis=-1)


def _half_turn(D: Array) -> Array:
    """π times the axis of a rotation by half a turn: D + 1 is twice the projection on it."""
    P = D + np.eye(3)
    longest = np.argmax(np.linalg.norm(P, axis=-2), axis=-1)
    column = np.take_along_axis(P, longest[..., None, None], axis=-1)[..., 0]
    return np.pi * column / np.linalg.norm(column, axis=-1, keepdims=True)


def newton(chain: Serial, q: Array, asked: Array, steps: int = 20) -> tuple[Array, Array]:
    """Joint positions (M, n) brought to frames (M, 4, 4), each by steps of its own; the residuals they end with.

    The damping falls with the square of the error, so convergence is quadratic. Steps end where they
    gain nothing below 10⁻⁹; the best place met is kept.
    """
    q, best, least = q.copy(), q.copy(), np.full(len(q), np.inf)
    going = np.arange(len(q))
    for _ in range(steps + 1):
        T, J = placement_and_jacobian(chain, q[going])
        e = error(T, asked[going])
        size = np.linalg.norm(e, axis=-1)
        gains = size < 0.5 * least[going]
        better = going[size < least[going]]
        best[better], least[better] = q[better], size[size < least[going]]
        onwards = np.isfinite(size) & (gains | (size > 1e-9)) & (size > 1e-15)
        going, J, e, size = going[onwards], J[onwards], e[onwards], size[onwards]
        if not len(going):
            break
        q[going] += _step(J, e, size)
    return best, least


def _step(J: Array, e: Array, size: Array) -> Array:
    Jt = J.swapaxes(-1, -2)
    damping = np.minimum(size**2, 1.0) * 1e-2 + 1e-13
    dq = (Jt @ np.linalg.solve(J @ Jt + damping[:, None, None] * np.eye(6), e[..., None]))[..., 0]
    return dq * np.minimum(1.0, _LONGEST / np.maximum(np.abs(dq).max(axis=-1, keepdims=True), 1e-300))
