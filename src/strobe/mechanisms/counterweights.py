"""Counterweights: which masses, where, take gravity away, and what that costs in inertia. A design, not a formula.

A turning joint bears no weight in any pose if the first moment h of all it carries has no part across its axis. From
the tips inwards, a mass w on the link beyond joint i at p, with everything in the axes of the joint,

    w p_across = −h_across        |p_across| = arm  ⇒  w = |h_across| / arm        p_along = h_along / m

puts what joint i carries onto its axis, where it is a point that the next joint inwards sees standing still.
Inertia grows by w arm² = |h_across| arm: a short arm costs mass, a long one inertia.

The walk is written over numbers: on those of a prime field, at random robots of the same structure with random
weights in these places, it proves what gravity and H become. `balanceable` says which joints masses can balance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from strobe.algebra import Inertia, Sym3, Vec3
from strobe.approximate.method import Array, require_open_dynamics
from strobe.errors import ArgumentError, counted
from strobe.mechanisms.balanceable import Obstacle, obstacles, plan, real
from strobe.models.arguments import finite_numbers, require_text
from strobe.models.inertial import Inertial
from strobe.models.joints import RAD, Joint
from strobe.models.model import ROOT, Body, Model
from strobe.quantities import Request
from strobe.robot import Robot, require_robot
from strobe.scalars import DualSystem, FieldSystem, Num
from strobe.scalars.scalar import is_number
from strobe.show.sheet import Column, Sheet, by_joint, displayed
from strobe.show.units import lengths

PURPOSES = ("gravity", "inertia")
NEGLIGIBLE = 1e-12  # of the robot's mass: a counterweight that rounding asks for
POSES = 1000  # random ones, but for the first, in which inertia and gravity are compared
ROUNDING = 1e-10  # of the largest: an entry of H, or a torque, that is zero
SHOWN = 6  # entries of H in a sentence
TRIALS = 2  # random robots of the same structure that must agree

MassRule = Callable[[str, Vec3], Num]
"""The mass of a joint's counterweight, given the first moment that it is to cancel."""


@displayed
@dataclass(frozen=True, slots=True)
class Weight:
    """A point mass on the link that a joint carries."""

    joint: str
    link: str
    mass: float
    arm: float  # its distance from the joint's axis
    position: tuple[float, float, float]  # in the link's own frame

    def __str__(self) -> str:
        x, y, z = (f"{value + 0.0:.4g}" for value in self.position)
        where = f"{self.arm:.4g} m behind the axis, at ({x}, {y}, {z})"
        return f"{self.joint}: {self.mass:.4g} kg on {self.link}, {where}"


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """What a robot's drives must move and hold, in the same random poses; arrays have n entries."""

    mass: float  # of all that moves
    inertia: Array  # H_ii, the largest
    mean_inertia: Array
    spread: Array  # (n, n) by how much the entries of H differ
    gravity: Array  # torques that hold it, the largest


@displayed
@dataclass(frozen=True, eq=False)
class Counterbalance:
    """A robot with counterweights, what they do and what they cost."""

    original: Robot
    robot: Robot  # with the weights
    purpose: str
    weights: tuple[Weight, ...]
    obstacles: tuple[Obstacle, ...]
    weightless: tuple[str, ...]  # joints on which gravity never acts: proven
    constant: Array  # (n, n) which entries of H do not depend on the pose: proven
    before: Load
    after: Load

    @property
    def added(self) -> float:
        """The mass of all weights."""
        return sum(weight.mass for weight in self.weights)

    @property
    def gravity_vanishes(self) -> bool:
        return self.weightless == self.robot.joint_names

    @property
    def mass_matrix_is_constant(self) -> bool:
        return bool(self.constant.all())

    @cached_property
    def says(self) -> tuple[str, ...]:
        """The result in sentences."""
        proof = (PROOF,) if self.gravity_vanishes or self.mass_matrix_is_constant else ()
        return (*self._weights(), *map(str, self.obstacles), self._gravity(), self._inertia(), *proof)

    def _sheet(self) -> Sheet:
        names = self.robot.coordinates.rate_names
        columns = [
            Column(f"gravity {w}", load.gravity, "N m or N")
            for w, load in (("before", self.before), ("after", self.after))
        ]
        return Sheet(f"counterweights for {self.robot.name}", [*self.says, by_joint(names, columns)])

    def _weights(self) -> list[str]:
        if not self.weights:
            return ["No counterweight is needed or would help."]
        return [*(f"{weight}." for weight in self.weights), self._cost()]

    @property
    def loaded(self) -> tuple[str, ...]:
        """The joints on which gravity still acts."""
        felt = np.array([self.rounded(x) > 0 for x in self.after.gravity])
        acts = [j.name for j in self.robot.coordinates.joints if felt[j.v : j.v + j.nv].any()]
        return () if self.gravity_vanishes else tuple(acts)

    def rounded(self, x: float) -> float:
        """A torque or an inertia, zero where it is rounding beside the largest torque."""
        largest = max(self.before.gravity.max(initial=0.0), self.after.gravity.max(initial=0.0))
        return float(x) if abs(x) > ROUNDING * largest else 0.0

    def _gravity(self) -> str:
        if self.gravity_vanishes:
            return "Gravity asks for no torque in any pose."
        if not self.loaded:
            return f"Gravity asked for no torque in {POSES} poses, which is not proven of every one."
        return f"Gravity still acts on {', '.join(self.loaded)}."

    def _inertia(self) -> str:
        if self.mass_matrix_is_constant:
            return "H does not depend on the pose, so that there are no velocity torques."
        moves = self.after.spread > ROUNDING * self.after.inertia.max()
        changing = [f"H{i + 1}{j + 1}" for i, j in np.argwhere(moves) if i <= j]
        if not changing:
            return f"H was the same in {POSES} poses, which is not proven of every one."
        more = f" and {len(changing) - SHOWN} more" if len(changing) > SHOWN else ""
        return f"H depends on the pose: {', '.join(changing[:SHOWN])}{more}."

    def _cost(self) -> str:
        before, after = self.before, self.after
        turning = [unit == "rad" for unit in lengths(self.robot.coordinates.joints)]
        k = int(np.argmax(np.where(turning, after.inertia - before.inertia, -np.inf)))
        return (
            f"{self.added:.4g} kg are added to {before.mass:.4g} kg; H{k + 1}{k + 1} grows most, from at most "
            f"{before.inertia[k]:.3g} (mean {before.mean_inertia[k]:.3g}) to {after.inertia[k]:.3g} "
            f"(mean {after.mean_inertia[k]:.3g}) kg·m²."
        )


