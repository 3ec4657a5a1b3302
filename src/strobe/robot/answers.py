"""What some methods of a robot answer: arrays that belong together, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np

from strobe.errors import counted
from strobe.show.sheet import Column, Sheet, Table, by_joint, displayed, matrix, numbered, states
from strobe.show.units import EITHER, either

Array = np.ndarray
Names = tuple[str, ...]
Wrench = Any  # an array (..., 6), or a mapping from frame names to such arrays


@displayed
class Bounds(NamedTuple):
    """Limits of every independent degree of freedom, infinite where none is known."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array

    def _sheet(self) -> Sheet:
        head = f"limits of {counted(len(self.lower), 'degree')} of freedom"
        units = (EITHER, EITHER, either(1), either(2), "N m or N")
        columns = [Column(name, x, unit) for name, x, unit in zip(self._fields, self, units, strict=True)]
        return Sheet(head, [by_joint(numbered("", len(self.lower)), columns)])


@displayed
class TorqueDerivatives(NamedTuple):
    """What torques change with (..., n, n): row i is torque i, and M is the derivative by accelerations."""

    dtau_dq: Array
    dtau_dqd: Array
    M: Array

    def _sheet(self) -> Sheet:
        units = {"dtau_dq": "q", "dtau_dqd": "qd", "M": "qdd"}
        return _derivatives(
            "derivatives of the torques (N m, N) by q, qd and qdd (rad, m, s)", "tau", self, units
        )


@displayed
class AccelerationDerivatives(NamedTuple):
    """What accelerations change with (..., n, n); M⁻¹ is the derivative by torques."""

    dqdd_dq: Array
    dqdd_dqd: Array
    Minv: Array

    def _sheet(self) -> Sheet:
        units = {"dqdd_dq": "q", "dqdd_dqd": "qd", "Minv": "tau"}
        return _derivatives(
            "derivatives of the accelerations (rad/s², m/s²) by q, qd and tau", "qdd", self, units
        )


@displayed
class TorqueSecondDerivatives(NamedTuple):
    """Second derivatives of torques (..., n, n, n): entry i j k of torque i, by what stands first at j, next at k."""

    d2tau_dqdq: Array
    d2tau_dqdqd: Array
    d2tau_dqddqd: Array
    dM_dq: Array

    def _sheet(self) -> Sheet:
        head = f"second derivatives of the torques (N m, N){states(self.d2tau_dqdq.shape[:-3])}"
        return Sheet(head, [part for name, x in self._asdict().items() for part in matrix(name, x, (), ())])


def parted_as(quantity: str) -> Callable[[Any], Any] | None:
    """What arrays of a quantity that gives several become."""
    kinds = {
        "inverse_dynamics_derivatives": TorqueDerivatives._make,
        "forward_dynamics_derivatives": AccelerationDerivatives._make,
        "hybrid_dynamics": tuple,
    }
    return kinds.get(quantity)


def cut(whole: Array, core: tuple[int, ...], parts: Sequence[tuple[int, ...]]) -> list[Array]:
    """The arrays that a result (..., *core) is made of, in the order of their numbers."""
    batch = whole.shape[: whole.ndim - len(core)]
    flat = whole.reshape(*batch, prod(core))  # not -1, which an empty batch does not settle
    ends = [0, *accumulate(map(prod, parts))]
    return [
        flat[..., a:b].reshape(*batch, *shape) for (a, b), shape in zip(pairwise(ends), parts, strict=True)
    ]


def _derivatives(head: str, row: str, parts: Any, by: dict[str, str]) -> Sheet:
    """Matrices with numbered rows and columns, one below the other."""
    shape = parts[0].shape
    rows = numbered(row, shape[-1])
    shown: list[Table | str] = []
    for name, x in parts._asdict().items():
        shown += matrix(name, x, rows, numbered(by[name], shape[-1]))
    return Sheet(f"{head}{states(shape[:-2])}", shown)
