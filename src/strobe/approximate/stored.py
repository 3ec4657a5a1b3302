"""D and E of tau = D(q) qdd + E(q, qd) stored at states, and used at states near them.

    D(q) ≈ D_i + ∂D/∂q (q − q_i)        E(q, qd) ≈ E_i + ∂E/∂q (q − q_i) + ∂E/∂qd (qd − qd_i)

Without stored derivatives the second terms are left out. Paul stored D and E along a planned motion; accelerations
other than planned then cost nothing, positions and velocities must stay near. [Waters1979]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from math import ceil, log2
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from strobe.approximate.method import NUMBER, Operations
from strobe.approximate.states import added, with_friction
from strobe.errors import ArgumentError, shown
from strobe.quantities import Request
from strobe.robot import Robot

Array = np.ndarray
LEAF = 16  # points that a search looks at one by one
# for q and qd (K, n): what is stored, how far it holds
Find = Callable[[Array, Array], tuple["Stored", Array]]


@dataclass(frozen=True, eq=False)
class Stored:
    """D and E at N states, derivatives with them or not."""

    q: Array  # (N, n)
    qd: Array  # (N, n)
    D: Array  # (N, n, n)
    E: Array  # (N, n): rigid bodies only
    slopes: Array | None = None  # (N, n, n + 2, n), of row i those of D, E and E by q, q and qd

    @classmethod
    def at(cls, robot: Robot, q: Array, qd: Array, derivatives: bool = False) -> Stored:
        """What a robot has at states."""
        return cls(
            q, qd, robot.mass_matrix(q), robot.bias(q, qd), _slopes(robot, q, qd) if derivatives else None
        )

    @property
    def arrays(self) -> dict[str, Array]:
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: values for name, values in found.items() if values is not None}

    def __getitem__(self, which: Any) -> Stored:
        return Stored(**{name: values[which] for name, values in self.arrays.items()})

    def __len__(self) -> int:
        return len(self.q)

    def torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Rigid-body torques (K, n) at states (K, n), each from the one stored at its place."""
        D, E = self.D, self.E
        if self.slopes is not None:
            n, dq, dqd = q.shape[-1], q - self.q, qd - self.qd
            D = D + np.einsum("kijl,kl->kij", self.slopes[:, :, :n], dq)
            E = E + np.einsum("kil,kl->ki", self.slopes[:, :, n], dq)
            E = E + np.einsum("kil,kl->ki", self.slopes[:, :, n + 1], dqd)
        return np.einsum("kij,kj->ki", D, qdd) + E


def _slopes(robot: Robot, q: Array, qd: Array) -> Array:
    """∂D/∂q, ∂E/∂q and ∂E/∂qd in one array (N, n, n + 2, n)."""
    by_q = robot.evaluate(Request("mass_matrix", by=("q",)), {"q": q})
    both = robot.evaluate(Request("bias", by=("q", "qd")), {"q": q, "qd": qd})
    return np.concatenate([by_q, both.reshape(*both.shape[:-1], 2, robot.nv)], axis=-2)


def size(robot: Robot, points: int, derivatives: bool) -> int:
    """Bytes that so many points take."""
    n = robot.nv
    return NUMBER * points * (2 * n + n * n + n + (n * n * (n + 2) if derivatives else 0))


def mixed(parts: Any, weights: Any) -> Stored:
    """The weighted sum of things stored at the same number of states, weights (K,) or plain numbers."""
    return Stored(
        **{
            name: sum(
                _times(part.arrays[name], weight) for part, weight in zip(parts, weights, strict=True)
            )  # pyright: ignore[reportArgumentType]
            for name in parts[0].arrays
        }
    )


def _times(values: Array, weight: Any) -> Array:
    return values * np.reshape(weight, np.shape(weight) + (1,) * (values.ndim - np.ndim(weight)))


class Nearest:
    """Where among stored states the nearest is: a tree over (q, qd), each divided by its scale."""

    def __init__(self, q: Array, qd: Array, scale: Array) -> None:
        self.scale = scale
        self.points = np.concatenate([q, qd], axis=-1) / scale

    @cached_property
    def tree(self) -> KDTree:
        return KDTree(self.points, leafsize=LEAF)

    def __call__(self, q: Array, qd: Array) -> Array:
        """Places (K,) of the nearest to states (K, n); the first where a state is not finite."""
        x = np.concatenate([q, qd], axis=-1) / self.scale
        known = np.isfinite(x).all(axis=-1, keepdims=True)
        return np.asarray(self.tree.query(np.where(known, x, self.points[0]))[1])


