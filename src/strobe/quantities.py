"""What can be asked of a robot, each a function over numbers.

A formulation gives the rigid-body part; rotor inertia, friction, external wrenches and couplings are
added around it here, never inside:

    M qdd + C qd + g + friction(qd) = tau + Σ Jᵀ F
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any

from strobe.algebra import Vec3, ldl_solve
from strobe.formulations import FORMULATIONS, composite_body, formulation, kinematics, strobing
from strobe.models.couplings import Coordinates, coordinates
from strobe.models.model import Frame, Model
from strobe.models.regroup import regrouped
from strobe.scalars import Num, Numbers, less, maximum, minimum, where

LEAST_PIVOT = 1e-12  # a pivot of the mass matrix below this part of its diagonal entry is no inertia
LEAST_INERTIA = 1e-26  # nor is one below this part of the largest: the square of a rounded length
CHEAPEST = FORMULATIONS["newton-euler-armstrong"]  # fewest operations, once regrouped and shared
COULOMB_SPEED = 1e-3  # below this speed (rad/s, m/s) Coulomb friction grows linearly from zero


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a robot: with the model, all that a kernel needs to know."""

    quantity: str
    formulation: str | None = None  # None: the cheapest
    friction: bool = True
    loaded: tuple[str, ...] = ()  # the frames that wrenches act on
    gravity: bool = False  # whether gravity is an input instead of the robot's own
    frame: str | None = None  # the frame asked about

    def inputs(self, model: Model) -> dict[str, int]:
        """The vectors that the quantity takes, by name, with their sizes."""
        x = coordinates(model)
        sizes = {"q": x.nq, "q0": x.nq, "q1": x.nq, "dt": 1}
        names = {name: sizes.get(name, x.nv) for name in QUANTITIES[self.quantity].states}
        names |= {f"wrench {frame}": 6 for frame in self.loaded}
        return names | {"gravity": 3} if self.gravity else names

    def shape(self, model: Model) -> tuple[int, ...]:
        """The shape of the result for one state."""
        x = coordinates(model)
        sizes = {"n": x.nv, "q": x.nq}
        return tuple(sizes.get(d, 0) or int(d) for d in QUANTITIES[self.quantity].result)

    def evaluate(self, model: Model, **numbers: Numbers) -> Any:
        """The quantity over numbers of the model's system, as nested lists."""
        quantity = QUANTITIES[self.quantity]
        if self.gravity:
            model = model.with_gravity(Vec3(*numbers["gravity"]))
        loads = {frame: numbers[f"wrench {frame}"] for frame in self.loaded}
        return quantity.function(Asked(model, self, loads), *(numbers[name] for name in quantity.states))


