"""The linear inverted pendulum: where the centre of mass must go so that the zero moment point goes where it should.

All mass at a constant height h: the moment about the zero moment point p vanishes when

    p = c − c̈ / ω²,    ω² = g / h.

Run forwards in time c falls away from p. Here the whole path is found at once: of all paths c that rest at both ends
the one whose zero moment point is nearest to the wanted one, in the sense of least squares.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import diags
from scipy.sparse.linalg import spsolve

Array = np.ndarray

AT_REST = 3  # points at each end that are the same: no velocity, no acceleration


def carried(zmp: Array, step: float, height: float, gravity: float) -> Array:
    """The centre of mass (N, m), from step to step, of a pendulum whose zero moment point (N, m) is wanted."""
    k = height / (gravity * step**2)
    N = len(zmp)
    to_zmp = diags([-k, 1.0 + 2.0 * k, -k], [0, 1, 2], shape=(N - 2, N)).tocsc()  # pyright: ignore[reportArgumentType]
    center = np.concatenate([np.tile(zmp[0], (N - AT_REST, 1)), np.tile(zmp[-1], (AT_REST, 1))])
    free = slice(AT_REST, N - AT_REST)
    A = to_zmp[:, free]
    missing = zmp[1:-1] - to_zmp @ center
    center[free] += spsolve(A.T @ A, A.T @ missing).reshape(-1, zmp.shape[1])
    return center
