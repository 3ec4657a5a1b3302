"""What was read of a robot, checked: states, torques, the joints they belong to, and their noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import batch_shape, checked, collected
from strobe.errors import ArgumentError, ShapeError, vector
from strobe.robot import Robot

Array = np.ndarray


def joint_rows(robot: Robot, joints: Sequence[str] | None) -> Array:
    """The degrees of freedom of named joints; of all, if none is named."""
    if joints is None:
        return np.arange(robot.nv)
    named = robot.matching_joints(joints)
    if not named:
        raise ArgumentError("joints is empty; name the joints whose torques were read.")
    return np.array([k for k, name in enumerate(owners(robot)) if name in named])


def owners(robot: Robot) -> list[str]:
    """The joint of every degree of freedom, by name."""
    return [joint.name for joint in robot.coordinates.joints for _ in range(joint.nv)]


def finite_states(robot: Robot, q: Any, qd: Any, qdd: Any) -> tuple[Array, Array, Array]:
    """Positions, rates and accelerations with the same leading axes, none of them NaN."""
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
    arrays = collected({"q": q, "qd": qd, "qdd": qdd}, sizes, robot.shape_reason)
    batch = batch_shape(arrays)
    for name, array in arrays.items():
        require_finite(name, array)
    return tuple(np.broadcast_to(a, (*batch, a.shape[-1])).astype(float) for a in arrays.values())  # pyright: ignore[reportReturnType]


def finite_torques(robot: Robot, tau: Any, read: Array, states: Sequence[Array]) -> Array:
    """Torques (..., n), one row per state, finite where they were read."""
    measured = checked("tau", tau, (robot.nv,), robot.shape_reason).astype(float)
    batch = states[0].shape[:-1]
    if measured.shape[:-1] != batch:
        raise ShapeError("tau", measured.shape, str((*batch, robot.nv)), "every state has its own torques")
    require_finite("tau", measured[..., read], [owners(robot)[k] for k in read])
    return measured


def require_finite(name: str, array: Array, columns: Sequence[str] | None = None) -> None:
    """Refuse NaN and infinity, and say where the first one is."""
    bad = np.argwhere(~np.isfinite(array))
    if not len(bad):
        return
    *sample, column = bad[0].tolist()
    place = f"sample {', '.join(map(str, sample))}, " if sample else ""
    whose = f"number {column}" if columns is None else f"joint {columns[column]}"
    raise ArgumentError(
        f"{name} is {array[tuple(bad[0])]} at {place}{whose}; leave out what was not measured "
        "(joints= names the joints that were)."
    )


def whitening(robot: Robot, noise: Any, read: Array, name: str = "noise") -> Array | None:
    """What multiplies torques (j,) so that their noise has unit variance (..., j, j); None if it is not known."""
    if noise is None:
        return None
    given = checked(name, noise, (), "it is the noise of readings").astype(float)
    n = robot.nv
    if given.ndim == 0 or given.shape == (n,):
        spread = np.broadcast_to(given, (n,))[read]
        if not (np.isfinite(spread) & (spread > 0)).all():
            raise ArgumentError(f"{name} is {_shown(given)}; a standard deviation is positive.")
        return np.diag(1.0 / spread)
    if given.shape[-2:] != (n, n):
        raise ShapeError(name, given.shape, f"(), ({n},) or (..., {n}, {n})", robot.shape_reason)
    return whitened(given[..., read[:, None], read])


def whitened(covariance: Array) -> Array:
    """The inverse (..., j, j) of a Cholesky factor: it gives noise of this covariance unit variance."""
    try:
        if not np.isfinite(covariance).all():
            raise np.linalg.LinAlgError
        return np.linalg.inv(np.linalg.cholesky(covariance))
    except np.linalg.LinAlgError:
        raise ArgumentError(
            "noise is no covariance: a matrix of it is not positive definite. Give variances on its diagonal, "
            "or standard deviations (n,)."
        ) from None


def _shown(array: Array) -> str:
    return f"{float(array):g}" if array.ndim == 0 else vector(array.ravel())
