"""Many joints between many pairs of states at once, compiled."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from strobe.compiler.runtime.traced import Traced, trace
from strobe.scalars import Num, Numbers
from strobe.trajectory.trapezoidal_profile import (
    Durations,
    Ends,
    Profile,
    common,
    durations,
    fastest,
    lasting,
    turns,
)

Array = np.ndarray


FEW = 256  # legs for which it does not pay to ask for threads


class Legs(NamedTuple):
    """Joints between pairs of states: (..., n) each."""

    x0: Array
    v0: Array
    x1: Array
    v1: Array
    V: Array
    A: Array


class Timed(NamedTuple):
    """Legs with profiles: how long they take together (...), and the profile of every joint (..., n)."""

    duration: Array
    profile: Profile[Array]
    first_turn: Array
    last_turn: Array


def in_step(legs: Legs, T: Any = None, threads: int | None = None) -> Timed:
    """Profiles of one duration for all joints of each leg: the least they have in common, or the one given."""
    n = legs.x0.shape[-1]
    if T is None and threads is None and legs.x0.size <= FEW * n:
        with np.errstate(all="ignore"):
            found = _compiled(n, False).code.ufunc()(*legs)
    elif T is None:
        found = _compiled(n, False)(*legs, threads=threads)
    else:
        found = _compiled(n, True)(*legs, np.asarray(T, dtype=float)[..., None], threads=threads)
    ramp, cruise, brake, speed, first, last, duration = (found[..., k, :] for k in range(7))
    return Timed(duration[..., 0], Profile(ramp, cruise, brake, speed), first, last)


def single(legs: Legs, threads: int | None = None) -> tuple[Profile[Array], Durations[Array]]:
    """The fastest profile of every joint by itself, and all durations it admits: (...) each."""
    columns = Legs(*(np.asarray(column, dtype=float)[..., None] for column in legs))
    found = _single()(*columns, threads=threads)
    return Profile(*np.moveaxis(found[..., :4], -1, 0)), Durations(*np.moveaxis(found[..., 4:], -1, 0))


@cache
def _single() -> Traced:
    return trace(_one_joint, **dict.fromkeys(Legs._fields, 1))


@cache
def _compiled(n: int, timed: bool) -> Traced:
    sizes = dict.fromkeys(Legs._fields, n)
    return trace(_given, **sizes, T=1) if timed else trace(_least, **sizes)


def _one_joint(x0: Numbers, v0: Numbers, x1: Numbers, v1: Numbers, V: Numbers, A: Numbers) -> list[Num]:
    (ends,) = _ends(x0, v0, x1, v1, V, A)
    return [*fastest(ends), *durations(ends)]


def _least(x0: Numbers, v0: Numbers, x1: Numbers, v1: Numbers, V: Numbers, A: Numbers) -> list[list[Num]]:
    joints = _ends(x0, v0, x1, v1, V, A)
    return _rows(joints, common([durations(ends) for ends in joints]))


def _given(
    x0: Numbers, v0: Numbers, x1: Numbers, v1: Numbers, V: Numbers, A: Numbers, T: Numbers
) -> list[list[Num]]:
    return _rows(_ends(x0, v0, x1, v1, V, A), T[0])


def _ends(*states: Numbers) -> list[Ends]:
    return [Ends(*numbers) for numbers in zip(*states, strict=True)]


def _rows(joints: list[Ends], T: Num) -> list[list[Num]]:
    """Four rows of the profiles, two of the positions at standstill, and one of the duration."""
    profiles = [lasting(ends, T) for ends in joints]
    stops = [turns(ends, profile) for ends, profile in zip(joints, profiles, strict=True)]
    rows = [(*profile, *stop, T) for profile, stop in zip(profiles, stops, strict=True)]
    return [list(column) for column in zip(*rows, strict=True)]
