"""Friction and what else acts inside a joint: terms, each a few columns that torques are linear in.

    rotor        Ia q̈              what the drive's rotor adds
    viscous      v q̇
    quadratic    v₂ q̇ |q̇|          drag that grows faster, or slower, than the speed
    saturating   Σ s_k q̇/√(q̇² + v_k²)   a film of grease that thins: grows ever more slowly, and never falls
    coulomb      c clip(q̇/v0, ±1)  the direction of motion, as in `robot.drive_parameters`
    stribeck     c_s clip(q̇/v0, ±1) exp(−(q̇/v_s)²)   what more it takes to begin; v_s is found by steps around the fit
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

SOFT = (0.1, 0.5)  # rad/s or m/s: about which saturating friction bends
FALLS = 0.05  # rad/s or m/s: where the speed is looked for first within which friction falls
LOADED = 0.1  # of a load, what friction of gears under it usually is
REACHES = (1e-4, 3e-4, 1e-3)  # rad or m: what a joint goes before a presliding element slips


@dataclass(eq=False)
class Motion:
    """What terms are made of: a motion (N, n), states of friction, and what the rigid body takes if it is known."""

    q: Array
    qd: Array
    qdd: Array
    rigid: Array | None = None
    falls: Array | float = 1.0  # (n,), speeds within which friction falls
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
    usual: float = 0.0  # how large it may be where data do not say; 0 where nothing is known


def _load(motion: Motion) -> Sequence[Array]:
    if motion.rigid is None or motion.slip is None:
        return [np.zeros_like(motion.q)]
    return [np.abs(motion.rigid) * motion.slip]


def direction(qd: Array) -> Array:
    """Of a motion, from −1 to 1."""
    return np.clip(qd / COULOMB_SPEED, -1.0, 1.0)


TERMS = {
    term.name: term
    for term in (
        Term("rotor", ("Ia",), "kg m²", lambda m: [m.qdd]),
        Term("viscous", ("v",), "N m s", lambda m: [m.qd]),
        Term("quadratic", ("v2",), "N m s²", lambda m: [m.qd * np.abs(m.qd)], signed=True),
        Term(
            "saturating",
            tuple(f"s{k + 1}" for k in range(len(SOFT))),
            "N m",
            lambda m: [m.qd / np.sqrt(m.qd**2 + v**2) for v in SOFT],
        ),
        Term("coulomb", ("c",), "N m", lambda m: [direction(m.qd)]),
        Term("stribeck", ("cs",), "N m", lambda m: [direction(m.qd) * np.exp(-((m.qd / m.falls) ** 2))]),
        Term("asymmetric", ("ca",), "N m", lambda m: [np.abs(direction(m.qd))], signed=True),
        Term(
            "presliding",
            tuple(f"c{k + 1}" for k in range(len(REACHES))),
            "N m",
            lambda m: [m.bent[..., k] for k in range(len(REACHES))],
        ),
        Term("load", ("l",), "1", _load, needs_load=True, usual=LOADED),
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
