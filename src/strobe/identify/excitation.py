"""Motions that tell a robot's parameters: as much as bounds let them, and what a random one would have told.

    maximise  log det(M + Σ W(t)ᵀ W(t))     over motions that begin and end at rest, within every bound

W are the rows of the base regressor, and of friction where asked, in units of the noise. Several motions are found
one after the other, each telling most beside those before. A motion is given back when its bounds are proved on its
own polynomials (`motion_proof`); one that would break them is made smaller until they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import real_numbers
from strobe.errors import Advised, ArgumentError, UnsupportedModelError, counted, shown
from strobe.identify.base_parameters import BaseParameters, dependencies
from strobe.identify.felt_rows import FeltRows
from strobe.identify.information import OBJECTIVES, Prospect
from strobe.identify.informative_motion import Search
from strobe.identify.motion_bounds import Along, Box, MotionBounds
from strobe.identify.motion_proof import Excess, most_used
from strobe.identify.rest_motions import FAMILIES, Family
from strobe.models.arguments import require_above, require_choice, require_texts, require_whole
from strobe.models.loops import require_open
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, Table, displayed
from strobe.trajectory.motion import Trajectory
from strobe.trajectory.requests import LATEST, Bounds, bounds_of, request, require_bound

Array = np.ndarray

RATE = 100.0  # Hz: readings of torques whose noise is independent
WAVES = 6
MARGIN = (
    0.005  # of each bound, kept free while a motion is sought: what lies between the instants looked at
)
LOOKS = 40  # instants for each period of the shortest wave
RANDOM = 20  # motions that the one found is held against
STARTS = 3  # of them that are improved
STATES = 4  # within the bounds, for each column, that decide what can be told
PLACES = 2000  # in which a start is looked for
ROOM = 0.8  # of a bound: what a start may use, where some start uses no more
QUICK = 20.0  # of the largest velocities: accelerations that are looked at where none are bounded
SMALLER, SMALLEST = 0.98, 200  # by what a motion is made smaller at a time, and how often
MOST = 100  # waves, or motions
LEAST_WAY = 1e-3  # rad or m
MOST_READ = 1e6  # torques a second
SOFT = 0.02  # of the largest velocity: within which a direction turns round while a motion is sought


@displayed
@dataclass(frozen=True, eq=False)
class Excitation:
    """Motions, and what they would tell."""

    robot: Robot
    motions: tuple[Trajectory, ...]
    felt: FeltRows
    bounds: Bounds
    rate: float  # readings a second
    random: Prospect  # of as many random motions: the median of several
    found: Prospect
    used: tuple[Excess, ...]  # the bound that each motion uses most, proved
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The combinations of parameters that are told."""
        return self.felt.names

    @property
    def untold(self) -> tuple[str, ...]:
        """Parameters that no motion within the bounds tells by themselves."""
        return self.felt.untold

    @property
    def base(self) -> BaseParameters:
        return self.felt.base

    def _sheet(self) -> Sheet:
        total = sum(motion.duration for motion in self.motions)
        head = (
            f"{counted(len(self.motions), 'motion')} of {self.robot.name}, {total:g} s together, telling "
            f"{counted(self.felt.size, 'combination')} of parameters"
        )
        quality = Table(
            ["", "random", "found"],
            [
                ["condition of the regressor", self.random.condition, self.found.condition],
                ["log det of the information", self.random.size, self.found.size],
                ["mean standard error (geometric)", _mean(self.random), _mean(self.found)],
            ],
        )
        rows = zip(self.random.deviations.tolist(), self.found.deviations.tolist(), self.names, strict=True)
        errors = Table(["random ±", "found ±", "what is felt"], [list(row) for row in rows])
        return Sheet(head, [quality, errors, *self.notes])


def _mean(prospect: Prospect) -> float:
    return float(np.exp(np.log(prospect.deviations).mean()))


