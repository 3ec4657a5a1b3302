"""A closed loop near rest: what one round makes of small deviations.

    y = (q, qd, torque held, memory of sensors, memory of the controller)
    y⁺ = F(y, r),   F(y*, r*) = y*            the arm at rest at a pose, everything else as it stays
    A = ∂F/∂y at (y*, r*)                     a deviation δ becomes A δ in a round

The pose is given; the memory and the position r that must be wanted for the arm to rest there (a controller without
gravity asks for a little more than it gets) are found by Newton's method. Derivatives are exact: the very round that
`control` runs, over numbers that move.

Steps are smoothed first: a sensor's resolution and noise are left out, and so is Coulomb friction, of the arm and of
what the controller believes, for it is no force per speed but one that stays as the motion vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strobe.compiler.graph.recurrence import STATE, Call, round_of, sample, samples
from strobe.control.controller import Controller
from strobe.control.loop import REFERENCE, Loop
from strobe.models.joints import Friction
from strobe.robot import Robot
from strobe.scalars import LANES, DualSystem, Lanes, Num, Numbers, where

Array = np.ndarray
DUALS = DualSystem(LANES)
H = sample("h", 0)
ITERATIONS = 12
DEEP = 4  # what holds what, from a controller to the robots that it knows
AT_REST = 1e-7  # rad/s², and N m of the torque held, per N m of weight: what is rest
ROUNDING = 1e-10  # of the largest number that is remembered, by which a rest may miss
NOTHING = 1e-12  # part of the largest effect of an unknown, below which another has none
SMALLEST = 1e-10  # part of the largest singular value, below which a direction is left as it is


@dataclass(frozen=True, eq=False)
class Linearised:
    """Cases (a pose with its gains and loads each) and what a round makes of deviations from them."""

    q: Array  # (C, nq)
    A: Array  # (C, D, D), of (position, velocity, rest of the state)
    at_rest: Array  # (C,) whether the arm can rest there


def linearised(loop: Loop, q: Array, constants: Mapping[str, Array]) -> Linearised:
    """The loop near rest at poses (C, nq); constants (C or 1, size) as the loop's recurrence takes them."""
    slow = smooth(loop)
    step = {H: constants[H] * (loop.steps / slow.steps)}
    near = _Near(slow, q, {**constants, **step})
    with np.errstate(all="ignore"):
        left, slopes = near.rest()
    A = slopes[..., : near.size] + np.eye(near.size)
    return Linearised(q, A, near.stays(left) & np.isfinite(A).all(axis=(1, 2)))


@dataclass(frozen=True, eq=False)
class _Near:
    """A loop, and where it is looked at."""

    loop: Loop
    q: Array  # (C, nq)
    constants: Mapping[str, Array]

    @property
    def size(self) -> int:
        """Numbers of a deviation: position, velocity, and what lives beside the arm."""
        return 2 * self.loop.plant.nv + self.beside

    @property
    def beside(self) -> int:
        return self.loop.layout.end - self.loop.layout.start

    def rest(self) -> tuple[Array, Array]:
        """What a round leaves of rest (C, D), nothing where there is one, and its slopes (C, D, D + nv)."""
        nv, wanted = self.loop.plant.nv, self.q
        still, unlimited = np.zeros((len(self.q), nv)), np.empty((1, 0))  # smooth sensors have no numbers
        beside = self.loop.first(self.q, still, unlimited)
        left, slopes = self._changed(beside, wanted)
        for _ in range(ITERATIONS):
            scale = 1.0 + np.abs(beside).max(axis=1, initial=0.0)
            if not (np.abs(left).max(axis=1) > ROUNDING * scale).any():
                break
            free = slopes[..., 2 * nv :]  # the arm stays where it is
            step = _solved(np.nan_to_num(free), -np.nan_to_num(left))
            beside = beside + step[:, : self.beside]
            wanted = self._displaced(wanted, step[:, self.beside :])
            left, slopes = self._changed(beside, wanted)
        return left, slopes

    def stays(self, left: Array) -> Array:
        """(C,) whether a round leaves the arm at rest, and the torque that is held."""
        nv, period = self.loop.plant.nv, self.loop.controller.period
        faster, other = np.abs(left[:, nv : 2 * nv]) / period, np.abs(left[:, 2 * nv : 3 * nv])
        scale = 1.0 + np.abs(self.loop.plant.gravity(self.q)).max(axis=1)
        return (faster.max(axis=1) < AT_REST * scale) & (other.max(axis=1, initial=0.0) < AT_REST * scale)

    def _changed(self, beside: Array, wanted: Array) -> tuple[Array, Array]:
        """F(y, r) − y (C, D) and its derivatives (C, D, D + nv), with the arm at rest at its pose."""
        count = self.size + self.loop.plant.nv
        still = np.zeros((len(self.q), self.loop.layout.start - self.loop.plant.nq))
        still[:, self.loop.parts.alive - self.loop.plant.nq] = 1.0
        state = _numbers(np.concatenate([self.q, still, beside], axis=1))
        moves: list[Num] = [DUALS.seed(0.0, Lanes(row[None])) for row in np.eye(count)]
        after = self._after(state, _numbers(wanted), moves)
        changes = [DUALS.lower(x - y) for x, y in zip(after, moves[: self.size], strict=True)]
        cases = len(self.q)
        left = [np.broadcast_to(LANES.lower(x.value), (cases, 1)) for x in changes]
        slopes = [np.broadcast_to(LANES.lower(x.tangent), (cases, count)) for x in changes]
        return np.concatenate(left, axis=1), np.stack(slopes, axis=1)

    def _after(self, state: Numbers, wanted: Numbers, moves: Numbers) -> list[Num]:
        """The deviation from a state after one round of the state and of what is wanted, both displaced by moves."""
        loop, p, nv = self.loop, self.loop.parts, self.loop.plant.nv
        joints = loop.plant.coordinates.joints
        q = [x for joint in joints for x in joint.integrate(state[p.q], moves[:nv])]
        asked = [x for joint in joints for x in joint.integrate(wanted, moves[self.size :])]
        beside = [x + d for x, d in zip(state[p.size :], moves[2 * nv : self.size], strict=True)]
        begin = [*q, *moves[nv : 2 * nv], *state[p.moving : p.size], *beside]
        end = self._round(begin, [*asked, *[0.0] * (2 * nv)])
        turned = [x for joint in joints for x in joint.difference(state[p.q], end[p.q])]
        lost = where(end[p.alive], 0.0, math.nan)  # it stayed where it was, which says nothing
        rest = [x - y for x, y in zip(end[p.size :], state[p.size :], strict=True)]
        return [*(x + lost for x in turned), *end[p.qd], *rest]

    def _round(self, state: Numbers, reference: Numbers) -> Numbers:
        """The state after one round, over numbers."""
        recurrence, kernels = self.loop.recurrence, self.loop.kernels
        cells: dict[str, Numbers] = {STATE: state}
        cells |= {name: _numbers(self.constants[name]) for name in recurrence.constants}
        for name, signal in recurrence.signals.items():
            quiet = [0.0] * signal.size
            cells |= dict.fromkeys(samples(name, signal), reference if name == REFERENCE else quiet)

        def run(call: Call, given: list[Numbers]) -> list[Num]:
            kernel = kernels[call.program]
            inputs = {name: x[:n] for (name, n), x in zip(kernel.inputs.items(), given, strict=True)}
            return list(kernel.function()(**inputs))

        return round_of(recurrence, run, cells)[STATE]

    def _displaced(self, q: Array, by: Array) -> Array:
        if self.loop.plant.coordinates.is_additive:
            return q + by
        return self.loop.plant.integrate(np.ascontiguousarray(q), np.ascontiguousarray(by))


