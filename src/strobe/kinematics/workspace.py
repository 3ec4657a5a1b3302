"""Where a frame can be, and how well it can be moved there: a cross-section of its workspace, by sampling.

What a robot reaches looks the same all around its first axis if that turns, and all along it if that slides. One
cross-section therefore shows it: distance from the axis and height along it, or the plane square to it. An arm that
moves in a plane is shown in that plane.

Positions are drawn within the limits; some joints stand at a bound or at zero on purpose, because there the rims are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from strobe.errors import UnsupportedModelError
from strobe.models.loops import require_open
from strobe.models.model import ROOT, Body
from strobe.show.sheet import Sheet, displayed, facts, number

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

AT_ONCE = 600_000  # numbers of positions that are looked at together
AT_BOUND = 0.2  # the share of joints that stand at a bound or at zero
FLAT = 1e-9  # of the reach: a robot that leaves its plane by less does not leave it
MANY_TURNS = 4 * np.pi  # limits so far apart are none
LETTERS = ("x", "y", "z")


@displayed
@dataclass(frozen=True, eq=False)
class CrossSection:
    """Places of a frame in a plane, with how well it can be moved at each."""

    frame: str
    across: str  # what the first coordinate is
    up: str
    places: Array  # (samples, 2), m
    manipulability: Array  # (samples,) of the translation, or in the plane that the robot does not leave
    positions: Array  # (samples, 3) in base axes
    plane: Array | None  # (2, 3) the directions of the plane that the robot does not leave

    @property
    def distances(self) -> tuple[float, float]:
        """The least and the largest distance from the origin of the base that was found."""
        far = np.linalg.norm(self.positions, axis=-1)
        return float(far.min()), float(far.max())

    def _sheet(self) -> Sheet:
        least, largest = map(number, self.distances)
        head = f'where frame "{self.frame}" can be: {least} to {largest} m from the origin of the base'
        across, up = (
            f"{number(a)} to {number(b)} m"
            for a, b in zip(self.places.min(0), self.places.max(0), strict=True)
        )
        return Sheet(
            head, [facts({"samples": len(self.places), self.across: across, self.up: up})], self._figure
        )

    def _figure(self) -> str:
        from strobe.show.plots import map_plot

        x, y, best = self.cells()
        title = f"What {self.frame} reaches"
        return map_plot(title, x, y, best, "manipulability", across=f"{self.across}", up=f"{self.up}")

    def cells(self, count: int = 60) -> tuple[Array, Array, Array]:
        """Edges of square cells in both directions, and the best manipulability in each (rows, columns), else NaN."""
        low, high = self.places.min(axis=0), self.places.max(axis=0)
        size = float((high - low).max()) / count or 1.0
        numbers = np.maximum(np.ceil((high - low) / size - 1e-9).astype(int), 1)
        columns, rows = np.minimum(((self.places - low) / size).astype(int), numbers - 1).T
        best = np.full(numbers[::-1], np.nan)
        order = np.argsort(self.manipulability)
        best[rows[order], columns[order]] = self.manipulability[order]  # the last one written is the best
        x, y = (start + size * np.arange(n + 1) for start, n in zip(low, numbers, strict=True))
        return x, y, best


def cross_section(
    robot: Robot, frame: str | None = None, samples: int = 20_000, seed: int = 0
) -> CrossSection:
    """What a frame (the tip if none is named) reaches, from random positions within the limits."""
    require_open(robot.model, "the workspace")
    tip = robot.model.frame(robot.moving_frame(frame))
    support = robot.model.support(tip.body)
    if any(body.joint.is_free for body in support):
        raise UnsupportedModelError(f'{robot.name} floats: its frame "{tip.name}" can be anywhere.')
    q = drawn(robot, samples, seed)
    positions = _in_pieces(lambda some: robot.forward_kinematics(some, tip.name)[..., :3, 3], q)
    places, names, plane = _section(support[0], positions)
    w = plane_manipulability(robot, q, tip.name, plane)
    return CrossSection(tip.name, *names, places, w, positions, plane)


def drawn(robot: Robot, samples: int, seed: int = 0) -> Array:
    """Positions (samples, nq) within the limits, a share of the joints at a bound or at zero."""
    q, _, _ = robot.random_state(seed, samples)
    rng = np.random.default_rng(seed)
    for joint in robot.coordinates.joints:
        if joint.nq == 1:
            lower, upper = joint_range(robot, joint.name)
            stops = np.array([lower, upper, min(max(0.0, lower), upper)])
            there = rng.random(samples) < AT_BOUND
            q[there, joint.q] = rng.choice(stops, int(there.sum()))
    return q


def moving_numbers(robot: Robot, frame: str) -> Array:
    """(nq,) truth values: the numbers of q on which the placement of a frame depends."""
    model, free = robot.model, robot.coordinates
    moving = np.zeros(robot.nq, dtype=bool)
    for body in model.support(model.frame(frame).body):
        joint = body.joint
        for terms, _ in free.positions[joint.q : joint.q + joint.nq]:
            moving[list(terms)] = True
    return moving


def joint_range(robot: Robot, name: str) -> tuple[float, float]:
    """The limits of a joint with one position; a turn, or a metre to both sides, where there are none.

    Limits of more than two turns are none.
    """
    joint = next(each for each in robot.coordinates.joints if each.name == name)
    lower, upper = joint.limits.lower, joint.limits.upper
    return (-np.pi, np.pi) if joint.turns and upper - lower > MANY_TURNS else joint.range


def plane_manipulability(robot: Robot, q: Array, frame: str, plane: Array | None) -> Array:
    """√det(J Jᵀ) (...) of the translation of a frame: in a plane where one is given."""

    def of(some: Array) -> Array:
        J = robot.jacobian(some, frame)[..., :3, :]
        J = J if plane is None else plane @ J
        across = np.swapaxes(J, -1, -2)
        square = J @ across if J.shape[-2] <= J.shape[-1] else across @ J
        return np.sqrt(np.maximum(np.linalg.det(square), 0.0))

    return _in_pieces(of, q)


def _in_pieces(function: Callable[[Array], Array], q: Array) -> Array:
    """What a function makes of positions (..., nq), so many at a time that they take little memory."""
    flat = q.reshape(-1, q.shape[-1])
    found = [function(piece) for piece in np.array_split(flat, max(1, flat.size // AT_ONCE))]
    return np.concatenate(found).reshape((*q.shape[:-1], *found[0].shape[1:]))


def _section(first: Body, positions: Array) -> tuple[Array, tuple[str, str], Array | None]:
    """Two coordinates of every position, their names, and the plane if nothing leaves it."""
    z, point = _axis(first)
    reach = float(np.ptp(positions, axis=0).max()) or 1.0
    heights = positions @ z
    flat = float(np.ptp(heights)) < FLAT * reach
    if flat or not first.joint.turns:
        plane, names = _square_plane(z)
        return positions @ plane.T, names, plane if flat else None
    away = np.linalg.norm(np.cross(positions - point, z), axis=-1)
    axis = f"the axis of {first.joint.name}"
    return (
        np.stack([away, heights], axis=-1),
        (f"distance from {axis} (m)", f"height along {axis} (m)"),
        None,
    )


def _axis(body: Body) -> tuple[Array, Array]:
    """Direction and a point of the first joint's axis in base axes, as it stands at rest."""
    assert body.parent == ROOT
    place = np.array(body.before.matrix().rows, dtype=float)
    return place[:3, body.joint.axis] * body.joint.sign, place[:3, 3]


def _square_plane(z: Array) -> tuple[Array, tuple[str, str]]:
    """Two directions square to an axis, along base axes where that is possible, and their names."""
    first, second = sorted(np.argsort(np.abs(z))[:2].tolist())
    u = np.eye(3)[first] - z * z[first]
    u /= np.linalg.norm(u)
    v = np.cross(z, u)
    v *= np.sign(v[second]) or 1.0
    plane = np.array([u, v])
    names = [
        f"{LETTERS[k]} (m)" if row[k] == row.max() == 1.0 else f"along {np.round(row, 3).tolist()} (m)"
        for k, row in zip((first, second), plane, strict=True)
    ]
    return plane, (names[0], names[1])