def excite(
    robot: Robot, *, duration: float = 10.0, kind: str = "fourier", waves: int = WAVES, motions: int = 1,
    friction: Sequence[str] = (), noise: Any = None, rate: float = RATE, objective: str = "information",
    start: Any = None, velocity: Any = None, acceleration: Any = None, jerk: Any = None, effort: Any = None,
    lower: Any = None, upper: Any = None, workspace: Any = None, frames: Sequence[str] | None = None,
    known: Any = None, seed: int = 0,
) -> Excitation:  # fmt: skip
    """Motions that tell a robot's base parameters, and its friction where terms of it are named.

    ``kind`` is "fourier" or "spline", ``waves`` how many periods the shortest wave has. Bounds are the robot's own
    unless given; ``workspace`` ((x, y, z), (x, y, z)) is a box in base axes that the origins of ``frames`` (the tip)
    keep to. ``noise`` is the standard deviation of a torque reading (one, or one per joint; 1 if not given), of which
    there are ``rate`` a second. ``known`` is the information of earlier data on all base parameters and friction.
    """
    require_robot(robot)
    duration = require_above("duration", duration, "a time above zero, in seconds")
    waves, count = _few("waves", waves, 2), _few("motions", motions, 1)
    rate = require_above("rate", rate, "readings a second, above zero")
    if not (duration <= LATEST and rate <= MOST_READ):
        raise ArgumentError(f"{duration:g} s at {rate:g} readings a second are too many readings.")
    require_choice("kind", kind, FAMILIES)
    require_choice("objective", objective, OBJECTIVES)
    require_whole("seed", seed, 0)
    given = {
        "velocity": velocity, "acceleration": acceleration, "jerk": jerk, "effort": effort, "lower": lower,
        "upper": upper,
    }  # fmt: skip
    friction = require_texts("friction", friction)
    bounds = _bounds(robot, given, workspace, frames)
    rng = np.random.default_rng(seed)
    felt = _felt(robot, bounds, friction, _noise(robot, noise), rng)
    _require_time(felt, bounds, duration, waves, rate)
    shapes = FAMILIES[kind](duration, waves)
    begin = None if start is None else robot.position(start, known=True)
    starts = _starts(bounds, begin, rng)
    search = _search(shapes, felt, bounds, begin, rate, objective, known)
    return _excited(search, starts, count, rate, rng, bounds)


# -- what is asked --------------------------------------------------------------------------------------


def _bounds(
    robot: Robot, given: dict[str, Any], workspace: Any, frames: Sequence[str] | None
) -> MotionBounds:
    if not robot.nv:
        raise UnsupportedModelError(
            f"{robot.name} has no joints that move: no motion tells anything of it."
        )
    require_open(robot.model, "excitation", "Take the tree without its loops.", held=False)
    own = bounds_of(robot, **given) if robot.coordinates.is_single else None
    middle = np.zeros(robot.nv) if own is None else _middle(own)
    asked = request(robot, np.array([middle, middle]), **given)
    for side in ("lower", "upper"):
        _require_range(robot, getattr(asked.bounds, side), side)
    require_bound(asked, "velocity")
    if not (asked.bounds.upper > asked.bounds.lower).any():
        raise ArgumentError(
            f"the bounds leave no joint of {robot.name} anywhere to go: lower= and upper= are the same for each."
        )
    known = not robot.model.without_dynamics
    open_ = np.isinf(asked.bounds.acceleration) & (np.isinf(asked.bounds.effort) | (not known))
    if open_.any():
        _refuse_open(robot, int(np.flatnonzero(open_)[0]), known)
    return MotionBounds(robot, asked.bounds, _box(robot, workspace, frames))


def _few(name: str, given: Any, smallest: int) -> int:
    count = require_whole(name, given, smallest)
    if count > MOST:
        raise ArgumentError(f"{name} is {shown(given)}; at most {MOST} are sought.")
    return count


