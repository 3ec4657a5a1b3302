"""Two robots compared: what changed in their models, and what that does to torques and to where frames are.

Consequences are taken at the same random states of the joints that both have; a joint that only one has is held at
zero in it. What cannot be compared is said with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.errors import ArgumentError, StrobeError, counted
from strobe.models.arguments import finite_numbers, require_whole
from strobe.models.changes import Change, changes
from strobe.models.default_frame import hands
from strobe.models.fingerprint import fingerprint
from strobe.robot import Robot, require_robot
from strobe.show.sheet import displayed
from strobe.show.units import efforts

Array = np.ndarray

STATES = 1000
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class TorqueRow:
    """The torques of one joint in both robots, over all states."""

    joint: str
    unit: str
    first: float  # the largest
    second: float
    difference: float  # the largest
    typical: float  # its root mean square


@dataclass(frozen=True, slots=True)
class ReachRow:
    """How far apart a frame is in both robots, over all states."""

    frame: str
    distance: float  # m, the largest
    angle: float  # rad, the largest


@displayed
@dataclass(frozen=True, eq=False)
class Comparison:
    """What differs between two robots, and what follows."""

    first: str
    second: str
    changes: tuple[Change, ...]
    states: int
    tolerance: float
    joints: tuple[str, ...]  # those that both have, at whose states they were compared
    torques: tuple[TorqueRow, ...]
    torques_why: str  # why these are not compared; empty where they are
    reach: tuple[ReachRow, ...]  # of frames that both have, the farthest apart first
    reach_why: str

    @property
    def differing(self) -> tuple[TorqueRow, ...]:
        """The joints whose torques differ, by more than the tolerance of the largest torque of their kind."""
        return tuple(
            row for row in self.torques if row.difference > self.tolerance * self._largest(row.unit)
        )

    @property
    def worst(self) -> TorqueRow | None:
        """The joint whose torques differ most, relative to the largest torque of its kind; none if none differs."""
        return max(self.differing, key=lambda row: row.difference / self._largest(row.unit), default=None)

    def _largest(self, unit: str) -> float:
        return max(max(row.first, row.second) for row in self.torques if row.unit == unit)

    @property
    def farthest(self) -> ReachRow | None:
        """The frame that is farthest from where it was; none if none is."""
        apart = [r for r in self.reach if r.distance > self.tolerance or r.angle > self.tolerance]
        return max(apart, key=lambda r: (r.distance, r.angle), default=None)

    @property
    def same(self) -> bool:
        """Whether nothing differs, in the models and in what is computed with them."""
        return not self.changes and self.worst is None and self.farthest is None

    @property
    def says(self) -> tuple[str, ...]:
        """The consequences in sentences."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if self.same and not self.torques and not self.reach:
            yield "the same model"
            return
        where = f"at {counted(self.states, 'random state')} of {counted(len(self.joints), 'joint')}"
        if self.torques_why:
            yield f"torques are not compared: {self.torques_why}"
        elif (worst := self.worst) is None:
            yield f"torques are the same {where}"
        else:
            yield (
                f"torques differ {where}: most at {worst.joint}, by up to {worst.difference:.4g} {worst.unit} "
                f"(largest torque {worst.first:.4g} and {worst.second:.4g} {worst.unit})"
            )
        if self.reach_why:
            yield f"reach is not compared: {self.reach_why}"
        elif (far := self.farthest) is None:
            yield "every frame that both have is where it was"
        else:
            yield f"frames are elsewhere: {far.frame} by up to {far.distance:.4g} m and {far.angle:.4g} rad"

    def __str__(self) -> str:
        head = f"{self.first} and {self.second}: {counted(len(self.changes), 'change')}"
        return "\n".join([head, *map(str, self.changes), *self.says])


def compare(
    a: Robot, b: Robot, *, states: int = STATES, seed: int = 0, tolerance: float = TOLERANCE
) -> Comparison:
    """What differs between two robots: joints, links and frames by name, then torques and places at random states."""
    require_robot(a, "a")
    require_robot(b, "b")
    require_whole("states", states, 1)
    (within,) = finite_numbers("tolerance", tolerance, 1)
    if within < 0:
        raise ArgumentError(f"tolerance is {within:g}; expected a number that is not negative.")
    if fingerprint(a.model) == fingerprint(b.model):
        return Comparison(a.name, b.name, (), states, within, a.joint_names, (), "", (), "")
    return _consequences(a, b, tuple(changes(a.model, b.model, within)), states, seed, within)


