"""The hand in its own coordinates: where a frame is, how it is turned, and how both change; base axes.

    ṗ = J_v q̇       ω = J_ω q̇       S(ω) = Ṙ Rᵀ       rates of named angles = B ω,  which are not ω

The geometric Jacobian (J_v, J_ω) is `Robot.jacobian`; the analytic one, (J_v, B J_ω), depends on the angles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.runtime.arrays import batch_shape, checked
from strobe.errors import ArgumentError
from strobe.kinematics.orientation import (
    Angles,
    checked_angles,
    checked_rotation,
    first_of,
    named_angles,
)
from strobe.kinematics.screws import rigid
from strobe.models.default_frame import hands
from strobe.show.sheet import Sheet, Table, displayed, listed, spread, states

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

PARALLEL = 1e-9  # points whose directions differ by less do not say how a body turns about them


@displayed
@dataclass(frozen=True, eq=False)
class Hand:
    """A frame in base axes: position and orientation, and their rates where a motion was given.

    ``angles`` and ``angle_rates`` are NaN where the named angles do not exist; see ``defined``.
    """

    position: Array  # (..., 3)
    orientation: Array  # (..., 3, 3)
    named: str  # which angles: "waters", "rpy", "rotation-vector", "quaternion"
    angles: Array  # (..., 3), of a quaternion (..., 4)
    velocity: Array | None = None  # (..., 3)
    angular_velocity: Array | None = None  # (..., 3)
    angle_rates: Array | None = None  # as angles

    @property
    def pose(self) -> Array:
        """(..., 4, 4)"""
        return rigid(self.orientation, self.position)

    @property
    def twist(self) -> Array:
        """Velocity, then angular velocity (..., 6)."""
        if self.velocity is None or self.angular_velocity is None:
            raise ArgumentError("this hand has no velocity: give qd, a twist, or rates with the position.")
        return np.concatenate(np.broadcast_arrays(self.velocity, self.angular_velocity), axis=-1)

    @property
    def defined(self) -> Array:
        """(...) whether the named angles, and their rates where there is a motion, exist here."""
        known = np.isfinite(self.angles).all(-1)
        if self.angle_rates is not None:
            known = known & np.isfinite(self.angle_rates).all(-1)
        return np.asarray(known)

    def named_by(self, angles: str) -> Hand:
        """The same hand with other angles."""
        twist = None if self.velocity is None else self.twist
        return _of(self.position, self.orientation, twist, named_angles(angles))

    def _sheet(self) -> Sheet:
        chosen, batch = named_angles(self.named), self.position.shape[:-1]
        unit = "" if self.named == "quaternion" else "rad"
        rows = [
            ("position", self.position, "m"),
            (f"{chosen.name} ({', '.join(chosen.labels)})", self.angles, unit),
        ]
        if self.velocity is not None:
            rows += [
                ("velocity", self.velocity, "m/s"),
                ("angular velocity", self.angular_velocity, "rad/s"),
            ]
            rows += [("rates of the angles", self.angle_rates, f"{unit}/s" if unit else "1/s")]
        table = Table(["", *(["least", "largest"] if batch else ["x, y, z"]), "unit"], [
            [name, *(map(listed, spread(x)) if batch else [listed(x)]), unit] for name, x, unit in rows
        ])  # fmt: skip
        lacking = [] if self.defined.all() else [f"not defined where {chosen.undefined}"]
        at = f"at {listed(self.position)} m" if not batch else f"{states(batch).strip()}"
        return Sheet(f"the hand {at}, base axes", [table, *lacking])


def hand(robot: Robot, q: Any, qd: Any = None, frame: str | None = None, angles: str = "waters") -> Hand:
    """Where a frame (the tip if none is named) is at q, and how it moves with qd; one that rests moves with 0."""
    chosen = named_angles(angles)
    T = robot.forward_kinematics(q, frame)
    twist = None
    if qd is not None:
        rates = checked("qd", qd, (robot.nv,), f"{robot.name} has {robot.nv} degrees of freedom")
        still = frame is not None and robot.model.frame(frame).name not in robot.moving_frames
        J = np.zeros((*T.shape[:-2], 6, robot.nv)) if still else robot.jacobian(q, frame)
        batch_shape({"q": J[..., 0, :], "qd": rates})
        twist = np.einsum("...ij,...j->...i", J, rates)
    return _of(T[..., :3, 3], T[..., :3, :3], twist, chosen)


def hand_at(pose: Any, twist: Any = None, angles: str = "waters") -> Hand:
    """The hand at poses (..., 4, 4), moving with velocity and angular velocity (..., 6), base axes."""
    T = checked("pose", pose, (4, 4), "a pose is a 4×4 matrix")
    R = checked_rotation(T[..., :3, :3], "the rotation of pose")
    moving = None if twist is None else checked_twist(twist)
    return _of(T[..., :3, 3], R, moving, named_angles(angles))


def hand_from(
    position: Any, angles: Any, named: str = "waters", velocity: Any = None, angle_rates: Any = None
) -> Hand:
    """The hand at a position (..., 3) with named angles, moving with a velocity and rates of these angles."""
    chosen = named_angles(named)
    p = checked("position", position, (3,), "it is a point in base axes").astype(float, copy=False)
    here = checked_angles(angles, chosen)
    R = chosen.matrix(here)
    if velocity is None and angle_rates is None:
        return Hand(p, R, named, here)
    if velocity is None or angle_rates is None:
        raise ArgumentError("velocity= and angle_rates= belong together: give both, zeros for what rests.")
    v = checked("velocity", velocity, (3,), "it is the velocity of a point in base axes")
    rates = checked_angles(angle_rates, chosen, "angle_rates")
    turning = np.einsum("...ij,...j->...i", chosen.velocity(here, R), rates)
    return Hand(p, R, named, here, v.astype(float, copy=False), turning, rates)


def astray(robot: Robot, q: Any, wanted: Any, frame: str | None = None) -> Array:
    """Metres (...) between where a frame, the tip, is at two positions; of several tips the one farthest off."""
    named = hands(robot.model) if frame is None else (frame,)
    apart = [robot.forward_kinematics(q, each) - robot.forward_kinematics(wanted, each) for each in named]
    return np.max([np.linalg.norm(off[..., :3, 3], axis=-1) for off in apart], axis=0)


def analytic_jacobian(robot: Robot, q: Any, frame: str | None = None, angles: str = "rpy") -> Array:
    """(..., 6, n), of a quaternion (..., 7, n): linear velocity, then rates of the named angles; NaN without them."""
    chosen = named_angles(angles)
    J, R = robot.jacobian(q, frame), robot.forward_kinematics(q, frame)[..., :3, :3]
    B = chosen.rates(chosen.of_matrix(R), R)
    return np.concatenate([J[..., :3, :], B @ J[..., 3:, :]], axis=-2)


def angular_velocity(points: Any, velocities: Any) -> Array:
    """ω (..., 3) of a body from k of its points and their velocities (..., k, 3), both relative to one more point.

    Least squares: Σ (|r|² 1 − r rᵀ) ω = Σ r × v. A single point, or several on one line, cannot tell how the
    body turns about that line, and are refused.
    """
    r, v = _points("points", points), _points("velocities", velocities)
    if r.shape[-2] != v.shape[-2]:
        raise ArgumentError(
            f"there are {r.shape[-2]} points and {v.shape[-2]} velocities; expected one velocity per point."
        )
    r, v = np.broadcast_arrays(r, v)
    squares = np.einsum("...ki,...kj->...ij", r, r)
    left = np.trace(squares, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - squares
    known = np.isfinite(left).all((-1, -2))
    spread = np.linalg.eigvalsh(np.where(known[..., None, None], left, np.eye(3)))
    along = known & (spread[..., 0] <= PARALLEL**2 * spread[..., 2])
    if along.any():
        raise ArgumentError(
            f"points{first_of(along)[0]} lie on one line through the reference point, and do not say how the body "
            "turns about it. Give at least two points in different directions."
        )
    turned = np.cross(r, v).sum(axis=-2)
    solved = np.linalg.solve(np.where(known[..., None, None], left, np.eye(3)), turned[..., None])[..., 0]
    return np.where(known[..., None], solved, np.nan)


def checked_twist(twist: Any, size: int = 6, name: str = "twist") -> Array:
    """Rates of the hand as an array (..., size)."""
    why = "it is a linear and an angular part in base axes" if size == 6 else f"{size} rows were asked for"
    return checked(name, twist, (size,), why).astype(float, copy=False)


def _of(position: Array, R: Array, twist: Array | None, chosen: Angles) -> Hand:
    angles = chosen.of_matrix(R)
    if twist is None:
        return Hand(position, R, chosen.name, angles)
    turning = twist[..., 3:]
    rates = np.einsum("...ij,...j->...i", chosen.rates(angles, R), turning)
    return Hand(position, R, chosen.name, angles, twist[..., :3], turning, rates)


def _points(name: str, value: Any) -> Array:
    array = checked(name, value, (3,), "each is a vector in base axes").astype(float, copy=False)
    if array.ndim < 2:
        raise ArgumentError(
            f"{name} has shape {array.shape}; expected (..., k, 3), k vectors, two or more."
        )
    return array
