"""Closed chains put together: joint positions that close every loop, found from a guess.

    Δq = −Kᵀ (K Kᵀ + μ)⁻¹ c        μ = DAMPING |c|² / (1 + |c|²)

Newton's step of least length, damped far from closed, shortened until the loops come nearer to closed, and kept
within the limits of the joints. Metres are counted in sizes of the robot: small ones close as large ones do. The
conditions on a turn by θ are sines, which vanish half a turn off too: what is to become zero is θ instead, whose rate
follows from theirs,

    s = sin θ · axis         e = θ · axis = s θ / sin θ         ṡ = cos θ ė

Where it does not lead there, or closes a loop the wrong way round, the search starts again from a guess further off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked, in_precision, precision, require_turns
from strobe.errors import Advised, ArgumentError, AssemblyError, shown
from strobe.mechanisms.states import scales_of
from strobe.models import random_states
from strobe.models.arguments import finite_numbers, require_mapping, require_truth, require_whole
from strobe.models.loops import CLOSURES, conditions, extent, solved
from strobe.robot import Robot, require_robot

Array = np.ndarray
CLOSED = 1e-12  # of the size of the robot, or a sine: what counts as closed
FINE = 1e-14  # and where nothing is left to gain
STEPS = 60
LONGEST = 0.5  # rad, or sizes of the robot (gaps, where these are larger): of one step, in the worst joint
DAMPING = 1e-3
SHORTER = 8  # times a step is halved
GAIN = 0.99  # a step that leaves more of what is open leads nowhere
LEAST = 1e-9  # a singular value below this part of the largest is rounding
TRIES = 30  # guesses for one position
MOST_TRIES = 100_000
DRAWS = 20  # guesses for random states, of each sort
GUESSES = 4  # when it is asked why nothing closes


def assemble(
    robot: Robot, q: Any = None, hold: Mapping[str, float] | None = None, *, tries: int = TRIES,
    limits: bool = True,
) -> Array:  # fmt: skip
    """Positions (..., nq) near q (the neutral one if none is given) in which every loop is closed.

    ``hold`` gives positions of joints by name that are kept; * and ? stand for several. Joints stay within their
    limits unless ``limits`` is False. Where Newton's method does not get there from q, it starts from ``tries`` − 1
    other guesses, each further off. Refused where some loop stays open.
    """
    require_robot(robot)
    if require_whole("tries", tries, 1) > MOST_TRIES:
        raise ArgumentError(f"tries is {shown(tries)}; at most {MOST_TRIES:,} guesses are tried.")
    require_truth("limits", limits)
    start = robot.neutral if q is None else checked("q", q, (robot.nq,), robot.shape_reason).astype(float)
    if not np.isfinite(start).all():
        raise ArgumentError("q holds a number that is not finite; a guess is a position.")
    require_turns("q", start, robot.coordinates.joints)
    kept = _held(robot, {} if hold is None else hold)
    start = start.copy()
    for place, value in kept.values():
        start[..., place] = value
    search = _Search(robot, kept, limits)
    found, closed = search.near(start.reshape(-1, robot.nq), tries)
    if not closed.all():
        _refuse(search, start.reshape(-1, robot.nq)[~closed], found[~closed])
    return in_precision(found.reshape(start.shape), precision(q))


def random_positions(
    robot: Robot, draw: Callable[[tuple[int, ...]], Array], shape: tuple[int, ...]
) -> Array:
    """Closed positions (*shape, nq) from guesses, which are drawn again where loops do not close.

    They lie within the limits of the joints if any were found there, or else on them, or else beyond.
    """
    found = np.empty((math.prod(shape), robot.nq))
    left, start = np.arange(len(found)), found
    beyond = False
    for limits, along_limits in ((True, False), (True, True), (False, False)):
        search = _Search(robot, (), limits)
        for _ in range(DRAWS if limits > along_limits or beyond else 0):
            if not len(left):
                break
            start = draw((len(left),))
            found[left], closed = search.descend(start, along_limits)
            beyond = beyond or bool(search.closed(found[left]).any())
            left, start = left[~closed], start[~closed]
    if len(left):
        _refuse(_Search(robot, (), limits=False), start, found[left])
    return found.reshape(*shape, robot.nq)


def closed_near(robot: Robot, q: Array) -> tuple[Array, Array]:
    """Positions (N, nq) that guesses lead to, limits of joints aside, and whether they are closed (N,)."""
    return _Search(robot, (), limits=False).descend(q)


@dataclass(frozen=True, eq=False)
class _Search:
    """Newton's method on many guesses (N, nq) at once, some degrees of freedom kept where they are."""

    robot: Robot
    kept: Collection[int]
    limits: bool

    def near(self, start: Array, tries: int) -> tuple[Array, Array]:
        """What was found (N, nq) from guesses or others near them, and whether it is closed (N,)."""
        found, closed = self.descend(start)
        rng = np.random.default_rng(0)
        for k in range(1, tries):
            left = np.flatnonzero(~closed)
            if not len(left):
                break
            anywhere = random_states.random_positions(self.robot.coordinates, rng, (len(left),))
            way = self.robot.difference(start[left], anywhere) * self._free
            found_now, closed_now = self.descend(self.robot.integrate(start[left], way * (k / tries)))
            found[left[closed_now]], closed[left[closed_now]] = found_now[closed_now], True
        return found, closed

    def descend(self, start: Array, along_limits: bool = True) -> tuple[Array, Array]:
        """The same from the guesses alone: without limits, or where that leaves them, along them if it may."""
        found = self._newton(start, bounded=False)
        if not self.limits:
            return found, self.closed(found)
        found = self._turned_back(found)
        if along_limits:
            left = np.flatnonzero(self.closed(found) & ~self.within(found))
            found[left] = self._newton(self._clipped(start[left]), bounded=True)
        return found, self.closed(found) & self.within(found)

    def closed(self, q: Array) -> Array:
        """Where every loop is closed, and none the wrong way round (N,)."""
        return (self.open_by(q) <= CLOSED) & (self.robot.loop_facing(q) > 0).all(axis=-1)

    def open_by(self, q: Array) -> Array:
        return np.abs(self._residuals(q)).max(axis=-1, initial=0.0)

    def _residuals(self, q: Array) -> Array:
        return self.robot.loop_residuals(q) / scales_of(self.robot)

    def _newton(self, start: Array, bounded: bool) -> Array:
        q = start.copy()
        going = np.flatnonzero(self.open_by(q) > FINE)
        for _ in range(STEPS):
            if not len(going):
                break
            now, demand = self._errors(q[going])
            step = self._step(q[going], demand, bounded)
            q[going], better = self._shortened(q[going], step, now, bounded)
            going = going[better & (self.open_by(q[going]) > FINE)]
        return q

    def _errors(self, q: Array) -> tuple[Array, Array]:
        """What is to become zero (N, conditions), and by what the residuals have to change for that."""
        errors = self._residuals(q)
        demands = errors.copy()
        cosines = self.robot.loop_facing(q) if self._turns else errors
        for loop, rows in self._turns.items():
            sine, cosine = np.linalg.norm(errors[:, rows], axis=-1), cosines[:, loop]
            angle = np.arctan2(sine, cosine)
            errors[:, rows] *= np.divide(angle, sine, out=np.ones_like(sine), where=sine > FINE)[:, None]
            demands[:, rows] = errors[:, rows] * cosine[:, None]
        return errors, demands

    @cached_property
    def _turns(self) -> dict[int, list[int]]:
        """By the number of a loop, those of its conditions on a turn, where it has all of them."""
        named, found = conditions(self.robot.model), dict[int, list[int]]()
        for k, loop in enumerate(solved(self.robot.model)):
            rows = [
                i for i, (name, word) in enumerate(named) if name == loop.name and word.startswith("turn")
            ]
            if rows and len(rows) == len(CLOSURES[loop.kind].turn):
                found[k] = rows
        return found

    def _step(self, q: Array, c: Array, bounded: bool) -> Array:
        K = self.robot.loop_jacobian(q) * (self._free * self._lengths) / scales_of(self.robot)[:, None]
        step = _least(K, c)
        if bounded:  # joints at a limit that would leave it stay there
            step = _least(K * ~self._leaving(q, step)[:, None, :], c)
        far = np.maximum(1.0, np.abs(c).max(axis=-1, keepdims=True, initial=0.0))
        longest = np.abs(step / np.where(self._turning, 1.0, far)).max(axis=-1, initial=0.0)
        return step * self._lengths * np.minimum(1.0, LONGEST / np.maximum(longest, 1e-300))[:, None]

    def _shortened(self, q: Array, step: Array, now: Array, bounded: bool) -> tuple[Array, Array]:
        """The first of ever shorter steps that brings the loops nearer to closed, and whether there is one (N,)."""
        before, share = np.linalg.norm(now, axis=-1), np.ones(len(now))
        there, worse = q, np.ones(len(q), dtype=bool)
        for _ in range(SHORTER):
            there = self.robot.integrate(q, step * share[:, None])
            there = self._clipped(there) if bounded else there
            worse = ~(np.linalg.norm(self._errors(there)[0], axis=-1) < GAIN * before)
            if not worse.any():
                break
            share = np.where(worse, share / 2, share)
        return np.where(worse[:, None], q, there), ~worse

    # -- limits -------------------------------------------------------------------------------------

    @cached_property
    def _free(self) -> Array:
        return np.array([k not in self.kept for k in range(self.robot.nv)], dtype=float)

    @cached_property
    def _lengths(self) -> Array:
        """The unit (nv,) of each degree of freedom: the size of the robot for metres, 1 for angles."""
        return np.where(self._turning, 1.0, extent(self.robot.model))

    @cached_property
    def _turning(self) -> Array:
        """Which degrees of freedom (nv,) are angles."""
        joints = self.robot.coordinates.joints
        return np.array([joint.turns_by(k) for joint in joints for k in range(joint.nv)], dtype=bool)

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        """The least and the largest of each number of a position."""
        rows = [
            (joint.limits.lower, joint.limits.upper) if joint.nq == 1 else (-np.inf, np.inf)
            for joint in self.robot.coordinates.joints
            for _ in range(joint.nq)
        ]
        low, high = np.array(rows).reshape(-1, 2).T
        return low, high

    def within(self, q: Array) -> Array:
        low, high = self._box
        inside = (q >= low - CLOSED) & (q <= high + CLOSED)
        return np.all(inside | self._kept_numbers, axis=-1)

    def _clipped(self, q: Array) -> Array:
        low, high = self._box
        return np.where(self._kept_numbers, q, np.clip(q, low, high))

    @cached_property
    def _kept_numbers(self) -> Array:
        joints = self.robot.coordinates.joints
        return np.array([joint.v in self.kept for joint in joints for _ in range(joint.nq)], dtype=bool)

    def _leaving(self, q: Array, step: Array) -> Array:
        """The degrees of freedom (N, nv) that stand at a limit and are pushed beyond it."""
        low, high = self._box
        leaving = np.zeros(step.shape, dtype=bool)
        for joint in self.robot.coordinates.joints:
            if joint.nq == 1:
                here, push = q[:, joint.q], step[:, joint.v]
                outwards = (here <= low[joint.q]) & (push < 0) | (here >= high[joint.q]) & (push > 0)
                leaving[:, joint.v] = outwards
        return leaving

    def _turned_back(self, q: Array) -> Array:
        """Angles beyond a limit by whole turns, within it."""
        low, high = self._box
        for joint in self.robot.coordinates.joints:
            if joint.nq == 1 and joint.turns and joint.v not in self.kept:
                here = q[:, joint.q]
                above = np.ceil(np.maximum(here - high[joint.q], 0.0) / math.tau)
                below = np.ceil(np.maximum(low[joint.q] - here, 0.0) / math.tau)
                q[:, joint.q] = here + math.tau * (below - above)
        return q


