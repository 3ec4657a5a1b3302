"""Inverse kinematics in closed form: which class an arm belongs to, and its solutions for a batch of poses.

    recognise(arm) -> Method        from the lines of the arm alone; `chains.NEARLY` is the tolerance
    closed_form(arm, …) -> Traced   the method over numbers, compiled: all branches of a pose, the best first

Arms with four or five joints are completed to six by joints at the hand that exist on paper only: what a pose asks of
those is found and left out, and solutions that do not reach the pose without them are dropped afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from strobe.algebra import Vec3
from strobe.compiler.runtime.traced import Traced, trace
from strobe.errors import counted
from strobe.kinematics import chain_geometry, parallel_axes, pieper
from strobe.kinematics.chain_geometry import Chain, Displacement, chain_of, crossed, perpendicular, size_of
from strobe.kinematics.damped_step import ROWS
from strobe.kinematics.pieper import Found, backwards, inverses
from strobe.kinematics.poses import twelve
from strobe.kinematics.ranking import Limit, ranked
from strobe.kinematics.screws import error, placement
from strobe.kinematics.serial_chain import Serial
from strobe.kinematics.subproblems import Line, Miss, Plane, Round, Surface, Value, Way, bring, meet
from strobe.scalars import LANES, Lanes, Num, Numbers, where

Array = np.ndarray

SAMPLES = 16  # random poses that a method must solve
HOLDS = 1e-6  # to a residual below this, in radians and arm sizes

Solve = Callable[[Displacement, Sequence[Value]], Found]


@dataclass(frozen=True, eq=False)
class Method:
    """How an arm is solved: the name of its class, the solution over numbers, and what its branches differ in."""

    name: str
    solve: Solve
    stages: tuple[str, ...] = ()  # shoulder, elbow, slide or wrist: two ways each, the first changes last
    wrist: Vec3 = field(default_factory=Vec3.zero)  # a point that joints 5 and 6 do not move, at rest


def recognise(arm: Serial, what: str = "pose") -> Method | None:
    """The class of an arm, or None where no closed form is known."""
    chain = chain_of(arm)
    tool = Vec3(*(float(x) for x in arm.home[:3, 3]))
    if what == "position":
        return _positioning(chain, tool) if chain.n <= 3 else None
    if what == "orientation":
        return _orienting(chain) if chain.n == 3 and pieper.turning(chain.lines) else None
    if chain.n == 6:
        return _six(chain) or _mirrored(chain)
    if parallel_axes.moves_in_plane(chain):
        turning = replace(chain, lines=tuple(line for line in chain.lines if line.turns))
        return Method(
            "parallel axes", partial(parallel_axes.in_plane, chain, _off_axis(turning, tool)), ("elbow",)
        )
    if chain.n <= 3:
        return _positioning(chain, _off_axis(chain, tool))
    return _completed(chain)


def _six(chain: Chain) -> Method | None:
    wrist = pieper.wrist_of(chain)
    if wrist is not None:
        solve = partial(pieper.spherical_wrist, chain, wrist)
        return Method(
            "spherical wrist", solve, (*pieper.stages(chain.lines[:3], chain.size), "wrist"), wrist
        )
    crossing = parallel_axes.crossing_of(chain)
    if crossing is not None:
        solve = partial(parallel_axes.three_parallel, chain, crossing)
        return Method("three parallel axes", solve, ("shoulder", "wrist", "elbow"), crossing)
    return None


def _mirrored(chain: Chain) -> Method | None:
    """The class of an arm read from the hand to the base."""
    method = _six(chain.reversed)
    if method is None:
        return None

    def solve(G: Displacement, kept: Sequence[Value]) -> Found:
        found = method.solve(G.inverse(), inverses(kept[::-1]))
        return Found([backwards(place) for place in found.places], found.misses)

    name = "spherical base" if method.name == "spherical wrist" else method.name
    return Method(name, solve)


# -- fewer joints -----------------------------------------------------------------------------------------


def _positioning(chain: Chain, x: Vec3) -> Method | None:
    """One, two or three joints that bring a point of the hand somewhere."""
    if chain.n == 3:
        if not pieper.either_way(chain.lines, chain.size):
            return None
        return Method("three joints", partial(_three, chain, x), pieper.stages(chain.lines, chain.size), x)
    if chain.n == 2:
        surface = _surface_of_two(chain)
        return (
            None if surface is None else Method("two joints", partial(_two, chain, surface, x), ("elbow",))
        )
    return Method("one joint", partial(_one, chain, x))


def _three(chain: Chain, x: Vec3, G: Displacement, kept: Sequence[Value]) -> Found:
    return pieper.reach_either_way(chain.lines, x, G.point(x), kept, chain.size)


def _two(
    chain: Chain, surface: Callable[[Vec3], Surface], x: Vec3, G: Displacement, kept: Sequence[Value]
) -> Found:
    (first, second), size, target = chain.lines, chain.size, G.point(x)
    ways, miss = meet(second, x, surface(target), kept[1], size)
    places = [(bring(first, way.value.point(second, x), target, kept[0], size), way) for way in ways]
    return Found([*places], [[miss]])


def _one(chain: Chain, x: Vec3, G: Displacement, kept: Sequence[Value]) -> Found:
    return Found([(bring(chain.lines[0], x, G.point(x), kept[0], chain.size),)])


def _surface_of_two(chain: Chain) -> Callable[[Vec3], Surface] | None:
    """What the first of two joints cannot take a target off, and the second can."""
    first, second = chain.lines
    options: list[Callable[[Vec3], Surface]] = []
    if first.turns:
        options = [
            lambda t: Round.through(t, first.point, first.axis),
            lambda t: Plane(first.axis, first.axis.dot(t)),
        ]
    else:
        aside = perpendicular(first.axis)
        for normal in (aside, crossed(first.axis, aside)):
            options.append(lambda t, n=normal: Plane(n, n.dot(t)))
    return next((o for o in options if pieper.leaves(second, o(Vec3.zero()), chain.size)), None)


def _off_axis(chain: Chain, x: Vec3) -> Vec3:
    """A point of the hand that the last joint moves: the tool, or one beside it."""
    last = chain.lines[-1]
    if not last.turns or not chain_geometry.on_line(x, last, chain.size):
        return x
    return x + perpendicular(last.axis) * chain.size


def _orienting(chain: Chain) -> Method:
    axes = [line.axis for line in chain.lines]

    def solve(G: Displacement, kept: Sequence[Value]) -> Found:
        d, f = (G.direction(v) for v in (axes[2], pieper.beside(axes[1], axes[2])))
        return Found([tuple(place) for place in pieper.orient(axes, d, f, kept)])

    return Method("three turning axes", solve, ("wrist",))


def _completed(chain: Chain) -> Method | None:
    """The class of an arm with four or five joints once joints on paper follow its own."""
    if chain.n not in (4, 5) or not chain.lines[-1].turns:
        return None
    *before, last = chain.lines
    met = chain_geometry.meeting_point([before[-1], last], chain.size) if before[-1].turns else None
    point = met if met is not None else last.point
    way = crossed(before[-1].axis, last.axis) if met is not None else perpendicular(last.axis)
    ways = [way, crossed(last.axis, way)][: 6 - chain.n]
    paper = tuple(Line(f"paper{k}", True, axis, point) for k, axis in enumerate(ways))
    longer = replace(chain, lines=(*chain.lines, *paper))
    method = _six(longer) or _mirrored(longer)
    if method is None:
        return None

    def solve(G: Displacement, kept: Sequence[Value]) -> Found:
        found = method.solve(G, [*kept, *(line.value(0.0) for line in paper)])
        return Found([place[: chain.n] for place in found.places], found.misses)

    return replace(method, name=f"{method.name}, {chain.n} joints", solve=solve)


# -- over numbers -------------------------------------------------------------------------------------------


def limits_of(arm: Serial, kept: bool = True) -> list[Limit]:
    """The limits of the chain's joints, or none."""
    rows = zip(arm.lower.tolist(), arm.upper.tolist(), arm.revolute.tolist(), strict=True)
    return [Limit(a, b, t) if kept else Limit(-math.inf, math.inf, t) for a, b, t in rows]


