"""What a sweep is, once it is read: a document that holds all of it, cut into pieces of work.

    plan = read_plan("sweep.toml")
    plan.runs, plan.chunks, plan.cells[0].chosen
    evaluate(plan, plan.work(0))                  # {"tau": (m, n), …}, a row for each run

A cell is one combination of what lies on a grid, the robot first. It has ``samples`` runs; run k of every cell draws
the same numbers, so that cells can be compared. A piece of work is a part of one cell, or several whole ones of a
robot. The document is plain data with models and motions in it: whoever has it needs no other file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.errors import ArgumentError, UnknownNameError
from strobe.sweep.axes import NAMED, axes
from strobe.sweep.checksums import digest

if TYPE_CHECKING:
    from strobe.robot import Robot
    from strobe.trajectory.motion import Trajectory

FORMAT = 1  # of documents
Field = tuple[tuple[int, ...], np.dtype[Any]]  # what a run yields under one name: shape and kind of numbers


@dataclass(frozen=True)
class Cell:
    """One combination of grid values."""

    index: int  # of all cells
    robot: str  # its label
    row: int  # the number of the cell among those of its robot
    chosen: Mapping[str, Any]  # by the names of the other axes: a label, a number, a list of numbers


@dataclass(frozen=True)
class Work:
    """A piece of a sweep: the samples from start on, before stop, of one cell; or all samples of several."""

    index: int
    cells: tuple[Cell, ...]  # of one robot, one after the other
    start: int
    stop: int

    @property
    def robot(self) -> str:
        return self.cells[0].robot

    @property
    def samples(self) -> int:
        """Of each cell."""
        return self.stop - self.start

    @property
    def runs(self) -> int:
        return len(self.cells) * self.samples


class Cells(Sequence[Cell]):
    """All combinations, worked out one by one: the first axis, the robot, is the slowest."""

    def __init__(self, robots: Sequence[str], axes: Mapping[str, Sequence[Any]]) -> None:
        self.robots, self.axes = robots, axes
        self.per_robot = prod(len(values) for values in axes.values())
        self.alike = prod(len(values) for name, values in axes.items() if name not in NAMED)
        """Cells, one after the other, that differ in numbers alone."""

    def __len__(self) -> int:
        return len(self.robots) * self.per_robot

    def __getitem__(self, index: Any) -> Any:
        found = range(len(self))[index]
        return self._cell(found) if isinstance(found, int) else [self._cell(k) for k in found]

    def _cell(self, index: int) -> Cell:
        which, row = divmod(index, self.per_robot)
        chosen, left = dict[str, Any](), row
        for name in reversed(list(self.axes)):
            left, place = divmod(left, len(self.axes[name]))
            chosen[name] = self.axes[name][place]
        return Cell(index, self.robots[which], row, {name: chosen[name] for name in self.axes})


class Plan:
    """A sweep by its document; two plans are the same if their documents are."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Plan:
        """The plan of a document as `Plan.document` gave it, perhaps in another process or long ago."""
        found = document.get("format") if isinstance(document, dict) else None
        if found != FORMAT:
            raise ArgumentError(
                f"the document of a sweep has format {found!r}; this Strobe reads {FORMAT}."
            )
        return cls(document)

    # -- its size -----------------------------------------------------------------------------------

    @property
    def task(self) -> str:
        """torque, simulate, control or approximate."""
        return self.document["task"]

    @property
    def samples(self) -> int:
        """Runs of every cell."""
        return self.document["samples"]

    @property
    def seed(self) -> int:
        return self.document["seed"]

    @property
    def chunk(self) -> int:
        """The most runs of a piece of work."""
        return self.document["chunk"]

    @cached_property
    def together(self) -> int:
        """The most cells of a piece of work: several where a chunk holds all their samples."""
        return min(max(1, self.chunk // self.samples), self.cells.per_robot)

    @cached_property
    def robots(self) -> tuple[str, ...]:
        """Their labels: words of letters, digits, dots, dashes and underscores, each once."""
        return tuple(robot["label"] for robot in self.document["robots"])

    @cached_property
    def cells(self) -> Cells:
        return Cells(self.robots, axes(self.document))

    @property
    def runs(self) -> int:
        return len(self.robots) * self.cells.per_robot * self.samples

    @property
    def chunks(self) -> int:
        """How many pieces of work there are."""
        return len(self.robots) * self.chunks_per_robot

    @property
    def chunks_per_robot(self) -> int:
        return -(-self.cells.per_robot // self.together) * self._per_cell

    @property
    def _per_cell(self) -> int:
        return -(-self.samples // self.chunk)

    def work(self, index: int) -> Work:
        """A piece of work by its number; no piece belongs to two robots."""
        if not 0 <= index < self.chunks:
            raise IndexError(f"no piece of work has the number {index}; there are {self.chunks:,}.")
        robot, rest = divmod(index, self.chunks_per_robot)
        group, part = divmod(rest, self._per_cell)
        end = (robot + 1) * self.cells.per_robot
        first, start = robot * self.cells.per_robot + group * self.together, part * self.chunk
        cells = self.cells[first : min(first + self.together, end)]
        return Work(index, tuple(cells), start, min(start + self.chunk, self.samples))

    # -- what a run yields --------------------------------------------------------------------------

    def fields(self, robot: str) -> dict[str, Field]:
        """What each run of a robot yields, by name."""
        from strobe.sweep.evaluate import fields

        return fields(self, robot)

    @cached_property
    def statuses(self) -> dict[int, str]:
        """What the numbers under "status" mean; 0 is a run that was done."""
        from strobe.sweep.tasks import task_named

        return {int(status): status.name.lower() for status in task_named(self.task).Status}

    # -- what it is made of -------------------------------------------------------------------------

    def robot(self, label: str) -> Robot:
        """A robot by its label, made once."""
        if label not in self._robots:
            from strobe.sweep.documents import robot_from

            self._robots[label] = robot_from(self._robot_entry(label))
        return self._robots[label]

    def believed(self, label: str) -> Robot:
        """What controllers take a robot for: itself, unless it was drawn about another one."""
        from strobe.sweep.documents import BELIEVED, robot_from

        entry = self._robot_entry(label)
        return robot_from(entry, BELIEVED) if BELIEVED in entry else self.robot(label)

    @cached_property
    def _robots(self) -> dict[str, Robot]:
        return {}

    def _robot_entry(self, label: str) -> Mapping[str, Any]:
        if label not in self.robots:
            raise UnknownNameError("robot", label, "the sweep", self.robots)
        return self.document["robots"][self.robots.index(label)]

    def motion(self, label: str, robot: str) -> Trajectory:
        """The motion that a trajectory is for a robot."""
        from strobe.sweep.documents import motion_from

        entry = next(each for each in self.document["trajectories"] if each["label"] == label)
        return motion_from(entry["motions"][robot])

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the document: equal in every process that has the same sweep."""
        return digest(self.document)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and other.fingerprint == self.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"<Plan of {self.task}: {self.runs:,} runs in {len(self.cells):,} cells and {self.chunks:,} chunks>"
