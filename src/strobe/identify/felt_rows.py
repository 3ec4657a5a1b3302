"""What torques along a motion feel: rows W of base parameters and friction, in units of the noise of each torque.

    W_i = (Y_b,i  F_i) / σ_i          tau_i / σ_i = W_i x + noise of unit variance

Columns that depend on others wherever the bounds let a robot be, such as a rotor at the base beside the inertia that
turns with it, are left out: `names` says what is felt together, `untold` what no motion can tell by itself.

An objective of W has slopes V = ∂f/∂W; its slopes along a motion are those of Σ V ∘ W, one number a state, which the
graph of the regressor gives in one pass backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from strobe.compiler.runtime.traced import trace
from strobe.errors import ArgumentError
from strobe.identify.base_parameters import BaseParameters, base_parameters, combination, dependencies
from strobe.identify.friction import SOFT, Motion, Term, chosen
from strobe.identify.payload_readings import owners
from strobe.quantities import Request
from strobe.quantities.drives import COULOMB_SPEED
from strobe.robot import Robot
from strobe.scalars import Num, Numbers

Array = np.ndarray
State = tuple[Array, Array, Array]  # q, qd, qdd (N, n) each
Slopes = tuple[Array | float, Array | float, Array | float]

# what each term changes with: q, qd and qdd; the speed v0 is that below which a direction is not yet one
SLOPES: Mapping[str, Callable[[Array, Array], Sequence[Slopes]]] = {
    "rotor": lambda qd, v0: [(0.0, 0.0, 1.0)],
    "viscous": lambda qd, v0: [(0.0, 1.0, 0.0)],
    "quadratic": lambda qd, v0: [(0.0, 2 * np.abs(qd), 0.0)],
    "saturating": lambda qd, v0: [(0.0, v**2 / (qd**2 + v**2) ** 1.5, 0.0) for v in SOFT],
    "coulomb": lambda qd, v0: [(0.0, (1 - np.tanh(qd / v0) ** 2) / v0, 0.0)],
    "asymmetric": lambda qd, v0: [(0.0, np.sign(qd) * (1 - np.tanh(qd / v0) ** 2) / v0, 0.0)],
    "offset": lambda qd, v0: [(0.0, 0.0, 0.0)],
    "spring": lambda qd, v0: [(1.0, 0.0, 0.0)],
}
DIRECTED = ("coulomb", "asymmetric")  # terms that jump where a motion turns


def terms_told(names: Sequence[str]) -> tuple[Term, ...]:
    """Friction that depends on the state alone, by names."""
    terms = chosen(names)
    for term in terms:
        if term.name not in SLOPES:
            raise ArgumentError(
                f'friction: "{term.name}" has no slopes along a motion: it depends on more than the state of a '
                "joint, or on a speed that is not known. Ask for coulomb: motions that tell that tell the other too."
            )
    return terms


@dataclass(frozen=True, eq=False)
class FeltRows:
    """Columns of base parameters and friction of a robot, those that can be told kept."""

    robot: Robot
    base: BaseParameters
    terms: tuple[Term, ...]
    noise: Array  # (n,)
    softness: Array  # (n,), the speed within which a direction turns round for slopes
    kept: tuple[int, ...]
    map: Array  # (kept, columns): the x that is felt of all

    @classmethod
    def of(
        cls, robot: Robot, friction: Sequence[str], noise: Array, softness: Array, within: State
    ) -> FeltRows:
        """The columns that are felt at states within the bounds."""
        base, terms = base_parameters(robot), terms_told(friction)
        columns = base.count + robot.nv * sum(len(term.symbols) for term in terms)
        whole = cls(robot, base, terms, noise, softness, tuple(range(columns)), np.eye(columns))
        W = whole.at(within).reshape(-1, columns)
        kept, found = dependencies(W, range(columns)) if W.any() else ((), np.zeros((0, columns)))
        return cls(robot, base, terms, noise, softness, kept, found)

    @property
    def size(self) -> int:
        return len(self.kept)

    @property
    def friction(self) -> int:
        """Coefficients of each joint."""
        return sum(len(term.symbols) for term in self.terms)

    @cached_property
    def single(self) -> tuple[str, ...]:
        """Inertial parameters of bodies, then the friction of each joint."""
        symbols = [symbol for term in self.terms for symbol in term.symbols]
        return (
            *self.base.parameter_names,
            *(f"{symbol} {joint}" for joint in owners(self.robot) for symbol in symbols),
        )

    @cached_property
    def combined(self) -> Array:
        """(kept, all parameters): what is felt of them."""
        b, rest = self.base.count, self.map.shape[1] - self.base.count
        whole = np.zeros((self.map.shape[1], len(self.single)))
        whole[:b, : self.base.map.shape[1]] = self.base.map
        whole[b:, self.base.map.shape[1] :] = np.eye(rest)
        return self.map @ whole

    def _own(self, column: int) -> int:
        """The parameter that a column is named for."""
        b = self.base.count
        return self.base.kept[column] if column < b else self.base.map.shape[1] + column - b

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every combination that is felt."""
        rows = zip(self.combined, self.kept, strict=True)
        return tuple(combination(row, self.single, self._own(k)) for row, k in rows)

    @cached_property
    def untold(self) -> tuple[str, ...]:
        """What unbounded motions tell of inertias, or joints of their friction, and no motion within the bounds."""
        left = sorted({*range(self.map.shape[1])} - {*self.kept})
        return tuple(self.single[self._own(k)] for k in left)

    # -- along a motion -----------------------------------------------------------------------------

    def at(self, state: State, soft: bool = False) -> Array:
        """W (N, n, kept); ``soft`` directions have slopes where a motion turns."""
        q, qd, qdd = state
        n, b, each = self.robot.nv, self.base.count, self.friction
        W = np.zeros((len(q), n, b + n * each))
        W[..., :b] = self.base.regressor(q, qd, qdd)
        for j in range(n):
            for k, column in enumerate(self._frictions(state, soft)):
                W[:, j, b + j * each + k] = column[:, j]
        return W[..., list(self.kept)] / self.noise[:, None]

    def _frictions(self, state: State, soft: bool) -> list[Array]:
        """Columns (N, n) of one joint's friction each."""
        q, qd, qdd = state
        nothing = np.zeros((*q.shape, 0))
        found: list[Array] = []
        for term in self.terms:
            if (
                soft and term.name in DIRECTED
            ):  # the same columns of a speed whose clip is the soft direction
                turned = np.tanh(qd / self.softness) * COULOMB_SPEED
                found += term.columns(Motion(q, turned, qdd, nothing))
            else:
                found += term.columns(Motion(q, qd, qdd, nothing))
        return found

    def slopes(self, state: State, V: Array) -> State:
        """The slopes of Σ V ∘ W (soft) at every state, by q, qd and qdd."""
        q, qd, qdd = state
        n, b = self.robot.nv, self.base.count
        whole = np.zeros((*V.shape[:2], self.map.shape[1]))
        whole[..., list(self.kept)] = V / self.noise[:, None]
        rigid = whole[..., list(self._rigid)].reshape(len(q), -1)
        found = self._kernel(q, qd, qdd, rigid).reshape(len(q), 3, n).transpose(1, 0, 2).copy()
        own = np.stack(
            [whole[:, j, b + j * self.friction + np.arange(self.friction)] for j in range(n)], axis=1
        )
        several = [slope for term in self.terms for slope in SLOPES[term.name](qd, self.softness)]
        for k, slope in enumerate(several):
            for i in range(3):
                found[i] += own[..., k] * slope[i]
        return found[0], found[1], found[2]

    @cached_property
    def _rigid(self) -> tuple[int, ...]:
        """Columns of base parameters among those that are kept."""
        return tuple(k for k in self.kept if k < self.base.count)

    @cached_property
    def _kernel(self) -> Callable[..., Array]:
        """The slopes of Σ V ∘ Y by q, qd and qdd, compiled."""
        model, n = self.robot.model, self.robot.nv
        columns = [self.base.kept[k] for k in self._rigid]
        if not columns:
            return lambda q, qd, qdd, w: np.zeros((len(q), 3 * n))
        asked = Request("regressor")

        def weighed(q: Numbers, qd: Numbers, qdd: Numbers, w: Numbers) -> list[Num]:
            rows: Any = asked.evaluate(model, q=q, qd=qd, qdd=qdd)
            total: Num = 0.0
            for i, row in enumerate(rows):
                for k, column in enumerate(columns):
                    total = total + w[i * len(columns) + k] * row[column]
            return [total]

        return trace(weighed, q=n, qd=n, qdd=n, w=n * len(columns)).jacobian("q", "qd", "qdd")