def places_of(arm: Serial, method: Method, pose: Numbers, q0: Numbers) -> list[list[Num]]:
    """Every branch of one pose: positions, its joints that are free and double (`coded`), and its number."""
    lines = chain_of(arm).lines
    kept = [line.value(x) for line, x in zip(lines, q0, strict=True)]
    found = method.solve(Displacement(arm.home, pose), kept)
    return [
        [*(way.value.number() for way in place), coded(place), float(branch)]
        for branch, place in enumerate(found.places)
    ]


def coded(place: Sequence[Way]) -> Num:
    """Which joints are free, and behind them which are double, as a sum of powers of two."""
    code: Num = 0.0
    for k, flag in enumerate([*(way.free for way in place), *(way.double for way in place)]):
        code = code + where(flag, float(2**k), 0.0)
    return code


def branches_at(arm: Serial, method: Method, poses: Array) -> Array:
    """(N, K, n): every branch of poses (N, 4, 4), in their own order, on arrays; NaN where there is none."""
    numbers = [Lanes(column) for column in twelve(poses).T]
    with np.errstate(all="ignore"):
        places = places_of(arm, method, numbers, [0.0] * arm.n)
    columns = [[np.broadcast_to(LANES.lower(x), len(poses)) for x in place[: arm.n]] for place in places]
    return np.moveaxis(np.array(columns), -1, 0)


