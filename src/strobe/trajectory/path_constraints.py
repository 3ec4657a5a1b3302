"""What the limits of a robot say along paths: on torque, speed and acceleration.

Along a path q(s), with x the square of ṡ, the equations of motion are linear in s̈ and x:

    tau = a s̈ + b x + c,      a = M q',   b = M q'' + C(q, q') q',   c = g + Coulomb friction in the direction of q'

A path is cut into short steps of constant s̈, and the limits are kept at both ends of each (`controllable_sets` finds
the speeds). Viscous friction grows with √x; it is replaced by a line through its value at the speed found before, and
this is repeated until the speeds no longer change.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from strobe.errors import Advised, ArgumentError, ShapeError
from strobe.models.loops import require_open
from strobe.quantities.drives import COULOMB_SPEED
from strobe.trajectory.controllable_sets import Rows, Sets, controllable, fastest
from strobe.trajectory.motion import State
from strobe.trajectory.requests import COMPLETED

BOUNDS = {  # in Python, and on a command line
    "effort= or": "effort under [bounds], or --effort, or",
    "acceleration=": "acceleration under [bounds], or --acceleration",
}

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

SWEEPS = 12  # of speeds with friction, at most
SETTLED = 1e-6  # a change of speeds by this part of the largest is none
SHORTEST = 1e-6  # seconds; no path is passed in less
FAST = 1e6  # a speed at which Coulomb friction is all there
MARGIN = 1e-7  # the part of a limit that is left for rounding


class Bounds(NamedTuple):
    """What every joint must keep: (n,) each, infinite where there is no limit."""

    effort: Array
    velocity: Array
    acceleration: Array


def bounds_of(robot: Robot, effort: Any = None, velocity: Any = None, acceleration: Any = None) -> Bounds:
    """The limits of a robot, or others (one number, or one per joint); no joint may be without the first and last."""
    require_open(robot.model, "planning", COMPLETED)
    if not robot.coordinates.is_single:
        raise ArgumentError(
            f"{robot.name} has joints with {robot.coordinates.several}; motions are planned for joints with one "
            "position each."
        )
    given = {"effort": effort, "velocity": velocity, "acceleration": acceleration}
    bounds = Bounds(*(_per_joint(robot, name, value) for name, value in given.items()))
    for j, joint in enumerate(robot.joint_names):
        for name, values in zip(Bounds._fields, bounds, strict=True):
            if not values[j] > 0:
                raise ArgumentError(
                    f'the {name} limit of joint "{joint}" is {values[j]:g}; expected a number above zero.'
                )
        if np.isinf(bounds.effort[j]) and np.isinf(bounds.acceleration[j]):
            sentence = (
                f'joint "{joint}" of {robot.name} has no limit on its torque or its acceleration. '
                "Give effort= or acceleration= (one number, or one per joint)."
            )
            raise ArgumentError(Advised(sentence, BOUNDS))
    return bounds


def room_of(robot: Robot, lower: Any = None, upper: Any = None) -> tuple[Array, Array]:
    """Between which positions (n,) joints must be: the limits of a robot, or others."""
    return _per_joint(robot, "lower", lower), _per_joint(robot, "upper", upper)


def _per_joint(robot: Robot, name: str, given: Any) -> Array:
    values = np.asarray(getattr(robot.limits, name) if given is None else given, dtype=float)
    if values.shape not in ((), (robot.n,)):
        raise ShapeError(
            name, values.shape, f"one number, or ({robot.n},)", f"{robot.name} has {robot.n} joints"
        )
    return np.broadcast_to(values, robot.n)


# -- friction -----------------------------------------------------------------------------------------


class Friction:
    """The friction of a robot as a function of joint velocities (..., n), its two parts apart."""

    def __init__(self, robot: Robot) -> None:
        joints = [joint for joint in robot.model.joints for _ in range(joint.nv)]
        self.damping = np.array([joint.damping for joint in joints])
        self.forwards, self.backwards = np.array([joint.coulomb for joint in joints]).reshape(-1, 2).T
        self.rates = np.zeros((len(joints), robot.n))  # of all joints, from those of the independent ones
        for row, terms in zip(self.rates, robot.coordinates.velocities, strict=True):
            row[list(terms)] = list(terms.values())

    @property
    def viscous_too(self) -> bool:
        return bool(self.damping.any())

    @property
    def any(self) -> bool:
        return bool(self.damping.any() or self.forwards.any() or self.backwards.any())

    def viscous(self, qd: Array) -> Array:
        return (qd @ self.rates.T * self.damping) @ self.rates if self.viscous_too else np.zeros_like(qd)

    def coulomb(self, qd: Array) -> Array:
        if not (self.forwards.any() or self.backwards.any()):
            return np.zeros_like(qd)
        rates = qd @ self.rates.T
        size = np.where(rates < 0, self.backwards, self.forwards)
        return (np.clip(rates / COULOMB_SPEED, -1.0, 1.0) * size) @ self.rates

    def __call__(self, qd: Array) -> Array:
        return self.viscous(qd) + self.coulomb(qd)


# -- limits along a path ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Along:
    """B paths cut into N steps: q, q', q'' at both ends of each (N, B, 2, n), and what the robot does there."""

    robot: Robot
    bounds: Bounds
    friction: Friction
    ends: State
    widths: Array  # (N, B)
    rests: Array  # (N + 1,) where the motion rests

    @cached_property
    def coefficients(self) -> tuple[Array, Array, Array]:
        """a, b and the torques g that hold still, (N, B, 2, n) each, in one call."""
        q, first, second = self.ends
        none = np.zeros_like(q)
        torques = self.robot.inverse_dynamics(
            q, np.stack([none, first, none]), np.stack([first, second, none]), friction=False
        )
        return torques[0] - torques[2], torques[1] - torques[2], torques[2]

    @property
    def loads(self) -> Array:
        """Torques (N, B, 2, n) while moving slowly: gravity and Coulomb friction."""
        return self.coefficients[2] + self.friction.coulomb(FAST * self.ends.qd)

    @cached_property
    def top(self) -> Array:
        """The largest x (N + 1, B) under the limits on speed."""
        slopes = np.abs(self.ends.qd) / self.bounds.velocity
        ceiling = (np.sum(self.widths, axis=0) / SHORTEST) ** 2
        steepest = slopes.max(axis=-1)
        most = np.divide(1.0, steepest**2, out=np.full_like(steepest, np.inf), where=steepest**2 > 0)
        most = np.minimum(most, ceiling[:, None])
        top = np.concatenate([most[:1, :, 0], np.minimum(most[1:, :, 0], most[:-1, :, 1]), most[-1:, :, 1]])
        return np.where(self.rests[:, None], 0.0, top)

    def rows(self, x: Array | None = None) -> Rows:
        """The limits, with friction at speeds x (N + 1, B); not knowing them, Coulomb friction alone."""
        a, b, g = self.coefficients
        b, c = self._with_friction(b, g, x)
        _, first, second = self.ends
        torques = _scaled(a, b, c, self.bounds.effort, self.widths)
        accelerations = _scaled(first, second, 0 * first, self.bounds.acceleration, self.widths)
        alpha, beta, low, high = (
            np.concatenate(pair, axis=-1) for pair in zip(torques, accelerations, strict=True)
        )
        return Rows(alpha, beta, low, high, self.top).upright()

    def _with_friction(self, b: Array, g: Array, x: Array | None) -> tuple[Array, Array]:
        """b and c of the limits on torque.

        Viscous friction w √x is replaced by w (κ √x̄ + (1 − κ) x / √x̄): its tangent at x̄ where κ is a half, less
        where what then remains of it at rest would take more than half of the torque that is left.
        """
        first = self.ends.qd
        speed = np.where(self.rests[:, None], 0.0, FAST) if x is None else np.sqrt(x)
        speed = np.stack(np.broadcast_arrays(speed[:-1], speed[1:], self.widths)[:2], axis=-1)[..., None]
        c = g + self.friction.coulomb(first * speed)
        if x is None or not self.friction.viscous_too:
            return b, c
        w = self.friction.viscous(first)
        left, pull = np.maximum(self.bounds.effort - np.sign(w) * c, 0.0), np.abs(w) * speed
        kappa = np.divide(0.5 * left, pull, out=np.full_like(pull, 0.5), where=pull > left)
        slope = np.divide(w, speed, out=np.zeros_like(w), where=speed > 0)
        return b + (1 - kappa) * slope, c + kappa * speed * w

    def speeds(self, start: Array, end: Array, sweeps: int = SWEEPS) -> tuple[Array, Sets]:
        """The fastest x (N + 1, B) between given ones (B,) at the ends, and from where the end is reached.

        Where these sets do not hold the start there is no such motion, and x means nothing.
        """
        x, known = self.top, False
        while True:
            rows = self.rows(x if known else None)
            sets = controllable(rows, end)
            if not sets.hold(start).all():
                return x, sets
            before, x = x, fastest(rows, sets, start)
            sweeps -= 1
            if not self.friction.any or sweeps < 1 or (known and _settled(before, x)):
                return x, sets
            known = True


