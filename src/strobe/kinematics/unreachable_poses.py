"""What can be said about poses that were not reached: which joint stands at which limit, and how far is too far."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from strobe.errors import counted
from strobe.kinematics.damped_least_squares import Task
from strobe.kinematics.joint_ranges import ranges_of
from strobe.kinematics.serial_chain import array
from strobe.kinematics.solutions import SolutionStatus

if TYPE_CHECKING:
    from strobe.models.joints import Joint
    from strobe.robot import Robot

Array = np.ndarray

ROUNDING = 1e-9  # of the arm's length


def too_far(task: Task, poses: Array) -> Array:
    """(N,) whether the places of poses (N, 4, 4), where they are asked for, are farther away than the arm is long."""
    if task.what == "orientation":
        return np.zeros(len(poses), bool)
    _, centre, length = reach_of(task.robot, task.frame, task.limits)
    return np.linalg.norm(poses[:, :3, 3] - centre, axis=-1) > length * (1 + ROUNDING)


def reach_of(robot: Robot, frame: str, limits: bool = True) -> tuple[str, Array, float]:
    """The first joint that carries a frame, where it is, and how far from there the frame can be at most."""
    return robot.kept(("reach", frame, limits), lambda: _measured(robot, frame, limits))


def _measured(robot: Robot, frame: str, limits: bool) -> tuple[str, Array, float]:
    tree = robot.model.proximal()
    tip = tree.frame(frame)
    bodies = tree.support(tip.body)
    links = [*(body.before for body in bodies[1:]), tip.placement]
    length = sum(np.linalg.norm(array(link.translation)) for link in links)
    length += sum(_extension(body.joint, limits) for body in bodies)
    return bodies[0].joint.name, array(bodies[0].before.translation), float(length)


def _extension(joint: Joint, limits: bool) -> float:
    """How far a joint shifts what it carries."""
    if joint.turns or joint.is_ball:
        return 0.0
    if joint.nq > 1 or not limits:
        return np.inf
    farthest = max(abs(joint.limits.lower), abs(joint.limits.upper))
    return farthest * abs(joint.pitch) if joint.has_pitch else farthest  # pyright: ignore[reportArgumentType,reportReturnType]


def sentence(task: Task, attempts: int, pose: Array, status: SolutionStatus, q: Array, loose: Array) -> str:
    """What came of a pose (4, 4): q is where the search ended, ``loose`` what only limits forbid, or NaN."""
    ranges = ranges_of(task.robot)
    if status == SolutionStatus.UNREACHABLE:
        name, centre, length = reach_of(task.robot, task.frame, task.limits)
        far = np.linalg.norm(pose[:3, 3] - centre)
        return (
            f'is {far:.4g} m away from joint "{name}"; frame "{task.frame}" gets at most {length:.4g} m away '
            "from it."
        )
    if status == SolutionStatus.LIMITS:
        return f"is reached with {_listed(ranges.beyond(q))}."
    stand = _listed(ranges.standing(q))
    text = f"was not reached in {counted(attempts, 'attempt')}: {_left(task, q, pose)} missing"
    text += f", with {stand}." if stand else "."
    if np.isfinite(loose).all():
        text += f" Without limits it is reached with {_listed(ranges.beyond(loose))}."
    return text


def _left(task: Task, q: Array, pose: Array) -> str:
    missing = task.missing(q, pose)
    away = np.split(missing, [3]) if task.what == "pose" else [missing]
    units = {"pose": ("m", "rad"), "position": ("m",), "orientation": ("rad",)}[task.what]
    parts = [f"{np.linalg.norm(part):.2g} {unit}" for part, unit in zip(away, units, strict=True)]
    return f"{' and '.join(parts)} {'is' if len(parts) == 1 else 'are'}"


def _listed(parts: Iterable[object]) -> str:
    return " and ".join(map(str, parts))