def _numbers(rows: Array) -> list[Num]:
    """The columns of an array (C, n), each a number that does not move."""
    return [DUALS.seed(Lanes(rows[:, k : k + 1]), 0.0) for k in range(rows.shape[1])]


def _solved(slopes: Array, right: Array) -> Array:
    """The smallest x with slopes x = right, nearly, where columns may differ in unit (C, n)."""
    scales = np.linalg.norm(slopes, axis=1)
    rounded = scales <= NOTHING * scales.max(axis=1, keepdims=True)  # what moves nothing, but for rounding
    scales = np.where(rounded, 1.0, scales)
    inverse = np.linalg.pinv(slopes / scales[:, None, :], rcond=SMALLEST)
    return np.einsum("cij,cj->ci", inverse, right) / scales


# -- what has no derivative, left out ----------------------------------------------------------------


def smooth(loop: Loop) -> Loop:
    """The loop without resolution, noise and Coulomb friction."""
    plant = _without_coulomb(loop.plant)
    sensors = loop.sensors.smooth()
    controller = _believing_in_smooth(loop.controller)
    if plant is loop.plant and sensors is loop.sensors and controller is loop.controller:
        return loop
    # dry friction is what took short steps
    alike = 1 if plant is loop.plant else math.gcd(loop.steps, loop.late)
    return replace(
        loop,
        plant=plant,
        sensors=sensors,
        controller=controller,
        steps=loop.steps // alike,
        late=loop.late // alike,
    )


def _without_coulomb(robot: Robot) -> Robot:
    """The robot whose friction is viscous only."""
    if not any(any(joint.coulomb) for joint in robot.model.joints):
        return robot
    return robot.kept("without Coulomb friction", lambda: _made_smooth(robot))


def _made_smooth(robot: Robot) -> Robot:
    bodies = tuple(
        replace(
            body,
            joint=replace(
                body.joint,
                friction=Friction(body.joint.friction.viscous),
                motor=replace(body.joint.motor, coulomb=(0.0, 0.0)),
            ),
        )
        for body in robot.model.bodies
    )
    return Robot(replace(robot.model, bodies=bodies, golden=()), device=robot.device)


def _believing_in_smooth(controller: Controller) -> Controller:
    """The controller as it would be if the robots that it knows had no Coulomb friction."""
    known = {id(robot): robot for robot in _robots(controller, DEEP)}
    instead = {key: _without_coulomb(robot) for key, robot in known.items()}
    if all(instead[key] is robot for key, robot in known.items()):
        return controller
    return deepcopy(controller, dict(instead))


def _robots(thing: Any, deep: int) -> Iterator[Robot]:
    """The robots that something of ours holds, or what it holds, and so on."""
    for value in getattr(thing, "__dict__", {}).values():
        if isinstance(value, Robot):
            yield value
        elif deep and type(value).__module__.startswith("strobe."):
            yield from _robots(value, deep - 1)
