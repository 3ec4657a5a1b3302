"""D and E stored along one planned motion, as Paul did: quick beside it, and worth nothing away from it.

tau = D_i qdd + E_i         i the stored point nearest in (q, qd), or linearly between two points in time
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from strobe.approximate.method import Approximation, Operations, require_open_dynamics
from strobe.approximate.states import (
    added,
    friction_operations,
    require_bytes,
    require_room,
    require_single_numbers,
    states,
)
from strobe.approximate.stored import (
    Find,
    Nearest,
    Stored,
    apart,
    bound,
    distances,
    mixed,
    scales,
    search,
    size,
    torques_near,
    use,
)
from strobe.errors import ArgumentError, ShapeError, shown
from strobe.models.arguments import require_whole
from strobe.robot import Robot, require_robot
from strobe.trajectory.files import in_order
from strobe.trajectory.motion import State, Trajectory

Array = np.ndarray
LOOKUPS = ("nearest", "time")
INSTANTS = 1001  # at which the motion is compared with what is stored of it, at least
DIRECTIONS = 32  # in which states are shifted to see the error as far away as is allowed
ROUNDING = 1e-9  # of a distance
BETWEEN = 8  # instants for each stored point, at least


class AlongTrajectory(Approximation):
    """D and E at points of one motion, evenly spaced in time.

    ``lookup="nearest"`` uses the point nearest in (q, qd); ``"time"`` interpolates between two, at the time ``t`` of
    the call, or at the nearest place of the line through the points. ``within`` is how far in q and in qd a state may
    be from there (one number, or two); if None, twice as far as the motion itself is from its stored points at most,
    so that errors away from it grow no faster than the points stand apart (`error_at_bound`). A radian, a metre and
    these by the second count alike, unless ``scale`` says what one is for each of (q, qd).
    """

    name = "along-trajectory"

    def __init__(
        self, robot: Robot, motion: Trajectory, points: int = 40, *, lookup: str = "nearest",
        derivatives: bool = False, within: Any = None, scale: Any = None, budget: float | None = None,
    ) -> None:  # fmt: skip
        require_robot(robot)
        points = require_whole("points", points, 2)
        motion = motion_of(robot, motion)
        require_room(
            require_bytes(budget),
            size(robot, points, derivatives),
            f"D and E at {points:,} points of a motion",
        )
        start = time.perf_counter()
        times, state = motion.sampled(count=points)
        stored = Stored.at(robot, state.q, state.qd, derivatives)
        reach = bound(within)
        scale = scales(robot, scale)
        if reach is None:
            reach = spacing(motion, stored, scale)
        self._set(robot, times, stored, lookup, reach, scale)
        self.error = self._worst(motion.sampled(count=INSTANTS)[1])
        self.error_at_bound = self._worst(self._shifted(state)) if np.isfinite(reach).all() else None
        self._preparation = time.perf_counter() - start

    @classmethod
    def of(
        cls, robot: Robot, times: Array, stored: Stored, *, lookup: str, within: Array, scale: Array
    ) -> AlongTrajectory:
        """What is stored already, along a motion that passes there at these times."""
        made = cls.__new__(cls)
        made._preparation = 0.0
        made._set(robot, times, stored, lookup, within, scale)
        return made

    error: Array | None = None  # (n,) by how much it is off along the motion, at most
    error_at_bound: Array | None = None  # (n,) the same, as far from the motion as it still answers

    def _worst(self, state: State) -> Array:
        """By how much (n,) torques of states (K, n) are off, at most."""
        here = self._found(state.q, state.qd, None, state.q.shape[:-1])
        exact = self.robot.inverse_dynamics(*state, friction=False)
        return np.abs(here.torques(*state) - exact).max(axis=0, initial=0.0)

    def _shifted(self, state: State) -> State:
        """States (K, n) about as far from stored ones as is allowed, in some directions."""
        rng, n = np.random.default_rng(0), self.robot.nv
        shifts = rng.standard_normal((2, DIRECTIONS, 1, n))
        shifts *= self.within[:, None, None, None] / np.linalg.norm(shifts, axis=-1, keepdims=True)
        q, qd = state.q + shifts[0] * self.scale[:n], state.qd + shifts[1] * self.scale[n:]
        qdd = np.broadcast_to(state.qdd, q.shape)
        answered = (self.distance(q, qd) <= (1 + ROUNDING) * self.within).all(axis=-1)
        return State(q[answered], qd[answered], qdd[answered])

    def _set(
        self, robot: Robot, times: Array, stored: Stored, lookup: str, within: Array, scale: Array
    ) -> None:
        if lookup not in LOOKUPS:
            raise ArgumentError(f'lookup is {shown(lookup)}; expected "nearest" or "time".')
        self.robot, self.times, self.stored, self.lookup = robot, times, stored, lookup
        self.within, self.scale = within, scale
        self.title = f"D and E along the motion, {'nearest' if lookup == 'nearest' else 'linear in time'}"
        self._nearest = Nearest(stored.q, stored.qd, scale)

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any, t: Any = None) -> Array:
        """tau (..., n); ``t`` (...) are the times of the states, for ``lookup="time"``."""
        state = states(self.robot, q, qd, qdd)
        return torques_near(self.robot, state, self._finder(t, state[0].shape[:-1]), self.scale)

    def distance(self, q: Any, qd: Any, t: Any = None) -> Array:
        """How far (..., 2) states are from where they are looked up: in q and in qd."""
        state = states(self.robot, q, qd, np.zeros(self.robot.nv))
        return distances(state, self._finder(t, state[0].shape[:-1]), self.scale)

    @property
    def memory(self) -> int:
        """The stored points; their times are known from the first and the last."""
        return sum(values.nbytes for values in self.stored.arrays.values())

    @property
    def operations(self) -> Operations:
        """The search for the nearest point with it; where times are given that is saved."""
        n, derivatives = self.robot.nv, self.stored.slopes is not None
        found = search(len(self.stored), n)
        if self.lookup == "time":
            kept = n * n + n + 2 * n
            found = added(found, Operations(kept + 8 * n, 2 * kept + 12 * n, others=2, lookups=kept))
        return added(found, use(n, derivatives), friction_operations(self.robot))

    @property
    def preparation(self) -> float:
        return self._preparation

    @property
    def notes(self) -> tuple[str, ...]:
        said = [
            f"It holds within {self.within[0]:.3g} of the motion in q and {self.within[1]:.3g} in qd, and refuses "
            "states farther away.",
            "It has to be prepared anew for every motion and every payload.",
        ]
        if self.error is not None and self.error_at_bound is not None:
            said.append(
                f"Along the motion it is off by up to {self.error.max():.3g}; as far away as it still answers, by up "
                f"to {self.error_at_bound.max():.3g}."
            )
        return tuple(said)

    # -- look-up --------------------------------------------------------------------------------------

    def _finder(self, t: Any, batch: tuple[int, ...]) -> Find:
        """What gives the stored numbers for states (K, n) of a batch, and how far they hold."""
        return lambda q, qd: (self._found(q, qd, t, batch), self.within)

    def _found(self, q: Array, qd: Array, t: Any, batch: tuple[int, ...]) -> Stored:
        """What is stored for states (K, n)."""
        if t is not None and self.lookup != "time":
            raise ArgumentError('t= was given, but lookup="nearest" looks up states. Use lookup="time".')
        if t is not None:
            left, part = self._at(t, batch)
        else:
            place = self._nearest(q, qd)
            if self.lookup == "nearest":
                return self.stored[place]
            left, part = self._between(q, qd, place)
        return mixed((self.stored[left], self.stored[left + 1]), (1.0 - part, part))

    def _at(self, t: Any, batch: tuple[int, ...]) -> tuple[Array, Array]:
        """The point before each time, and the part of the way to the next."""
        try:
            times = np.broadcast_to(np.asarray(t, dtype=float), batch).ravel()
        except ValueError:
            raise ShapeError("t", np.shape(t), str(batch), "it is a time for each state") from None
        outside = ~((times >= 0) & (times <= self.times[-1]))
        if outside.any():
            raise ArgumentError(
                f"time {times[outside][0]:g} s is outside the motion, which lasts from 0 to {self.times[-1]:g} s."
            )
        left = np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, len(self.times) - 2)
        return left, (times - self.times[left]) / (self.times[left + 1] - self.times[left])

    def _between(self, q: Array, qd: Array, place: Array) -> tuple[Array, Array]:
        """The same for the nearest place of the lines to and from the nearest point."""
        x, points = np.concatenate([q, qd], axis=-1) / self.scale, self._nearest.points
        choices = []
        for left in (np.maximum(place - 1, 0), np.minimum(place, len(points) - 2)):
            along = points[left + 1] - points[left]
            length = np.einsum("kj,kj->k", along, along)
            part = np.einsum("kj,kj->k", x - points[left], along) / np.where(length > 0, length, 1.0)
            part = np.clip(np.nan_to_num(part), 0.0, 1.0)
            off = np.linalg.norm(x - points[left] - part[:, None] * along, axis=-1)
            choices.append((left, part, off))
        (left, part, off), (other, other_part, other_off) = choices
        nearer = other_off < off
        return np.where(nearer, other, left), np.where(nearer, other_part, part)


def motion_of(robot: Robot, motion: Trajectory) -> Trajectory:
    """A motion of a robot that has one number for each joint, and dynamics; in the order of its joints."""
    require_single_numbers(robot, "D and E stored along a motion")
    require_open_dynamics(robot)
    motion = in_order(motion, robot.joint_names, robot.name)
    if not motion.duration > 0:
        raise ArgumentError("the motion has no duration: there is nothing to store along it.")
    return motion


def spacing(motion: Trajectory, stored: Stored, scale: Array) -> Array:
    """Twice the distances in q and in qd at which a motion is from its nearest stored points, at most."""
    _, state = motion.sampled(count=max(INSTANTS, BETWEEN * len(stored)))
    here = stored[Nearest(stored.q, stored.qd, scale)(state.q, state.qd)]
    return 2.0 * apart(state.q, state.qd, here, scale).max(axis=0)
