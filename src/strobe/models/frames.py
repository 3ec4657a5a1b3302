"""Named frames added to a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from strobe.algebra import Pose
from strobe.errors import ArgumentError, shown
from strobe.models.arguments import finite_numbers
from strobe.models.assembly import snapped
from strobe.models.default_frame import tip_or_none
from strobe.models.model import Frame, Model
from strobe.models.placements import joined


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
