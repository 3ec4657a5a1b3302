"""What closed chains leave free: how many freedoms there are, which joints can drive them, and where they stick.

Conditions are looked at near closed positions, where nothing is singled out: what holds at all of those is generic.
A condition is redundant if it follows from the others there. At one position there may be more freedoms (the links
could go another way), or the actuated joints may be at a dead point: with them still, others can move.

    K N = 0,  Nᵀ N = 1         N spans the velocities that are allowed, N_a are its rows of the actuated joints
    margin = least singular value of N_a          0 at a dead point, 1 where the actuated joints move nothing else
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, islice
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked
from strobe.errors import Advised, ArgumentError, counted
from strobe.mechanisms.loop_closure import closed_near
from strobe.mechanisms.states import require_closed
from strobe.models.arguments import require_texts
from strobe.models.loops import CLOSURES, conditions, why_open
from strobe.models.model import Loop, Model
from strobe.robot import Robot, require_robot
from strobe.show.sheet import displayed

Array = np.ndarray
Condition = tuple[str, str]  # the name of a loop, and which of its conditions
SAMPLES = 5  # closed states at which generic ranks are looked at
AWAY = 0.2  # rad or m: how far neighbours of a position are
LEAST = 1e-9  # a singular value below this part of the largest is rounding
SINGULAR = 1e-6  # and at a position below this one: where freedoms meet, positions have half the digits
NEAR = 1e-3  # a margin below this is near a dead point
# sets of joints that are tried when it is asked which could drive, and those shown
MOST_SETS, SHOWN = 500, 3


# -- ranks --------------------------------------------------------------------------------------------


def freedoms(robot: Robot) -> int:
    """The degrees of freedom that closed chains leave, at positions that nothing singles out."""
    return robot.nv - max(rank(K) for K in samples(robot))


def rank(K: Array, least: float = LEAST) -> int:
    values = np.linalg.svd(K, compute_uv=False)
    return int((values > least * values.max(initial=0.0)).sum())


def samples(robot: Robot) -> Array:
    """K at some closed positions."""
    return robot.kept("loop samples", lambda: robot.loop_jacobian(robot.random_state(7, SAMPLES)[0]))


def neighbours(robot: Robot, q: Array) -> Array:
    """K at closed positions near one, or near some of many."""
    rng = np.random.default_rng(3)
    flat = q.reshape(-1, robot.nq)
    starts = flat[np.linspace(0, len(flat) - 1, SAMPLES).astype(int)]
    ways = np.stack([_allowed(K) @ rng.standard_normal(robot.nv) for K in robot.loop_jacobian(starts)])
    longest = np.maximum(np.abs(ways).max(axis=-1, keepdims=True, initial=0.0), 1e-300)
    found, closed = closed_near(robot, robot.integrate(starts, ways * (AWAY / longest)))
    return robot.loop_jacobian(np.concatenate([starts[:1], found[closed]]))


def _allowed(K: Array) -> Array:
    """The matrix that takes velocities to those nearest that are allowed."""
    return np.eye(K.shape[-1]) - pseudo_inverse(K) @ K


def pseudo_inverse(K: Array) -> Array:
    """K⁺ of matrices (..., rows, n), rounding apart; NaN for those that hold one, which SVD would not get over."""
    known = np.isfinite(K).all(axis=(-2, -1), keepdims=True)
    return np.where(known, np.linalg.pinv(np.where(known, K, 0.0), rcond=LEAST), np.nan)


def null_space(K: Array, least: float = LEAST) -> Array:
    """N (n, freedoms), an orthonormal basis of the velocities that are allowed at one position."""
    return np.linalg.svd(K)[2][rank(K, least) :].T


# -- conditions that follow from others -----------------------------------------------------------------


def independent(robot: Robot, q: Any) -> tuple[Robot, tuple[Condition, ...]]:
    """The robot without conditions that follow from others near closed positions q (..., nq), and which they are.

    Off the closed positions such conditions are independent, and contradict the others: a step that leaves them by
    little must not be corrected along them.
    """
    require_robot(robot)
    named = conditions(robot.model)
    if not named:
        return robot, ()
    here = checked("q", q, (robot.nq,), robot.shape_reason).astype(float)
    require_closed(robot, {"q": here})
    kept = independent_rows(neighbours(robot, here))
    if len(kept) == len(named):
        return robot, ()
    made = robot.kept(("independent", kept), lambda: robot.with_model(_with_rows(robot.model, kept)))
    return made, tuple(named[k] for k in range(len(named)) if k not in kept)


def solvable(robot: Robot, q: Array) -> Solvable:
    """The robot without conditions that say nothing near closed positions q (..., nq), and how many of them count.

    Which conditions follow from others may change on the way: a solver that knows their number chooses by itself.
    """
    K, named = neighbours(robot, q), conditions(robot.model)
    said = np.flatnonzero(_unit_rows(K).any(axis=(0, 2))).tolist()
    key = "solvable", tuple(said)
    made = (
        robot
        if len(said) == len(named)
        else robot.kept(key, lambda: robot.with_model(_with_rows(robot.model, said)))
    )
    kept = independent_rows(K)
    return Solvable(made, K[:, said], tuple(named[k] for k in said if k not in kept))


@dataclass(frozen=True, eq=False)
class Solvable:
    """A robot, its K at some closed positions, and the conditions that follow from others there."""

    robot: Robot
    samples: Array  # (positions, conditions, n)
    redundant: tuple[Condition, ...] = ()

    def rank_with(self, locked: Sequence[int]) -> int | None:
        """How many conditions are independent while some degrees of freedom are held, if not all are."""
        free = [k for k in range(self.samples.shape[-1]) if k not in locked]
        count = max(rank(K[:, free]) for K in self.samples) if free else 0
        return count if count < self.samples.shape[1] else None


def independent_rows(samples: Array) -> tuple[int, ...]:
    """Rows of K, as many as its rank, that stay far from dependent at all samples; early ones rather than late."""
    ranks = [rank(K) for K in samples]
    left = _unit_rows(samples[np.array(ranks) == max(ranks)])
    chosen: list[int] = []
    for _ in range(max(ranks)):
        own = np.linalg.norm(left, axis=-1).min(axis=0)
        own[chosen] = 0.0
        k = int(np.argmax(own >= own.max() / 2))
        chosen.append(k)
        along = left[:, k] / np.linalg.norm(left[:, k], axis=-1, keepdims=True)
        left = left - np.einsum("sij,sj,sk->sik", left, along, along)
    return tuple(sorted(chosen))


def _unit_rows(samples: Array) -> Array:
    """Rows of length one, those that are rounding zero."""
    sizes = np.linalg.norm(samples, axis=-1, keepdims=True)
    whole = sizes > LEAST * sizes.max()
    return np.divide(samples, sizes, out=np.zeros_like(samples), where=whole)


def _with_rows(model: Model, kept: Sequence[int]) -> Model:
    """The model whose conditions are some of its own, by number."""
    loops: list[Loop] = []
    start = 0
    for loop in model.loops:
        if loop.held:
            loops.append(loop)
            continue
        numbers = loop.rows or tuple(range(CLOSURES[loop.kind].size))
        rows = tuple(number for k, number in enumerate(numbers, start) if k in kept)
        start += len(numbers)
        loops.append(replace(loop, rows=rows) if rows else replace(loop, held=True))
    curves = tuple(curve for k, curve in enumerate(model.curves, start) if k in kept)
    return replace(model, loops=tuple(loops), curves=curves, golden=())


# -- what drives --------------------------------------------------------------------------------------


def dofs_of(robot: Robot, names: Iterable[str]) -> list[int]:
    """The degrees of freedom of joints by name, in the order of the names."""
    joints = {joint.name: joint for joint in robot.coordinates.joints}
    return [joints[name].v + k for name in names for k in range(joints[name].nv)]


def margin(K: Array, driven: Sequence[int]) -> float:
    """How far actuated degrees of freedom are from a dead point at one position, 0 to 1."""
    N = null_space(K)[list(driven)]
    free = N.shape[1]
    return (
        float(np.linalg.svd(N, compute_uv=False)[free - 1]) if len(driven) >= free > 0 else float(not free)
    )


def drivers(robot: Robot, actuated: Sequence[str] | None = None) -> tuple[str, ...]:
    """The joints that drive a closed chain in the order given, those of the model if none are; refused like below."""
    given = robot.model.actuated if actuated is None else actuated
    found = [
        name for pattern in require_texts("actuated", given) for name in robot.matching_joints([pattern])
    ]
    return require_actuation(robot, tuple(dict.fromkeys(found)))


def require_actuation(robot: Robot, actuated: Sequence[str]) -> tuple[str, ...]:
    """The joints that drive a closed chain, refused where they are too few, too many, or leave something loose."""
    key = "actuation", tuple(actuated)
    return robot.kept(key, lambda: _checked(robot, tuple(actuated)))


def _checked(robot: Robot, actuated: tuple[str, ...]) -> tuple[str, ...]:
    free, driven = freedoms(robot), dofs_of(robot, actuated)
    named = ", ".join(actuated) or "none"
    if len(driven) != free:
        word = "few" if len(driven) < free else "many"
        sentence = (
            f"the closed chains of {robot.name} leave {counted(free, 'freedom')}; the actuated joints ({named}) are "
            f"too {word}. Name as many as there are freedoms: actuated=[…]{_suggested(robot)}."
        )
        raise ArgumentError(Advised(sentence, {"actuated=[…]": "--actuated NAMES"}))
    if max(margin(K, driven) for K in samples(robot)) <= LEAST:
        raise ArgumentError(
            f"{named} cannot drive {robot.name}: with them held still, other joints can move. "
            f"Choose other actuated joints{_suggested(robot)}."
        )
    return actuated


def _suggested(robot: Robot) -> str:
    sets = driving_sets(robot)
    return f" ({' or '.join(', '.join(names) for names in sets)} could)" if sets else ""


def driving_sets(robot: Robot) -> list[tuple[str, ...]]:
    """Some sets of joints that can drive a closed chain, those furthest from dead points first."""
    joints, free = robot.coordinates.joints, freedoms(robot)
    sets = (
        some
        for count in range(1, free + 1)
        for some in combinations(joints, count)
        if sum(joint.nv for joint in some) == free
    )
    rated: list[tuple[float, tuple[str, ...]]] = []
    for some in islice(sets, MOST_SETS):
        names = tuple(joint.name for joint in some)
        rated.append((float(np.mean([margin(K, dofs_of(robot, names)) for K in samples(robot)])), names))
    best = sorted((pair for pair in rated if pair[0] > NEAR), key=lambda pair: -pair[0])
    return [names for _, names in best[:SHOWN]]


# -- the whole ----------------------------------------------------------------------------------------


@displayed
@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What closed chains leave free in general, and at a position if one was given."""

    robot: str
    n: int  # degrees of freedom of the joints
    conditions: tuple[Condition, ...]
    redundant: tuple[Condition, ...]  # those that follow from the others
    freedoms: int
    actuated: tuple[str, ...]
    could_drive: tuple[tuple[str, ...], ...]  # some sets of joints that can
    here: Place | None = None

    @property
    def rank(self) -> int:
        """How many conditions are independent."""
        return len(self.conditions) - len(self.redundant)

    def __str__(self) -> str:
        head = (
            f"{self.robot}: {counted(self.freedoms, 'freedom')} = {self.n} of the joints "
            f"− {counted(self.rank, 'independent condition')}"
        )
        lines = [head, f"  conditions  {by_loop(self.conditions)}"]
        if self.redundant:
            lines.append(f"  redundant   {by_loop(self.redundant)}: they follow from the others")
        lines.append(f"  actuated    {', '.join(self.actuated) or 'none named'}")
        lines.append(f"  could drive {' or '.join(', '.join(some) for some in self.could_drive) or 'none'}")
        return "\n".join([*lines, *(f"  {line}" for line in (self.here.lines if self.here else []))])