def _least(K: Array, c: Array) -> Array:
    """The step of least length that takes c away to first order, damped; nothing along what is rounding."""
    U, s, Vt = np.linalg.svd(K, full_matrices=False)
    open_by = np.einsum("nk,nk->n", c, c)[:, None]
    damping = DAMPING * open_by / (1.0 + open_by)
    whole = s > LEAST * s.max(axis=-1, keepdims=True, initial=0.0)
    factors = np.divide(s, s * s + damping, out=np.zeros_like(s), where=whole)
    return -np.einsum("nkj,nk,nik,ni->nj", Vt, factors, U, c)


def _held(robot: Robot, hold: Mapping[str, float]) -> dict[int, tuple[int, float]]:
    """By degree of freedom: where the position of a joint that is held lies, and what it is."""
    held: dict[int, tuple[int, float]] = {}
    given = by_joint(robot, hold)
    for joint in (joint for joint in robot.coordinates.joints if joint.name in given):
        if joint.nq != 1:
            raise ArgumentError(
                f'joint "{joint.name}" has {joint.nq} position numbers; only joints with one are held.'
            )
        name = f'the position of "{joint.name}" in hold'
        held[joint.v] = joint.q, finite_numbers(name, given[joint.name], 1)[0]
    return held


def by_joint(
    robot: Robot, given: Mapping[str, Any], called: str = "hold", of: str = "positions"
) -> dict[str, Any]:
    """Values by joint, from values by name, in which * and ? may stand for several."""
    require_mapping(called, given, f"{of} by the names of joints")
    return {name: value for pattern, value in given.items() for name in robot.matching_joints([pattern])}


