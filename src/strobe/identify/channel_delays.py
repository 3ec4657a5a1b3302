"""By how much the efforts of a log were recorded later than its positions, and with which error.

    y(t) = τ(t − δ) ≈ τ(t) − δ τ′(t)

δ of each joint is found beside everything else, as one more column of its rows. A bus delays all joints alike, so
that there is one delay; joints that say different things of it (friction that lags looks alike) make it less sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strobe.identify.estimators import beside
from strobe.identify.torque_rows import Readings

Array = np.ndarray

SIGNIFICANT = 4.0  # standard deviations from nothing
LEAST = 0.1  # steps of a log: below, a delay makes no difference
LONGEST = 0.1  # s: what is later than that is no delay of a channel


@dataclass(frozen=True, slots=True)
class Delay:
    """Seconds by which efforts come after positions, and the standard deviation of that."""

    value: float
    deviation: float

    def matters(self, step: float) -> bool:
        """Whether it is told from nothing, and long enough to make a difference."""
        return abs(self.value) > max(SIGNIFICANT * self.deviation, LEAST * step)


def delay_of(readings: Readings, values: Array, parts: Sequence[int]) -> Delay:
    """The delay behind stretches whose best parameters so far are ``values``."""
    return _agreed(
        *beside(readings, lambda piece, rows: readings.model.late(piece, rows.band, values), parts)
    )


def _agreed(values: Array, spread: Array) -> Delay:
    """The mean by what each joint knows; where they lie farther apart than that, it is known no better."""
    known = np.isfinite(spread) & (spread > 0) & (np.abs(values) < LONGEST)
    if not known.any():
        return Delay(0.0, np.inf)
    x, weight = values[known], 1 / spread[known] ** 2
    mean = float(weight @ x / weight.sum())
    apart = float(weight @ (x - mean) ** 2) / max(len(x) - 1, 1)
    return Delay(mean, float(np.sqrt(max(apart, 1.0) / weight.sum())))