def _middle(bounds: Bounds) -> Array:
    both = np.isfinite(bounds.lower) & np.isfinite(bounds.upper)
    with np.errstate(invalid="ignore"):
        return np.where(both, (bounds.lower + bounds.upper) / 2, np.clip(0.0, bounds.lower, bounds.upper))


def _require_range(robot: Robot, ends: Array, side: str) -> None:
    for joint, end in zip(robot.joint_names, ends, strict=True):
        if np.isinf(end):
            raise ArgumentError(
                Advised(
                    f'joint "{joint}" has no {side} bound on its position. Give {side}= (one number, or one per '
                    "joint).",
                    {f"{side}=": f"--{side}"},
                )
            )


def _refuse_open(robot: Robot, joint: int, known: bool) -> None:
    why = "" if known else f" ({robot.name} has no masses that torques could be computed of)"
    raise ArgumentError(
        Advised(
            f'joint "{robot.joint_names[joint]}" has no bound on its acceleration and none on its torque{why}. Give '
            "acceleration= or effort= (one number, or one per joint).",
            {"acceleration=": "--acceleration", "effort=": "--effort"},
        )
    )


def _box(robot: Robot, workspace: Any, frames: Sequence[str] | None) -> Box | None:
    if workspace is None:
        if frames is not None:
            raise ArgumentError("frames= says what keeps to a workspace, but no workspace= was given.")
        return None
    corners = real_numbers("workspace", workspace).astype(float)
    if corners.size != 6:
        raise ArgumentError(
            "workspace is no box: expected two corners, (x, y, z) of the lower and of the upper one."
        )
    lower, upper = corners.reshape(2, 3)
    if not (lower < upper).all():
        k = int(np.argmin(lower < upper))
        raise ArgumentError(
            f"workspace leaves no place along {'xyz'[k]}: from {lower[k]:g} to {upper[k]:g}. The lower corner comes "
            "first."
        )
    named = [None] if frames is None else require_texts("frames", frames)
    return Box(tuple(robot.moving_frame(name) for name in named), lower, upper)


def _noise(robot: Robot, noise: Any) -> Array:
    values = np.ones(robot.nv) if noise is None else real_numbers("noise", noise).astype(float)
    if values.shape not in ((), (robot.nv,)):
        raise ArgumentError(
            f"noise has shape {values.shape}; expected one number, or one per joint ({robot.nv})."
        )
    if not ((values > 0) & np.isfinite(values)).all():
        raise ArgumentError(
            "noise is the standard deviation of a torque reading; expected numbers above zero."
        )
    return np.broadcast_to(values, (robot.nv,)).copy()