def closed_form(arm: Serial, method: Method, limits: bool = True) -> Traced:
    """All branches of poses (12 numbers, rows of 3×4) near q0: (K, n + 3), the best first.

    A row holds the positions, how far outside the limits it is, what `coded` says, and the branch.
    """
    held = limits_of(arm, limits)

    def inverse_kinematics(pose: Numbers, q0: Numbers) -> list[list[Num]]:
        return ranked(places_of(arm, method, pose, q0), q0, held)

    return trace(inverse_kinematics, pose=12, q0=arm.n)


def positions(arm: Serial, count: int) -> Array:
    """(count, n) random positions, slides as long as the arm."""
    drawn = np.random.default_rng(0).uniform(-1.0, 1.0, (count, arm.n))
    return drawn * np.where(arm.revolute, np.pi, 2 * size_of(arm))


def holds(arm: Serial, method: Method, what: str) -> bool:
    """Whether a method finds what random poses were made from.

    Few joints in special positions may leave one of them open that only the rest of the pose decides.
    """
    q = positions(arm, SAMPLES)
    poses = placement(arm, q)
    found = branches_at(arm, method, poses)
    exists = np.asarray(np.isfinite(found).all(-1))
    away = error(placement(arm, np.where(exists[..., None], found, 0.0)), poses[:, None])
    away[..., :3] /= size_of(arm)
    missed = np.where(exists, np.abs(away[..., ROWS[what]]).max(-1), np.inf)
    return bool((missed.min(-1) < HOLDS).all())


# -- why not --------------------------------------------------------------------------------------------------


def shortfalls(arm: Serial, method: Method, poses: Array, q0: Array) -> list[str]:
    """For poses (N, 12) that cannot be reached, which joint is in the way and by how much."""
    if not len(poses):
        return []
    numbers = [Lanes(poses[:, k]) for k in range(12)]
    kept = [line.value(Lanes(q0[:, k])) for k, line in enumerate(chain_of(arm).lines)]
    with np.errstate(all="ignore"):
        found = method.solve(Displacement(arm.home, numbers), kept)
    stages = [_least(misses, len(poses)) for misses in found.misses if misses]
    return [_shortfall(arm, stages, k) for k in range(len(poses))]


def _least(misses: Sequence[Miss], count: int) -> tuple[Miss, Array, Array]:
    """The smallest miss of the branches of a stage, and its bound; infinite where no branch comes so far."""
    lengths, bounds = (
        np.array([np.broadcast_to(LANES.lower(x), count) for x in column])
        for column in ([m.length for m in misses], [m.bound for m in misses])
    )
    lengths = np.where(np.isnan(lengths), np.inf, lengths)
    best = np.argmin(lengths, axis=0)[None]
    return misses[0], np.take_along_axis(lengths, best, 0)[0], np.take_along_axis(bounds, best, 0)[0]


def _shortfall(arm: Serial, stages: Sequence[tuple[Miss, Array, Array]], k: int) -> str:
    point = "the wrist" if arm.n > 3 else "the frame"
    for miss, lengths, bounds in stages:
        if lengths[k] > 0 and miss.line.name in arm.names:
            return _sentence(miss, float(lengths[k]), float(bounds[k]), point)
    if arm.n < 6:
        return f"{counted(arm.n, 'joint')} cannot bring the frame to every pose, and not to this one."
    return f"the joints can bring {point} there, but not with this orientation."


def _sentence(miss: Miss, length: float, bound: float, point: str) -> str:
    joint, surface = f'"{miss.line.name}"', miss.surface
    if isinstance(surface, Plane) and chain_geometry.square(surface.normal, miss.line.axis):
        return f"{point} lies {length:.3g} m inside the cylinder of radius {bound:.3g} m about the axis of {joint}."
    return f"{point} lies {length:.3g} m out of the reach of joint {joint}."
