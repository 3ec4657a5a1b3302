"""Loads fixed to a frame: their mass properties checked, then added to the body that carries them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from strobe.algebra import Inertia, Sym3, Vec3
from strobe.errors import ArgumentError, shown
from strobe.models.arguments import finite_numbers
from strobe.models.checks import broken_rule
from strobe.models.inertial import Inertial, symmetric
from strobe.models.model import ROOT, Model, moved

SLACK = 1e-6  # rounding allowed between numbers that should be equal, relative to trace or mass


def attach_payload(
    model: Model,
    mass: float,
    com: Sequence[float] = (0.0, 0.0, 0.0),
    inertia: Any = None,
    *,
    frame: str,
    size: float | None = None,
    replacing: tuple[float, Sequence[float], Any] | None = None,
) -> Model:
    """The model with a load fixed to a frame, in place of ``replacing`` = (mass, com, inertia) if given.

    ``com`` is in frame axes and ``inertia`` about the centre of mass: xx yy zz xy xz yz, or a 3×3 matrix.
    With ``size``, the longest dimension, in its place the load counts as a solid sphere of that diameter
    about ``com``; with neither it is a point mass.
    """
    place = model.frame(frame)
    load = payload(mass, com, inertia, size)
    body = None if place.body == ROOT else model.bodies[place.body]
    carried = model.base_inertial if body is None else body.inertial
    carried = carried + moved(load, place.placement)
    if replacing is not None:
        if not isinstance(replacing, list | tuple) or not 2 <= len(replacing) <= 3:
            raise ArgumentError(f"replacing is {shown(replacing)}; expected (mass, com, inertia).")
        carried = _without(carried, moved(payload(*replacing), place.placement), frame)
    if body is None:
        return replace(model, base_inertial=carried, golden=())
    bodies = list(model.bodies)
    bodies[body.index] = replace(body, inertial=carried)
    return replace(model, bodies=tuple(bodies), golden=())


def payload(mass: float, com: Sequence[float], inertia: Any = None, size: float | None = None) -> Inertial:
    """The mass properties of a load in its frame, checked."""
    (m,), c = finite_numbers("the payload's mass", mass, 1), finite_numbers("the payload's com", com, 3)
    if m < 0:
        raise ArgumentError(f"the payload's mass is {m:g} kg; a mass is not negative.")
    if inertia is not None and size is not None:
        raise ArgumentError("give the payload's inertia or its size, not both.")
    return Inertial.at_com(m, Vec3(*c), _ball(m, size) if inertia is None else _inertia(m, inertia))


def _ball(m: float, size: float | None) -> Sym3:
    """The inertia 2/5 m r² of a solid sphere by its diameter; of a point if none is given."""
    (diameter,) = finite_numbers("the payload's size", 0.0 if size is None else size, 1)
    if diameter < 0:
        raise ArgumentError(f"the payload's size is {diameter:g} m; its longest dimension is not negative.")
    moment = 0.1 * m * diameter * diameter
    return Sym3(moment, moment, moment, 0.0, 0.0, 0.0)


def _inertia(m: float, inertia: Any) -> Sym3:
    """A stated inertia about a centre of mass: symmetric, and possible for some mass distribution."""
    I = _matrix(inertia)
    trace = float(np.trace(I))
    if np.max(np.abs(I - I.T)) > SLACK * abs(trace):
        raise ArgumentError(
            f"the payload's inertia is not symmetric: {_first_asymmetric(I)}. "
            "Give xx, yy, zz, xy, xz, yz, or a symmetric 3×3 matrix."
        )
    fault = impossible(np.linalg.eigvalsh(0.5 * (I + I.T)).tolist())
    if fault:
        asked = " Is it given about the centre of mass?" if "sum" in fault else ""
        raise ArgumentError(f"the payload's inertia has {fault}{asked}")
    if m == 0 and trace > 0:
        raise ArgumentError("the payload has an inertia but no mass; give its mass.")
    return symmetric(I)


def impossible(moments: Sequence[float]) -> str:
    """Ascending principal moments that no body has, and why; nothing if some body has them."""
    rules = {
        "sign": "a moment is not negative.",
        "triangle": "in no body is one larger than the sum of the other two.",
    }
    broken = broken_rule(moments)
    shown = ", ".join(f"{x:.4g}" for x in moments)
    return f"the principal moments ({shown}); {rules[broken]}" if broken else ""


def _matrix(inertia: Any) -> np.ndarray:
    try:
        I = np.asarray(inertia, dtype=float)
    except Exception:  # a foreign __array__ may raise anything
        I = np.empty(0)
    if I.shape == (6,):
        xx, yy, zz, xy, xz, yz = I
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if I.shape != (3, 3) or not np.all(np.isfinite(I)):
        raise ArgumentError(
            f"the payload's inertia is {shown(inertia)}; expected six finite numbers xx, yy, zz, xy, xz, yz, "
            "or a 3×3 matrix of them."
        )
    return I


def _first_asymmetric(I: np.ndarray) -> str:
    i, j = np.unravel_index(int(np.argmax(np.abs(I - I.T))), (3, 3))
    return f"{I[i, j]:g} against {I[j, i]:g}"


def _without(carried: Inertial, load: Inertial, frame: str) -> Inertial:
    """Mass properties less those of a load taken off."""
    have, gone = carried.about_origin, load.about_origin
    if float(have.m) - float(gone.m) < -SLACK * float(have.m):  # pyright: ignore[reportArgumentType]
        raise ArgumentError(
            f'the load to be replaced weighs {float(gone.m):g} kg, but with the new one frame "{frame}" '  # pyright: ignore[reportArgumentType]
            f"carries only {float(have.m):g} kg; replace a load that was attached there."  # pyright: ignore[reportArgumentType]
        )
    m = have.m - gone.m
    return Inertial.of(Inertia(m, have.h - gone.h, have.I - gone.I)) if m else Inertial.zero()
