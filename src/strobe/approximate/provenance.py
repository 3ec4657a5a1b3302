"""With which robot numbers were stored: kept beside them in NPZ files, and compared before they are used.

Torques stored for one robot are wrong for another, and for the same one as soon as it carries something.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any

import numpy as np

from strobe.errors import ArgumentError
from strobe.files.reading import suffix_of
from strobe.files.writing import writing
from strobe.models.differences import changes, from_letters, letters
from strobe.models.fingerprint import fingerprint
from strobe.models.model import Body
from strobe.robot import Robot

Array = np.ndarray
Place = str | PathLike[str]
SHAPES = {  # as `misfit` takes them
    "robot": "text", "fingerprint": "text", "joint_names": "text n", "inertial_parameters": "bodies 10",
    "gravity": "3",
}  # fmt: skip


def write(path: Place, what: str, robot: Robot, arrays: Mapping[str, Any], *, force: bool = False) -> None:
    """Arrays and with which robot they were made as a file, whole or not at all; ``force`` replaces one."""
    require_npz(path, what)
    with writing(path, force=force) as stream:
        np.savez(stream.buffer, **made_with(robot), **arrays)  # pyright: ignore[reportAttributeAccessIssue]


def require_npz(path: Place, what: str) -> None:
    if suffix_of(path) != ".npz":
        raise ArgumentError(f"{fspath(path)}: {what} is kept in an .npz file.")


def made_with(robot: Robot) -> dict[str, Array]:
    """Arrays that tell a robot from others, and what of it has changed."""
    return {
        "robot": np.array(robot.name),
        "fingerprint": np.array(fingerprint(robot.model)),
        "joint_names": np.array(robot.joint_names, dtype=str),
        "inertial_parameters": np.array([_parameters(body) for body in robot.model.bodies]),
        "gravity": np.array([float(x) for x in robot.model.gravity.linear]),  # pyright: ignore[reportArgumentType]
        "model": letters(robot.model),
    }


def require_same(kept: Mapping[str, Any], robot: Robot, what: str) -> None:
    """Refuse what was stored with another robot, or with this one before it changed, and say which."""
    if str(kept["fingerprint"]) == fingerprint(robot.model):
        return
    names = tuple(map(str, kept["joint_names"]))
    if names != robot.joint_names:
        raise ArgumentError(
            f"{what} was made with {kept['robot']}, whose joints are {', '.join(names)}; {robot.name} has "
            f"{', '.join(robot.joint_names)}."
        )
    raise ArgumentError(
        f"{what} was made with another {robot.name}: {_change(kept, robot)}. What it stores may not hold any more; "
        "make it again with this robot."
    )


def _change(kept: Mapping[str, Any], robot: Robot) -> str:
    now, then = made_with(robot), kept["inertial_parameters"]
    if then.shape != now["inertial_parameters"].shape:
        return f"it had {len(then)} moving bodies and has {len(now['inertial_parameters'])}"
    changed = np.flatnonzero((then != now["inertial_parameters"]).any(axis=1))
    if len(changed):
        return ", ".join(
            f"the body moved by {robot.model.bodies[k].joint.name} has changed ({then[k, 0]:g} kg then, "
            f"{now['inertial_parameters'][k, 0]:g} kg now)"
            for k in changed
        )
    if (kept["gravity"] != now["gravity"]).any():
        return "gravity has changed"
    was = from_letters(kept["model"]) if "model" in kept else None
    if was is None:
        return "an older strobe kept too little of it to compare the two"
    return changes(was, robot.model)


def _parameters(body: Body) -> list[float]:
    return [float(x) for x in body.inertial.about_origin.parameters]  # pyright: ignore[reportArgumentType]