# -- why nothing closes -------------------------------------------------------------------------------


def _refuse(search: _Search, starts: Array, found: Array) -> None:
    """Raise what is wrong with the worst that was found, and why."""
    robot, off = search.robot, search.open_by(found)
    worst = int(np.argmax(off))
    q, start = found[worst], starts[worst : worst + 1]
    if off[worst] <= CLOSED and not (robot.loop_facing(q) > 0).all():
        _refuse_turned(robot, q)
    residuals = robot.loop_residuals(q)
    condition = int(np.argmax(np.abs(residuals)))
    loop, which = conditions(robot.model)[condition]
    why = _why(search, start, loop)
    raise AssemblyError(robot.name, loop, which, float(abs(residuals[condition])), why, q)


def _refuse_turned(robot: Robot, q: Array) -> None:
    cosines = robot.loop_facing(q)
    k = int(np.argmin(cosines))
    loop = solved(robot.model)[k]
    angle = math.acos(max(-1.0, min(1.0, float(cosines[k]))))
    why = (
        f'frames "{loop.frame_a}" and "{loop.frame_b}" meet only the wrong way round. '
        "Turn one of them in the model, or give another guess."
    )
    raise AssemblyError(robot.name, loop.name, "turn", angle, why, q)


def _why(search: _Search, start: Array, loop: str) -> str:
    """What keeps loops open, as far as other searches tell."""
    robot = search.robot
    if search.limits:
        beyond, closed = _Search(robot, search.kept, limits=False).near(start, GUESSES)
        if closed[0]:
            return _beyond(search, beyond[0])
    if search.kept and _Search(robot, (), search.limits).near(start, GUESSES)[1][0]:
        names = [j.name for j in robot.coordinates.joints if j.v in search.kept]
        return f"not with {', '.join(names)} held there. Hold other positions, or fewer joints."
    others = _against(search, start, loop)
    if others:
        named = ", ".join(f'"{name}"' for name in others)
        return f"it closes alone, but not together with {named}: they contradict each other. Leave one out."
    return Advised(
        "the links do not reach, or the guess is too far off. Give another guess, or more tries.",
        {", or more tries.": ": --q."},
    )


