"""Poses as people give them, made (..., 4, 4) and checked.

What is no pose is refused with by how much; a NaN or an infinity goes through and is answered with
`SolutionStatus.INVALID`, so that one bad row does not stop a batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np

from strobe.algebra import Vec3
from strobe.compiler.runtime.arrays import checked, real_numbers
from strobe.compiler.runtime.traced import trace
from strobe.errors import Advised, ArgumentError
from strobe.kinematics.orientation import ROTATION, checked_rotation, first_of, matrix_of
from strobe.kinematics.screws import rigid
from strobe.models.arguments import require_text
from strobe.scalars import Num, Numbers, absolute, less, maximum

Array = np.ndarray

WHAT = ("pose", "position", "orientation")


def pose(
    position: Any = (0.0, 0.0, 0.0), *, quaternion: Any = None, rpy: Any = None, rotation_vector: Any = None,
    waters: Any = None, normalise: bool = False,
) -> Array:  # fmt: skip
    """Poses (..., 4, 4) from a position and at most one way to say an orientation; without one, base axes.

    A quaternion is w x y z with length one; ``normalise`` takes any length. ``waters`` are Waters' angles.
    """
    given = {"quaternion": quaternion, "rpy": rpy, "rotation-vector": rotation_vector, "waters": waters}
    named = {name: value for name, value in given.items() if value is not None}
    if len(named) > 1:
        raise ArgumentError(f"an orientation is given as {' and as '.join(named)}; give one of them.")
    p = checked("position", position, (3,), "a position is (x, y, z)").astype(float, copy=False)
    R = np.eye(3)
    for name, value in named.items():
        numbers = unit_quaternion(value, normalise) if name == "quaternion" else value
        R = matrix_of(numbers, name)
    return rigid(R, p)


def unit_quaternion(quaternion: Any, normalise: bool = False) -> Array:
    """Quaternions (..., 4) of length one."""
    q = checked("quaternion", quaternion, (4,), "a quaternion is (w, x, y, z)").astype(float, copy=False)
    length = np.linalg.norm(q, axis=-1)
    wrong = np.abs(length - 1.0) > ROTATION
    if normalise:
        wrong = length == 0.0
    if wrong.any():
        where, k = first_of(wrong)
        what = "is zero, which is no rotation" if normalise else f"has length {length[k]:.6g} instead of 1"
        advice = "." if normalise else ". Divide it by its length, or say normalise=True."
        raise ArgumentError(
            Advised(
                f"quaternion{where} {what}{advice}", {", or say normalise=True": ""}
            )  # files and commands: not
        )
    return q / length[..., None]


def checked_what(what: Any) -> str:
    """What is asked of a frame: its pose, its position or its orientation."""
    if require_text("what", what, f"one of {', '.join(WHAT)}") not in WHAT:
        raise ArgumentError(f'what is "{what}"; expected one of {", ".join(WHAT)}.')
    return what


def checked_poses(pose: Any, what: str = "pose") -> Array:
    """Poses (..., 4, 4); a position alone, or a rotation matrix, where no more is asked about."""
    checked_what(what)
    shape = real_numbers("pose", pose).shape
    if what == "position" and shape[-2:] != (4, 4):
        return rigid(np.eye(3), checked("pose", pose, (3,), "a position is (x, y, z), or a 4×4 matrix"))
    if what == "orientation" and shape[-2:] == (3, 3):
        return rigid(checked_rotation(pose, "pose"), np.zeros(3))
    T = np.ascontiguousarray(checked("pose", pose, (4, 4), "a pose is a 4×4 matrix"), float)
    with np.errstate(all="ignore"):
        wrong = _deviations()(T.reshape((*T.shape[:-2], 16))) > ROTATION
    if wrong.any():
        _require_last_row(T, wrong[..., 1])
        if what != "position":
            checked_rotation(T[..., :3, :3], "pose")
    return T


def finite(poses: Array, what: str = "pose") -> Array:
    """(...) whether what is asked of poses (..., 4, 4) holds neither NaN nor infinity."""
    part = {"pose": np.s_[...], "position": np.s_[..., :3, 3:], "orientation": np.s_[..., :3, :3]}[what]
    return np.asarray(np.isfinite(poses[part]).all((-1, -2)))


def twelve(poses: Array) -> Array:
    """(..., 12) the first three rows of poses, one after the other; a view where they lie together."""
    return poses.reshape((*poses.shape[:-2], 16))[..., :12]


def label(k: int, batch: tuple[int, ...]) -> str:
    """What a sentence calls pose number k of a batch."""
    return f"pose[{', '.join(str(int(i)) for i in np.unravel_index(k, batch))}]" if batch else "the pose"


@cache
def _deviations() -> Callable[[Array], Array]:
    return trace(deviations, pose=16).code.ufunc()


def deviations(pose: Numbers) -> list[Num]:
    """How far a pose (16) is from one: in columns, each the cross product of the others, and in the last row."""
    x, y, z = (Vec3(*pose[j:12:4]) for j in range(3))
    right = [*(x.cross(y) - z), *(y.cross(z) - x), *(z.cross(x) - y), x.dot(x) - 1.0, y.dot(y) - 1.0]
    last = [*pose[12:15], pose[15] - 1.0]
    return [reduce(maximum, map(absolute, numbers)) for numbers in (right, last)]


def sound(pose: Numbers) -> Num:
    """One where a pose (16) is rigid and finite beyond doubt, else zero."""
    rigid_, last = (less(away, ROTATION) for away in deviations(pose))  # NaN is not less
    return rigid_ * last * less(absolute(pose[3] + pose[7] + pose[11]), math.inf)


def _require_last_row(T: Array, wrong: Array) -> None:
    if wrong.any():
        where, k = first_of(wrong)
        row = ", ".join(f"{x:g}" for x in T[k][3])
        raise ArgumentError(
            f"the last row of pose{where} is ({row}); expected (0, 0, 0, 1). Points are columns: transpose a pose "
            "that multiplies rows."
        )
