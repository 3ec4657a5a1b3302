"""What a user holds: `Robot`, and where it comes from: `load`, `random`."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from os import PathLike

from strobe.errors import ArgumentError, ModelWarning
from strobe.models import edits
from strobe.models.load import load_model
from strobe.models.random_robots import random_model
from strobe.robot.answers import Wrench
from strobe.robot.other_engines import convert_state
from strobe.robot.robot import Robot

__all__ = ["Robot", "Wrench", "convert_state", "load", "random"]


def load(
    source: str | PathLike[str], *, lock: Mapping[str, float] | None = None, base: str | None = None,
    gravity: Sequence[float] | None = None, snap: float | None = None, strict: bool = False,
) -> Robot:  # fmt: skip
    """A robot from a model file (.urdf, .xacro, .xml, .toml) or a built-in name.

    Warnings about the model are issued as `ModelWarning` and kept in ``robot.notes``; ``strict`` turns
    them into errors. ``snap`` widens the tolerance within which angles become right angles.
    """
    if not isinstance(source, str | PathLike):
        raise ArgumentError(
            f"source is of type {type(source).__name__}; expected a path or the name of a robot."
        )
    model = load_model(source, snap=snap, strict=strict)
    robot = Robot(edits.apply(model, lock=lock, base=base, gravity=gravity))
    for note in robot.notes:
        if note.severity == "warning":
            warnings.warn(str(note), ModelWarning, stacklevel=2)
    return robot


def random(n: int, seed: int = 0, *, kinds: str = "RP", tree: bool = False) -> Robot:
    """A random robot with n joints, a chain or a tree, with valid inertias.

    ``kinds`` are the letters to draw from: R revolute, C continuous, P prismatic, S spherical, F floating.
    """
    return Robot(random_model(n, seed, kinds=kinds, tree=tree))
