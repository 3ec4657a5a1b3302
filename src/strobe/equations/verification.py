"""Closed forms against the formulations: at random states in floating point, and exactly modulo a prime.

The first compares M, C, G and τ with two compiled formulations of the robot, and of the readable grade the potential
energy, the other Coriolis matrix, frames and friction with what the robot itself gives. The second draws a random
robot of the same structure in a prime field (a random number for every name, a random point of the circle for every
angle) and compares τ, as a function of q, q̇ and q̈, with Newton-Euler there: no rounding, and a difference would be
seen but for a chance of about its degree over the prime.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from strobe.equations.closed_form import Equations, equations_over
from strobe.equations.expression import Expression, Symbol, Trig, value
from strobe.equations.parameters import state_names
from strobe.equations.readable import MOTION, Readable
from strobe.equations.steps import with_waves
from strobe.equations.trig_polynomials import Evaluation
from strobe.errors import UnsupportedModelError
from strobe.formulations import FORMULATIONS, spatial_newton_euler
from strobe.robot import Robot
from strobe.scalars import LANES, FieldSystem, Lanes, Num, Scalar, cos, sin
from strobe.scalars.field import Angle, Field

TOLERANCE = 1e-10  # relative, of every quantity
# the first two that apply
METHODS = ("lagrange-jacobian", "spatial-newton-euler", "newton-euler-armstrong")


@dataclass(frozen=True, slots=True)
class Verification:
    """Largest relative errors by formulation and quantity, and the primes at which the torques were equal."""

    errors: Mapping[str, Mapping[str, float]]
    exact: Mapping[int, bool]  # prime -> whether every torque is the same residue

    @property
    def worst(self) -> float:
        return max(error for table in self.errors.values() for error in table.values())

    @property
    def passed(self) -> bool:
        return self.worst <= TOLERANCE and all(self.exact.values())


def verify(
    equations: Equations, robot: Robot, states: int = 16, trials: int = 2, seed: int = 0
) -> Verification:
    """Both comparisons."""
    return Verification(errors(equations, robot, states, seed), exact(equations, trials, seed))


def verify_readable(
    equations: Readable, robot: Robot, states: int = 16, trials: int = 2, seed: int = 0
) -> Verification:
    """Both comparisons of the readable grade; the second in named parameters (numbers are rounded) and of torques."""
    whole = equations.parameters and {*equations.asked} >= {*MOTION}
    primes = exact_readable(equations, trials, seed) if whole else {}
    return Verification(errors_readable(equations, robot, states, seed), primes)


# -- floating point -----------------------------------------------------------------------------------


def errors(
    equations: Equations, robot: Robot, states: int = 16, seed: int = 0
) -> dict[str, dict[str, float]]:
    """Relative errors of M, C, G and τ at random states against two formulations, the largest of each."""
    q, qd, qdd = robot.random_state(seed=seed, batch=states)
    found = {
        "mass matrix": equations.evaluate(equations.mass_matrix, q),
        "Coriolis matrix": equations.evaluate(equations.coriolis_matrix, q, qd),
        "gravity": equations.evaluate(equations.gravity, q),
        "torques": equations.evaluate(equations.torques, q, qd, qdd),
    }
    return _against_formulations(found, robot, q, qd, qdd)


def errors_readable(
    equations: Readable, robot: Robot, states: int = 16, seed: int = 0
) -> dict[str, dict[str, float]]:
    """The same of the readable grade, worked out step by step."""
    q, qd, qdd = robot.random_state(seed=seed, batch=states)
    columns = (zip(state_names(robot.model)[x], v.T, strict=True) for x, v in (("q", q), ("qd", qd)))
    state = {name: Lanes(np.ascontiguousarray(column)) for pairs in columns for name, column in pairs}
    known = {**equations.parameters, **state}

    def array(entries: Iterable[Num]) -> np.ndarray:
        return np.stack([np.broadcast_to(LANES.lower(x), states) for x in entries], axis=-1)

    found = {key: array(entries) for key, entries in equations.evaluated(known).items()}
    rubbing = np.zeros((states, equations.n))
    for k, x in equations.friction.items():
        rubbing[:, k] = LANES.lower(value(x, known.__getitem__))
    tables = {"robot": _against_robot(found | {"friction": rubbing}, equations, robot, q, qd, qdd)}
    if {*found} >= {*MOTION} and equations.form == "christoffel":
        n = equations.n
        M, C = _symmetric(found["M"], n), found["C"].reshape(states, n, n)
        tau = np.einsum("bij,bj->bi", M, qdd) + np.einsum("bij,bj->bi", C, qd) + found["G"]
        whole = {"mass matrix": M, "Coriolis matrix": C, "gravity": found["G"], "torques": tau}
        tables = _against_formulations(whole, robot, q, qd, qdd) | tables
    return tables


def _symmetric(upper: np.ndarray, n: int) -> np.ndarray:
    """Matrices (..., n, n) of entries on and above the diagonal."""
    M = np.zeros((*upper.shape[:-1], n, n))
    i, j = np.triu_indices(n)
    M[..., i, j] = M[..., j, i] = upper
    return M


def _against_robot(
    found: Mapping[str, np.ndarray], equations: Readable, robot: Robot, q: Any, qd: Any, qdd: Any
) -> dict[str, float]:
    """Errors of what was asked for against the robot itself."""
    n, states = equations.n, len(q)
    i, j = np.triu_indices(n)
    rough, smooth = (robot.inverse_dynamics(q, qd, qdd, friction=f) for f in (True, False))
    expected: dict[str, Any] = {
        "M": lambda: robot.mass_matrix(q)[:, i, j],
        "C": lambda: robot.coriolis_matrix(q, qd, form=equations.form).reshape(states, -1),
        "G": lambda: robot.gravity(q),
        "V": lambda: robot.energy(q, qd)[:, 1:],
        "fk": lambda: _placement(robot.forward_kinematics(q, equations.frame)),
        "jacobian": lambda: robot.jacobian(q, equations.frame).reshape(states, -1),
        "friction": lambda: rough - smooth,
    }
    return {key: _relative(entries, expected[key]()) for key, entries in found.items()}


def _placement(T: np.ndarray) -> np.ndarray:
    """Origin, then rotation by rows."""
    return np.concatenate([T[:, :3, 3], T[:, :3, :3].reshape(len(T), 9)], axis=-1)


def _against_formulations(
    found: Mapping[str, Any], robot: Robot, q: Any, qd: Any, qdd: Any
) -> dict[str, dict[str, float]]:
    return {
        method: {
            name: _relative(found[name], value)
            for name, value in _values(robot, method, q, qd, qdd).items()
        }
        for method in methods(robot)
    }


def methods(robot: Robot) -> list[str]:
    """The two formulations to compare with."""
    allowed = [name for name in METHODS if FORMULATIONS[name].refusal(robot.model) is None]
    if any(body.inertial.com is None for body in robot.model.bodies):
        allowed.remove("lagrange-jacobian")  # it needs centres of mass
    if len(allowed) < 2:
        raise UnsupportedModelError(f"{robot.name}: fewer than two formulations apply to it.")
    return allowed[:2]


def _values(robot: Robot, method: str, q: Any, qd: Any, qdd: Any) -> dict[str, Any]:
    return {
        "mass matrix": robot.mass_matrix(q, formulation=method),
        "Coriolis matrix": robot.coriolis_matrix(q, qd, formulation=method),
        "gravity": robot.gravity(q, formulation=method),
        "torques": robot.inverse_dynamics(q, qd, qdd, formulation=method, friction=False),
    }


def _relative(found: Any, expected: Any) -> float:
    """The largest error of all states over the largest entry of all states."""
    size = np.max(np.abs(expected), initial=0.0)
    return float(np.max(np.abs(found - expected), initial=0.0) / (size or 1.0))


# -- exactly ------------------------------------------------------------------------------------------


def exact(equations: Equations, trials: int = 2, seed: int = 0) -> dict[int, bool]:
    """Whether the torques are those of Newton-Euler at random robots of this structure, by prime."""
    fields = (Image(equations, seed + trial) for trial in range(trials))
    return {
        field.prime: _newton_euler(equations, field)
        == [field.admitted(t).residue for t in equations.torques]
        for field in fields
    }


def exact_readable(equations: Readable, trials: int = 2, seed: int = 0) -> dict[int, bool]:
    """The same of the readable grade in named parameters, every step worked out in the field."""
    names = equations_over(equations.words)
    fields = (Image(names, seed + trial) for trial in range(trials))
    return {field.prime: _newton_euler(names, field) == _stepwise(equations, field) for field in fields}


def _stepwise(equations: Readable, field: Image) -> list[int]:
    """The torques of the readable grade in a field."""
    known = dict(field.value.values)
    steps = {step.name: step.expression for step in equations.steps}

    def phase(name: str) -> Num:
        return (
            value(steps[name], phase, field.ring.constant) if name in steps else field.ring.variable(name)
        )

    def put(x: Trig) -> Symbol:
        name = f"{x.function}{x.angle}"
        angle = field.ring.total(phase(part) * k for part, k in x.angle)
        known[name] = field.admitted((cos if x.function == "cos" else sin)(angle))
        return Symbol(name)

    def worth(x: Expression) -> Num:
        return value(with_waves(x, put), known.__getitem__, Fraction)

    for name, expression in steps.items():
        known[name] = worth(expression)
    n = range(equations.n)
    qd, qdd = ([known[f"{letter}{k + 1}"] for k in n] for letter in ("qd", "qdd"))
    torques: list[int] = []
    for i in n:
        tau = worth(equations.G[i])
        for j in n:
            tau = tau + worth(equations.M[i][j]) * qdd[j] + worth(equations.C[i][j]) * qd[j]
        torques.append(field.lower(tau))
    return torques


class Image(FieldSystem):
    """The field in which every name of the equations has a random value; constants go the same way."""

    def __init__(self, equations: Equations, seed: int) -> None:
        super().__init__(seed)
        self.ring = equations.ring
        values = {name: self.variable(name, name in self.ring.angles) for name in self.ring.names}
        self.value = Evaluation(values, number=Fraction)

    def number(self, x: float) -> Num:
        return self._image(self.ring.number(x))

    def point(self, angle: float) -> tuple[Num, Num]:
        c, s = self.ring.point(angle)
        return self._image(c), self._image(s)

    def position(self, x: Num) -> Num:
        """A position of the model's joints, with the point of the circle that belongs to it."""
        value = self.admitted(x)
        if not x.variables() <= set(self.ring.angles):  # pyright: ignore[reportAttributeAccessIssue]
            return value
        return Angle(self, value.residue, (self.admitted(cos(x)), self.admitted(sin(x))))

    def admitted(self, x: Num) -> Field:
        """The value of a wave, a constant included, as a number of the field."""
        value = self.value(x)
        return value if isinstance(value, Field) else Field(self, self.residue(value))

    def _image(self, x: Num) -> Num:
        return self.admitted(x) if isinstance(x, Scalar) else x


def _newton_euler(equations: Equations, field: Image) -> list[int]:
    """The torques of the model in a field."""
    x, robot = equations.coordinates, equations.words.model.lift(field)
    q = [field.position(position) for position in x.expand(equations.q)]
    qd, qdd = (
        [field.admitted(v) for v in x.expand_rates(rates)] for rates in (equations.qd, equations.qdd)
    )
    tau = spatial_newton_euler.inverse_dynamics(robot, q, qd, qdd)
    for i, drive in enumerate(equations.drives):
        tau[i] = tau[i] + qdd[i] * field.number(drive.rotor)
    return [field.lower(t) for t in x.reduce(tau)]
