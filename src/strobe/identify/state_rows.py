"""The rows of one state over numbers: what each joint's torque says of its friction and of what all joints share.

    w_i = (F_i  Y_b,i  tau_i) / σ_i        one row for each joint: its own friction, base parameters, the torque

A joint that stands says nothing (σ is infinite): friction holds it at any torque up to its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from strobe.compiler.codegen.triangles import Triangles
from strobe.errors import ArgumentError
from strobe.identify.base_parameters import BaseParameters
from strobe.identify.friction import chosen
from strobe.identify.torque_rows import TorqueModel
from strobe.quantities import Request
from strobe.quantities.drives import COULOMB_SPEED
from strobe.scalars import Num, Numbers, absolute, less, maximum, minimum, where


def _direction(qd: Num) -> Num:
    return maximum(minimum(qd * (1.0 / COULOMB_SPEED), 1.0), -1.0)


# the columns of `friction.TERMS` that are decided by the state of one joint
COLUMNS: Mapping[str, Callable[[Num, Num, Num], list[Num]]] = {
    "rotor": lambda q, qd, qdd: [qdd],
    "viscous": lambda q, qd, qdd: [qd],
    "quadratic": lambda q, qd, qdd: [qd * absolute(qd)],
    "coulomb": lambda q, qd, qdd: [_direction(qd)],
    "asymmetric": lambda q, qd, qdd: [absolute(_direction(qd))],
    "offset": lambda q, qd, qdd: [1.0],
    "spring": lambda q, qd, qdd: [q],
}


@dataclass(frozen=True, eq=False)
class StateRows:
    """Rows of a robot's base parameters and friction."""

    model: TorqueModel
    noise: tuple[float, ...]  # of a torque, by joint
    still: float  # a joint stands at or below this speed

    def __post_init__(self) -> None:
        for term in self.model.terms:
            if term.name not in COLUMNS:
                raise ArgumentError(
                    f'friction: "{term.name}" depends on more than the state of a joint; an estimator takes '
                    f"{', '.join(COLUMNS)}."
                )

    def __reduce__(self) -> tuple[Any, ...]:
        names = [term.name for term in self.model.terms]
        return _made, (self.model.base, names, self.noise, self.still)

    @property
    def sizes(self) -> Triangles:
        return Triangles(len(self.noise), len(self.model.symbols), self.model.base.count)

    @property
    def inputs(self) -> dict[str, int]:
        return dict.fromkeys(("q", "qd", "qdd", "tau"), len(self.noise))

    @property
    def parts(self) -> list[int]:
        """Unknowns that base parameters hold already: rotors, by their place behind these."""
        own, count = len(self.model.symbols), self.model.base.count
        return [count + j * own + k for j in self.model.rotors() for k in self.model.places("rotor")]

    def function(self, width: int) -> Callable[..., list[list[Num]]]:
        """Rows of a state, zeros up to a width behind them."""
        base, terms = self.model.base, self.model.terms
        rigid = Request("regressor")
        held, rotor = self.model.rotors(), self.model.places("rotor")

        def rows(q: Numbers, qd: Numbers, qdd: Numbers, tau: Numbers) -> list[list[Num]]:
            Y: Sequence[Sequence[Num]] = rigid.evaluate(base.robot.model, q=q, qd=qd, qdd=qdd)
            found: list[list[Num]] = []
            for i, (row, noise) in enumerate(zip(Y, self.noise, strict=True)):
                own = [x for term in terms for x in COLUMNS[term.name](q[i], qd[i], qdd[i])]
                own = [0.0 if i in held and k in rotor else x for k, x in enumerate(own)]
                weight: Num = 1.0 / noise
                if self.still:
                    weight = where(less(self.still, absolute(qd[i])), weight, 0.0)
                said = [weight * x for x in (*own, *(row[k] for k in base.kept), tau[i])]
                found.append([*said, *([0.0] * (width - len(said)))])
            return found

        return rows


def _made(base: BaseParameters, names: Sequence[str], noise: tuple[float, ...], still: float) -> StateRows:
    return StateRows(TorqueModel(base, chosen(names)), noise, still)
