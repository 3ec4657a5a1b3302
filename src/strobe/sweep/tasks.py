"""What a sweep can do with every run: the tasks by name, and what they have in common.

A task is made once in every process, for all cells that differ in numbers alone. Called with the numbers of some runs
it gives what comes out, a row for each; a run that fails has a status that is not 0, and NaN stands nowhere else. A
row does not depend on the others that it is computed with.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from strobe.models.default_frame import frame_meant
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.simulate.torques import payload_numbers

if TYPE_CHECKING:
    from strobe.sweep.plan import Cell, Field, Plan
    from strobe.trajectory.motion import Trajectory

Array = np.ndarray
MOST_NUMBERS = 8 * 2**20  # that the runs computed at once may keep: 64 MB
REAL, CODE = np.dtype(np.float64), np.dtype(np.int8)


class Status(IntEnum):
    """How a run ended that only evaluates formulas."""

    DONE = 0
    NOT_FINITE = 1


class Task(ABC):
    """What is done with the runs of a cell, and of those that differ from it in numbers alone."""

    Status: ClassVar[type[IntEnum]] = Status
    lost: ClassVar[int] = Status.NOT_FINITE  # the status of a run whose results are no numbers

    def __init__(self, plan: Plan, cell: Cell) -> None:
        self.plan, self.cell = plan, cell
        self.robot = plan.robot(cell.robot)
        trajectory = cell.chosen.get("trajectory")
        self.motion = None if trajectory is None else plan.motion(trajectory, cell.robot)
        carries = "payload.mass" in plan.document["quantities"]
        self.payload_frame = self.robot.moving_frame(plan.document["payload_frame"]) if carries else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What deserves a look before the runs begin, in sentences."""
        meant = self.payload_frame is not None and self.plan.document["payload_frame"] is None
        return (sentence,) if meant and (sentence := frame_meant(self.robot.model)) else ()

    @staticmethod
    @abstractmethod
    def results(robot: Robot) -> dict[str, Field]:
        """What comes out of a run, by name, but for its status."""

    @abstractmethod
    def __call__(self, given: Mapping[str, Array]) -> dict[str, Array]:
        """What comes out of runs for their numbers (m, size) by the names of quantities."""

    @property
    def options(self) -> Mapping[str, Any]:
        return self.plan.document["options"]

    def payloads(self, given: Mapping[str, Array]) -> Array | None:
        """Mass and centre (m, 4) of what is carried."""
        if self.payload_frame is None:
            return None
        return np.concatenate([given["payload.mass"], given["payload.centre"]], axis=1)

    def loads(self, given: Mapping[str, Array]) -> dict[str, Array]:
        """What is carried, as ten numbers (m, 10) by frame."""
        carried, frame = self.payloads(given), self.payload_frame
        return {} if carried is None or frame is None else {frame: payload_numbers(carried)}


def peak(values: Array) -> Array:
    """The largest number of each run (m,), sign aside; 0 of none."""
    return np.abs(values).reshape(len(values), -1).max(axis=1, initial=0.0)


def root_mean_square(values: Array, axis: int) -> Array:
    """Over one axis, added up in its order: the same bits wherever a run lies in a batch."""
    rows = np.moveaxis(values, axis, 0)
    total = np.zeros(rows.shape[1:])
    for each in rows:
        total += each * each
    return np.sqrt(total / max(len(rows), 1))


def started(robot: Robot, motion: Trajectory | None, given: Mapping[str, Array]) -> tuple[Array, Array]:
    """Where runs start (m, nq) and how fast (m, nv): as was drawn, or beside the start of a motion."""
    if motion is None:
        return given["state.q"], given["state.qd"]
    q, qd, _ = motion(np.zeros(len(given["offset.q"])))
    return beside(robot, q, given["offset.q"]), qd + given["offset.qd"]


def beside(robot: Robot, q: Array, offset: Array) -> Array:
    """Positions (m, nq) moved by offsets (m, nv)."""
    one = np.ones((len(q), 1))
    return robot.kernel(Request("integrate"))({"q": q, "v": offset, "dt": one}, threads=1)


def batches(given: Mapping[str, Array], numbers: int) -> Iterator[dict[str, Array]]:
    """The runs in groups that need no more memory than there should be, if each keeps so many numbers."""
    runs = len(next(iter(given.values())))
    most = max(1, MOST_NUMBERS // max(numbers, 1))
    for start in range(0, runs, most):
        yield {name: values[start : start + most] for name, values in given.items()}


def joined(parts: Sequence[Mapping[str, Array]]) -> dict[str, Array]:
    """Results of groups of runs as those of all."""
    if len(parts) == 1:
        return dict(parts[0])
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


TASKS = {
    "torque": "TorqueTask",
    "simulate": "SimulateTask",
    "control": "ControlTask",
    "approximate": "ApproximateTask",
}
"""By name; each in a module of its own."""


def task_named(name: str) -> type[Task]:
    """A task by its name, imported when it is first asked for."""
    return getattr(import_module(f"strobe.sweep.task_{name}"), TASKS[name])
