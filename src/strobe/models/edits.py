"""Edits of a model, each returning a new one: lock, payload, gravity, base, frame, sub-chain, scale.

Self-tests stated with the model (`golden`) no longer fit an edited robot and are dropped; named
positions (`poses`) are dropped where the edit changes what a position is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from strobe.algebra import Pose, Vec3
from strobe.errors import ArgumentError, shown
from strobe.models import locking
from strobe.models.arguments import finite_numbers
from strobe.models.assembly import snapped
from strobe.models.bases import change_base
from strobe.models.chains import take_chain
from strobe.models.default_frame import tip_or_none
from strobe.models.locking import lock
from strobe.models.loops import add_loop, choose_actuated
from strobe.models.model import Frame, Model
from strobe.models.payloads import attach_payload
from strobe.models.placements import factored, joined
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


def add_frame(
    model: Model,
    name: str,
    xyz: Sequence[float] = (0.0, 0.0, 0.0),
    rpy: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    frame: str,
) -> Model:
    """The model with one more named frame, placed relative to another; on the tip it is the tip from now on."""
    if not isinstance(name, str) or not name.strip():
        raise ArgumentError(f"the name of a frame is {shown(name)}; expected a text that is not empty.")
    place = model.frame(frame)
    if any(known.name == name for known in model.frames):
        raise ArgumentError(f'{model.name} has a frame "{name}" already; names are unique, choose another.')
    x, y, z = finite_numbers("xyz", xyz, 3)
    roll, pitch, yaw = (snapped(angle) for angle in finite_numbers("rpy", rpy, 3))
    placement = joined(place.placement @ Pose.at((x, y, z), (roll, pitch, yaw)))
    tip = name if frame == tip_or_none(model) else model.tip
    return replace(
        model, frames=(*model.frames, Frame(name, place.body, placement, place.depth + 1)), tip=tip
    )
