"""Edits of a model, each returning a new one: lock, payload, gravity, base, frame, sub-chain, scale.

Self-tests stated with the model (`golden`) no longer fit an edited robot and are dropped; named
positions (`poses`) are dropped where the edit changes what a position is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from strobe.algebra import Vec3
from strobe.models import locking
from strobe.models.arguments import finite_numbers
from strobe.models.bases import change_base
from strobe.models.chains import take_chain
from strobe.models.frames import add_frame
from strobe.models.locking import lock
from strobe.models.loops import add_loop, choose_actuated
from strobe.models.model import Model
from strobe.models.payloads import attach_payload
from strobe.models.placements import factored
from strobe.models.rerooting import reroot
from strobe.models.scaling import scale

__all__ = [
    "add_frame",
    "add_loop",
    "apply",
    "attach_payload",
    "change_base",
    "change_gravity",
    "choose_actuated",
    "factored",
    "lock",
    "reroot",
    "scale",
    "take_chain",
]


def apply(
    model: Model,
    *,
    lock: Mapping[str, Any] | None = None,
    base: str | None = None,
    gravity: Sequence[float] | None = None,
) -> Model:
    """The edits one may ask for when loading: joints locked, then the base, then gravity changed."""
    if lock is not None:
        model = locking.lock(model, lock)
    if base is not None:
        model = change_base(model, base)
    return model if gravity is None else change_gravity(model, gravity)


def change_gravity(model: Model, gravity: Sequence[float]) -> Model:
    """The model under another acceleration of gravity, in base axes."""
    g = finite_numbers("gravity", gravity, 3)
    return replace(model.with_gravity(Vec3(*g)), golden=())
