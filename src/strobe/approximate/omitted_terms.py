"""Torques with something left out: velocity terms, the links beyond a joint, locked joints, other joints' motion.

    exact                      tau_i = Σ_j H_ij qdd_j + Σ_jk c_ijk qd_j qd_k + g_i + friction_i(qd_i)
    WithoutVelocityTerms       without c_ijk qd_j qd_k
    GravityOnly                without qdd and c_ijk qd_j qd_k
    ReducedInteraction         sums over the joints j, k of the group of joint i
    WithoutDistalLinks         H, c and g of link i alone
    LockedJoints               the robot with links merged; no torque at locked joints

Each is a formula, compiled as the exact torques are, and keeps rotor inertia and friction unless said otherwise.
The first, the fourth and the fifth are proposals of [Waters1979].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from strobe.algebra.rows import plus
from strobe.approximate.method import (
    INVERSE_DYNAMICS,
    Array,
    Formula,
    exact,
    friction,
    in_system,
    require_open_dynamics,
)
from strobe.compiler.runtime.arrays import collected
from strobe.errors import ArgumentError, UnsupportedModelError, shown, some_of
from strobe.models.inertial import Inertial
from strobe.models.joints import Joint
from strobe.models.locking import locked_positions
from strobe.models.model import Model
from strobe.robot import Robot
from strobe.scalars import Num, Numbers

POSES = 256  # random ones that a warning is measured in
SHOWN = 6  # joints in a sentence
WORTH_SAYING = 1e-3  # of the largest torque
STILL = 1e-9  # rad, m and per second: a locked joint that is nearer to its position, or slower, is still


class LeavingOut(Formula):
    """What all these methods need: a robot with dynamics."""

    def __init__(self, robot: Robot) -> None:
        require_open_dynamics(robot)
        self.robot = robot

    @property
    def _rest(self) -> list[Num]:
        return [0.0] * self.robot.nv


class WithoutVelocityTerms(LeavingOut):
    """The torques of the same accelerations at rest, and friction: exact where nothing moves."""

    name = "without-velocity-terms"
    title = "velocity terms ignored"

    def torques(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        return plus(exact(self.robot, q, self._rest, qdd), friction(self.robot, qd))

    @property
    def notes(self) -> tuple[str, ...]:
        return ("What it leaves out grows with the square of the speed.",)


class GravityOnly(LeavingOut):
    """The torques that hold the robot still, and friction: exact for a motion that is slow enough."""

    name = "gravity-only"
    title = "gravity only"

    def torques(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        return plus(exact(self.robot, q, self._rest, self._rest), friction(self.robot, qd))

    @property
    def notes(self) -> tuple[str, ...]:
        return ("What it leaves out grows with the acceleration and with the square of the speed.",)


class ReducedInteraction(LeavingOut):
    """Groups of joints that do not feel each other move: each is computed as though the others stood still.

    ``keep`` names the groups, ``[("shoulder", "elbow"), ("wrist_*",)]``; a joint that is in none is one of its own,
    so that without ``keep`` only the diagonal of H is left. Gravity is whole. ``velocity=False`` leaves out
    the velocity terms within the groups too. Exact where all joints are one group.
    """

    name = "reduced-interaction"

    def __init__(self, robot: Robot, keep: Sequence[Iterable[str]] = (), velocity: bool = True) -> None:
        super().__init__(robot)
        self.groups = _partition(robot, keep)
        self.velocity = velocity

    @property
    def title(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        apart = len(self.groups) == len(self.robot.joint_names)
        return "joints do not interact" if apart else "joints interact in groups"

    @property
    def notes(self) -> tuple[str, ...]:
        groups = "; ".join(", ".join(group) for group in self.groups)
        velocity = "" if self.velocity else " Velocity terms are left out within groups too."
        return (f"Joints feel only the motion of their own group: {groups}.{velocity}",)

    def torques(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        tau = self._rest
        for group in self.groups:
            own = _places(self.robot, group)
            rates = _only(qd, own) if self.velocity else self._rest
            felt = exact(self.robot, q, rates, _only(qdd, own))
            tau = [felt[k] if k in own else t for k, t in enumerate(tau)]
        return tau if self.velocity else plus(tau, friction(self.robot, qd))


class WithoutDistalLinks(LeavingOut):
    """Joint i feels its own link only: the sum over the links j ≥ i keeps j = i.

    On joints that carry others against gravity this is wrong by up to the whole torque; `notes` say by how much on
    this robot. Exact at the tips.
    """

    name = "without-distal-links"
    title = "distal links neglected"

    def torques(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        x = self.robot.coordinates
        free = replace(self.robot.model, couplings=())
        state = {"q": x.expand(q), "qd": x.expand_rates(qd), "qdd": x.expand_rates(qdd)}
        tau: list[Num] = []
        for body in free.bodies:
            alone = in_system(_with_link(free, body.index), q)
            tau += body.rates(INVERSE_DYNAMICS.evaluate(alone, **state))
        return x.reduce(tau)

    @cached_property
    def notes(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        missing = "What the links beyond a joint weigh, and how they resist acceleration, is missing."
        wrong = self._wrong_at_rest()
        if not wrong:
            return (missing,)
        return (
            missing,
            f"WARNING: at rest in {POSES} random poses torques are wrong (rms) by {some_of(wrong, SHOWN)}. "
            "Do not use it where joints carry others against gravity.",
        )

    def _wrong_at_rest(self) -> list[str]:
        """How wrong the torques are that hold each joint, where that is worth saying."""
        robot, still = self.robot, np.zeros(self.robot.nv)
        q = robot.random_state(0, POSES)[0]
        whole = Robot(robot.model, compiled=False).gravity(q)
        wrong, size = _rms(self.inverse_dynamics(q, still, still) - whole), _rms(whole)
        told: list[str] = []
        for joint in robot.coordinates.joints:
            own = slice(joint.v, joint.v + joint.nv)
            w, s = wrong[own].max(), size[own].max()
            if w > WORTH_SAYING * max(s, size.max()):
                unit = "N" if joint.slides else "N·m"
                told.append(
                    f"{w:.3g} of {s:.3g} {unit} at {joint.name}" + (f" ({w / s:.0%})" if s > w / 10 else "")
                )
        return told


class LockedJoints(LeavingOut):
    """Some joints held by a pin or a brake: their links are merged, and the others' torques are exact.

    The result keeps its shape (..., n), so that it stands wherever the exact torques do; a locked joint's entry is
    0, because its drive gives nothing: what the brake bears is not computed. A state in which a locked joint is
    elsewhere, or moves, is refused.
    """

    name = "locked-joints"
    title = "joints locked"

    def __init__(self, robot: Robot, joints: Mapping[str, Any]) -> None:
        super().__init__(robot)
        held = locked_positions(robot.model, joints)
        self.joints = tuple(joint for joint in robot.coordinates.joints if joint.name in held)
        if not self.joints:
            raise ArgumentError('there is no joint to lock; give a mapping such as {"elbow": 0.3}.')
        for joint in self.joints:
            if joint.nv > 1:
                raise UnsupportedModelError(
                    f'joint "{joint.name}" of {robot.name} is {joint.kind}; only joints with one degree of freedom '
                    "can be locked here. Use robot.lock for a robot without it."
                )
        self.positions = {joint.name: held[joint.name][0] for joint in self.joints}
        self.silent = tuple(joint.v for joint in self.joints)
        self.locked = robot.lock(joints)
        if not self.locked.nv:
            raise ArgumentError(f"all joints of {robot.name} are locked: no torque is left to compute.")

    @property
    def notes(self) -> tuple[str, ...]:
        where = ", ".join(f"{name} at {value:g}" for name, value in self.positions.items())
        return (
            f"Locked: {where}. What their brakes bear is not computed: their torques are 0, and no errors.",
        )

    def inverse_dynamics(self, q: Any, qd: Any, qdd: Any) -> Array:
        arrays = collected({"q": q, "qd": qd, "qdd": qdd}, self.kernel.inputs, self.robot.shape_reason)
        for joint in self.joints:
            self._require_still(joint, arrays)
        return self.kernel(*arrays.values())

    def torques(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        every = self.robot.coordinates.joints
        moving = [joint for joint in every if joint.name not in self.positions]
        positions = [x for joint in moving for x in joint.position(q)]
        rates, accelerations = ([x for joint in moving for x in joint.rates(v)] for v in (qd, qdd))
        left = iter(exact(self.locked, positions, rates, accelerations))
        return [next(left) if joint in moving else 0.0 for joint in every for _ in range(joint.nv)]

    def _require_still(self, joint: Joint, state: Mapping[str, Array]) -> None:
        """Refuse states in which a locked joint is elsewhere, or moves."""
        position, q = self.positions[joint.name], state["q"][..., joint.q]
        away = ~(np.abs(q - position) <= max(STILL, abs(position) * np.finfo(q.dtype).eps))
        if away.any():
            raise ArgumentError(
                f'joint "{joint.name}" is locked at {position:g}, but q has it at {q[away].flat[0]:g}; '
                "lock it there, or leave it free."
            )
        for name in ("qd", "qdd"):
            rate = state[name][..., joint.v]
            moves = ~(np.abs(rate) <= STILL)
            if moves.any():
                raise ArgumentError(
                    f'joint "{joint.name}" is locked, but {name} has it at {rate[moves].flat[0]:g}; expected 0. '
                    "Leave it free."
                )


def _only(values: Numbers, places: set[int]) -> list[Num]:
    """Values at some places, zero elsewhere."""
    return [x if k in places else 0.0 for k, x in enumerate(values)]


def _places(robot: Robot, names: Sequence[str]) -> set[int]:
    """The degrees of freedom of named joints."""
    return {j.v + k for j in robot.coordinates.joints if j.name in names for k in range(j.nv)}


def _partition(robot: Robot, keep: Sequence[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """Every joint in one group, those that are named in none alone."""
    if isinstance(keep, str) or any(isinstance(group, str) for group in keep):
        raise ArgumentError(
            f'keep is {shown(keep)}; expected groups of joint names, such as [("shoulder", "elbow")].'
        )
    groups = [robot.matching_joints(list(group)) for group in keep]
    for name in robot.joint_names:
        holders = [group for group in groups if name in group]
        if len(holders) > 1:
            raise ArgumentError(f'joint "{name}" is in two groups of keep; each joint belongs to one.')
        if not holders:
            groups.append((name,))
    return tuple(sorted((group for group in groups if group), key=lambda g: robot.joint_names.index(g[0])))


def _with_link(model: Model, index: int) -> Model:
    """The same robot with the mass of one link alone."""
    bodies = (b if b.index == index else replace(b, inertial=Inertial.zero()) for b in model.bodies)
    return replace(model, bodies=tuple(bodies))


def _rms(x: Array) -> Array:
    """Over the first axis."""
    return np.sqrt(np.mean(x**2, axis=0))
