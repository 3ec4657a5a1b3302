"""Essential parameters: which can be left out without a loss that the data would notice.

    x_S = x − C_{·R} C_RR⁻¹ x_R        C_S = C − C_{·R} C_RR⁻¹ C_R·        x_Rᵀ C_RR⁻¹ x_R = what fits worse without R

The parameter with the largest relative error is left out, the others found anew, and so on, as long as all that was
left out together makes the fit no worse than chance would (an F test; of so many rows it is χ²).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import chi2

Array = np.ndarray

CHANCE = 0.05
TINY = 1e-14  # of a variance: below it, nothing of a parameter is left


@dataclass(frozen=True, slots=True, eq=False)
class Essential:
    """What remains, and its values and deviations without the rest; those left out are 0."""

    kept: Array  # (unknowns,) of truths
    values: Array
    deviations: Array


def essential(values: Array, covariance: Array, fixed: Array) -> Essential:
    """The parameters that matter of those with a covariance; ``fixed`` ones are not asked and left as they are."""
    x, C = values.copy(), covariance.copy()
    left, out = ~fixed, 0
    worse = 0.0
    kept = np.ones(len(x), dtype=bool)
    while left.any():
        size = np.sqrt(np.maximum(np.diag(C), 0.0))
        relative = np.where(left & (size > 0), size / np.maximum(np.abs(x), 1e-300), 0.0)
        k = int(np.argmax(relative))
        if relative[k] <= 0:
            break
        more = float(x[k] ** 2 / C[k, k])
        if worse + more > chi2.ppf(1 - CHANCE, out + 1):
            break
        worse, out = worse + more, out + 1
        gain = C[:, k] / C[k, k]
        x, C = x - gain * x[k], C - np.outer(gain, C[k])
        x[k], C[k], C[:, k] = 0.0, 0.0, 0.0
        left[k] = kept[k] = False
    return Essential(kept, x, np.sqrt(np.maximum(np.diag(C), 0.0)))
