"""A walk: the joints of a robot with two legs along a gait, planned so that the foot that stands holds.

The body follows the linear inverted pendulum over the wanted zero moment point; inverse kinematics of each leg, seen
from its foot, gives the joints, and a quintic spline joins them. The full dynamics then say where the zero moment
point really is, and what is missing is given to the pendulum again, a few times.

With all mass at a constant height h, at the centre c, the moment about the zero moment point p vanishes when

    p = c − c̈ / ω²,    ω² = g / h.

Run forwards in time c falls away from p. Here the whole path is found at once: of all paths c that rest at both ends
the one whose zero moment point is nearest to the wanted one, in the sense of least squares.

A position means the same whichever foot stands: along one motion the robot is rooted on one foot after the other.
The world is the frame of the first foot at the start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from scipy.sparse import diags
from scipy.sparse.linalg import spsolve

from strobe.errors import ArgumentError, counted, shown
from strobe.mechanisms.gait import Gait, Phase, wanted_zmp
from strobe.mechanisms.zero_moment_point import (
    Footing,
    GroundReaction,
    center_of_mass,
    gravity_of,
    ground_reaction,
    standing,
    upward,
)
from strobe.models.feet import Foot
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, Table, displayed, number
from strobe.trajectory.files import in_order
from strobe.trajectory.motion import Trajectory

Array = np.ndarray
AT_REST = 3  # points at each end that are the same: no velocity, no acceleration

STEP = 0.02  # s between two points of the spline, and between two looks at it
FEWEST = 16  # points of a spline
ROUNDS = 3  # of correction by the full dynamics
LEVEL = 1e-6  # by which the vertical may differ from the z axis of a foot


@displayed
@dataclass(frozen=True, eq=False)
class Walk:
    """A motion of all joints, the phases it goes through, and the robot as it stands on either foot."""

    motion: Trajectory
    phases: tuple[Phase, ...]
    feet: tuple[Foot, ...]
    robots: Mapping[str, Robot]  # foot -> the robot rooted on it

    def _sheet(self) -> Sheet:
        rows = [[number(p.start), number(p.end), ", ".join(p.standing), p.swing] for p in self.phases]
        head = f"a walk of {counted(sum(p.single for p in self.phases), 'step')}, {number(self.motion.duration)} s"
        return Sheet(head, [Table(["from (s)", "to (s)", "standing", "in the air"], rows)], self._figure)

    def _figure(self) -> str:
        from strobe.mechanisms.figure_zmp import walk_figure

        return walk_figure(self)

    def ground(self, t: Any = None, friction: float | None = None) -> tuple[Array, GroundReaction]:
        """Times (every 20 ms if none are given), and what the ground does then, in the axes of the world."""
        times = self._times(t)
        return times, self._reaction(times, *self.motion(times), friction)

    def center_of_mass(self, t: Any = None) -> Array:
        """The centre of mass (T, 3) projected on the ground: the zero moment point if everything stood still."""
        times = self._times(t)
        q, qd, _ = self.motion(times)
        return self._reaction(times, q, 0.0 * qd, 0.0 * qd, None).zmp

    def single_support(self, k: int) -> tuple[Robot, Trajectory]:
        """The robot on the foot that stands during the k-th step (from 0), and its motion meanwhile."""
        steps = [phase for phase in self.phases if phase.single]
        if k not in range(len(steps)):
            raise ArgumentError(f"step {k!r}: the walk has {counted(len(steps), 'step')}, counted from 0.")
        robot = self.robots[steps[k].standing[0]]
        part = between(self.motion, steps[k].start, steps[k].end)
        return robot, in_order(part, robot.joint_names, robot.name)

    def _times(self, t: Any) -> Array:
        return (
            _every(STEP, self.motion.duration) if t is None else np.atleast_1d(np.asarray(t, dtype=float))
        )

    def _reaction(
        self, t: Array, q: Array, qd: Array, qdd: Array, friction: float | None
    ) -> GroundReaction:
        """What the ground does at instants (T,), each seen from a foot that stands."""
        ends = [phase.end for phase in self.phases[:-1]]
        which = np.searchsorted(ends, t, side="right")
        parts = [
            (which == k, self._in_phase(phase, q[which == k], qd[which == k], qdd[which == k], friction))
            for k, phase in enumerate(self.phases)
            if (which == k).any()
        ]
        return GroundReaction.joined(parts)

    def _in_phase(
        self, phase: Phase, q: Array, qd: Array, qdd: Array, friction: float | None
    ) -> GroundReaction:
        root = phase.standing[0]
        robot = self.robots[root]
        order = [self.motion.joint_names.index(name) for name in robot.joint_names]
        feet = [foot for foot in self.feet if foot.frame in phase.standing]
        seen = ground_reaction(robot, *(x[:, order] for x in (q, qd, qdd)), foot=feet, friction=friction)
        return seen.placed(phase.places[root])


def walk(
    robot: Robot,
    posture: Any,
    body: str,
    *,
    feet: Sequence[str | Foot] | None = None,
    gait: Gait | None = None,
) -> Walk:
    """A walk along x from a posture q (nq) in which both soles lie flat, the body upright at a constant height.

    ``body`` is the frame between the legs that is kept upright; ``feet`` are two, those of the model if none are
    given, and the first one stands while the second makes the first step. Joints of neither leg stay as they are.
    """
    require_robot(robot)
    gait = Gait() if gait is None else gait
    if not isinstance(gait, Gait):
        raise ArgumentError(f"gait is {shown(gait)}; expected a Gait, such as Gait(steps=4, length=0.15).")
    plan = _Plan(robot, posture, body, _two_feet(robot, feet), gait)
    zmp, center = plan.wanted, plan.pendulum(plan.wanted)
    result = plan.along(center)
    for _ in range(ROUNDS):
        center = center + plan.pendulum(zmp - result.ground(plan.times)[1].zmp[:, :2])
        result = plan.along(center)
    return result


class _Plan:
    """What stays the same while a walk is corrected."""

    def __init__(self, robot: Robot, posture: Any, body: str, feet: tuple[Foot, ...], gait: Gait) -> None:
        self.feet = feet
        self.robots = {foot.frame: robot.standing_on(foot.frame, posture) for foot in feet}
        self.first = self.robots[feet[0].frame]
        self.q0 = _positions(robot, posture, self.first)
        self.center = center_of_mass(self.first, self.q0)
        self.floor = _floor(self.first, self.q0, feet)
        self.upright = self.first.forward_kinematics(self.q0, body)
        places = {foot.frame: self.first.forward_kinematics(self.q0, foot.frame) for foot in feet}
        self.phases = tuple(gait.phases(feet, places))
        self.times = _every(STEP, self.phases[-1].end)
        self.wanted = wanted_zmp(self.phases, feet, self.times)
        self.legs = {frame: standing.chain(body) for frame, standing in self.robots.items()}

    def pendulum(self, zmp: Array) -> Array:
        """The centre of mass (T, 2) over a zero moment point (T, 2)."""
        gravity = float(np.linalg.norm(gravity_of(self.first)))
        return carried(zmp, self.times[1], float(self.center[2]) - self.floor, gravity)

    def along(self, center: Array) -> Walk:
        """The walk on which the body goes along with a centre of mass (T, 2)."""
        body = np.tile(self.upright, (len(self.times), 1, 1))
        body[:, :2, 3] += center - self.center[:2]
        q = np.tile(self.q0, (len(self.times), 1))
        for frame, leg in self.legs.items():
            columns = [self.first.joint_names.index(name) for name in leg.joint_names]
            q[:, columns] = self._leg(frame, leg, body, self.q0[columns])
        motion = self.first.plan(q, "quintic", times=self.times)
        return Walk(motion, self.phases, self.feet, self.robots)

    def _leg(self, frame: str, leg: Robot, body: Array, start: Array) -> Array:
        """The joints (T, m) of a leg between a foot and the body."""
        place = np.empty_like(body)
        for phase in self.phases:
            now = (self.times >= phase.start) & (self.times <= phase.end)
            place[now] = phase.path(frame, self.times[now])
        q = leg.inverse_kinematics(np.linalg.inv(place) @ body, method="numeric", q0=start).q[:, 0]
        lost = np.flatnonzero(~np.isfinite(q).all(axis=1))
        if len(lost):
            raise ArgumentError(
                f'the leg of foot "{frame}" does not reach at {self.times[lost[0]]:g} s of the walk. Take shorter '
                "steps (length, lift), longer times, or bend the knees more in the posture."
            )
        return q


def _two_feet(robot: Robot, feet: Sequence[str | Foot] | None) -> tuple[Foot, ...]:
    found = tuple(robot.model.feet) if feet is None else tuple(standing(robot, feet))
    if len(found) != 2 or found[0].frame == found[1].frame:
        given = ", ".join(foot.frame for foot in found) or "none"
        raise ArgumentError(
            f"a walk needs two different feet; {robot.name} has {given}. Give two: feet=(…, …)."
        )
    return found


def _positions(robot: Robot, posture: Any, rooted: Robot) -> Array:
    """A position of one robot as that of the same robot on a foot."""
    q = np.asarray(posture, dtype=float)
    known = {joint.name: q[joint.q] for joint in robot.coordinates.joints if joint.nq == 1}
    return np.array([known[name] for name in rooted.joint_names])


def _floor(robot: Robot, q: Array, feet: Sequence[Foot]) -> float:
    """The height of the ground on which both feet stand, in the axes of the first."""
    if np.abs(upward(robot) - (0.0, 0.0, 1.0)).max() > LEVEL:
        raise ArgumentError(
            f'in the posture the z axis of foot "{feet[0].frame}" is not vertical; a walk begins on flat feet.'
        )
    still = np.zeros(robot.nv)
    stands = ground_reaction(robot, q, still, still, foot=feet)
    if stands.status == Footing.NOT_FLAT:
        raise ArgumentError("in the posture the soles do not lie in one plane; a walk begins on both feet.")
    return float(stands.polygon[0, 2])


def _every(step: float, duration: float) -> Array:
    return np.linspace(0.0, duration, max(FEWEST, round(duration / step) + 1))


def between(motion: Trajectory, start: float, end: float) -> Trajectory:
    """A part of a motion as a motion of its own, beginning at zero."""
    inner = (motion.times > start) & (motion.times < end)
    times = np.concatenate([[start], motion.times[inner], [end]])
    piece = np.clip(
        np.searchsorted(motion.times, times[:-1], side="right") - 1, 0, len(motion.coefficients) - 1
    )
    late = (times[:-1] - motion.times[piece])[:, None]
    old = motion.coefficients[piece]
    powers = range(old.shape[-1])
    new = [sum(comb(k, p) * old[..., k] * late ** (k - p) for k in powers if k >= p) for p in powers]
    part = times - start
    return Trajectory(motion.joint_names, part, np.stack(new, axis=-1), motion.method, part[[0, -1]])


def carried(zmp: Array, step: float, height: float, gravity: float) -> Array:
    """The centre of mass (N, m), from step to step, of a pendulum whose zero moment point (N, m) is wanted."""
    k = height / (gravity * step**2)
    N = len(zmp)
    to_zmp = diags([-k, 1.0 + 2.0 * k, -k], [0, 1, 2], shape=(N - 2, N)).tocsc()  # pyright: ignore[reportArgumentType]
    center = np.concatenate([np.tile(zmp[0], (N - AT_REST, 1)), np.tile(zmp[-1], (AT_REST, 1))])
    free = slice(AT_REST, N - AT_REST)
    A = to_zmp[:, free]
    missing = zmp[1:-1] - to_zmp @ center
    center[free] += spsolve(A.T @ A, A.T @ missing).reshape(-1, zmp.shape[1])
    return center
