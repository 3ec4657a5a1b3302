"""Velocities and accelerations of the joints behind those of the hand.

    J q̇ = (ṗ, ω)                  (Whitney) solved, never inverted       J q̈ = (p̈, ω̇) − J̇ q̇

With the singular value decomposition J = Σ σ u vᵀ the joint rates are Σ σ/(σ² + λ²) v (u · twist): of least norm
where there are more joints than rows, of least residual where there are fewer. Near a singularity an undamped rate
grows as 1/σ; a damping λ bounds it by |twist|/(2λ) and pays with a residual, which is returned. At a singularity
(σ below a part `RANK` of the largest) the direction u is left out, and what was asked of it is in the residual.
A square J that is far from singular is solved by elimination, which takes less time.

By differences, as in [Waters1979]: the hand is moved by a small time's worth of the twist, the position is inverted,
and the joints' way is divided by the time; an error of first order, of second by central differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import batch_shape, checked, in_precision, precision
from strobe.errors import ArgumentError, counted
from strobe.kinematics.end_effector import checked_twist
from strobe.kinematics.manipulability import (
    RANK,
    chosen_rows,
    decomposed,
    rows_of,
    singular_values,
)
from strobe.kinematics.orientation import rotation_vector_matrix
from strobe.kinematics.screws import rigid
from strobe.kinematics.solutions import Solutions
from strobe.models.arguments import require_above, require_text
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Column, Sheet, by_joint, displayed, number, numbered, states
from strobe.show.units import EITHER

Array = np.ndarray
Inverse = Callable[[Array], Any]  # poses (..., 4, 4) -> `Solutions`, or positions (..., K, nq), else NaN

METHODS = ("jacobian", "difference")
SCHEMES = ("forward", "central")
ROUNDED = 16  # units in the last place of a Jacobian: a singular value below them is rounding
SOUND = 1e6  # the condition up to which elimination is trusted


@displayed
@dataclass(frozen=True, eq=False)
class Resolved:
    """Rates of the joints behind rates of the hand: velocities, or accelerations."""

    joints: Array  # (..., n)
    residual: Array  # (..., m) what was asked of the hand less what it gets
    jacobian: Array  # (..., m, n) the rows that were asked for
    error: Array | None = None  # (..., n) of a difference approximation, against the Jacobian

    @cached_property
    def singular_values(self) -> Array:
        """(..., min(m, n)) of the Jacobian, largest first."""
        return singular_values(self.jacobian)

    @property
    def singular(self) -> Array:
        """(...) whether the hand cannot be moved in some of the directions that the joints allow elsewhere."""
        rounding = max(RANK, ROUNDED * float(np.finfo(self.jacobian.dtype).eps))
        return self.singular_values[..., -1] <= rounding * self.singular_values[..., 0]

    def _sheet(self) -> Sheet:
        columns = [Column("rate", self.joints, f"{EITHER}, per s or s²")]
        columns += [] if self.error is None else [Column("error", self.error)]
        off = number(float(np.max(np.abs(self.residual), initial=0.0)))
        singular = int(np.sum(self.singular))
        head = f"rates of {counted(self.joints.shape[-1], 'joint')}{states(self.joints.shape[:-1])}"
        notes = [f"what is asked of the hand and not met: at most {off} (m and rad, per s or s²)"]
        notes += [f"singular at {counted(singular, 'state')}"] if singular else []
        return Sheet(head, [by_joint(numbered("", self.joints.shape[-1]), columns), *notes])


def inverse_velocity(
    robot: Robot, q: Any, twist: Any, frame: str | None = None, *, damping: float = 0.0,
    of: str | Sequence[str] = "all", preferred: Any = None, method: str = "jacobian",
    dt: float = 1e-4, scheme: str = "central", inverse: Inverse | None = None,
) -> Resolved:  # fmt: skip
    """Joint velocities that move a frame with a twist (..., m), the rows ``of`` linear and angular velocity.

    ``preferred`` (..., n) is a joint velocity that a redundant arm follows as far as the hand does not notice.
    ``method="difference"`` takes a step ``dt`` through the position inverse (``inverse``, or the robot's own) instead
    of the Jacobian, and shows its error; NaN where the moved hand is out of reach.
    """
    require_robot(robot)
    if require_text("method", method) not in METHODS:
        raise ArgumentError(f'method is "{method}"; expected one of {", ".join(METHODS)}.')
    asked = checked_twist(twist, len(rows_of(of)))
    J = chosen_rows(robot, q, frame, of)
    exact = resolved(J, asked, damping, _preferred(robot, preferred))
    dtype = precision(q, twist, preferred)
    if method == "jacobian":
        return in_precision(exact, dtype)
    if len(rows_of(of)) < 6 or damping or preferred is not None:
        raise ArgumentError(
            'method="difference" moves the whole hand: it takes no damping=, preferred= or rows other than of="all".'
        )
    rates = _by_difference(robot, q, asked, frame, dt, scheme, inverse)
    reached = np.einsum("...ij,...j->...i", J, rates)
    return in_precision(Resolved(rates, asked - reached, J, rates - exact.joints), dtype)


def inverse_acceleration(
    robot: Robot, q: Any, qd: Any, acceleration: Any, frame: str | None = None, *, damping: float = 0.0,
    of: str | Sequence[str] = "all", preferred: Any = None,
) -> Resolved:  # fmt: skip
    """Joint accelerations J⁻¹(a − J̇ q̇) that accelerate a frame by (p̈, ω̇), rows and keywords as `inverse_velocity`."""
    require_robot(robot)
    rows = rows_of(of)
    asked = checked_twist(acceleration, len(rows), "acceleration")
    rates = checked("qd", qd, (robot.nv,), f"{robot.name} has {robot.nv} degrees of freedom")
    carried = np.einsum("...ij,...j->...i", robot.jacobian_dot(q, rates, frame)[..., rows, :], rates)
    batch_shape({"q": carried, "acceleration": asked})
    found = resolved(
        chosen_rows(robot, q, frame, of), asked - carried, damping, _preferred(robot, preferred)
    )
    return in_precision(found, precision(q, qd, acceleration, preferred))


def resolved(J: Array, asked: Array, damping: float = 0.0, preferred: Array | None = None) -> Resolved:
    """The joint rates of least norm behind rates of the hand; of ``preferred`` what the hand does not notice."""
    damping = require_above("damping", damping, "a number that is not negative", or_zero=True)
    if J.shape[-2] == J.shape[-1] and not damping and preferred is None:
        joints = _eliminated(J, asked)
    else:
        joints = _spread(J, asked, damping, preferred)
    return Resolved(joints, asked - np.einsum("...ij,...j->...i", J, joints), J)


def _eliminated(J: Array, asked: Array) -> Array:
    """J⁻¹ asked by elimination; by singular values where J is singular, or nearly."""
    with np.errstate(invalid="ignore"):
        regular = np.abs(np.linalg.det(J)) > 0  # there is a pivot in every column, and no NaN
    one = np.eye(J.shape[-1])
    safe = np.where(regular[..., None, None], J, one)
    growth = np.linalg.norm(np.linalg.solve(safe, np.broadcast_to(one, J.shape)), axis=(-1, -2))
    sound = regular & (np.linalg.norm(safe, axis=(-1, -2)) * growth < SOUND)
    joints = np.linalg.solve(safe, asked[..., None])[..., 0]
    odd = ~np.broadcast_to(sound, joints.shape[:-1])
    if odd.any():
        Js, rights = np.broadcast_to(J, (*odd.shape, *J.shape[-2:])), np.broadcast_to(asked, joints.shape)
        joints[odd] = _spread(Js[odd], rights[odd], 0.0, None)
    return joints


def _spread(J: Array, asked: Array, damping: float, preferred: Array | None) -> Array:
    """Σ σ/(σ² + λ²) v (u · asked), and of ``preferred`` what J does not notice."""
    given = {"q": J[..., 0, :], "twist": asked, "preferred": preferred}
    batch_shape({name: array for name, array in given.items() if array is not None})
    U, values, V = decomposed(J)
    k = values.shape[-1]
    regular = values > RANK * values[..., :1]
    gains = np.where(regular, values, 0.0) / np.where(regular, values**2 + damping**2, 1.0)
    gains = np.where(np.isnan(values), np.nan, gains)
    along = np.einsum("...ik,...i->...k", U[..., :k], asked)
    joints = np.einsum("...kj,...k->...j", V[..., :k, :], gains * along)
    if preferred is not None:
        seen = np.einsum("...kj,...j->...k", V[..., :k, :], preferred) * regular
        joints = joints + preferred - np.einsum("...kj,...k->...j", V[..., :k, :], seen)
    return joints


def _by_difference(
    robot: Robot, q: Any, twist: Array, frame: str | None, dt: float, scheme: str, inverse: Inverse | None
) -> Array:
    """(q(+dt) − q)/dt, or (q(+dt) − q(−dt))/2dt, along the branch nearest to q."""
    if scheme not in SCHEMES:
        raise ArgumentError(f'scheme is "{scheme}"; expected one of {", ".join(SCHEMES)}.')
    dt = require_above("dt", dt, "a positive time in seconds")
    if not robot.coordinates.is_single:
        several = robot.coordinates.several
        raise ArgumentError(f"{robot.name} has joints with {several}, whose ways are no differences.")
    T = robot.forward_kinematics(q, frame)
    solve = inverse or (lambda pose: robot.inverse_kinematics(pose, frame, q0=q, limits=False))
    here = np.asarray(q, dtype=float)
    after = _way(robot, here, solve(moved(T, twist, dt)))
    if scheme == "forward":
        return after / dt
    return (after - _way(robot, here, solve(moved(T, twist, -dt)))) / (2 * dt)


def moved(pose: Array, twist: Array, dt: float) -> Array:
    """The hand after a time: its position shifted by ṗ dt, its orientation multiplied by exp(S(ω) dt)."""
    turn = rotation_vector_matrix(twist[..., 3:] * dt)
    return rigid(turn @ pose[..., :3, :3], pose[..., :3, 3] + twist[..., :3] * dt)


def _way(robot: Robot, q: Array, found: Any) -> Array:
    """From q to the nearest of the positions found, angles by the shorter way; NaN where none was found."""
    every = found.q if isinstance(found, Solutions) else np.asarray(found, dtype=float)
    ways = every - q[..., None, :]
    turning = np.array([joint.turns for joint in robot.coordinates.joints])
    ways = np.where(turning, ways - 2 * np.pi * np.round(ways / (2 * np.pi)), ways)
    lengths = np.linalg.norm(ways, axis=-1)
    nearest = np.argmin(np.where(np.isnan(lengths), np.inf, lengths), axis=-1)
    return np.take_along_axis(ways, nearest[..., None, None], axis=-2)[..., 0, :]


def _preferred(robot: Robot, preferred: Any) -> Array | None:
    if preferred is None:
        return None
    why = f"it is a joint velocity and {robot.name} has {robot.nv} degrees of freedom"
    return checked("preferred", preferred, (robot.nv,), why).astype(float, copy=False)