def _consequences(
    a: Robot, b: Robot, found: tuple[Change, ...], states: int, seed: int, tolerance: float
) -> Comparison:
    try:
        first, second = _shared(a, b)
        q, qd, qdd = first.random_state(seed, states)
        over = _order(first, second)
    except StrobeError as error:
        why = str(error)
        return Comparison(a.name, b.name, found, states, tolerance, (), (), why, (), why)
    there = q[..., over[0]], qd[..., over[1]], qdd[..., over[1]]
    torques, torques_why = _told(lambda: _torques(first, second, (q, qd, qdd), there, over[1]))
    reach, reach_why = _told(lambda: _reach(first, second, q, there[0]))
    return Comparison(
        a.name, b.name, found, states, tolerance, first.joint_names, torques, torques_why, reach, reach_why
    )


def _told(work: Callable[[], tuple[Any, ...]]) -> tuple[tuple[Any, ...], str]:
    """What was computed, or why it could not be."""
    try:
        return work(), ""
    except StrobeError as error:
        return (), str(error)


def _shared(a: Robot, b: Robot) -> tuple[Robot, Robot]:
    """Both robots with the joints that only one of them has held at zero."""
    bound = {coupling.joint for robot in (a, b) for coupling in robot.model.couplings}
    made = []
    for robot, other in ((a, b), (b, a)):
        if robot.model.is_closed:
            raise ArgumentError(f"{robot.name} has closed chains.")
        own = [name for name in robot.joint_names if name not in other.joint_names]
        if both := [name for name in own if name in bound]:
            raise ArgumentError(f"joint {', '.join(both)} follows others in one of them only.")
        held = robot.lock(dict.fromkeys(own, 0.0)) if own else robot
        made.append(Robot(held.model, compiled=False))  # asked once: not worth compiling
    first, second = made
    if not first.nv or not second.nv:
        raise ArgumentError("they share no joint.")
    kinds = [{joint.name: joint.nv for joint in robot.coordinates.joints} for robot in made]
    if kinds[0] != kinds[1]:
        wrong = [name for name in kinds[0] if kinds[0][name] != kinds[1].get(name)]
        raise ArgumentError(f"joint {', '.join(wrong)} moves in other ways.")
    return first, second


def _order(a: Robot, b: Robot) -> tuple[list[int], list[int]]:
    """Which numbers of a position, and of a velocity, of one robot those of the other are."""
    x, y = a.coordinates, b.coordinates
    return (
        [x.position_names.index(name) for name in y.position_names],
        [x.rate_names.index(name) for name in y.rate_names],
    )


def _torques(
    a: Robot, b: Robot, state: tuple[Array, ...], there: tuple[Array, ...], over: list[int]
) -> tuple[TorqueRow, ...]:
    tau = a.inverse_dynamics(*state)
    other = np.empty_like(tau)
    other[..., over] = b.inverse_dynamics(*there)
    columns = zip(a.coordinates.rate_names, efforts(a.coordinates.joints), tau.T, other.T, strict=True)
    return tuple(
        TorqueRow(name, unit, _most(x), _most(y), _most(x - y), _rms(x - y)) for name, unit, x, y in columns
    )


def _rms(x: Array) -> float:
    return float(np.sqrt(np.mean(x**2)))


def _most(x: Array) -> float:
    return float(np.abs(x).max())


def _reach(a: Robot, b: Robot, q: Array, there: Array) -> tuple[ReachRow, ...]:
    """The tips first where they are, then those farthest apart."""
    shared = [name for name in a.frames if name in b.frames and name in a.moving_frames]
    first, second = (
        robot.frame_placements(x)[:, [robot.frames.index(name) for name in shared]]
        for robot, x in ((a, q), (b, there))
    )
    apart = np.linalg.norm(first[..., :3, 3] - second[..., :3, 3], axis=-1).max(axis=0)
    chord = np.linalg.norm(first[..., :3, :3] - second[..., :3, :3], axis=(-2, -1)).max(axis=0)
    angles = 2 * np.arcsin(np.clip(chord / np.sqrt(8.0), 0.0, 1.0))  # |R − S| = √8 sin(angle/2)
    rows = [ReachRow(*row) for row in zip(shared, apart.tolist(), angles.tolist(), strict=True)]
    ends = set(hands(a.model))
    return tuple(sorted(rows, key=lambda row: (row.frame not in ends, -row.distance)))
