"""Soles on the ground: where a foot can press, and how far a point is inside the polygon of support.

The polygon is the convex hull of all corners that stand. With V its corners and n a unit vector,

    margin(p) = min over n of max over V of n · (v − p)

is the distance of p to the nearest edge, negative outside. The least n is normal to a line through two corners, or
points from the nearest corner to p: so many directions are tried, and no hull is built.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

Array = np.ndarray


def margins(points: Array, polygon: Array) -> Array:
    """How far points (..., 2) are inside the hull of corners (..., K, 2): metres, negative outside."""
    first, second = (list(each) for each in zip(*combinations(range(polygon.shape[-2]), 2), strict=True))
    away = points[..., None, :] - polygon
    along = away[..., first, :] - away[..., second, :]
    normals = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    directions = _units(np.concatenate([normals, -normals, away], axis=-2))
    reach = np.einsum("...dk,...ck->...dc", directions, -away).max(axis=-1)
    known = np.where(np.isnan(directions[..., 0]), np.inf, reach)
    return np.where(np.isnan(points).any(axis=-1), np.nan, known.min(axis=-1))


def _units(vectors: Array) -> Array:
    """Vectors of length one; NaN where there is no direction."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(length > 0, length, np.nan)
