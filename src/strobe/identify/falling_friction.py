"""The speeds within which friction falls (Stribeck), by Gauss-Newton steps around the linear fit.

    c_s(v) exp(−(q̇/v)²)        Δ log v beside all linear unknowns, from ∂/∂ log v of the column

A joint whose friction falls by nothing that can be told keeps the speed that was looked at first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from strobe.identify.estimators import Estimate, beside, estimated
from strobe.identify.friction import FALLS
from strobe.identify.torque_fit import TorqueFit
from strobe.identify.torque_rows import Readings, TorqueModel

Array = np.ndarray

STEPS = 12
LONGEST = 0.7  # of a logarithm, in one step
NEAR = 1e-3
SLOWEST, FASTEST = 2e-3, 2.0  # rad/s or m/s
SIGNIFICANT = 2.0  # standard deviations


def with_speeds(
    readings: Readings, estimate: Estimate, parts: Sequence[int], estimator: str
) -> tuple[Readings, Estimate]:
    """The fit with the speeds that go best with it; as it is where no term falls."""
    if not readings.model.places("stribeck"):
        return readings, estimate
    speeds = np.full(readings.model.layout.joints, FALLS)
    for _ in range(STEPS):
        step = _step(readings, estimate.fit, parts)
        speeds = np.clip(speeds * np.exp(step), SLOWEST, FASTEST)
        readings = readings.of(replace(readings.model, speeds=speeds))
        estimate = estimated(readings, parts, estimator)
        if np.abs(step).max() < NEAR:
            break
    return readings, estimate


def _step(readings: Readings, fit: TorqueFit, parts: Sequence[int]) -> Array:
    """Of the logarithms of the speeds, where they can be told."""
    model: TorqueModel = readings.model
    (k,) = model.places("stribeck")
    told = np.abs(model.own(fit.values)[:, k]) > SIGNIFICANT * model.own(fit.deviations)[:, k]
    step, spread = beside(readings, lambda piece, rows: model.falls(piece, rows.band, fit.values), parts)
    return np.where(told & np.isfinite(spread), np.clip(step, -LONGEST, LONGEST), 0.0)
