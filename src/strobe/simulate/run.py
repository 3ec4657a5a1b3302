"""What a simulation gives back: plain arrays, and what there is to say about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import cached_property
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from strobe import renamed
from strobe.robot import Robot
from strobe.show.picture import Picture
from strobe.show.sheet import Column, Sheet, by_joint, displayed, ended, facts, number
from strobe.show.units import efforts, lengths, per_second
from strobe.simulate.checkpoint import Checkpoint
from strobe.simulate.energy_audit import Audit
from strobe.simulate.limit_violations import Excess, excesses

Array = np.ndarray
Path = str | PathLike[str]


class RunStatus(IntEnum):
    """How a run ended."""

    DONE = 0
    DIVERGED = 1
    INTERRUPTED = 2
    FAILED = 3

    @property
    def sentence(self) -> str:
        return SENTENCES[self]


SENTENCES = {
    RunStatus.DONE: "the run reached its end.",
    RunStatus.DIVERGED: "the motion grew beyond all bounds, or its accelerations were not finite.",
    RunStatus.INTERRUPTED: "the run was interrupted.",
    RunStatus.FAILED: "a function that the run calls failed.",
}


@displayed
class Errors(NamedTuple):
    """Estimated errors (..., T, n) of positions and velocities, by a run with half the step."""

    q: Array
    qd: Array

    def _sheet(self) -> Sheet:
        off = [number(float(np.nanmax(x, initial=0.0))) for x in self]
        return Sheet(f"estimated errors, at most {off[0]} (rad, m) in q and {off[1]} (rad/s, m/s) in qd")


@displayed
@dataclass(frozen=True, eq=False)
class Run:
    """Motions over time: T rows, batch axes first. A run that stopped early has NaN from there on.

    What has to be worked out (the books, what there is to say) is so when it is first read: see `later`.
    """

    robot: Robot
    times: Array  # (T,)
    q: Array  # (..., T, nq)
    qd: Array  # (..., T, nv)
    tau: Array  # (..., T, nv) as applied: within the limits of motors, and what holds locked joints
    audit: Audit
    status: Array  # (...) of RunStatus
    stopped: Array  # (...) the time of the last good state
    cut: Array  # (..., nv) seconds for which a motor gave less than was asked
    method: str
    step: float  # the longest one; nan where the integrator chose
    notes: tuple[str, ...] = ()
    error: Errors | None = None
    checkpoint: Checkpoint | None = None
    extremes: Array | None = None  # (..., bounds) of what has a limit, in all steps, where not all are rows

    def __getattr__(self, name: str) -> Any:
        """A field that nobody has read yet."""
        make = self.__dict__.get("_unread", {}).get(name)
        if make is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return self.__dict__.setdefault(name, make(self))

    def __getstate__(self) -> dict[str, Any]:
        """All fields: what would make them later does not travel."""
        return {name: getattr(self, name) for name in FIELDS}

    @property
    def done(self) -> bool:
        """Whether every run reached its end."""
        return bool((self.status == RunStatus.DONE).all())

    @cached_property
    def exceeded(self) -> tuple[Excess, ...]:
        """Limits of joints that the run went beyond: which, by how much and when. Nothing holds a joint by itself."""
        return excesses(self.robot, self.times, self.q, self.qd, self.tau, self.extremes)

    def require_uninterrupted(self) -> None:
        """Interrupt who asked for this run as well, where it was interrupted."""
        if (self.status == RunStatus.INTERRUPTED).any():
            raise KeyboardInterrupt

    # -- files and figures --------------------------------------------------------------------------

    def to_npz(self, path: Path, *, force: bool = False) -> None:
        """Everything there is to a run, to be read by `from_npz` and by NumPy; ``force`` replaces a file."""
        self._write(path, ".npz", force)

    def to_csv(self, path: Path, *, force: bool = False) -> None:
        """Times, positions, velocities, torques and energies as rows."""
        self._write(path, ".csv", force)

    def to_mcap(self, path: Path, *, force: bool = False) -> None:
        """Joint states and energies as messages, as Foxglove reads them (extra "mcap")."""
        self._write(path, ".mcap", force)

    def _write(self, path: Path, kind: str, force: bool) -> None:
        from strobe.simulate.files import write

        write(self, path, kind, force=force)

    @classmethod
    def from_npz(cls, path: Path, robot: Robot) -> Run:
        """A run as it was written, with the robot it was made of; its checkpoint goes on with the same bits."""
        from strobe.simulate.files import read

        return read(path, robot)

    def plot(self, path: Path | None = None, which: int = 0, *, force: bool = False) -> Picture:
        """Energy, and every joint's position, velocity and torque over time, as SVG, written where a path is given.

        ``which`` is the number of a run in a batch.
        """
        from strobe.simulate.figure import simulation_figure

        drawn = Picture(simulation_figure(self, which))
        if path is not None:
            drawn.save(path, force=force)
        return drawn

    def _sheet(self) -> Sheet:
        runs = f"{self.status.size} runs" if self.status.ndim else "a run"
        span = f"{self.times[0]:g} to {self.times[-1]:g} s" if len(self.times) else "nothing done"
        head = f"Run of {self.robot.name}: {runs}, {span}, {self.method}"
        if not len(self.times):
            return Sheet(head)
        parts = [facts(self._facts()), by_joint(self.robot.coordinates.rate_names, self._columns())]
        return Sheet(head, [*parts, *self.notes], self._figure)

    def _facts(self) -> dict[str, str | int | None]:
        drift = float(np.nanmax(self.audit.noticed_drift, initial=0.0))
        return {
            "ended": ended(self.status, RunStatus),
            "rows": len(self.times),
            "step": None if np.isnan(self.step) else f"{number(self.step)} s",
            "energy unaccounted for": f"{drift:.1e} of the largest kinetic energy",
            "beyond limits": ", ".join(f"{x.kind} of {x.joint}" for x in self.exceeded) or None,
        }

    def _columns(self) -> list[Column]:
        """Every degree of freedom over the whole run."""
        joints = self.robot.coordinates.joints
        unit = lengths(joints)
        columns = [Column("qd", self.qd, per_second(unit)), Column("tau", self.tau, efforts(joints))]
        return [Column("q", self.q, unit), *columns] if self.robot.coordinates.is_single else columns

    def _figure(self) -> str:
        return self.plot()


FIELDS = tuple(each.name for each in fields(Run))
KEPT = {*FIELDS, "exceeded"} - {"notes"}  # by a run with more to say
for _name in ("notes", "error", "checkpoint", "extremes"):
    delattr(Run, _name)  # a default on the class, which would be found before `__getattr__` is asked


def later(known: Mapping[str, Any], unread: Mapping[str, Callable[[Run], Any]]) -> Run:
    """A run with fields that are made when they are first read, each by a function of the run.

    None of these holds the run: then it goes as soon as nobody holds it, not when Python next looks for rings.
    """
    run = object.__new__(Run)
    vars(run).update(known, _unread=dict(unread))
    return run


def noted(run: Run, said: Iterable[str], **changed: Any) -> Run:
    """The same run with more to say, and perhaps other fields; what nobody has read stays unread."""
    own = {name: x for name, x in vars(run).items() if name in KEPT}
    unread = {name: make for name, make in vars(run).get("_unread", {}).items() if name not in own}
    return later(own | changed, unread | {"notes": lambda _: (*run.notes, *said)})


renamed.answer(__name__)