def _beyond(search: _Search, q: Array) -> str:
    joint = next(
        joint
        for joint in search.robot.coordinates.joints
        if joint.nq == 1 and not joint.limits.lower <= q[joint.q] <= joint.limits.upper
    )
    sentence = (
        f'it closes only beyond limits: joint "{joint.name}" at {q[joint.q]:.4g}, outside {joint.limits.lower:.4g} '
        f"to {joint.limits.upper:.4g}. Give another guess, or limits=False."
    )
    return Advised(sentence, {", or limits=False.": ": --q."})


def _against(search: _Search, start: Array, loop: str) -> tuple[str, ...]:
    """The fewest other loops with which one cannot be closed; none where it cannot even be alone."""
    if not _closes(search, start, {loop}):
        return ()
    others = [name for name in dict(conditions(search.robot.model)) if name != loop]
    for count in (1, len(others)):
        for some in combinations(others, count):
            if not _closes(search, start, {loop, *some}):
                return some
    return ()


def _closes(search: _Search, start: Array, names: Collection[str]) -> bool:
    """Whether some of the loops close without the others."""
    model = search.robot.model
    loops = tuple(loop for loop in model.loops if loop.held or loop.name in names)
    curves = tuple(curve for curve in model.curves if curve.name in names)
    part = Robot(replace(model, loops=loops, curves=curves), compiled=False)
    return bool(_Search(part, search.kept, search.limits).near(start, GUESSES)[1][0])
