"""Whether a motion keeps its bounds at every time, not only where it is looked at.

Positions, velocities, accelerations and jerks are polynomials: their extremes are known. Torques and places of frames
are not; of these, on each of many short pieces of time,

    |y(t)| ≤ max_k |y(t_k)| + L δ/2        L ≥ |dy/dt| on the piece,    δ the time between instants t_k

L comes from intervals: y and its rate are computed once over all positions, velocities and accelerations that the
polynomials reach in the piece. Friction may jump where a joint turns round, and has no such L; it grows with the
speed alone, and on δ/2 about an instant it lies between the frictions of the least and the largest speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.identify.motion_bounds import MotionBounds
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars import DualSystem
from strobe.scalars.interval import INTERVALS
from strobe.trajectory.motion import Trajectory, differentiated, hulls

Array = np.ndarray

SHARE = 1e-3  # of a bound: what may lie between two instants
SPANS = 1000  # pieces of time, about
MOST_LOOKS = 4000  # instants in one of them
TOGETHER = 100_000  # instants looked at at once
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Excess:
    """How much of a bound a motion may use, where that is most."""

    kind: str
    name: str  # of the joint or frame
    share: float  # of the bound, at most
    at: float  # s


def most_used(bounds: MotionBounds, motion: Trajectory) -> Excess:
    """The bound of which a motion uses most, with what lies between instants added."""
    found = [*_polynomial(bounds, motion)]
    if len(bounds.efforts):
        found.append(_torque(bounds, motion))
    if bounds.box is not None:
        found += [_place(bounds, motion, frame) for frame in bounds.box.frames]
    return max(found, key=lambda each: each.share)


def _polynomial(bounds: MotionBounds, motion: Trajectory) -> list[Excess]:
    b, names = bounds.joints, motion.joint_names
    found: list[Excess] = []
    for order, kind in enumerate(("position", "velocity", "acceleration", "jerk")):
        middle = bounds.middle if not order else np.zeros(motion.n)
        size = bounds.half if not order else getattr(b, kind)
        extremes = motion.extremes(order)
        above, below = extremes.largest - middle, middle - extremes.least
        held = (
            ROUNDING * (1 + np.abs(middle)) * (size == 0)
        )  # a joint with nowhere to go stands on its bound
        shares = np.maximum(above, below) / (size + held)
        j = int(np.argmax(shares))
        at = extremes.largest_at[j] if above[j] >= below[j] else extremes.least_at[j]
        found.append(Excess(kind, names[j], float(shares[j]), float(at)))
    return found


# -- what is no polynomial ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spans:
    """A motion cut into short pieces of time, the powers of each taken from its beginning."""

    starts: Array  # (S,)
    lengths: Array
    pieces: Array  # (S, n, degree + 1)

    @classmethod
    def of(cls, motion: Trajectory, count: int = SPANS) -> Spans:
        each = max(1, -(-count // len(motion.coefficients)))
        lengths = np.repeat(np.diff(motion.times) / each, each)
        offsets = np.tile(np.arange(each), len(motion.coefficients)) * lengths
        whole = np.repeat(motion.coefficients, each, axis=0)
        return cls(np.repeat(motion.times[:-1], each) + offsets, lengths, shifted(whole, offsets))

    def reached(self, order: int) -> tuple[Array, Array]:
        """The ends (S, n) between which a derivative stays."""
        values = self.pieces
        for _ in range(order):
            values = differentiated(values)
        n = values.shape[1]
        ends = hulls(values.reshape(-1, values.shape[-1]), np.repeat(self.lengths, n))
        shape = (len(self.lengths), n)
        return ends.min(axis=1).reshape(shape), ends.max(axis=1).reshape(shape)


def shifted(pieces: Array, by: Array) -> Array:
    """Coefficients (S, n, p) of polynomials of t − by."""
    found = pieces.copy()
    p = found.shape[-1]
    for k in range(p - 1):
        for j in range(p - 2, k - 1, -1):
            found[..., j] += by[:, None] * found[..., j + 1]
    return found


def steepest(robot: Robot, request: Request, spans: Spans, states: Sequence[str]) -> Array:
    """L (S, …) of what is asked: no rate of it is larger while the motion passes a span."""
    system = DualSystem(INTERVALS)
    ends = [spans.reached(order) for order in range(len(states) + 1)]
    numbers: dict[str, Any] = {}
    for k, name in enumerate(states):
        (low, high), (least, largest) = ends[k], ends[k + 1]
        numbers[name] = [
            system.seed(
                INTERVALS.between(low[:, j], high[:, j]), INTERVALS.between(least[:, j], largest[:, j])
            )
            for j in range(low.shape[1])
        ]
    values = request.evaluate(robot.model.lift(system), **numbers)
    return np.moveaxis(_rates(system, values, len(spans.lengths)), -1, 0)


def _rates(system: DualSystem, values: Any, count: int) -> Array:
    if isinstance(values, list | tuple):
        return np.array([_rates(system, each, count) for each in values])
    low, high = INTERVALS.lower(system.lower(values).tangent)
    return np.broadcast_to(np.maximum(np.abs(low), np.abs(high)), (count,))


def _torque(bounds: MotionBounds, motion: Trajectory) -> Excess:
    robot, which, effort = bounds.robot, bounds.efforts, bounds.joints.effort[bounds.efforts]
    spans = Spans.of(motion)
    rate = steepest(robot, Request("inverse_dynamics", friction=False), spans, ("q", "qd", "qdd"))[:, which]
    worst = Excess("effort", "", 0.0, 0.0)
    for t, apart, span in _instants(spans, (rate / effort).max(axis=1)):
        q, qd, qdd = motion(t)
        rigid = robot.inverse_dynamics(q, qd, qdd, friction=False)[:, which]
        less, more = _frictions(bounds, spans, qd, apart, span)
        between = rate[span] * (apart / 2)[:, None]
        shares = np.maximum(np.abs(rigid + less), np.abs(rigid + more)) + between
        worst = _worse(worst, shares / effort, t, [motion.joint_names[int(j)] for j in which])
    return worst


def _frictions(
    bounds: MotionBounds, spans: Spans, qd: Array, apart: Array, span: Array
) -> tuple[Array, Array]:
    """The least and the largest friction while the time is within half an instant."""
    which = bounds.efforts
    low, high = spans.reached(2)
    step = np.maximum(np.abs(low), np.abs(high))[span] * (apart / 2)[:, None]
    return friction_of(bounds.robot, qd - step)[:, which], friction_of(bounds.robot, qd + step)[:, which]


def friction_of(robot: Robot, qd: Array) -> Array:
    """What friction takes at speeds, wherever the robot is."""
    q, still = np.broadcast_to(robot.neutral, (len(qd), robot.nq)), np.zeros_like(qd)
    return robot.inverse_dynamics(q, qd, still) - robot.inverse_dynamics(q, qd, still, friction=False)


def _place(bounds: MotionBounds, motion: Trajectory, frame: str) -> Excess:
    robot, box, spans = bounds.robot, bounds.box, Spans.of(motion)
    assert box is not None
    rate = steepest(robot, Request("forward_kinematics", frame=frame), spans, ("q",))[:, :3, 3]
    width = np.where(np.isfinite(box.upper - box.lower), box.upper - box.lower, 1.0)
    worst = Excess("workspace", frame, 0.0, 0.0)
    for t, apart, span in _instants(spans, (rate / width).max(axis=1)):
        p = robot.forward_kinematics(motion(t).q, frame)[:, :3, 3]
        beyond = np.maximum(p - box.upper, box.lower - p) + rate[span] * (apart / 2)[:, None]
        worst = _worse(worst, 1 + beyond / width, t, [f"{axis} of {frame}" for axis in "xyz"])
    return worst


def _instants(spans: Spans, rate: Array) -> Any:
    """Instants amid equal steps of each span, so many that little lies between; the step and the span of each."""
    count = np.clip(np.ceil(rate * spans.lengths / 2 / SHARE), 1, MOST_LOOKS).astype(int)
    span = np.repeat(np.arange(len(count)), count)
    apart = (spans.lengths / count)[span]
    place = np.arange(len(span)) - np.repeat(np.cumsum(count) - count, count)
    t = spans.starts[span] + (place + 0.5) * apart
    for k in range(0, len(t), TOGETHER):
        part = slice(k, k + TOGETHER)
        yield t[part], apart[part], span[part]


def _worse(worst: Excess, shares: Array, t: Array, names: Sequence[str]) -> Excess:
    k, j = np.unravel_index(int(np.argmax(shares)), shares.shape)
    if shares[k, j] <= worst.share:
        return worst
    return Excess(worst.kind, names[int(j)], float(shares[k, j]) * (1 + ROUNDING), float(t[k]))
