"""What rounding leaves of nothing: a number too small beside the largest of its kind is 0 to whoever reads it.

A sum of n products up to s in size is off by up to about n ε s, ε = 2⁻⁵³: entries that vanish come out as
a few ε of the others. Torques of a robot are sums of hundreds of products at most, so what is below a thousand ε of
the largest says nothing. Numbers that are written to files keep every digit; tables, sentences and drawings ask here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray

NOISE = 1e-13  # of the largest of a kind


def noise(*kind: Any) -> float:
    """The magnitude up to which a number is rounding beside arrays of its kind; what is not finite is passed over."""
    sizes = (np.abs(np.asarray(values, dtype=float)) for values in kind)
    return NOISE * max((float(np.max(x, initial=0.0, where=np.isfinite(x))) for x in sizes), default=0.0)


def quiet(values: Any, *beside: Any) -> Array:
    """The same numbers, 0 where they are rounding beside the largest of them and of others of their kind."""
    array = np.asarray(values, dtype=float)
    return np.where(np.abs(array) <= noise(array, *beside), 0.0, array)