@dataclass(frozen=True)
class Asked:
    """A request at work on a model: the methods to use and the wrenches that act."""

    model: Model
    request: Request
    wrenches: Mapping[str, Numbers]

    @property
    def coordinates(self) -> Coordinates:
        return coordinates(self.model)

    def inverse_dynamics(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        """The rigid-body torques, by the method asked for or by the cheapest."""
        if self.request.formulation is not None:
            return formulation(self.request.formulation).inverse_dynamics(self.model, q, qd, qdd)
        return CHEAPEST.inverse_dynamics(regrouped(self.model), q, qd, qdd)

    def mass_matrix(self, q: Numbers) -> list[list[Num]]:
        """The rigid-body mass matrix: by composite bodies, or strobed through the method asked for."""
        if self.request.formulation is None:
            return composite_body.mass_matrix(regrouped(self.model), q)
        method = formulation(self.request.formulation)
        own = getattr(method.module, "mass_matrix", None)
        return own(self.model, q) if own else strobing.mass_matrix(method.inverse_dynamics, self.model, q)


def inverse_dynamics(asked: Asked, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """tau behind a motion."""
    x = asked.coordinates
    q, qd, qdd = x.expand(q), x.expand_rates(qd), x.expand_rates(qdd)
    tau = asked.inverse_dynamics(q, qd, qdd)
    tau = [t + a * r for t, a, r in zip(tau, qdd, _rotor_inertias(asked.model), strict=True)]
    return x.reduce(_minus(_plus(tau, _friction(asked, qd)), _external(asked, q)))


def forward_dynamics(asked: Asked, q: Numbers, qd: Numbers, tau: Numbers) -> list[Num]:
    """qdd that follows from torques; NaN where the mass matrix is singular."""
    x = asked.coordinates
    M, h = mass_matrix(asked, q), bias(asked, q, qd)
    loads = _minus(_external(asked, x.expand(q)), _friction(asked, x.expand_rates(qd)))
    right = _minus(_plus(tau, x.reduce(loads)), h)
    guard = partial(_sound, reduce(maximum, (M[i][i] for i in range(x.nv))))
    return ldl_solve(M, right, asked.model.dof_parents if x.trivial else range(-1, x.nv - 1), guard)


def mass_matrix(asked: Asked, q: Numbers) -> list[list[Num]]:
    """M(q), rotor inertia included."""
    x = asked.coordinates
    M = asked.mass_matrix(x.expand(q))
    for i, inertia in enumerate(_rotor_inertias(asked.model)):
        M[i][i] = M[i][i] + inertia
    return x.reduce_matrix(M)


def coriolis_matrix(asked: Asked, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """C(q, qd), the Christoffel matrix."""
    x = asked.coordinates
    q, qd = x.expand(q), x.expand_rates(qd)
    return x.reduce_matrix(strobing.coriolis_matrix(_method(asked), _plain(asked), q, qd))


def gravity(asked: Asked, q: Numbers) -> list[Num]:
    """The torques that hold the robot still."""
    x = asked.coordinates
    still = [0.0] * asked.model.nv
    return x.reduce(asked.inverse_dynamics(x.expand(q), still, still))


def bias(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """C(q, qd) qd + g(q): the rigid-body torques without acceleration."""
    x = asked.coordinates
    return x.reduce(asked.inverse_dynamics(x.expand(q), x.expand_rates(qd), [0.0] * asked.model.nv))


def _method(asked: Asked) -> Any:
    name = asked.request.formulation
    return (CHEAPEST if name is None else formulation(name)).inverse_dynamics


def _plain(asked: Asked) -> Model:
    return asked.model if asked.request.formulation is not None else regrouped(asked.model)


def forward_kinematics(asked: Asked, q: Numbers) -> list[list[Num]]:
    """The 4×4 placement of a frame in base axes."""
    pose = kinematics.frame_pose(asked.model, asked.coordinates.expand(q), _frame(asked))
    return [list(row) for row in pose.matrix().rows]


def jacobian(asked: Asked, q: Numbers) -> list[list[Num]]:
    """Six rows: linear velocity of the frame's origin, angular velocity, base axes."""
    x = asked.coordinates
    return x.reduce_columns(kinematics.jacobian(asked.model, x.expand(q), _frame(asked)))


def integrate(asked: Asked, q: Numbers, v: Numbers, dt: Numbers) -> list[Num]:
    """The position after velocity v has acted for a time dt."""
    step = [rate * dt[0] for rate in v]
    return [number for joint in asked.coordinates.joints for number in joint.integrate(q, step)]


def difference(asked: Asked, q0: Numbers, q1: Numbers) -> list[Num]:
    """The velocity that leads from q0 to q1 in unit time."""
    return [number for joint in asked.coordinates.joints for number in joint.difference(q0, q1)]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One thing to ask: its function, the states it takes, and the shape of its result (n: nv, q: nq)."""

    function: Callable[..., Any]
    states: tuple[str, ...]
    result: tuple[str, ...]


QUANTITIES: dict[str, Quantity] = {
    "inverse_dynamics": Quantity(inverse_dynamics, ("q", "qd", "qdd"), ("n",)),
    "forward_dynamics": Quantity(forward_dynamics, ("q", "qd", "tau"), ("n",)),
    "mass_matrix": Quantity(mass_matrix, ("q",), ("n", "n")),
    "coriolis_matrix": Quantity(coriolis_matrix, ("q", "qd"), ("n", "n")),
    "gravity": Quantity(gravity, ("q",), ("n",)),
    "bias": Quantity(bias, ("q", "qd"), ("n",)),
    "forward_kinematics": Quantity(forward_kinematics, ("q",), ("4", "4")),
    "jacobian": Quantity(jacobian, ("q",), ("6", "n")),
    "integrate": Quantity(integrate, ("q", "v", "dt"), ("q",)),
    "difference": Quantity(difference, ("q0", "q1"), ("n",)),
}


def _frame(asked: Asked) -> Frame:
    return asked.model.frame(asked.request.frame or asked.model.frames[-1].name)


def _sound(largest: Num, pivot: Num, diagonal: Num) -> Num:
    """The pivot, or NaN where it is nothing but rounding: of the diagonal entry it came from, or of that itself."""
    least = maximum(diagonal * LEAST_PIVOT, largest * LEAST_INERTIA)
    return where(less(least, pivot), pivot, math.nan)


def _rotor_inertias(model: Model) -> list[float]:
    return [joint.rotor_inertia for joint in model.joints for _ in range(joint.nv)]


def _external(asked: Asked, q: Numbers) -> list[Num]:
    """Σ Jᵀ F."""
    model = asked.model
    total: list[Num] = [0.0] * model.nv
    for frame, wrench in asked.wrenches.items():
        total = _plus(total, kinematics.joint_torques(model, q, model.frame(frame), wrench))
    return total


def _friction(asked: Asked, qd: Numbers) -> list[Num]:
    """damping · qd + coulomb · clip(qd / v0, −1, 1), per degree of freedom."""
    if not asked.request.friction:
        return [0.0] * asked.model.nv
    torques: list[Num] = []
    for joint in asked.model.joints:
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
