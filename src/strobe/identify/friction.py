"""Friction and what else acts inside a joint: terms, each a few columns that torques are linear in.

    rotor        Ia q̈              what the drive's rotor adds
    viscous      v q̇
    quadratic    v₂ q̇ |q̇|          drag that grows faster, or slower, than the speed
    coulomb      c clip(q̇/v0, ±1)  the direction of motion, as in `robot.drive_parameters`
    presliding   Σ c_k z_k(q)      what stays behind a motion that turns or rests
    load         l |τ_rigid| z(q)  gears rub harder under load
    offset       o                 of the sensor of the current
    spring       k q

A presliding element bends before it slips: z' = (1 − z sign q̇) q̇ / x_k turns it from one direction into the other
while the joint goes x_k further, and holds it at rest (Dahl's friction). Elements of several reaches are one
hysteresis whose weights are found by linear least squares, where a reach itself is not linear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from strobe.errors import ArgumentError, nearest
from strobe.identify.even_samples import Stretch
from strobe.quantities.drives import COULOMB_SPEED

Array = np.ndarray

REACHES = (1e-4, 3e-4, 1e-3)  # rad or m: what a joint goes before a presliding element slips


@dataclass(frozen=True, eq=False)
class Motion:
    """What terms are made of: a motion (N, n), states of friction, and what the rigid body takes if it is known."""

    q: Array
    qd: Array
    qdd: Array
    rigid: Array | None = None
    slip: Array | None = None  # (N, n), the weighted mean of the elements

    @classmethod
    def of(cls, stretch: Stretch) -> Motion:
        return cls(stretch.q, stretch.qd, stretch.qdd)

    @cached_property
    def bent(self) -> Array:
        """(N, n, reaches), the presliding elements from −1 to 1."""
        return bent(self.q, REACHES)


@dataclass(frozen=True, slots=True)
class Term:
    """What one term is called, its coefficients, their unit where a joint turns, whether they can be negative."""

    name: str
    symbols: tuple[str, ...]
    unit: str
    columns: Callable[[Motion], Sequence[Array]]  # (N, n) each, one for every symbol
    signed: bool = False
    needs_load: bool = False


def _load(motion: Motion) -> Sequence[Array]:
    if motion.rigid is None or motion.slip is None:
        return [np.zeros_like(motion.q)]
    return [np.abs(motion.rigid) * motion.slip]


def _direction(motion: Motion) -> Array:
    return np.clip(motion.qd / COULOMB_SPEED, -1.0, 1.0)


TERMS = {
    term.name: term
    for term in (
        Term("rotor", ("Ia",), "kg m²", lambda m: [m.qdd]),
        Term("viscous", ("v",), "N m s", lambda m: [m.qd]),
        Term("quadratic", ("v2",), "N m s²", lambda m: [m.qd * np.abs(m.qd)], signed=True),
        Term("coulomb", ("c",), "N m", lambda m: [_direction(m)]),
        Term("asymmetric", ("ca",), "N m", lambda m: [np.abs(_direction(m))], signed=True),
        Term(
            "presliding",
            tuple(f"c{k + 1}" for k in range(len(REACHES))),
            "N m",
            lambda m: [m.bent[..., k] for k in range(len(REACHES))],
        ),
        Term("load", ("l",), "1", _load, needs_load=True),
        Term("offset", ("o",), "N m", lambda m: [np.ones_like(m.q)], signed=True),
        Term("spring", ("k",), "N m", lambda m: [m.q], signed=True),
    )
}


def chosen(names: Sequence[str]) -> tuple[Term, ...]:
    """Terms by their names."""
    for name in names:
        if name not in TERMS:
            raise ArgumentError(
                f'friction: there is no term "{name}".{nearest(name, TERMS)} There are {", ".join(TERMS)}.'
            )
    return tuple(TERMS[name] for name in dict.fromkeys(names))


def bent(q: Array, reaches: Sequence[float], start: Array | None = None) -> Array:
    """Presliding elements (N, n, reaches) along positions (N, n), from 0 unless they begin somewhere.

    Each step is z ← a z + (1 − a) s with s the direction and a = exp(−|Δq|/x): affine maps, put together in pairs,
    pairs of pairs and so on, until each row has all before it.
    """
    moved = np.diff(q, axis=0, prepend=q[:1])[..., None]
    a = np.exp(-np.abs(moved) / np.asarray(reaches))
    b = (1 - a) * np.sign(moved)
    apart = 1
    while apart < len(q):
        b[apart:] += a[apart:] * b[:-apart].copy()
        a[apart:] *= a[:-apart].copy()
        apart *= 2
    return b if start is None else b + a * start
