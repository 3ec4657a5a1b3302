"""The hand on straight lines between its poses, turning about one axis on each; joints at constant accelerations.

Joint positions are taken from the lines, denser and denser, until the hand stays within the envelope of them
[Waters1979]: metres for its place, radians for its orientation, both looked at in several places of every piece.
Arms with fewer than six joints that cannot keep the orientation keep the place alone, and say so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from strobe.errors import ArgumentError
from strobe.kinematics.inverse_rates import moved
from strobe.kinematics.screws import error
from strobe.kinematics.tracking import Path, track
from strobe.kinematics.workspace import moving_numbers
from strobe.trajectory import constant_acceleration
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.repeated_points import same_place
from strobe.trajectory.requests import Request

Array = np.ndarray

METHOD = "hand-line"
ENVELOPE = 1e-3  # m and rad, where none is asked for
FIRST, MOST = 4, 1024  # points on a line
LOOKS = (np.arange(8) + 0.5) / 8  # where a piece of the motion is looked at
STUCK, DENSE = 0.95, 32  # a line with so many points that comes no closer than by this factor will not
SAME = 1e-6  # joints that differ by less are in the same place, and so are hands


class Lines(NamedTuple):
    """Where the hand is to go: its poses (P, 4, 4) and what of them is kept."""

    frame: str
    poses: Array
    what: str


def hand_line(asked: Request) -> Trajectory:
    """The motion of least time on the lines, dense enough for the envelope; refused with where a line ends."""
    if not np.isnan(asked.times).all():
        raise ArgumentError("hand-line chooses its own times: leave those of the request out.")
    frame = asked.robot.moving_frame(asked.frame)
    poses = asked.robot.forward_kinematics(asked.q, frame)
    lines, counts = Lines(frame, poses, "pose"), np.full(len(poses) - 1, FIRST)
    envelope = ENVELOPE if asked.envelope is None else asked.envelope
    before = np.full(len(counts), np.inf)
    while True:
        lines, q = _tracked(asked, lines, counts)
        motion, far = _driven(asked, lines, counts, q)
        outside = far > envelope
        if not outside.any():
            return motion.with_notes(_told(lines, counts, far.max()))
        hopeless = outside & ((counts >= MOST) | ((counts >= DENSE) & (far > STUCK * before)))
        if hopeless.any():
            worst = int(np.argmax(np.where(hopeless, far, 0.0)))
            raise ArgumentError(
                f"from {asked.labels[worst]} to {asked.labels[worst + 1]} the hand leaves its line by "
                f"{far[worst]:.3g}, more than the envelope {envelope:g}, even with {counts[worst]} points on it. "
                "Allow a wider envelope, or leave velocities open."
            )
        before = far
        growth = np.clip(1.1 * far / envelope, 1.3, 16.0)  # the hand comes closer as points come closer
        counts = np.where(outside, np.minimum(np.ceil(counts * growth), MOST), counts).astype(int)


def _told(lines: Lines, counts: Array, far: float) -> str:
    said = f"{int((counts - 1).sum())} points inserted: {lines.frame} stays within {far:.3g} of its lines."
    if lines.what != "pose":
        said += " Its orientation follows: the arm has too few joints to keep it."
    return said


def _along(pose: Array, way: Array, shares: Array) -> Array:
    """Poses (N, 4, 4) at shares (N,) of a way: the place on a line, the turn about one axis."""
    return moved(pose, way * shares[:, None], 1.0)


def _tracked(asked: Request, lines: Lines, counts: Array) -> tuple[Lines, Array]:
    """Joint positions (T, n) along the lines, and the lines with what of them can be kept."""
    wanted = [lines.poses[:1]]
    for k, count in enumerate(counts):
        before, after = lines.poses[k], lines.poses[k + 1]
        wanted.append(_along(before, error(before, after), np.arange(1, count + 1) / count))
    robot = asked.robot
    path = track(robot, np.concatenate(wanted), asked.q[0], lines.frame, what=lines.what)
    if path.complete:
        return lines, path.q
    few = moving_numbers(robot, lines.frame).sum() < 6
    if few and lines.what == "pose":
        return _tracked(asked, lines._replace(what="position"), counts)
    raise ArgumentError(_where_it_ends(asked, path, counts))


def _where_it_ends(asked: Request, path: Path, counts: Array) -> str:
    """Which line cannot be followed, how far it was, and why."""
    ends = np.append(0, np.cumsum(counts))
    leg = int(np.searchsorted(ends, path.reached)) - 1
    done = path.reached - 1 - ends[leg]
    from_, to = (100 * k / counts[leg] for k in (done, done + 1))
    return (
        f"the hand cannot follow its straight line from {asked.labels[leg]} to {asked.labels[leg + 1]}: between "
        f"{from_:.3g} % and {to:.3g} % of its length the way ends{path.reason.partition(',')[2].rstrip('.')}. "
        "Choose points between, another pose, or another method."
    )


def _driven(asked: Request, lines: Lines, counts: Array, q: Array) -> tuple[Trajectory, Array]:
    """The motion through positions on the lines, and how far (legs,) it takes the hand from each line."""
    ends = np.append(0, np.cumsum(counts))
    _require_points(asked, q[ends])
    qd = np.full_like(q, np.nan)
    qd[ends] = asked.qd
    labels = [
        f"a point on the line behind {asked.labels[k]}"
        for k, count in enumerate(counts)
        for _ in range(count)
    ]
    labels.append(asked.labels[-1])
    for k, end in enumerate(ends):
        labels[end] = asked.labels[k]
    denser = replace(asked.with_points(q, qd, np.full(len(q), np.nan), labels), envelope=None)
    motion = constant_acceleration.plan(denser)
    points = motion.points[ends]
    notes = tuple(same_place(asked, k, k + 1) for k in np.flatnonzero(np.diff(points) == 0).tolist())
    far = _deviations(asked, lines, motion, points)
    return replace(motion, points=points, method=METHOD, notes=notes), far


def _require_points(asked: Request, q: Array) -> None:
    """The lines end where the request wants the joints to be, unless it asked for the hand alone."""
    for k, (label, there, wanted) in enumerate(zip(asked.labels, q, asked.q, strict=True)):
        far = np.abs(there - wanted)
        j = int(np.argmax(far))
        free = asked.posed[k] if asked.posed else False
        moving = bool(np.nan_to_num(asked.qd[k]).any())
        if far[j] > SAME and (not free or moving):
            raise ArgumentError(
                f'on straight lines of the hand {label} is reached with joint "{asked.joint_names[j]}" at '
                f"{there[j]:.6g} instead of {wanted[j]:.6g}. Give the pose of the hand there instead of its joints"
                f"{', without a velocity' if moving else ''}."
            )


def _deviations(asked: Request, lines: Lines, motion: Trajectory, points: Array) -> Array:
    """How far the hand leaves each line: metres or radians, whichever is more."""
    t = (motion.times[:-1, None] + np.diff(motion.times)[:, None] * LOOKS).ravel()
    leg = np.clip(np.searchsorted(points, t, side="right") - 1, 0, len(points) - 2)
    seen = asked.robot.forward_kinematics(motion(t).q, lines.frame)
    far = np.zeros(len(points) - 1)
    for k in range(len(far)):
        if (here := leg == k).any():
            far[k] = _from_line(seen[here], lines.poses[k], lines.poses[k + 1], lines.what).max()
    return far


def _from_line(seen: Array, before: Array, after: Array, what: str) -> Array:
    """The distance of poses (N, 4, 4) from the nearest place of a line, and of their turn from the turn there."""
    along, way = after[:3, 3] - before[:3, 3], error(before, after)
    r = seen[:, :3, 3] - before[:3, 3]
    length, turn = float(along @ along), float(way[3:] @ way[3:])
    share = np.zeros(len(seen))
    if length > SAME**2:
        share = np.clip(r @ along / length, 0.0, 1.0)
    elif turn > 0:
        share = np.clip(error(before, seen)[:, 3:] @ way[3:] / turn, 0.0, 1.0)
    place = np.linalg.norm(r - share[:, None] * along, axis=1)
    if what != "pose":
        return place
    turned = error(_along(before, way, share), seen)[:, 3:]
    return np.maximum(place, np.linalg.norm(turned, axis=1))
