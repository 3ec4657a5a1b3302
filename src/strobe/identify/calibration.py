"""What measured poses tell of where a robot's joints are: moves with error bars, and a robot that has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from strobe.errors import counted
from strobe.identify.base_parameters import combination
from strobe.identify.placement_moves import Move, moved
from strobe.identify.pose_errors import ENDS
from strobe.identify.pose_fit import PoseFit
from strobe.robot import Robot
from strobe.show.sheet import Sheet, Table, displayed

Array = np.ndarray

WORDS = {"poses": "pose", "positions": "position", "distances": "distance"}
UNITS = ("m", "rad")
SHOWN = 4  # parts of a combination in a table


@displayed
@dataclass(frozen=True, slots=True, eq=False)
class Misses:
    """How far readings are from a robot: root mean squares, m and rad where rotations were measured."""

    held_out: bool
    count: int
    before: Array  # by the robot as it was given, with the base and the target that fit it best
    after: Array  # by the calibrated one

    def __str__(self) -> str:
        units = ("m", "rad")[: len(self.after)]
        told = ", ".join(
            f"{b:.3g} -> {a:.3g} {u}" for b, a, u in zip(self.before, self.after, units, strict=True)
        )
        return f"{counted(self.count, 'reading')}{' (held out)' * self.held_out}: off by {told}"


@displayed
@dataclass(frozen=True, eq=False)
class Calibration:
    """What measured poses tell of a robot's placements."""

    robot: Robot  # as it was given
    frame: str
    kind: str  # of what was measured: poses, positions or distances
    joints: tuple[Move, ...]
    fit: PoseFit
    misses: tuple[Misses, ...]
    open: tuple[str, ...]  # moves that other readings would tell, and these do not
    remarks: tuple[str, ...]

    @property
    def base(self) -> Array:
        """(4, 4): the robot's base in the axes of what measured."""
        return self.fit.placed.base

    @property
    def tool(self) -> Array:
        """(4, 4): the target in the axes of the frame."""
        return self.fit.placed.tool

    @property
    def moves(self) -> tuple[Move, ...]:
        """All moves: of the base, of the target, of the joints."""
        return (*ENDS, *self.joints)

    @cached_property
    def _found(self) -> list[int]:
        """Places of the joints' moves among those that were found."""
        return [k for k, move in enumerate(self.fit.kept) if move >= len(ENDS)]

    @property
    def values(self) -> Array:
        """What was found of the joints' moves, m and rad."""
        return self.fit.placed.moves[[self.fit.kept[k] - len(ENDS) for k in self._found]]

    @property
    def covariance(self) -> Array:
        """Of `values`."""
        return self.fit.covariance[np.ix_(self._found, self._found)]

    @property
    def deviations(self) -> Array:
        """Standard deviations of `values`."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def base_deviations(self) -> Array:
        """(6,): of the base's x, y, z, rx, ry, rz in its own axes; 0 of what was not found."""
        return self._of_ends[:6]

    @property
    def tool_deviations(self) -> Array:
        """(6,): of the target's."""
        return self._of_ends[6:]

    @property
    def _of_ends(self) -> Array:
        found, spread = np.zeros(len(ENDS)), np.sqrt(np.diag(self.fit.covariance))
        for k, move in enumerate(self.fit.kept):
            if move < len(ENDS):
                found[move] = spread[k]
        return found

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Each of `values` as the combination of moves that it stands for."""
        single = [move.name for move in self.moves]
        return tuple(combination(self.fit.map[k], single, self.fit.kept[k]) for k in self._found)

    @cached_property
    def parts(self) -> dict[str, tuple[str, ...]]:
        """The joints' moves that cannot be told by themselves, each with those that hold it; none if nothing does."""
        single = [move.name for move in self.moves]
        rest = [k for k in range(len(ENDS), len(single)) if k not in self.fit.kept]
        holders = {k: np.flatnonzero(self.fit.map[:, k]) for k in rest}
        return {single[k]: tuple(single[self.fit.kept[i]] for i in places) for k, places in holders.items()}

    @cached_property
    def calibrated(self) -> Robot:
        """The robot whose joints are where they were found."""
        return self.robot.with_model(moved(self.robot.model, self.joints, self.fit.placed.moves.tolist()))

    def _sheet(self) -> Sheet:
        return Sheet(self.head, [*self.tables, *self.sentences])

    @property
    def head(self) -> str:
        """What it is, in a line."""
        read = self.misses[0].count
        count = len(self.fit.kept)
        return f"{self.robot.name}: {count} placements up to {self.frame} from {counted(read, WORDS[self.kind])}"

    @property
    def tables(self) -> tuple[Table, Table]:
        """How far readings are from the robot, and the moves."""
        return self._misses(), self._moves()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is not known, and what seems wrong."""
        return (*self.unknown, *self.remarks)

    def _misses(self) -> Table:
        units = UNITS[: len(self.misses[0].before)]
        columns = [f"{when}, {unit}" for when in ("before", "after") for unit in units]
        rows = [
            [
                f"{counted(m.count, WORDS[self.kind])}{' (held out)' * m.held_out}",
                *(float(f"{x:.3g}") for x in (*m.before, *m.after)),
            ]
            for m in self.misses
        ]
        return Table(["root mean square", *columns], rows)

    def _moves(self) -> Table:
        units = [self.moves[self.fit.kept[k]].unit for k in self._found]
        rows = zip(self.values.tolist(), self.deviations.tolist(), units, self.names, strict=True)
        return Table(
            ["value", "±", "", "move"],
            [[float(f"{x:.6g}"), float(f"{s:.2g}"), unit, _short(name)] for x, s, unit, name in rows],
        )

    @property
    def unknown(self) -> tuple[str, ...]:
        """Sentences on what is not known by itself."""
        ends = {move.name for move in ENDS}
        held = [name for name, by in self.parts.items() if by and set(by) <= ends]
        mixed = [name for name, by in self.parts.items() if by and not set(by) <= ends]
        nothing = [name for name, by in self.parts.items() if not by]
        told = [
            ("Part of where the base and the target are: {}.", held),
            ("Part of the moves above: {}.", mixed),
            ("Nothing tells of {}.", nothing),
            ("Other readings would tell {}; these do not.", self.open),
        ]
        return tuple(text.format(", ".join(names)) for text, names in told if names)


def _short(name: str) -> str:
    """A combination, cut where it is very long."""
    parts = name.split(" ")
    return name if len(parts) <= 3 * SHOWN else f"{' '.join(parts[: 3 * SHOWN])} …"
