"""The dynamics that a controller believes in, over numbers: the robot's own, or an approximation of them.

    torques(q, v, a)        M a + C(q, v) v + g + friction(v)
    rigid(q, v, a)          the same without friction
    mixed(q, v, w, a)       M a + C(q, v) w + g = ID(q, (v + w)/2, a) − ID₀(q, (v − w)/2, 0)     (polarisation)

ID₀ has no gravity. An approximation gives torques alone; everything else is strobed from them. [Turney1980]
A loop may leave the range of a table: it is asked at the nearest state that it holds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strobe.algebra.rows import dot, minus, plus
from strobe.approximate.method import Formula, exact, friction, in_system
from strobe.approximate.tables import TableMethod
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.models.fingerprint import fingerprint
from strobe.models.loops import require_open
from strobe.quantities import Request
from strobe.quantities.pivots import solve
from strobe.robot import Robot
from strobe.scalars import Num, Numbers, maximum, minimum

DRIVEN = (
    "Give torques of its driven joints yourself: strobe.simulate(robot, q0, qd0, lambda t, q, qd: …, t)."
)
RIGID = Request("inverse_dynamics", friction=False)


class Belief:
    """What a controller takes an arm to be: ``model`` in place of the robot's own dynamics, where it is given."""

    def __init__(self, robot: Robot, model: Formula | None = None) -> None:
        robot.require("inverse_dynamics")
        require_open(robot.model, "control", DRIVEN)
        if model is not None:
            _require_same(robot, model)
        self.robot, self.model = robot, model

    def torques(self, q: Numbers, v: Numbers, a: Numbers) -> list[Num]:
        if self.model is None:
            return exact(self.robot, q, v, a)
        if isinstance(self.model, TableMethod):
            return [t + f for t, f in zip(self.rigid(q, v, a), self.friction(v), strict=True)]
        return self.model.torques(q, v, a)

    def rigid(self, q: Numbers, v: Numbers, a: Numbers) -> list[Num]:
        if self.model is None:
            return exact(self.robot, q, v, a, RIGID)
        if isinstance(self.model, TableMethod):
            return self.model.looked_up(*_held(self.model, q, v, a))
        return minus(self.model.torques(q, v, a), self.friction(v))

    def friction(self, v: Numbers) -> list[Num]:
        return friction(self.robot, v)

    def gravity(self, q: Numbers) -> list[Num]:
        """The torques that hold the arm still."""
        return self.rigid(q, self._still, self._still)

    def mass_matrix(self, q: Numbers) -> list[list[Num]]:
        if self.model is None:
            return self._ask("mass_matrix", q=q)
        n, g = self.robot.nv, self.gravity(q)
        columns = [minus(self.rigid(q, self._still, unit), g) for unit in units(n)]
        return [[columns[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]

    def mixed(self, q: Numbers, v: Numbers, w: Numbers, a: Numbers) -> list[Num]:
        """M a + C(q, v) w + g with the Christoffel matrix, for joints without quaternions."""
        middle, half = halves(v, w)
        return minus(self.rigid(q, middle, a), self._velocity_torques(q, half))

    def momentum_drift(self, q: Numbers, v: Numbers) -> list[Num]:
        """C(q, v)ᵀ v, by which momentum M v changes beside torques."""
        if self.model is None:
            return [dot(column, v) for column in zip(*self._ask("coriolis_matrix", q=q, qd=v), strict=True)]
        drift: list[Num] = []
        for unit in units(self.robot.nv):
            both, other = (self._velocity_torques(q, x) for x in halves(v, unit))
            drift.append(dot(minus(both, other), v))
        return drift

    def require_inertia(self) -> None:
        """Refuse a model whose mass matrix cannot be inverted."""
        if self.model is None:
            return
        q = self.robot.random_state(0)[0].tolist()
        if not np.linalg.eigvalsh(np.array(self.mass_matrix(q), dtype=float))[0] > 0:
            raise ArgumentError(
                f'the model "{self.model.name}" of {self.robot.name} has no inertia that can be inverted; take one '
                "that keeps the torques of accelerations."
            )

    def solved(self, M: list[list[Num]], right: Numbers) -> list[Num]:
        """M⁻¹ right."""
        x = self.robot.coordinates
        return solve(M, right, self.robot.model.dof_parents if x.trivial else range(-1, x.nv - 1))

    def _velocity_torques(self, q: Numbers, v: Numbers) -> list[Num]:
        """C(q, v) v."""
        if self.model is None:
            model = in_system(self.robot.model, q).weightless()
            return Request("bias").evaluate(model, q=q, qd=v)
        return minus(self.rigid(q, v, self._still), self.gravity(q))

    @property
    def _still(self) -> list[Num]:
        return [0.0] * self.robot.nv

    def _ask(self, quantity: str, **numbers: Numbers) -> Any:
        return Request(quantity).evaluate(in_system(self.robot.model, numbers["q"]), **numbers)


def require_plain_joints(robot: Robot, what: str) -> None:
    """Refuse joints whose velocity is not the rate of their position."""
    for joint in robot.coordinates.joints:
        if not joint.additive:
            raise UnsupportedModelError(
                f'{what} takes joints with one degree of freedom; "{joint.name}" of {robot.name} is {joint.kind}.'
            )


def halves(v: Numbers, w: Numbers) -> tuple[list[Num], list[Num]]:
    """Half of the sum and half of the difference."""
    return [x * 0.5 for x in plus(v, w)], [x * 0.5 for x in minus(v, w)]


def units(n: int) -> list[list[float]]:
    """The unit vectors."""
    return [[float(i == j) for i in range(n)] for j in range(n)]


def _held(table: TableMethod, q: Numbers, v: Numbers, a: Numbers) -> list[list[Num]]:
    """The nearest state in the range of a table."""
    state = {"q": list(q), "qd": list(v), "qdd": list(a)}
    for axis in table.variables:
        if not axis.periodic:
            numbers, j = state[axis.kind], table.robot.joint_names.index(axis.joint)
            numbers[j] = maximum(minimum(numbers[j], axis.upper), axis.lower)
    return list(state.values())


def _require_same(robot: Robot, model: Any) -> None:
    """Refuse what is no formula, and a formula of another robot."""
    if not isinstance(model, Formula):
        raise ArgumentError(
            f"the model is a {type(model).__name__}, which is no formula over numbers; a controller takes one "
            "that is, such as approximate.WithoutVelocityTerms(robot)."
        )
    other = model.robot
    if other is robot or fingerprint(other.model) == fingerprint(robot.model):
        return
    whose = f"another {other.name}" if other.name == robot.name else other.name
    raise ArgumentError(
        f"the model is one of {whose}; the controller is for {robot.name}. Make the model for the same robot."
    )
