"""What a user holds: `Robot`, and where it comes from: `load`, `random`.

In the order of the data:

    framework        what applications build on: names, sizes, requests and their evaluation
    quick_methods    methods over which builtins lie
    prepared         what is asked once and for all, for loops that ask it state by state
    dynamics         torques and motion
    kinematics       frames and positions
    robot            constants, edits, and one thin method per application
    description      how it is shown
    closed_chains    what mechanisms answers where chains are closed
    answers          arrays that belong together, by name
    rest_position    where it stands when nothing is said
    singular_joints  joints that move no inertia
    other_engines    states of MuJoCo and Pinocchio
    recent           the last few things that an application made
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from strobe.compiler.runtime.processor import Processor
from strobe.errors import ModelWarning
from strobe.models import edits
from strobe.models.dh_rows import COLUMNS, read_dh
from strobe.models.load import load_model
from strobe.models.random_robots import random_model
from strobe.robot.answers import Wrench
from strobe.robot.other_engines import convert_state
from strobe.robot.robot import Robot, require_robot

__all__ = ["Robot", "Wrench", "convert_state", "from_dh", "load", "random", "require_robot"]


def load(
    source: Any, *, lock: Mapping[str, float] | None = None, base: str | None = None,
    gravity: Sequence[float] | None = None, snap: float | None = None, strict: bool = False, compile: str = "best",
) -> Robot:  # fmt: skip
    """A robot from a model file (.urdf, .xacro, .xml, .toml), a built-in name, the text of a file, or an object.

    A text is bytes, or a str that begins with < or has several lines: URDF (``robot_description``), xacro, MJCF or
    TOML; it names no files. An object is a pinocchio.Model, a mujoco.MjModel or a robot of the Robotics Toolbox.
    Warnings about the model are issued as `ModelWarning` and kept in ``robot.notes``; ``strict`` turns
    them into errors. ``snap`` widens the tolerance within which angles become right angles. ``compile="fast"`` makes
    the first call of a quantity wait half as long, and later ones take longer by up to a third, with the same bits.
    """
    device = None if compile == "best" else Processor(compile)
    model = load_model(source, snap=snap, strict=strict)
    return _warned(Robot(edits.apply(model, lock=lock, base=base, gravity=gravity), device=device))


def from_dh(
    rows: Sequence[Any], *, convention: str = "standard", columns: Sequence[str] = COLUMNS, degrees: bool = False,
    name: str = "robot", gravity: Sequence[float] | None = None, snap: float | None = None, strict: bool = False,
) -> Robot:  # fmt: skip
    """A robot from the rows of a Denavit-Hartenberg table, each a mapping, or a tuple in the order of ``columns``.

    What a mapping may say is what a ``[[dh.link]]`` of a robot file says: joint ("R", "P"), theta, d, a, alpha,
    mass, com, inertia, limits, motor, friction, name, joint_name. In the convention "modified" (Craig) α and a
    stand before the joint. Angles are radians, unless ``degrees``.
    """
    model = read_dh(
        rows, convention, columns, degrees=degrees, name=name, gravity=gravity, snap=snap, strict=strict
    )
    return _warned(Robot(model))


def _warned(robot: Robot) -> Robot:
    """A robot, after its warnings are issued to whoever asked for it."""
    for note in robot.notes:
        if note.severity == "warning":
            warnings.warn(str(note), ModelWarning, stacklevel=3)
    return robot


def random(n: int, seed: int = 0, *, kinds: str = "RP", tree: bool = False) -> Robot:
    """A random robot with n joints, a chain or a tree, with valid inertias.

    ``kinds`` are the letters to draw from: R revolute, C continuous, P prismatic, S spherical, F floating,
    H helical, E planar.
    """
    return Robot(random_model(n, seed, kinds=kinds, tree=tree))