@dataclass(frozen=True, eq=False)
class Place:
    """What holds at one closed position."""

    freedoms: int
    more: int  # freedoms beyond those of positions near by
    regularity: float  # the least singular value of K that counts near by, over the largest
    loose: tuple[str, ...]  # joints that the freedoms beyond those move
    running: tuple[str, ...]  # joints that can move while all actuated ones stand still
    stuck: tuple[str, ...]  # actuated joints that cannot move
    margin: float  # of the actuated joints from a dead point; nan where none are named

    @property
    def singular(self) -> bool:
        return bool(self.more)

    @property
    def dead(self) -> bool:
        """Whether the actuated joints are at a dead point."""
        return bool(self.running or self.stuck)

    @cached_property
    def lines(self) -> list[str]:
        said = [f"at q        {counted(self.freedoms, 'freedom')}, regularity {self.regularity:.2g}"]
        if self.more:
            said.append(f"singular    {self.more} more than near by: {', '.join(self.loose)} can part ways")
        if self.running:
            said.append(
                f"dead point  {', '.join(self.running)} can move while the actuated joints stand still"
            )
        if self.stuck:
            said.append(f"dead point  {', '.join(self.stuck)} cannot move")
        if not self.dead and not np.isnan(self.margin):
            near = ": near a dead point" if self.margin < NEAR else ""
            said.append(f"margin      {self.margin:.2g} of the actuated joints{near}")
        return said