def _scaled(a: Array, b: Array, c: Array, limit: Array, widths: Array) -> tuple[Array, ...]:
    """Rows of |a s̈ + b x + c| < limit, where there is one, at both ends (N, B, 2, n) of steps: s̈ = Δx / 2 width."""
    j = np.isfinite(limit)
    double = 2 * widths[..., None]
    a, b, c = (part[..., j] / limit[j] for part in (a, double[..., None] * b, c))
    (a0, a1), (b0, b1) = (np.moveaxis(part, -2, 0) for part in (a, b))
    c = np.concatenate([c[..., 0, :], c[..., 1, :]], axis=-1)
    alpha, beta = np.concatenate([b0 - a0, -a1], axis=-1), np.concatenate([a0, a1 + b1], axis=-1)
    low, high = np.minimum(MARGIN - 1 - c, 0.0), np.maximum(1 - MARGIN - c, 0.0)
    return alpha, beta, double * low, double * high


def _settled(before: Array, x: Array) -> bool:
    before, x = np.sqrt(before), np.sqrt(x)
    return bool((np.abs(x - before).max(axis=0) <= SETTLED * x.max(axis=0)).all())


def step_times(x: Array, widths: Array) -> Array:
    """How long every step (N, B) takes."""
    speed = np.sqrt(x)
    return 2 * widths / (speed[:-1] + speed[1:])