def _felt(
    robot: Robot, bounds: MotionBounds, friction: Sequence[str], noise: Array, rng: np.random.Generator
) -> FeltRows:
    """What can be told at states within the bounds."""
    b, moving = bounds.joints, bounds.moving
    states = STATES * (10 * len(robot.model.bodies) // robot.nv + 12)
    q = rng.uniform(b.lower, b.upper, (states, robot.nv))
    qd = rng.uniform(-1, 1, q.shape) * b.velocity * moving
    quick = np.minimum(b.acceleration, QUICK * b.velocity)
    qdd = rng.uniform(-1, 1, q.shape) * quick * moving
    felt = FeltRows.of(robot, friction, noise, SOFT * b.velocity, (q, qd, qdd))
    if not felt.size:
        raise ArgumentError(
            f"no motion within the bounds tells any parameter of {robot.name}. Widen the bounds."
        )
    return felt


def _require_time(felt: FeltRows, bounds: MotionBounds, duration: float, waves: int, rate: float) -> None:
    """Refuse durations in which there are too few readings, or hardly any way to go."""
    n = felt.robot.nv
    rows = (int(rate * duration) + 1) * n
    if rows < 2 * felt.size:
        raise ArgumentError(
            f"{duration:g} s at {rate:g} readings a second are {rows} torques, too few for "
            f"{counted(felt.size, 'unknown combination')}: give duration= of {2 * felt.size / n / rate:.2g} s or "
            "more."
        )
    b = bounds.joints
    quick = np.where(np.isfinite(b.acceleration), b.acceleration, QUICK * b.velocity)
    way = np.minimum(b.velocity * duration / 4, quick * (duration / (2 * np.pi)) ** 2)[bounds.moving]
    if len(way) and (way < LEAST_WAY).all():
        raise ArgumentError(
            f"in {duration:g} s no joint gets farther than {way.max():.2g} rad or m within its bounds on velocity "
            "and acceleration: give a longer duration=."
        )


# -- where a motion can begin ---------------------------------------------------------------------------


def _starts(bounds: MotionBounds, begin: Array | None, rng: np.random.Generator) -> Array:
    """Places (PLACES, n) at which the robot can stand within its bounds, those with most room first."""
    b, robot = bounds.joints, bounds.robot
    if begin is None:
        places = rng.uniform(b.lower, b.upper, (PLACES, robot.nv))
        places = bounds.middle + 0.9 * (places - bounds.middle)
    else:
        places = begin[None]
    still = np.zeros_like(places)
    used = bounds.used(Along(places, still, still, still))
    shares = np.max([np.abs(each.shares).max(axis=1) for each in used], axis=0)
    fit = shares <= 1 - 2 * MARGIN
    if not fit.any():
        _refuse_places(bounds, used, int(np.argmin(shares)), begin is not None)
    roomy = shares <= max(ROOM, float(shares.min()))
    return places[fit & roomy] if (fit & roomy).any() else places[fit]


def _refuse_places(bounds: MotionBounds, used: Sequence[Any], place: int, said: bool) -> None:
    worst = max(used, key=lambda each: float(np.abs(each.shares[place]).max()))
    j = int(np.argmax(np.abs(worst.shares[place])))
    share, name = float(np.abs(worst.shares[place, j])), worst.names[j]
    what = {
        "position": f'joint "{name}" stands too near to the end of its range, or beyond',
        "effort": f'holding still takes {100 * share:.3g} % of the torque bound of joint "{name}"',
        "workspace": f"{name} would be outside the workspace, or at its edge",
    }[worst.kind]
    if said:
        raise ArgumentError(f"no motion can begin at start=: {what}.")
    raise ArgumentError(
        f"no motion keeps these bounds: of {PLACES} places within the joints' ranges the robot can rest at none. "
        f"At the nearest, {what}."
    )


# -- the search -----------------------------------------------------------------------------------------


def _search(
    shapes: Family, felt: FeltRows, bounds: MotionBounds, begin: Array | None, rate: float, wanted: str, known: Any
) -> Search:  # fmt: skip
    instants = np.linspace(0.0, shapes.duration, _looks(shapes) + 1)
    weight = (rate * shapes.duration + 1) / len(instants)
    one = np.ones(felt.size)
    return Search(
        shapes,
        felt,
        bounds.tightened(MARGIN),
        begin,
        instants,
        weight,
        _known(felt, known),
        one,
        OBJECTIVES[wanted],
    )


def _looks(shapes: Family) -> int:
    return LOOKS * (shapes.size // 2 + 1)


def _known(felt: FeltRows, known: Any) -> Array:
    """Information on all columns, as that on what is felt of them."""
    if known is None:
        return np.zeros((felt.size, felt.size))
    M, every = real_numbers("known", known).astype(float), felt.map.shape[1]
    if M.shape != (every, every) or not np.isfinite(M).all():
        raise ArgumentError(
            f"known has shape {M.shape}; expected finite numbers ({every}, {every}), the inverse covariance of the "
            "base parameters and of the friction of each joint."
        )
    left = list(felt.kept)
    return M[np.ix_(left, left)]


def _excited(
    search: Search, starts: Array, count: int, rate: float, rng: np.random.Generator, bounds: MotionBounds
) -> Excitation:
    found: list[Trajectory] = []
    used: list[Excess] = []
    known, medians = search.known, []
    for _ in range(count):
        drawn = [search.random(rng, starts[int(rng.integers(len(starts)))]) for _ in range(RANDOM)]
        told = [search.information(z) - search.known * np.outer(search.scale, search.scale) for z in drawn]
        medians.append(told)
        scale = np.sqrt(np.median([np.diag(each) for each in told], axis=0) + np.diag(known))
        scale = np.where(scale > 0, scale, 1.0)
        now = replace(search, scale=scale, known=known / np.outer(scale, scale))
        z = _best(now, drawn)
        motion, excess, z = _proved(now, bounds, z)
        found.append(motion)
        used.append(excess)
        known = now.information(z)
    felt = search.felt
    if not np.isfinite(Prospect(known).size):
        raise ArgumentError(
            f"the bounds leave {felt.robot.name} so little room that no motion was found that tells all that could "
            f"be told: {', '.join(_lost(felt, known))}. Widen them."
        )
    random = _median(search.known, medians)
    return Excitation(
        felt.robot, tuple(found), felt, bounds.joints, rate, random, Prospect(known), tuple(used),
        _notes(felt, bounds),
    )  # fmt: skip


def _lost(felt: FeltRows, known: Array) -> list[str]:
    """What hardly any information is left of: the columns that depend on those before them."""
    scale = np.sqrt(np.diag(known))
    scaled = known / np.where(scale > 0, scale, 1.0)
    kept = dependencies(scaled, range(felt.size))[0] if known.any() else ()
    return [name for k, name in enumerate(felt.names) if k not in kept] or list(felt.names)


def _best(search: Search, drawn: Sequence[Array]) -> Array:
    """The best of the searches from the best random motions."""
    order = sorted(drawn, key=lambda z: search.at(z).value)
    ends = [search.best(z) for z in order[:STARTS]]
    fair = [_fitting(search, z) for z in ends]
    return min(fair, key=lambda z: search.at(z).value)


def _fitting(search: Search, z: Array) -> Array:
    """A motion made so small that the bounds hold where they are looked at."""
    for _ in range(SMALLEST):
        if search.worst(z) <= 1 + MARGIN / 2:
            return z
        z = _smaller(search, z)
    return z


def _smaller(search: Search, z: Array) -> Array:
    n = search.joints
    return np.concatenate([z[:n], SMALLER * z[n:]])


def _proved(search: Search, bounds: MotionBounds, z: Array) -> tuple[Trajectory, Excess, Array]:
    """The motion, made smaller until its bounds are proved."""
    names, tried = tuple(search.felt.robot.joint_names), 0
    while True:
        motion = search.family.motion(names, *search.split(z))
        excess, tried = most_used(bounds, motion), tried + 1
        if excess.share <= 1:
            return motion, excess, z
        if tried > SMALLEST:
            break
        z = _smaller(search, z)
    raise ArgumentError(
        f"no motion was found whose bound on the {excess.kind} of {excess.name} could be proved. Widen it a little."
    )


def _median(known: Array, told: Sequence[Sequence[Array]]) -> Prospect:
    """The random motions whose information is in the middle."""
    sums = [known + sum(each) for each in zip(*told, strict=True)]
    order = sorted((Prospect(each) for each in sums), key=lambda each: each.size)
    return order[len(order) // 2]


def _notes(felt: FeltRows, bounds: MotionBounds) -> tuple[str, ...]:
    robot, notes = felt.robot, list[str]()
    if robot.model.without_dynamics:
        notes.append(f"torques are not bounded: {robot.name} has no masses to compute them of.")
    elif len(bounds.efforts):
        notes.append(
            "torques are those of the robot as it was given: leave room (effort=) if that may be wrong."
        )
    if felt.untold:
        notes.append(f"no motion within the bounds tells by itself: {', '.join(felt.untold)}.")
    return tuple(notes)
