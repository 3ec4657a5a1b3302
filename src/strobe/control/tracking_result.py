"""What a closed loop gives back: what was wanted, what came, and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike

import numpy as np

from strobe.compiler.runtime.arrays import every
from strobe.control.controller import Controller
from strobe.control.status import TrackingStatus
from strobe.errors import StrobeError
from strobe.kinematics.end_effector import astray
from strobe.robot import Robot
from strobe.show.picture import Picture
from strobe.show.sheet import Column, Sheet, by_joint, displayed, ended, facts, number
from strobe.show.units import efforts, lengths
from strobe.trajectory.motion import Trajectory

Array = np.ndarray
DONE = int(TrackingStatus.DONE)
Path = str | PathLike[str]


@displayed
@dataclass(frozen=True, eq=False)
class Tracked:
    """Closed loops over time: T rows, batch axes first. A loop that was lost has NaN from there on."""

    plant: Robot
    controller: Controller
    times: Array  # (T,)
    wanted: Array  # (..., T, nq + 2 nv): q, qd, qdd
    q: Array  # (..., T, nq)
    qd: Array  # (..., T, nv)
    tau: Array  # (..., T, nv) as asked for by the controller
    cut: Array  # (..., nv) seconds for which a motor gave less than was asked
    stopped: Array  # (...) the time of the last good state
    status: Array  # (...) of TrackingStatus
    motion: Trajectory  # what was wanted, as it was planned
    notes: tuple[str, ...] = ()
    # (..., T, size) of the controller, before each row
    memory: Mapping[str, Array] = field(default_factory=dict)

    @cached_property
    def error(self) -> Array:
        """From where the arm is to where it should be, joint by joint (..., T, nv)."""
        nq = self.plant.nq
        wanted = np.broadcast_to(self.wanted[..., :nq], self.q.shape)
        rows = (np.ascontiguousarray(x.reshape(-1, nq)) for x in (self.q, wanted))
        return self.plant.difference(*rows).reshape((*self.q.shape[:-1], -1))

    def hand(self, frame: str | None = None) -> Array:
        """Where a frame, the tip, is: poses (..., T, 4, 4), as a planner that thinks of the hand wants them."""
        return self.plant.forward_kinematics(self.q, frame)

    def hand_error(self, frame: str | None = None) -> Array:
        """Metres (..., T) between where a frame, the tip, is and where it should be; of several tips the largest."""
        wanted = np.broadcast_to(self.wanted[..., : self.plant.nq], self.q.shape)
        return astray(self.plant, self.q, wanted, frame)

    @property
    def done(self) -> bool:
        """Whether every loop followed its motion to the end."""
        return every(self.status == DONE)

    # -- files and figures --------------------------------------------------------------------------

    def to_npz(self, path: Path, *, force: bool = False) -> None:
        """Everything there is to closed loops, to be read by NumPy; ``force`` replaces a file."""
        self._write(path, ".npz", force)

    def to_csv(self, path: Path, *, force: bool = False) -> None:
        """Times, positions, velocities, torques, and the positions and velocities wanted, as rows."""
        self._write(path, ".csv", force)

    def _write(self, path: Path, kind: str, force: bool) -> None:
        from strobe.control.files import write

        write(self, path, kind, force=force)

    def plot(self, path: Path | None = None, which: int = 0, *, force: bool = False) -> Picture:
        """Errors and torques over time, as SVG, written where a path is given; ``which`` is a loop of a batch."""
        from strobe.control.figure import control_figure

        drawn = Picture(control_figure({self.controller.title: self}, which))
        if path is not None:
            drawn.save(path, force=force)
        return drawn

    def _sheet(self) -> Sheet:
        loops = f"{self.status.size} loops" if self.status.ndim else "a loop"
        head = f"Tracked {self.plant.name}: {loops}, {self.times[-1]:g} s, {self.controller.title}"
        known = {
            "ended": ended(self.status, TrackingStatus),
            "rows": len(self.times),
            "the hand strays by at most": self._astray(),
        }
        joints = self.plant.coordinates.joints
        columns = [Column("error", self.error, lengths(joints)), Column("tau", self.tau, efforts(joints))]
        table = by_joint(self.plant.coordinates.rate_names, columns)
        return Sheet(head, [facts(known), table, *self.notes], self.plot)

    def _astray(self) -> str | None:
        """How far the hand strays at most; nothing where no hand is meant."""
        try:
            return f"{number(float(np.nanmax(self.hand_error(), initial=0.0)))} m"
        except StrobeError:
            return None