PROOF = (
    f"What is said of every pose was decided exactly at {counted(TRIALS, 'random robot')} of this structure with "
    "weights in these places, modulo primes of 61 bits; it holds but for a chance of about its degree over the prime."
)


def counterbalance(
    robot: Robot, arm: float | Mapping[str, float] = 0.1, purpose: str = "gravity"
) -> Counterbalance:
    """Masses at a given distance behind the axes of turning joints that take gravity away, and what they cost.

    ``arm`` is that distance (m), one for all or by joint. With ``purpose="inertia"`` every joint is balanced that
    could make H depend on the pose, whether gravity acts on it or not; on arms with parallel axes H becomes constant.
    """
    require_robot(robot)
    require_open_dynamics(robot)
    if require_text("purpose", purpose, f"one of {', '.join(PURPOSES)}") not in PURPOSES:
        raise ArgumentError(f'purpose is "{purpose}"; expected one of {", ".join(PURPOSES)}.')
    model = replace(robot.model, couplings=())
    chosen, blocked = plan(model, weight=purpose == "gravity")
    arms = _arms(robot, arm, chosen)
    total = sum(real(body.inertia.m) for body in model.bodies)

    def mass(joint: str, h: Vec3) -> float:
        needed = math.hypot(*map(real, h)) / arms[joint]
        return needed if needed > NEGLIGIBLE * total else 0.0

    placed = balanced(model, chosen, mass)
    weights = [_weight(model.bodies[i], w, arms, p) for i, (w, p) in placed.items() if w]
    heavier = robot.with_model(replace(robot.model, bodies=_loaded(model, placed).bodies, golden=()))
    weightless, constant = proven(robot, chosen)
    felt = _felt(robot, blocked, weightless) if purpose == "gravity" else blocked
    return Counterbalance(
        original=robot, robot=heavier, purpose=purpose, weights=tuple(sorted(weights, key=_order(robot))),
        obstacles=obstacles(heavier.model, felt), weightless=weightless, constant=constant,
        before=load(robot), after=load(heavier),
    )  # fmt: skip


def _felt(robot: Robot, blocked: Mapping[str, str], weightless: Sequence[str]) -> dict[str, str]:
    """What stands in the way, without joints that bear nothing: slides that stay level, jaws that hold each other."""
    moving = {joint.name for joint in robot.coordinates.joints}
    spared = set(weightless) if moving - set(weightless) else {*weightless, *blocked}
    return {joint: other for joint, other in blocked.items() if joint not in spared}


def load(robot: Robot) -> Load:
    """What drives must move and hold, in the neutral pose and in random ones."""
    q = np.concatenate([robot.neutral[None], robot.random_state(0, POSES - 1)[0]])
    once = Robot(robot.model, compiled=False)  # asked once: not worth kernels
    H, held = once.mass_matrix(q), np.abs(once.gravity(q))
    own = np.diagonal(H, axis1=-2, axis2=-1)
    mass = sum(real(body.inertia.m) for body in robot.model.bodies)
    return Load(mass, own.max(axis=0), own.mean(axis=0), np.ptp(H, axis=0), held.max(axis=0))


# -- over numbers -------------------------------------------------------------------------------------


