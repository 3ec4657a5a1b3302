"""Least time under torque limits alone: every torque at one of its bounds, and the instants where it changes over.

    ẋ = f(x, u),  x = (q, qd),  |u_i| ≤ u_i max        from rest to rest in least time T
    u_i = −u_i max sign σ_i,    σ_i = λᵀ ∂f/∂u_i        where λ̇ = −(∂f/∂x)ᵀ λ,   1 + λᵀ f = 0   [Pontryagin1962]

Torques that are switched 2n − 1 times in all leave, with T, as many numbers as there are conditions at the end: for
every sign at the start and every share of the switches among the joints they follow from Newton's method, all of them
side by side. Of those that arrive the fastest is taken whose switches are the zeros of σ, for one λ, with the right
signs in between: an extremal. That is what the least time must satisfy, not a proof that nothing is faster; arms
whose fastest motion has more switches, or an arc on which σ vanishes, have none here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np

from strobe.trajectory.path_constraints import Bounds

if TYPE_CHECKING:
    from strobe.robot import Robot

Array = np.ndarray

MOST_JOINTS = 2  # beyond, there are too many ways to share the switches
STEPS = 24  # of Runge and Kutta, on each arc while switches are sought,
FINE = 96  # once they are nearly found,
CHECKED = 384  # and for what is told of the end
ROUNDS = 40  # of Newton's method
SHARES = (0.2, 0.5, 0.8)  # of the duration, between which the first guesses of switches lie
LENGTHS = (0.85, 1.1)  # first guesses of the duration, as parts of a motion that is known
NUDGE = 1e-7  # by which numbers are moved to see what they change
ARRIVED = 1e-9  # of the way and the speeds, by which an end may be missed with the steps that switches are found by,
MISSED = 3e-3  # and with finer ones, which meet the kinks of friction elsewhere
EXACT = 1e-6  # of the way: a smaller miss is not told
TOUCHING = 1e-6  # of the largest σ, within which it has no sign


@dataclass(frozen=True, eq=False)
class BangBang:
    """A motion under torques that are always at their bounds, which satisfies the conditions of a least time."""

    duration: float  # s
    signs: tuple[int, ...]  # of the torques at the start
    switches: tuple[tuple[float, ...], ...]  # s, of every joint
    missed: float  # by which it ends beside the goal, as a part of the way
    names: tuple[str, ...]

    @property
    def told(self) -> str:
        """The duration and the instants, in a clause."""
        each = "; ".join(
            f"{name} {'+' if sign > 0 else '−'}, {_times(times)}"
            for name, sign, times in zip(self.names, self.signs, self.switches, strict=True)
        )
        beside = f", {100 * self.missed:.1g} % of the way beside the goal" if self.missed > EXACT else ""
        return (
            f"with every torque at a limit {self.duration:.4g} s ({each}){beside}, which satisfies Pontryagin's "
            "conditions"
        )


def _times(times: Sequence[float]) -> str:
    return f"switched at {', '.join(f'{t:.4g}' for t in times)} s" if times else "never switched"


def bang_bang(
    robot: Robot, ends: Array, bounds: Bounds, room: tuple[Array, Array], known: float
) -> BangBang | None:
    """The fastest extremal with 2n − 1 switches from rest to rest, no slower than ``known``, which is possible.

    One that leaves the bounds on velocities and accelerations, or the room of positions, is none.
    """
    n = robot.n
    if n > MOST_JOINTS or not np.isfinite(bounds.effort).all() or not np.ptp(ends, axis=0).all():
        return None
    case = _Case(robot, ends, np.asarray(bounds.effort, float))
    x, structures = case.arriving(*case.guesses(known), STEPS)
    x = case.solved(x, structures, FINE)
    for k in np.argsort(x[:, -1]):
        missed = case.missed(x[k : k + 1], structures[k : k + 1], CHECKED)[0]
        if missed > MISSED or x[k, -1] > known or not case.in_order(x[k], structures[k]):
            continue
        if case.is_within(x[k], structures[k], bounds, room) and case.is_extremal(x[k], structures[k]):
            return case.found(x[k], structures[k], float(missed))
    return None


@dataclass(frozen=True)
class _Structure:
    """Signs at the start, and how many switches each joint has."""

    signs: tuple[int, ...]
    counts: tuple[int, ...]

    @property
    def owners(self) -> list[int]:
        """The joint of every switch."""
        return [i for i, count in enumerate(self.counts) for _ in range(count)]


class _Case:
    """Two positions at rest, and torques; unknown are the switches (2n − 1) and the duration, last."""

    def __init__(self, robot: Robot, ends: Array, effort: Array) -> None:
        self.robot, self.ends, self.effort, self.n = robot, ends, effort, robot.n
        self.unknowns = 2 * self.n
        self.rates = partial(robot.forward_dynamics, threads=1)
        self.scale = np.abs(ends[1] - ends[0]).max()

    def guesses(self, known: float) -> tuple[Array, list[_Structure]]:
        """First guesses of every structure: switches in thirds, halves and so on of several durations."""
        total = self.unknowns - 1
        shares = [c for c in product(range(total + 1), repeat=self.n) if sum(c) == total]
        rows, structures = [], []
        for signs, counts in product(product((1, -1), repeat=self.n), shares):
            structure = _Structure(signs, counts)
            for length, middle in product(LENGTHS, SHARES):
                places = [
                    np.interp(np.arange(1, c + 1) / (c + 1), [0, 0.5, 1], [0, middle, 1]) for c in counts
                ]
                rows.append(known * length * np.append(np.concatenate(places), 1.0))
                structures.append(structure)
        return np.array(rows), structures

    def torques(self, x: Array, structures: Sequence[_Structure]) -> tuple[Array, Array]:
        """Instants (B, arcs + 1) between which torques (B, arcs, n) are constant."""
        times = np.sort(np.concatenate([np.zeros((len(x), 1)), x], axis=1), axis=1)
        middles = (times[:, :-1] + times[:, 1:]) / 2
        u = np.empty((*middles.shape, self.n))
        owners = np.array([s.owners for s in structures])
        signs = np.array([s.signs for s in structures])
        for i in range(self.n):
            passed = (x[:, None, :-1] < middles[:, :, None]) & (owners == i)[:, None, :]
            u[..., i] = signs[:, i, None] * np.where(passed.sum(axis=2) % 2, -1.0, 1.0)
        return times, u * self.effort

    def run(self, times: Array, u: Array, state: Array, steps: int, keep: bool = False) -> Array:
        """The state (B, 2n) at the end, or (arcs · steps + 1, B, 2n) at every step."""
        rows = [state]
        with np.errstate(all="ignore"):  # guesses may run away
            for arc in range(u.shape[1]):
                h = ((times[:, arc + 1] - times[:, arc]) / steps)[:, None]
                for _ in range(steps):
                    state = self._step(state, u[:, arc], h)
                    if keep:
                        rows.append(state)
        return np.array(rows) if keep else state

    def _step(self, x: Array, u: Array, h: Array) -> Array:
        def f(x: Array) -> Array:
            q, qd = x[:, : self.n], x[:, self.n :]
            return np.concatenate([qd, self.rates(q, qd, u)], axis=1)

        k1 = f(x)
        k2 = f(x + h / 2 * k1)
        k3 = f(x + h / 2 * k2)
        k4 = f(x + h * k3)
        return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    def start(self, count: int) -> Array:
        return np.tile(np.concatenate([self.ends[0], np.zeros(self.n)]), (count, 1))

    def residuals(self, x: Array, structures: Sequence[_Structure], steps: int) -> Array:
        """How far the end is missed (B, 2n): positions, and velocities times the duration."""
        if not len(x):
            return np.empty((0, self.unknowns))
        times, u = self.torques(x, structures)
        end = self.run(times, u, self.start(len(x)), steps)
        off = end - np.concatenate([self.ends[1], np.zeros(self.n)])
        off[:, self.n :] *= np.abs(x[:, -1:])
        return off / self.scale

    def missed(self, x: Array, structures: Sequence[_Structure], steps: int) -> Array:
        return np.abs(self.residuals(x, structures, steps)).max(axis=1)

    def arriving(
        self, x: Array, structures: list[_Structure], steps: int
    ) -> tuple[Array, list[_Structure]]:
        """What guesses lead to that arrives, each once."""
        x = self.solved(x, structures, steps)
        off = self.missed(x, structures, steps)
        kept: dict[tuple, tuple[Array, _Structure]] = {}
        for numbers, structure, far in zip(x, structures, off, strict=True):
            if far < ARRIVED and self.in_order(numbers, structure):
                kept.setdefault((structure, *numbers.round(6)), (numbers, structure))
        found = list(kept.values())
        return np.array([numbers for numbers, _ in found]).reshape(-1, self.unknowns), [s for _, s in found]

    def solved(self, x: Array, structures: list[_Structure], steps: int) -> Array:
        """Newton's method for all guesses at once, each step no longer than a fifth of the duration."""
        m = self.unknowns
        for _ in range(ROUNDS if len(x) else 0):
            nudges = NUDGE * np.abs(x[:, -1:])
            moved = np.concatenate([x, *(x + nudges * np.eye(m)[k] for k in range(m))])
            r = self.residuals(moved, structures * (m + 1), steps).reshape(m + 1, len(x), m)
            here = r[0]
            if not (np.abs(here).max(axis=1) > ARRIVED / 10).any():
                break
            J = np.moveaxis((r[1:] - here) / nudges, 0, -1)
            known = np.isfinite(J).all(axis=(1, 2)) & np.isfinite(here).all(axis=1)
            change = np.zeros_like(x)
            change[known] = -np.einsum("bij,bj->bi", np.linalg.pinv(J[known], rcond=1e-12), here[known])
            longest = np.abs(change).max(axis=1, keepdims=True)
            limit = 0.2 * np.abs(x[:, -1:])
            x = x + change * np.minimum(1.0, limit / np.maximum(longest, 1e-300))
        return x

    def in_order(self, x: Array, structure: _Structure) -> bool:
        """Whether the switches of every joint follow each other, within the motion."""
        owners = np.array(structure.owners)
        return bool(
            (x[:-1] > 0).all()
            and (x[:-1] < x[-1]).all()
            and all((np.diff(x[:-1][owners == i]) > 0).all() for i in range(self.n))
        )

    def is_within(self, x: Array, structure: _Structure, bounds: Bounds, room: tuple[Array, Array]) -> bool:
        """Whether the motion keeps bounds that it was not made to keep."""
        times, u = self.torques(x[None], [structure])
        states = self.run(times, u, self.start(1), FINE, keep=True)[:, 0]
        qd = states[:, self.n :]
        given = np.repeat(u[0], FINE, axis=0)
        qdd = np.abs(self.rates(states[1:, : self.n], qd[1:], given))
        lower, upper = room
        q = states[:, : self.n]
        return bool(
            (np.abs(qd) <= bounds.velocity).all()
            and (qdd <= bounds.acceleration).all()
            and (q >= lower).all()
            and (q <= upper).all()
        )

    def is_extremal(self, x: Array, structure: _Structure) -> bool:
        """Whether one λ makes σ vanish at the switches, and have the signs of the torques elsewhere."""
        times, u = self.torques(x[None], [structure])
        lanes = self.unknowns + 1
        start = self.start(lanes)
        start[1:] += NUDGE * self.scale * np.eye(self.unknowns)
        states = self.run(np.repeat(times, lanes, 0), np.repeat(u, lanes, 0), start, FINE, keep=True)
        clock = np.concatenate([[0.0], *(np.linspace(a, b, FINE + 1)[1:] for a, b in pairwise(times[0]))])
        # columns: what moved
        Phi = np.moveaxis((states[:, 1:] - states[:, :1]) / (NUDGE * self.scale), 1, 2)
        pushed = self._pushed(states[:, 0, : self.n])
        felt = np.linalg.solve(Phi, pushed)  # Φ⁻¹ ∂f/∂u: σ(t) = λ(0)ᵀ felt
        owners = structure.owners
        rows = [felt[np.abs(clock - t).argmin()][:, i] for t, i in zip(x[:-1], owners, strict=True)]
        _, sizes, V = np.linalg.svd(np.array(rows))
        sigma = np.einsum("k,tki->ti", V[-1], felt)
        arcs = np.repeat(u[0], FINE, axis=0)
        signs = np.where(np.abs(sigma[1:]) > TOUCHING * np.abs(sigma).max(axis=0), np.sign(sigma[1:]), 0.0)
        wanted = -np.sign(arcs)
        return bool(sizes[-1] > 0 and any((signs * wanted * way >= 0).all() for way in (1.0, -1.0)))

    def _pushed(self, q: Array) -> Array:
        """∂f/∂u (T, 2n, n): nothing of the positions, M⁻¹ of the velocities."""
        inverse = self.robot.mass_matrix_inverse(q)
        return np.concatenate([np.zeros_like(inverse), inverse], axis=1)

    def found(self, x: Array, structure: _Structure, missed: float) -> BangBang:
        owners = np.array(structure.owners)
        switches = tuple(tuple(float(t) for t in x[:-1][owners == i]) for i in range(self.n))
        names = tuple(self.robot.joint_names)
        return BangBang(float(x[-1]), structure.signs, switches, missed, names)
