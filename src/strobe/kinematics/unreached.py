"""What can be said about poses that were not reached: which joint stands at which limit, and how far is too far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from strobe.errors import counted
from strobe.kinematics.descent import Task
from strobe.kinematics.ranges import ranges_of
from strobe.kinematics.solutions import Status

if TYPE_CHECKING:
    from strobe.models.joints import Joint
    from strobe.robot import Robot

Array = np.ndarray

AT_LIMIT = 1e-9  # how near to a limit a joint stands at it
ROUNDING = 1e-9  # of the arm's length


def standing(robot: Robot, q: Array) -> Iterator[str]:
    """The joints that stand at a limit."""
    ranges = ranges_of(robot)
    for name, x, lower, upper in zip(
        ranges.names, q[ranges.columns], ranges.lower, ranges.upper, strict=True
    ):
        for side, limit in (("lower", lower), ("upper", upper)):
            if abs(x - limit) <= AT_LIMIT:
                yield f'joint "{name}" at its {side} limit {limit:.6g}'


def outside(robot: Robot, q: Array) -> Iterator[str]:
    """The joints that are beyond a limit."""
    ranges = ranges_of(robot)
    for name, x, lower, upper in zip(
        ranges.names, q[ranges.columns], ranges.lower, ranges.upper, strict=True
    ):
        if x < lower:
            yield f'joint "{name}" at {x:.6g}, below its lower limit {lower:.6g}'
        elif x > upper:
            yield f'joint "{name}" at {x:.6g}, above its upper limit {upper:.6g}'


_known: WeakKeyDictionary[Robot, dict[str, tuple[str, Array, float]]] = WeakKeyDictionary()


def arm_length(robot: Robot, frame: str) -> tuple[str, Array, float]:
    """The first joint that carries a frame, where it is, and how far from there the frame can be at most."""
    lengths = _known.setdefault(robot, {})
    if frame not in lengths:
        lengths[frame] = _measured(robot, frame)
    return lengths[frame]


def _measured(robot: Robot, frame: str) -> tuple[str, Array, float]:
    tree = robot.model.proximal()
    tip = tree.frame(frame)
    bodies = tree.support(tip.body)
    links = [*(body.before for body in bodies[1:]), tip.placement]
    length = sum(np.linalg.norm(_numbers(link.translation)) for link in links)
    length += sum(_extension(body.joint) for body in bodies)
    return bodies[0].joint.name, _numbers(bodies[0].before.translation), float(length)


def _extension(joint: Joint) -> float:
    """How far a joint shifts what it carries."""
    if joint.nq == 1:
        return 0.0 if joint.turns else max(abs(joint.limits.lower), abs(joint.limits.upper))
    return 0.0 if joint.kind == "spherical" else np.inf


def _numbers(v: object) -> Array:
    return np.array([float(x) for x in v])  # pyright: ignore[reportGeneralTypeIssues]


@dataclass(frozen=True, eq=False)
class Unreached:
    """Poses in order, and what came of each; rows of ``loose`` are positions that only limits forbid, or NaN."""

    task: Task
    attempts: int
    poses: Array  # (N, 4, 4)
    status: Array  # (N,)
    q: Array  # (N, nq)
    missing: Array  # (N, m)
    loose: Array  # (N, nq)

    def sentences(self, batch: tuple[int, ...]) -> tuple[str, ...]:
        """One for every pose that was not solved."""
        return tuple(
            f"{_label(int(k), batch)} {self._about(int(k))}"
            for k in np.flatnonzero(self.status != Status.SOLVED)
        )

    def _about(self, k: int) -> str:
        match Status(self.status[k]):
            case Status.INVALID:
                return "holds a NaN or an infinity."
            case Status.UNREACHABLE:
                name, centre, length = arm_length(self.task.robot, self.task.frame)
                far = np.linalg.norm(self.poses[k, :3, 3] - centre)
                return (
                    f'is {far:.4g} m away from joint "{name}"; frame "{self.task.frame}" gets at most '
                    f"{length:.4g} m away from it."
                )
            case Status.LIMITS:
                return f"is reached with {_listed(outside(self.task.robot, self.q[k]))}."
            case _:
                return self._not_converged(k)

    def _not_converged(self, k: int) -> str:
        stand = _listed(standing(self.task.robot, self.q[k]))
        text = f"was not reached in {counted(self.attempts, 'attempt')}: {self._left(k)} missing"
        text += f", with {stand}." if stand else "."
        if np.isfinite(self.loose[k]).all():
            text += (
                f" Without limits it is reached with {_listed(outside(self.task.robot, self.loose[k]))}."
            )
        return text

    def _left(self, k: int) -> str:
        away = np.split(self.missing[k], [3]) if self.task.what == "pose" else [self.missing[k]]
        units = {"pose": ("m", "rad"), "position": ("m",), "orientation": ("rad",)}[self.task.what]
        parts = [f"{np.linalg.norm(part):.2g} {unit}" for part, unit in zip(away, units, strict=True)]
        return f"{' and '.join(parts)} {'is' if len(parts) == 1 else 'are'}"


def _label(k: int, batch: tuple[int, ...]) -> str:
    return f"pose[{', '.join(map(str, np.unravel_index(k, batch)))}]" if batch else "the pose"


def _listed(parts: Iterator[str]) -> str:
    return " and ".join(parts)