def apart(q: Array, qd: Array, stored: Stored, scale: Array) -> Array:
    """How far (K, 2) states are from what is stored for them: in q and in qd; NaN where either is not known."""
    n = q.shape[-1]
    parts = (q - stored.q) / scale[:n], (qd - stored.qd) / scale[n:]
    off = np.stack([np.linalg.norm(part, axis=-1) for part in parts], axis=-1)
    return np.where(np.isnan(off).any(axis=-1, keepdims=True), np.nan, off)


def scales(robot: Robot, scale: Any) -> Array:
    """What one counts as for each of (q, qd) (2n,): a radian, a metre, and these by the second, unless given."""
    given = np.ones(2 * robot.nv) if scale is None else np.asarray(scale, dtype=float)
    try:
        found = np.array(np.broadcast_to(given, 2 * robot.nv))
    except ValueError:
        found = np.zeros(1)
    if not (np.isfinite(found) & (found > 0)).all():
        raise ArgumentError(
            f"scale is {shown(scale)}; expected a number above zero, or one for each of the {2 * robot.nv} positions "
            f"and velocities of {robot.name}."
        )
    return found


def bound(within: Any) -> Array | None:
    """How far in q and in qd (2,) from what is stored a state may be; None is decided by what is stored."""
    if within is None:
        return None
    try:
        found = np.array(np.broadcast_to(np.asarray(within, dtype=float), 2))
    except (TypeError, ValueError):
        found = np.full(2, np.nan)
    if not (found >= 0).all():
        raise ArgumentError(
            f"within is {shown(within)}; expected a distance, zero or more, or two of them: in q and in qd."
        )
    return found


def require_near(
    robot: Robot, q: Array, qd: Array, stored: Stored, off: Array, within: Array, scale: Array
) -> None:
    """Refuse states (K, n) that are farther (K, 2) from what is stored for them than allowed; the first by name."""
    far = np.argwhere(off > within)
    if not len(far):
        return
    k, part = map(int, far[0])
    n, kind, joints = robot.nv, ("q", "qd")[part], robot.joint_names
    x, there = (q[k], stored.q[k]) if part == 0 else (qd[k], stored.qd[k])
    worst = int(np.argmax(np.abs(x - there) / scale[part * n : (part + 1) * n]))
    raise ArgumentError(
        f"state {k} is {off[k, part]:.4g} away in {kind} from the nearest that is stored, which holds within "
        f"{np.broadcast_to(within, off.shape)[k, part]:.4g}: {kind} of {joints[worst]} is {x[worst]:.4g}, and "
        f"{there[worst]:.4g} there. Stay nearer, allow more with within=, or compute the torque."
    )


def torques_near(robot: Robot, state: tuple[Array, ...], find: Find, scale: Array) -> Array:
    """tau (..., n) of states (..., n) from what is found for each; those too far from it are refused."""
    q, qd, qdd = _flat(*state)
    here, within = find(q, qd)
    off = apart(q, qd, here, scale)
    require_near(robot, q, qd, here, off, within, scale)
    rigid = np.where(np.isnan(off).any(axis=-1, keepdims=True), np.nan, here.torques(q, qd, qdd))
    return with_friction(robot, rigid, qd).reshape(state[0].shape).astype(state[0].dtype, copy=False)


def distances(state: tuple[Array, ...], find: Find, scale: Array) -> Array:
    """How far (..., 2) states are from what is found for each: in q and in qd."""
    q, qd, _ = _flat(*state)
    return apart(q, qd, find(q, qd)[0], scale).reshape(*state[0].shape[:-1], 2)


def _flat(*arrays: Array) -> list[Array]:
    """Arrays (..., n) as rows (K, n) in double precision."""
    return [each.reshape(-1, each.shape[-1]).astype(float) for each in arrays]


def search(points: int, n: int) -> Operations:
    """What finding the nearest of so many points takes on average: two leaves of the tree, and the way there."""
    looked = min(points, 2 * LEAF)
    way = ceil(log2(max(points / LEAF, 1.0)))
    return Operations(2 * n * looked, (4 * n - 1) * looked + way, lookups=2 * n * looked + way)


def use(n: int, derivatives: bool) -> Operations:
    """What torques from stored numbers take."""
    plain = Operations(n * n, n * n, lookups=n * n + n)
    if not derivatives:
        return plain
    more = n * n * (n + 2)
    return added(plain, Operations(more, more + 2 * n, lookups=more + 2 * n))
