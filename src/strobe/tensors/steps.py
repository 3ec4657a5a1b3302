"""One step in time as a request: what a rollout is made of, with derivatives like any other.

    v⁺ = v + h qdd(q, v, tau),   q⁺ = q ⊞ h v⁺          semi-implicit Euler
    k_i = f(y + h Σ_j a_ij k_j),  y⁺ = y + h Σ_i b_i k_i   the Runge-Kutta method of order 4, y = (q, v)

The torques hold for the whole step. Quaternions land on unit length. Steps are those of `simulate`, without limits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from strobe.errors import UnsupportedModelError
from strobe.models.couplings import coordinates
from strobe.models.model import Model
from strobe.quantities import Quantity, Request
from strobe.robot import Robot
from strobe.scalars import Num, Numbers
from strobe.simulate.integrators import fixed_method, on_unit_length

METHODS = ("semi-implicit-euler", "rk4")
PASSED_ON = ("friction", "loaded", "gravity", "parameters", "geometry")  # to what is asked at every stage
LENGTH = "step"  # the input that says how long a step is


@dataclass(frozen=True, slots=True)
class Step(Request):
    """Position and velocity after a step, side by side."""

    method: str = METHODS[0]

    @property
    def rate(self) -> Request:
        """What is asked at every stage."""
        return Request("forward_dynamics", **{name: getattr(self, name) for name in PASSED_ON})

    @property
    def record(self) -> Quantity:
        return self.rate.record

    def at_frames(self, model: Model) -> Request:
        return replace(self, loaded=self.rate.at_frames(model).loaded)

    def inputs(self, model: Model) -> dict[str, int]:
        given, constants = self.rate.inputs(model), self.constants(model)
        states = {name: size for name, size in given.items() if name not in constants}
        return states | {LENGTH: 1} | constants

    def constants(self, model: Model) -> dict[str, int]:
        return self.rate.constants(model)

    def shape(self, model: Model) -> tuple[int, ...]:
        x = coordinates(model)
        return (x.nq + x.nv,)

    def evaluate(self, model: Model, **numbers: Numbers) -> list[Num]:
        h = numbers[LENGTH][0]
        if self.method == METHODS[0]:
            return self._semi_implicit(model, numbers, h)
        return self._runge_kutta(model, numbers, h)

    def _semi_implicit(self, model: Model, numbers: Mapping[str, Numbers], h: Num) -> list[Num]:
        q, qd = list(numbers["q"]), list(numbers["qd"])
        v = _moved(qd, h, [(1.0, self._accelerations(model, q, qd, numbers))])
        reached = [
            x for joint in coordinates(model).joints for x in joint.integrate(q, [each * h for each in v])
        ]
        return [*reached, *v]

    def _runge_kutta(self, model: Model, numbers: Mapping[str, Numbers], h: Num) -> list[Num]:
        x, method, slopes = coordinates(model), fixed_method(self.method), list[list[Num]]()
        start = [*numbers["q"], *numbers["qd"]]
        for row in method.a:
            y = _moved(start, h, list(zip(row, slopes, strict=False)))
            q, qd = y[: x.nq], y[x.nq :]
            slopes.append([*x.position_rates(q, qd), *self._accelerations(model, q, qd, numbers)])
        y = _moved(start, h, list(zip(method.b, slopes, strict=True)))
        return [*on_unit_length(model, y[: x.nq]), *y[x.nq :]]

    def _accelerations(
        self, model: Model, q: Numbers, qd: Numbers, numbers: Mapping[str, Numbers]
    ) -> list[Num]:
        others = {name: numbers[name] for name in self.rate.inputs(model) if name not in ("q", "qd")}
        return self.rate.evaluate(model, q=q, qd=qd, **others)


def step(robot: Robot, values: Mapping[str, Any], options: Mapping[str, Any]) -> Step:
    """The request of a step, its options checked as those of accelerations."""
    rate = robot.request("forward_dynamics", values, friction=options["friction"])
    if robot.model.is_closed:
        raise UnsupportedModelError(
            f"{robot.name} has closed chains; a rollout is of open ones. `simulate` keeps loops closed."
        )
    own = {name: getattr(rate, name) for name in PASSED_ON}
    return Step("step", method=options["method"], **own)


def _moved(start: Numbers, h: Num, weighted: Sequence[tuple[float, Numbers]]) -> list[Num]:
    """y + h Σ weight · k."""
    moved = list(start)
    for place, y in enumerate(start):
        parts = [k[place] * weight for weight, k in weighted if weight]
        for part in parts[1:]:
            parts[0] = parts[0] + part
        moved[place] = y + parts[0] * h if parts else y
    return moved