def balanced(model: Model, joints: Sequence[str], mass: MassRule) -> dict[int, tuple[Num, Vec3]]:
    """The mass and place, in the axes of its joint, of the counterweight on each body that needs one."""
    tree = model.proximal()
    carried = {body.index: body.inertia for body in tree.bodies}
    weights: dict[int, tuple[Num, Vec3]] = {}
    for body in reversed(tree.bodies):
        whole = carried[body.index]
        across, along = _split(body.joint, whole.h)
        if body.joint.name in joints and not _vanishes(across):
            w = mass(body.joint.name, across)
            if not (is_number(w) and w == 0):
                height = along if _vanishes(along) else along * (1.0 / whole.m)
                p = height - across * (1.0 / w)
                weights[body.index] = w, p
                whole = whole + Inertia(w, p * w, Sym3.zero())
        if body.parent != ROOT:
            carried[body.parent] = carried[body.parent] + body.before.inertia(whole)
    return weights


def _loaded(model: Model, weights: Mapping[int, tuple[Num, Vec3]]) -> Model:
    """The model with counterweights, in its own link frames."""
    bodies = list(model.bodies)
    for index, (w, p) in weights.items():
        body = bodies[index]
        point = Inertial.at_com(w, body.after.inverted().point(p), Sym3.zero())
        bodies[index] = replace(body, inertial=body.inertial + point)
    return replace(model, bodies=tuple(bodies))


def proven(robot: Robot, joints: Sequence[str]) -> tuple[tuple[str, ...], Array]:
    """The joints on which gravity never acts, and the entries of H that are constant, once joints are balanced.

    At random robots and states in a prime field G_i = 0, and H_ij does not change along a random direction, that of
    the tangents of dual numbers.
    """
    free = replace(robot.model, couplings=())
    silent, constant = (
        np.all(each, axis=0) for each in zip(*(_trial(free, joints, k) for k in range(TRIALS)), strict=True)
    )
    return _of_coordinates(robot, silent, constant)


def _trial(model: Model, joints: Sequence[str], seed: int) -> tuple[Array, Array]:
    """At one random robot: which torques of gravity vanish, and which entries of H do not change."""
    field = FieldSystem(seed)
    duals = DualSystem(field)
    lifted = model.lift(duals)
    loaded = _loaded(lifted, balanced(lifted, joints, lambda *_: duals.seed(field.draw(), 0.0)))
    q = [duals.seed(x, field.draw()) for x in _position(model, field)]
    G, H = (Request(name).evaluate(loaded, q=q) for name in ("gravity", "mass_matrix"))
    silent = [field.lower(duals.lower(x).value) == 0 for x in G]
    return np.array(silent), np.array(
        [[field.lower(duals.lower(x).tangent) == 0 for x in row] for row in H]
    )


def _position(model: Model, field: FieldSystem) -> list[Num]:
    """At random."""
    return [field.variable("q", unit == RAD) for joint in model.joints for unit in joint.position_units]


def _of_coordinates(robot: Robot, silent: Array, constant: Array) -> tuple[tuple[str, ...], Array]:
    """What holds for all joints that move with a coordinate holds for the coordinate."""
    n, x = robot.nv, robot.coordinates
    moved = [[j for j, terms in enumerate(x.velocities) if k in terms] for k in range(n)]
    weightless = tuple(
        joint.name for joint in x.joints if all(silent[moved[joint.v + k]].all() for k in range(joint.nv))
    )
    return weightless, np.array(
        [[constant[np.ix_(moved[i], moved[j])].all() for j in range(n)] for i in range(n)]
    )


def _split(joint: Joint, h: Vec3) -> tuple[Vec3, Vec3]:
    """The parts of a first moment that a joint feels as it turns, and along its axis."""
    if joint.is_ball:
        return h, Vec3.zero()
    along = Vec3(*(x if k == joint.axis else 0.0 for k, x in enumerate(h)))
    return Vec3(*(0.0 if k == joint.axis else x for k, x in enumerate(h))), along


def _vanishes(v: Vec3) -> bool:
    """Whether a vector is zero by the structure of the robot."""
    return all(is_number(x) and x == 0 for x in v)


# -- the border ------------------------------------------------------------------------------------------


def _arms(robot: Robot, arm: Any, joints: Sequence[str]) -> dict[str, float]:
    """The distance of each counterweight from its axis, checked."""
    given = dict(arm) if isinstance(arm, Mapping) else dict.fromkeys(joints, arm)
    for name in given:
        robot.model.joint(name)
    missing = [name for name in joints if name not in given]
    if missing:
        raise ArgumentError(
            f"arm has no distance for {', '.join(missing)}, which need a counterweight; give one number for all, or "
            "one for each of them."
        )
    distances = {name: finite_numbers(f'the arm of joint "{name}"', given[name], 1)[0] for name in given}
    for name, distance in distances.items():
        if distance <= 0:
            raise ArgumentError(
                f'the arm of joint "{name}" is {distance:g} m; expected a distance above zero. The weight hangs '
                "opposite to what it balances."
            )
    return distances


def _weight(body: Body, mass: Num, arms: Mapping[str, float], p: Vec3) -> Weight:
    x, y, z = map(real, body.after.inverted().point(p))
    return Weight(body.joint.name, body.name, real(mass), arms[body.joint.name], (x, y, z))


def _order(robot: Robot) -> Callable[[Weight], int]:
    return lambda weight: robot.model.joint_names.index(weight.joint)
