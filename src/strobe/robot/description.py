"""What a robot is: its model, and from it names, sizes and limits."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np

from strobe.errors import Fault, UnknownNameError, counted
from strobe.models.arguments import require_texts
from strobe.models.couplings import Coordinates, coordinates
from strobe.models.default_frame import moved_frame, moved_frames, tip, tips
from strobe.models.model import Model
from strobe.robot.answers import Array, Bounds
from strobe.show.sheet import Column, Sheet, Table, by_joint
from strobe.show.units import efforts, lengths, per_second


class Described:
    """A model, seen by its independent coordinates: joints that follow others are not among them."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def model(self) -> Model:
        """The robot as data; an edit gives a new robot."""
        return self._model

    @cached_property
    def coordinates(self) -> Coordinates:
        """The independent coordinates: joints that follow others are not among them."""
        return coordinates(self.model)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def nq(self) -> int:
        """Numbers in a position q."""
        return self.coordinates.nq

    @property
    def nv(self) -> int:
        """Numbers in a velocity: the degrees of freedom."""
        return self.coordinates.nv

    @property
    def n(self) -> int:
        """Degrees of freedom."""
        return self.nv

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints, in the order of q."""
        return tuple(joint.name for joint in self.coordinates.joints)

    @property
    def frames(self) -> tuple[str, ...]:
        return tuple(frame.name for frame in self.model.frames)

    @property
    def notes(self) -> tuple[Fault, ...]:
        """What the reader found worth saying."""
        return self.model.notes

    @cached_property
    def limits(self) -> Bounds:
        """Arrays of nv entries each."""
        rows = [joint.limits for joint in self.coordinates.joints for _ in range(joint.nv)]
        columns = zip(
            *((r.lower, r.upper, r.velocity, r.acceleration, r.effort) for r in rows), strict=True
        )
        return Bounds(*(np.array(column) for column in columns)) if rows else Bounds(*[np.empty(0)] * 5)

    @cached_property
    def neutral(self) -> Array:
        """The position in which every joint is at its zero."""
        return np.array([x for joint in self.coordinates.joints for x in joint.neutral()])

    def __repr__(self) -> str:
        return f"<Robot {self.name}: {counted(self.n, 'joint')}>"

    def __str__(self) -> str:
        return self._sheet().text()

    def _repr_html_(self) -> str:
        return str(self._sheet().html())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _sheet(self) -> Sheet:
        joints = self.coordinates.joints
        pattern = "".join(joint.letter for joint in joints)
        mass = sum(float(body.inertial.m) for body in self.model.bodies)  # pyright: ignore[reportArgumentType]
        freedom = f"{counted(self.n, 'degree')} of freedom ({pattern})"
        head = f"{self.name}: {freedom}, {mass:.4g} kg moving, {counted(len(self.frames), 'frame')}"
        names = [name for joint in joints for name in joint.rate_names]
        kinds = [joint.kind for joint in joints for _ in range(joint.nv)]
        length = lengths(joints)
        limits = [
            Column("lower", self.limits.lower, length), Column("upper", self.limits.upper, length),
            Column("velocity", self.limits.velocity, per_second(length)),
            Column("effort", self.limits.effort, efforts(joints)),
        ]  # fmt: skip
        table = by_joint(names, [column for column in limits if np.isfinite(column.values).any()])
        rows = [[row[0], kind, *row[1:]] for row, kind in zip(table.rows, kinds, strict=True)]
        return Sheet(head, [Table(["joint", "kind", *table.columns[1:]], rows)])

    @cached_property
    def _why(self) -> str:
        """What a wrong size is held against."""
        if not self.coordinates.is_single:
            return f"{self.name} has {self.nq} position numbers and {self.nv} degrees of freedom"
        return f"{self.name} has {counted(self.n, 'joint')}"

    @cached_property
    def tip(self) -> str:
        """The frame meant where none is named: the farthest behind the last moving joint; see `models.default_frame`.

        A robot that ends in several places has none: a `TipError` offers a frame of each.
        """
        return tip(self.model)

    @property
    def tips(self) -> tuple[str, ...]:
        """The farthest frame of every end of the robot: hands, feet, wheels."""
        return tips(self.model)

    @property
    def moving_frames(self) -> tuple[str, ...]:
        """Names of the frames that joints move; the others have neither Jacobian nor load."""
        moved = moved_frames(self.model)
        return tuple(name for name in self.frames if name in moved)

    def _frame(self, name: str | None) -> str:
        return self.tip if name is None else self.model.frame(name).name

    def _moving_frame(self, name: str | None) -> str:
        """The name of a frame that joints move, the tip if none is named."""
        return self.tip if name is None else moved_frame(self.model, name)

    def _joints_like(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """Names of independent joints, in their order, that patterns with * and ? match; each must match one."""
        patterns = require_texts("joints", patterns)
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in self.joint_names):
                raise UnknownNameError("joint", pattern, self.name, self.joint_names, "robot.joint_names")
        return tuple(n for n in self.joint_names if any(fnmatchcase(n, pattern) for pattern in patterns))
