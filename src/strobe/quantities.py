"""What can be asked of a robot, each a function over numbers.

A formulation gives the rigid-body part; rotor inertia, friction, external wrenches and couplings are
added around it here, never inside:

    M qdd + C qd + g + friction(qd) = tau + Σ Jᵀ F
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial, reduce

from strobe.algebra import Vec3, ldl_solve
from strobe.formulations import formulation, kinematics, strobing
from strobe.models.couplings import coordinates
from strobe.models.model import Model
from strobe.scalars import Num, Numbers, less, maximum, minimum, where

LEAST_PIVOT = 1e-12  # a pivot of the mass matrix below this part of its diagonal entry is no inertia
LEAST_INERTIA = 1e-26  # nor is one below this part of the largest: the square of a rounded length
COULOMB_SPEED = 1e-3  # below this speed (rad/s, m/s) Coulomb friction grows linearly from zero


@dataclass(frozen=True, slots=True)
class Options:
    """How a quantity is asked for; part of what identifies a kernel."""

    formulation: str | None = None
    friction: bool = True
    wrenches: Mapping[str, Numbers] = field(default_factory=dict)  # frame -> force and moment on the robot
    gravity: Numbers | None = None  # instead of the robot's own


def inverse_dynamics(model: Model, o: Options, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """tau behind a motion."""
    x = coordinates(model)
    q, qd, qdd = x.expand(q), x.expand_rates(qd), x.expand_rates(qdd)
    tau = formulation(o.formulation).inverse_dynamics(_weighted(model, o), q, qd, qdd)
    rotor = _rotor_inertias(model)
    tau = [t + a * r for t, a, r in zip(tau, qdd, rotor, strict=True)]
    return x.reduce(_minus(_plus(tau, _friction(model, o, qd)), _external(model, o, q)))


def forward_dynamics(model: Model, o: Options, q: Numbers, qd: Numbers, tau: Numbers) -> list[Num]:
    """qdd that follows from torques."""
    x = coordinates(model)
    M = mass_matrix(model, o, q)
    h = bias(model, o, q, qd)
    full, rates = x.expand(q), x.expand_rates(qd)
    loads = _minus(_external(model, o, full), _friction(model, o, rates))
    right = _minus(_plus(tau, x.reduce(loads)), h)
    largest = reduce(maximum, (M[i][i] for i in range(x.nv)))
    guard = partial(_sound, largest)
    return ldl_solve(M, right, model.dof_parents if x.trivial else range(-1, x.nv - 1), guard)


def mass_matrix(model: Model, o: Options, q: Numbers) -> list[list[Num]]:
    """M(q), rotor inertia included."""
    x = coordinates(model)
    M = strobing.mass_matrix(formulation(o.formulation).inverse_dynamics, model, x.expand(q))
    for i, inertia in enumerate(_rotor_inertias(model)):
        M[i][i] = M[i][i] + inertia
    return x.reduce_matrix(M)


def coriolis_matrix(model: Model, o: Options, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """C(q, qd), the Christoffel matrix."""
    x = coordinates(model)
    ID = formulation(o.formulation).inverse_dynamics
    return x.reduce_matrix(strobing.coriolis_matrix(ID, model, x.expand(q), x.expand_rates(qd)))


def gravity(model: Model, o: Options, q: Numbers) -> list[Num]:
    """The torques that hold the robot still."""
    x = coordinates(model)
    ID = formulation(o.formulation).inverse_dynamics
    return x.reduce(strobing.gravity(ID, _weighted(model, o), x.expand(q)))


def bias(model: Model, o: Options, q: Numbers, qd: Numbers) -> list[Num]:
    """C(q, qd) qd + g(q): the rigid-body torques without acceleration."""
    x = coordinates(model)
    ID = formulation(o.formulation).inverse_dynamics
    return x.reduce(ID(_weighted(model, o), x.expand(q), x.expand_rates(qd), [0.0] * model.nv))


def forward_kinematics(model: Model, frame: str, q: Numbers) -> list[list[Num]]:
    """The 4×4 placement of a frame in base axes."""
    pose = kinematics.frame_pose(model, coordinates(model).expand(q), model.frame(frame))
    return [list(row) for row in pose.matrix().rows]


def jacobian(model: Model, frame: str, q: Numbers) -> list[list[Num]]:
    """Six rows: linear velocity of the frame's origin, angular velocity, base axes."""
    x = coordinates(model)
    return x.reduce_columns(kinematics.jacobian(model, x.expand(q), model.frame(frame)))


def integrate(model: Model, q: Numbers, v: Numbers, dt: Num) -> list[Num]:
    """The position after velocity v has acted for a time dt."""
    step = [rate * dt for rate in v]
    return [number for joint in coordinates(model).joints for number in joint.integrate(q, step)]


def difference(model: Model, q0: Numbers, q1: Numbers) -> list[Num]:
    """The velocity that leads from q0 to q1 in unit time."""
    return [number for joint in coordinates(model).joints for number in joint.difference(q0, q1)]


def _sound(largest: Num, pivot: Num, diagonal: Num) -> Num:
    """The pivot, or NaN where it is nothing but rounding: of the diagonal entry it came from, or of that itself."""
    least = maximum(diagonal * LEAST_PIVOT, largest * LEAST_INERTIA)
    return where(less(least, pivot), pivot, math.nan)


def _weighted(model: Model, o: Options) -> Model:
    return model if o.gravity is None else model.with_gravity(Vec3(*o.gravity))


def _rotor_inertias(model: Model) -> list[float]:
    return [joint.rotor_inertia for joint in model.joints for _ in range(joint.nv)]


def _external(model: Model, o: Options, q: Numbers) -> list[Num]:
    """Σ Jᵀ F."""
    total: list[Num] = [0.0] * model.nv
    for frame, wrench in o.wrenches.items():
        total = _plus(total, kinematics.joint_torques(model, q, model.frame(frame), wrench))
    return total


def _friction(model: Model, o: Options, qd: Numbers) -> list[Num]:
    """damping · qd + coulomb · clip(qd / v0, −1, 1), per degree of freedom."""
    if not o.friction:
        return [0.0] * model.nv
    torques: list[Num] = []
    for joint in model.joints:
        forwards, backwards = joint.coulomb
        for rate in joint.rates(qd):
            torque = rate * joint.damping
            if forwards or backwards:
                ramp = maximum(minimum(rate * (1.0 / COULOMB_SPEED), 1.0), -1.0)
                size = forwards if forwards == backwards else where(less(rate, 0.0), backwards, forwards)
                torque = torque + ramp * size
            torques.append(torque)
    return torques


def _plus(a: Numbers, b: Numbers) -> list[Num]:
    return [x + y for x, y in zip(a, b, strict=True)]


def _minus(a: Numbers, b: Numbers) -> list[Num]:
    return [x - y for x, y in zip(a, b, strict=True)]