def diagnose(robot: Robot, q: Any = None, actuated: Sequence[str] | None = None) -> Diagnosis:
    """Freedoms, redundant conditions and what can drive a closed chain; at q (nq,) also where it is singular.

    ``actuated`` names the joints that drive it, those of the model if none are named.
    """
    require_robot(robot)
    if not robot.model.is_closed:
        raise ArgumentError(f"{robot.name} has no closed chain to diagnose{why_open(robot.model)}")
    names = robot.matching_joints(robot.model.actuated if actuated is None else actuated)
    here = None if q is None else robot.position(q, known=True)
    if here is not None:
        require_closed(robot, {"q": here})
    near = samples(robot) if here is None else neighbours(robot, here)
    named, kept = conditions(robot.model), independent_rows(near)
    return Diagnosis(
        robot.name,
        robot.nv,
        tuple(named),
        tuple(named[k] for k in range(len(named)) if k not in kept),
        robot.nv - len(kept),
        names,
        tuple(driving_sets(robot)),
        None if here is None else _place(robot, robot.loop_jacobian(here), near, names),
    )


def _place(robot: Robot, K: Array, near: Array, actuated: Sequence[str]) -> Place:
    values = np.linalg.svd(K, compute_uv=False)
    usual = max(rank(each) for each in near)
    N, driven = null_space(K, SINGULAR), dofs_of(robot, actuated)
    held = np.concatenate([K, np.eye(robot.nv)[driven]])
    still = null_space(held, SINGULAR) if driven else np.zeros((robot.nv, 0))
    moving = np.linalg.norm(N, axis=-1) > SINGULAR
    return Place(
        N.shape[1],
        N.shape[1] - (robot.nv - usual),
        float(values[usual - 1] / values[0]) if usual else 1.0,
        _names(robot, moving) if N.shape[1] > robot.nv - usual else (),
        _names(robot, np.linalg.norm(still, axis=-1) > SINGULAR),
        tuple(name for name in actuated if not moving[dofs_of(robot, [name])].any()),
        margin(K, driven) if driven else float("nan"),
    )


def _names(robot: Robot, moving: Array) -> tuple[str, ...]:
    return tuple(j.name for j in robot.coordinates.joints if moving[j.v : j.v + j.nv].any())


def by_loop(named: Iterable[Condition]) -> str:
    """Conditions by the loop they belong to: pin (place x, place z)."""
    loops: dict[str, list[str]] = {}
    for loop, condition in named:
        loops.setdefault(loop, []).append(condition)
    return "; ".join(f"{loop} ({', '.join(words)})" for loop, words in loops.items())
