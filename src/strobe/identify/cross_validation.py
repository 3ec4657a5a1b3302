"""How well parts of the rows are predicted by what was fitted to the others, by the triangles of the parts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strobe.identify.estimators import merged
from strobe.identify.torque_fit import Layout, Triangle, fitted

Array = np.ndarray


def crossed(
    layout: Layout, folds: Sequence[Sequence[Triangle]], parts: Sequence[int], noise: Array
) -> Array:
    """100 ‖τ − τ̂‖ / ‖τ‖ of each joint over all rows, each predicted by a fit that did not see its part."""
    left, size = np.zeros(layout.joints), np.zeros(layout.joints)
    for k, held in enumerate(folds):
        if not any(t.rows for t in held):
            continue
        others = merged(layout, [fold for i, fold in enumerate(folds) if i != k])
        values = fitted(layout, others, parts, noise=noise).values
        left += [t.residual(values[layout.of(j)]) for j, t in enumerate(held)]
        size += [t.size for t in held]
    return 100 * np.sqrt(np.divide(left, size, out=np.full(layout.joints, np.nan), where=size > 0))
