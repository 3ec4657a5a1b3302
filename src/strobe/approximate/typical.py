"""Typical trajectories: D and E stored near motions that an arm makes again and again, and learned by making them.

    library = TypicalTrajectories(robot)
    library.learn(motion)                          # D and E along it, from the model
    library.learn(motion, measured=tau)            # E corrected by what the arm needed; a mean over repetitions
    library.inverse_dynamics(q, qd, qdd)           # from the nearest state stored; refused far from all of them

A procedure is a family of motions in a few parameters, stored over a grid of these and interpolated between. A motion
that is not known is made slowly: its velocity torques, which a model without them misses, fall with the square of
the time it takes. [Waters1979]

    C(q, qd/k) qd/k = C(q, qd) qd / k²             along the same path, made in k times the time
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

import numpy as np

from strobe.approximate.along_trajectory import INSTANTS, AlongTrajectory, motion_of, spacing
from strobe.approximate.method import Approximation, Operations, require_open_dynamics
from strobe.approximate.provenance import made_with, require_same
from strobe.approximate.states import (
    added,
    friction_operations,
    require_bytes,
    require_room,
    require_single_numbers,
    states,
)
from strobe.approximate.stored import (
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
from strobe.approximate.typical_library import Kept, Learned, Procedure, axis, read, write
from strobe.compiler.runtime.arrays import checked
from strobe.errors import ArgumentError, ShapeError, UnknownNameError, counted, shown
from strobe.models.arguments import require_whole
from strobe.robot import Robot, require_robot
from strobe.trajectory.motion import Trajectory

Array = np.ndarray
VELOCITY_INSTANTS = 2001  # at which velocity torques are looked at
Index = tuple[Stored, Array, Nearest]  # what is stored, how far it holds (N, 2), and where the nearest is


@dataclass(frozen=True, eq=False)
class Policy:
    """How to make a motion: as it is where it is known, else slowly."""

    motion: Trajectory
    known: bool
    factor: float  # times as long as it was
    says: str


class TypicalTrajectories(Approximation):
    """A library of motions, each with D and E at points evenly spaced in time, looked up by the nearest state.

    ``within`` is how far in q and in qd (one number, or two) a state may be from the nearest; if None, twice as far
    as a motion is from its own stored points at most. ``scale`` as in `AlongTrajectory`; ``budget`` is the memory in
    bytes that the library may take.
    """

    name = "typical-trajectories"
    title = "typical trajectories stored"

    def __init__(
        self, robot: Robot, *, points: int = 40, within: Any = None, derivatives: bool = False,
        scale: Any = None, budget: float | None = None,
    ) -> None:  # fmt: skip
        require_single_numbers(require_robot(robot), "a library of typical trajectories")
        require_open_dynamics(robot)
        self.robot, self.points = robot, require_whole("points", points, 2)
        self.within, self.scale, self.derivatives = bound(within), scales(robot, scale), bool(derivatives)
        self.budget = require_bytes(budget)
        self._motions: list[Learned] = []
        self._procedures: dict[str, Procedure] = {}
        self._index: Index | None = None
        self._preparation = 0.0

    # -- learning -------------------------------------------------------------------------------------

    @property
    def motions(self) -> tuple[Learned, ...]:
        """What was learned, in the order of learning."""
        return tuple(self._motions)

    @property
    def procedures(self) -> dict[str, Procedure]:
        return dict(self._procedures)

    def learn(self, motion: Trajectory, measured: Any = None, *, times: Any = None) -> Learned:
        """Store a motion, or refresh it where it is known; with what was ``measured`` (T, n) while it was made.

        Measured torques are evenly spaced over the motion, both ends among them, unless their ``times`` (T,) are
        given. The first ones take the place of the model's, later ones enter a mean over all repetitions.
        """
        start = time.perf_counter()
        motion = motion_of(self.robot, motion)
        if measured is None and times is not None:
            raise ArgumentError("times= are those of measured torques, but no measured= was given.")
        sampled = motion.sampled(count=self.points)
        place = next((k for k, known in enumerate(self._motions) if known.repeated_by(*sampled)), None)
        if place is None:
            self._require_room(1)
        known = self._made(motion) if place is None else self._motions[place]
        if measured is not None:
            known = self._corrected(known, motion, measured, times)
        self._motions = [known if k == place else each for k, each in enumerate(self._motions)]
        self._motions += [known] if place is None else []
        self._changed(start)
        return known

    def find(self, start: Any, goal: Any, duration: float | None = None) -> Learned | None:
        """The motion from one place to another, that of the nearest duration if one is given; none if not known."""
        ends = np.asarray(start, dtype=float), np.asarray(goal, dtype=float)
        found = [m for m in self._motions if m.leads(*ends)]
        if duration is None or not found:
            return found[-1] if found else None
        return min(found, key=lambda m: abs(m.duration - duration))

    def procedure(self, name: str, make: Callable[..., Trajectory], grid: Mapping[str, Any]) -> Procedure:
        """Store a family of motions, ``make(**parameters)``, at every point of a grid of its parameters."""
        start = time.perf_counter()
        if name in self._procedures:
            raise ArgumentError(f'procedure "{name}" is stored already. Choose another name.')
        axes = {parameter: axis(parameter, values) for parameter, values in grid.items()}
        if not axes:
            raise ArgumentError(f'procedure "{name}" has no parameters; learn() stores a single motion.')
        count = int(np.prod([len(values) for values in axes.values()]))
        self._require_room(count, f'procedure "{name}", {count:,} motions,')
        motions = []
        for values in itertools.product(*axes.values()):
            motion = make(**dict(zip(axes, map(float, values), strict=True)))
            motions.append(self._made(motion_of(self.robot, motion)))
        self._procedures[name] = Procedure(axes, tuple(motions))
        self._changed(start)
        return self._procedures[name]

    def perform(self, name: str, **parameters: float) -> AlongTrajectory:
        """The motion of a procedure with some parameters: states, D, E and duration between those of the grid."""
        if name not in self._procedures:
            raise UnknownNameError("procedure", name, "the library", list(self._procedures))
        procedure = self._procedures[name]
        if set(parameters) != set(procedure.grid):
            raise ArgumentError(
                f'procedure "{name}" has parameters {", ".join(procedure.grid)}; got '
                f"{', '.join(parameters) or 'none'}."
            )
        around = procedure.at(parameters)
        weights = [weight for _, weight in around]
        stored = mixed([motion.stored for motion, _ in around], weights)
        times = sum(motion.times * weight for motion, weight in around)
        within = sum(self._held(motion) * weight for motion, weight in around)
        return AlongTrajectory.of(
            self.robot, times, stored, lookup="time", within=within, scale=self.scale  # pyright: ignore[reportArgumentType]
        )  # fmt: skip

    def _made(self, motion: Trajectory) -> Learned:
        times, state = motion.sampled(count=self.points)
        stored = Stored.at(self.robot, state.q, state.qd, self.derivatives)
        return Learned(times, stored, spacing(motion, stored, self.scale))

    def _corrected(self, known: Learned, motion: Trajectory, measured: Any, times: Any) -> Learned:
        """E moved by what the model left of measured torques; by the share of this repetition in all."""
        t, tau = self._measured(motion, measured, times)
        left = tau - self.robot.inverse_dynamics(*motion(t))
        left = np.stack([np.interp(known.times, t, column) for column in left.T], axis=-1)
        model = self.robot.bias(known.stored.q, known.stored.qd)
        share = 1.0 / (known.repetitions + 1)
        E = known.stored.E + share * (model + left - known.stored.E)
        return replace(known, stored=replace(known.stored, E=E), repetitions=known.repetitions + 1)

    def _measured(self, motion: Trajectory, measured: Any, times: Any) -> tuple[Array, Array]:
        """Times and torques of a repetition, checked."""
        n, step = self.robot.nv, motion.duration / (self.points - 1)
        tau = checked("measured", measured, (n,), self.robot.shape_reason)
        if tau.ndim != 2 or len(tau) < 2:
            raise ShapeError(
                "measured", tau.shape, f"(T, {n})", "it needs two instants of the motion or more"
            )
        if not np.isfinite(tau).all():
            raise ArgumentError(
                "measured holds numbers that are not finite; leave such rows out and give times=."
            )
        t = np.linspace(0.0, motion.duration, len(tau)) if times is None else np.asarray(times, dtype=float)
        if t.shape != tau.shape[:1] or not (np.diff(t) > 0).all():
            raise ArgumentError(f"times are not {len(tau)} rising numbers, one for each row of measured.")
        if t[0] > step or t[-1] < motion.duration - step:
            raise ArgumentError(
                f"measured torques cover {t[0]:g} to {t[-1]:g} s of a motion that lasts {motion.duration:g} s; "
                "expected all of it."
            )
        return t, tau

    def _require_room(self, more: int, what: str = "the motion") -> None:
        needed = self.memory + more * size(self.robot, self.points, self.derivatives)
        require_room(self.budget, needed, f"the library with {what}")

    def _changed(self, start: float) -> None:
        self._index = None
        self._preparation += time.perf_counter() - start

    # -- torques --------------------------------------------------------------------------------------

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Array:
        return torques_near(self.robot, states(self.robot, q, qd, qdd), self._found, self.scale)

    def distance(self, q: Any, qd: Any) -> Array:
        """How far (..., 2) states are from the nearest that are stored: in q and in qd."""
        return distances(states(self.robot, q, qd, np.zeros(self.robot.nv)), self._found, self.scale)

    def _found(self, q: Array, qd: Array) -> tuple[Stored, Array]:
        """What is stored nearest to states (K, n), and how far (K, 2) it holds."""
        if not self._every:
            raise ArgumentError("the library is empty: it knows no motion. learn() one first.")
        stored, within, nearest = self._all
        place = nearest(q, qd)
        return stored[place], within[place]

    @property
    def _every(self) -> list[Learned]:
        """All motions, those of procedures last."""
        return [*self._motions, *(m for p in self._procedures.values() for m in p.motions)]

    @property
    def _all(self) -> Index:
        """All that is stored in one; put together when it is first asked for after a change."""
        if self._index is None:
            self._index = self._put_together()
        return self._index

    def _put_together(self) -> Index:
        every = self._every
        names = every[0].stored.arrays
        stored = Stored(**{name: np.concatenate([m.stored.arrays[name] for m in every]) for name in names})
        within = np.concatenate([np.broadcast_to(self._held(m), (len(m.times), 2)) for m in every])
        return stored, within, Nearest(stored.q, stored.qd, self.scale)

    def _held(self, motion: Learned) -> Array:
        return motion.within if self.within is None else self.within

    # -- what to do with a motion -----------------------------------------------------------------------

    def knows(self, motion: Trajectory) -> bool:
        """Whether every state of a motion is near enough to one that is stored."""
        if not self._every:
            return False
        _, state = motion_of(self.robot, motion).sampled(count=max(INSTANTS, 8 * self.points))
        here, within = self._found(state.q, state.qd)
        return bool((apart(state.q, state.qd, here, self.scale) <= within).all())

    def policy(self, motion: Trajectory, torque: Any) -> Policy:
        """A known motion as it is; another one so slowly that its velocity torques stay within ``torque`` (n or one).

        These are what a model without velocity terms misses; D qdd and gravity have to be computed for it.
        """
        motion = motion_of(self.robot, motion)
        slow = slowly(self.robot, motion, torque)
        if self.knows(motion):
            return Policy(motion, True, 1.0, "The motion is known: make it as it is.")
        return slow

    # -- what it costs ----------------------------------------------------------------------------------

    @property
    def memory(self) -> int:
        return sum(values.nbytes for m in self._every for values in m.stored.arrays.values())

    @property
    def operations(self) -> Operations:
        n, count = self.robot.nv, sum(len(m.times) for m in self._every)
        return added(search(count, n), use(n, self.derivatives), friction_operations(self.robot))

    @property
    def preparation(self) -> float:
        """Seconds spent learning so far."""
        return self._preparation

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            f"It knows {counted(len(self._motions), 'motion')} and {counted(len(self._procedures), 'procedure')}, "
            "and refuses states far from all of them.",
            "A payload, or any other change of the robot, makes it void.",
        )

    # -- files ------------------------------------------------------------------------------------------

    def use_with(self, robot: Robot) -> TypicalTrajectories:
        """This library, if it was made with such a robot; else refused, saying what differs."""
        require_same(made_with(self.robot), robot, "the library")
        return self

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """The library as an NPZ file, whole or not at all; an existing one is replaced only with ``force``."""
        options = {
            name: getattr(self, name) for name in ("points", "within", "derivatives", "scale", "budget")
        }
        write(path, self.robot, Kept(options, self._motions, self._procedures), force=force)

    @classmethod
    def load(cls, path: str | PathLike[str], robot: Robot) -> TypicalTrajectories:
        """The library in a file, for the robot it was made with; another one is refused, saying what differs."""
        kept = read(path, robot)
        library = cls(robot, **kept.options)
        library._motions, library._procedures = kept.motions, kept.procedures
        return library


# -- slowly ------------------------------------------------------------------------------------------


def slowly(robot: Robot, motion: Trajectory, torque: Any) -> Policy:
    """A motion so slow that its velocity torques stay within ``torque`` (one number, or n)."""
    allowed = _allowed(robot, torque)
    _, state = motion.sampled(count=VELOCITY_INSTANTS)
    missed = np.abs(robot.bias(state.q, state.qd) - robot.gravity(state.q)).max(axis=0)
    worst = int(np.argmax(missed / allowed))
    factor = max(1.0, float(np.sqrt(missed[worst] / allowed[worst])))
    reached = f"velocity torques reach {missed[worst]:.3g} at {robot.joint_names[worst]}"
    if factor == 1.0:
        says = (
            f"The motion is not known, but slow enough: its {reached}, and {allowed[worst]:.3g} is allowed."
        )
    else:
        says = (
            f"The motion is not known: go slowly. Its {reached}, where {allowed[worst]:.3g} is allowed; made "
            f"{factor:.3g} times as long they stay within that."
        )
    return Policy(slower(motion, factor), False, factor, says)


def slower(motion: Trajectory, factor: float) -> Trajectory:
    """The same path, every velocity divided by a factor."""
    powers = factor ** np.arange(motion.coefficients.shape[-1])
    return replace(
        motion,
        times=motion.times * factor,
        points=motion.points * factor,
        coefficients=motion.coefficients / powers,
    )


def _allowed(robot: Robot, torque: Any) -> Array:
    try:
        found = np.array(np.broadcast_to(np.asarray(torque, dtype=float), robot.nv))
    except (TypeError, ValueError):
        found = np.zeros(1)
    if not (found > 0).all():
        raise ArgumentError(
            f"torque is {shown(torque)}; expected a torque above zero, or one for each of {robot.n} joints."
        )
    return found
