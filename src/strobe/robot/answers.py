"""What some methods of a robot answer: arrays that belong together, by name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray
Names = tuple[str, ...]
Wrench = Any  # an array (..., 6), or a mapping from frame names to such arrays


class Bounds(NamedTuple):
    """Limits of every independent degree of freedom, infinite where none is known."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array


class TorqueDerivatives(NamedTuple):
    """What torques change with (..., n, n): row i is torque i, and M is the derivative by accelerations."""

    dtau_dq: Array
    dtau_dqd: Array
    M: Array


class AccelerationDerivatives(NamedTuple):
    """What accelerations change with (..., n, n); M⁻¹ is the derivative by torques."""

    dqdd_dq: Array
    dqdd_dqd: Array
    Minv: Array


class TorqueSecondDerivatives(NamedTuple):
    """Second derivatives of torques (..., n, n, n): entry i j k of torque i, by what stands first at j, next at k."""

    d2tau_dqdq: Array
    d2tau_dqdqd: Array
    d2tau_dqddqd: Array
    dM_dq: Array
