"""Fifteen numbers of a line that every rigid motion maps linearly.

    l,   p,   m = p × l,   w = (p·p) l − 2 (p·l) p,   p·l,   p·p,   1        a point p of the line, its direction l

are after p → R p + t, l → R l

    R l,   R p + t,   R m + t × R l,   R w − 2 t × R m − 2 t (p·l) + (t·t − 2 t tᵀ) R l,
    p·l + t·R l,   p·p + 2 t·R p + t·t,   1

A turn by θ maps them linearly in 1, cos θ, sin θ, for R does so about an axis through the origin and t is
constant. They are the polynomials that [Raghavan1993] found to need no products of the same angle. Their order here:
x of l, p, m, w, then y of them, z of them, p·l, p·p, 1, so that a turn about z mixes the first eight only.
"""

from __future__ import annotations

import numpy as np

from strobe.kinematics.screws import cross_matrix

Array = np.ndarray

_L, _P, _M, _W = np.arange(12).reshape(3, 4).T
_PL, _PP, _ONE = 12, 13, 14


def line_numbers(p: Array, l: Array) -> Array:
    """(..., 15) of lines through p along l."""
    pp, pl = np.sum(p * p, axis=-1), np.sum(p * l, axis=-1)
    numbers = np.empty((*p.shape[:-1], 15))
    numbers[..., _L], numbers[..., _P], numbers[..., _M] = l, p, np.cross(p, l)
    numbers[..., _W] = pp[..., None] * l - 2 * pl[..., None] * p
    numbers[..., _PL], numbers[..., _PP], numbers[..., _ONE] = pl, pp, 1
    return numbers


def line_map(R: Array, t: Array) -> Array:
    """(..., 15, 15): what the motion p → R p + t does to the numbers of a line."""
    A = np.zeros((*np.broadcast_shapes(R.shape[:-2], t.shape[:-1]), 15, 15))
    tR, tt = (t[..., None, :] @ R)[..., 0, :], np.sum(t * t, axis=-1)
    t_cross_R = cross_matrix(t) @ R
    for part in (_L, _P, _M, _W):
        A[..., part[:, None], part] = R
    A[..., _P, _ONE] = t
    A[..., _M[:, None], _L] = t_cross_R
    A[..., _W[:, None], _M] = -2 * t_cross_R
    A[..., _W, _PL] = -2 * t
    A[..., _W[:, None], _L] = tt[..., None, None] * R - 2 * t[..., :, None] * tR[..., None, :]
    A[..., _PL, _L] = tR
    A[..., _PP, _P] = 2 * tR
    A[..., _PP, _ONE] = tt
    A[..., [_PL, _PP, _ONE], [_PL, _PP, _ONE]] = 1
    return A


def turn_maps(a: Array, p: Array) -> Array:
    """(..., 3, 15, 15): what 1, cos θ and sin θ multiply in the map of a turn about the line through p along a."""
    along = a[..., :, None] * a[..., None, :]
    quarter, half = along + cross_matrix(a), 2 * along - np.eye(3)
    at_quarter, at_half = (line_map(R, p - (R @ p[..., None])[..., 0]) for R in (quarter, half))
    constant, cosine = 0.5 * (np.eye(15) + at_half), 0.5 * (np.eye(15) - at_half)
    return np.stack([constant, cosine, at_quarter - constant], axis=-3)


def slide_maps() -> Array:
    """(3, 15, 15): what 1, d and d² multiply in the map of a slide by d along z."""
    forth, back = (line_map(np.eye(3), np.array([0.0, 0.0, d])) for d in (1.0, -1.0))
    return np.stack([np.eye(15), 0.5 * (forth - back), 0.5 * (forth + back) - np.eye(15)])
