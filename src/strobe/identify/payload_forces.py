"""A payload found by small test forces, the third way of [Waters1979].

An arm is held still at some poses, and the holding torques are read. At each pose a small force is then added at one
joint at a time, and the accelerations with which the arm starts are read:

    hold    tau = G                    Y(q, 0, 0) π = tau − g_empty(q)
    test    tau = G + δ eₖ, read qdd   (Y(q, 0, qdd) − Y(q, 0, 0)) π = δ eₖ − M_empty(q) qdd

The holding torque has left the second equation, so that the noise of its reading does not enter every test. Noise a
of the accelerations enters as M a, M with the payload: rows are weighed again once there is an estimate, and taken at
the accelerations that it predicts, so that no row holds noise (Gauss-Newton on the accelerations). Equations of wrist
joints alone never decide everything; those of all joints do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked
from strobe.errors import ArgumentError, ShapeError, counted, shown, vector
from strobe.identify.payload import Known, Payload, identified
from strobe.identify.payload_readings import (
    finite_states,
    joint_rows,
    owners,
    require_finite,
    whitened,
    whitening,
)
from strobe.identify.payload_regressor import payload_regressor
from strobe.models.arguments import finite_numbers
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, displayed

Array = np.ndarray
NEAR = 3  # joints next to the hand, which are tested if none are named
ROUNDS = 3  # of weighing rows by the mass matrix of the last estimate


@displayed
@dataclass(frozen=True, eq=False)
class ForceTests:
    """Test forces to be applied, and what their readings say."""

    robot: Robot  # the empty arm
    frame: str
    poses: Array  # (P, nq)
    tested: Array  # (K,), the degrees of freedom that are pushed
    sizes: Array  # (K,), by how much: N m, N

    @property
    def forces(self) -> Array:
        """(K, n): what each test adds to the holding torques."""
        return np.eye(self.robot.nv)[self.tested] * self.sizes[:, None]

    @property
    def each(self) -> str:
        """What to do at each pose."""
        names = owners(self.robot)
        pushes = ", then ".join(
            f"{size:g} more at {names[k]}" for k, size in zip(self.tested, self.sizes, strict=True)
        )
        return (
            f"read the torques that hold it; add {pushes}, from rest each time, and read all accelerations."
        )

    @property
    def steps(self) -> tuple[str, ...]:
        """What to do, pose by pose."""
        return tuple(f"hold the arm at q = {vector(q)}; {self.each}" for q in self.poses)

    def _sheet(self) -> Sheet:
        head = f"test forces (N m, N) for {self.robot.name} at {counted(len(self.poses), 'pose')} (rad, m)"
        return Sheet(head, [*self.steps, *self.notes])

    @property
    def notes(self) -> tuple[str, ...]:
        """Where dry friction, which holds a joint at rest, is more than the test."""
        joints = [joint for joint in self.robot.coordinates.joints for _ in range(joint.nv)]
        pushed = zip(self.tested, self.sizes, strict=True)
        return tuple(
            f"joint {joints[k].name} has Coulomb friction of {max(joints[k].coulomb):g}, more than its test of "
            f"{size:g}: it would not start to move. Test harder."
            for k, size in pushed
            if max(joints[k].coulomb) > abs(size)
        )

    def readings(self, loaded: Robot) -> tuple[Array, Array]:
        """What would be read of a robot that carries something: holding torques (P, n), accelerations (P, K, n)."""
        holding = loaded.gravity(self.poses)
        q = np.repeat(self.poses[:, None], len(self.tested), axis=1)
        rest = np.zeros((*q.shape[:-1], loaded.nv))
        return holding, loaded.forward_dynamics(q, rest, holding[:, None] + self.forces)

    def prospect(self, torque_noise: Any = None, acceleration_noise: Any = None) -> Payload:
        """What the tests would tell of a light payload: which combinations, how surely; its own values are zero."""
        readings = self.readings(self.robot)
        return self.evaluate(*readings, torque_noise=torque_noise, acceleration_noise=acceleration_noise)

    def evaluate(
        self, holding: Any, qdd: Any, *, torque_noise: Any = None, acceleration_noise: Any = None,
        joints: Sequence[str] | None = None, prior: Known | tuple[Any, Any] | None = None,
    ) -> Payload:  # fmt: skip
        """The payload behind holding torques (P, n) and accelerations (P, K, n).

        Noise as standard deviations, one number or one per joint: of both readings, or of neither; then one for all
        is taken from what the estimate leaves. ``joints`` names those whose equations count; accelerations are read
        of all.
        """
        robot, read = self.robot, joint_rows(self.robot, joints)
        torques, accelerations = self._checked(holding, qdd)
        if (torque_noise is None) != (acceleration_noise is None):
            raise ArgumentError("give torque_noise and acceleration_noise, or neither of them.")
        empty, still, unit = self._empty()
        weigh = whitening(robot, torque_noise, read, "torque_noise")
        spread = None if weigh is None else self._deviations(acceleration_noise)
        hold = still[:, read], (torques - robot.gravity(self.poses))[:, read], weigh

        def solved(at: Array, M: Array, guess: Array) -> Payload:
            """The payload by equations about accelerations and a guess, which M includes."""
            rows = np.einsum("pkj,pjia->pkia", at, unit)
            right = self.forces - np.einsum("pij,pkj->pki", M, accelerations) + rows @ guess
            whiten = None if spread is None else _through(M, spread, read)
            test = rows[..., read, :], right[..., read], whiten
            return identified(robot, self.frame, read, [hold, test], prior=prior)

        found, at = solved(accelerations, empty, np.zeros(unit.shape[-1])), accelerations
        for _ in range(0 if spread is None else ROUNDS):
            M = empty + np.einsum("pjia,a->pij", unit, found.parameters)
            if len(read) == robot.nv:  # else M is not known
                at = np.linalg.solve(M[:, None], self.forces[..., None])[..., 0]
            found = solved(at, M, found.parameters)
        return found

    def _empty(self) -> tuple[Array, Array, Array]:
        """The empty arm's M at every pose, Y at rest, and what unit accelerations (P, n, n, 10) add to it."""
        robot, n = self.robot, self.robot.nv
        still = payload_regressor(robot, self.poses, np.zeros(n), np.zeros(n), self.frame)
        moved = payload_regressor(robot, self.poses[:, None], np.zeros(n), np.eye(n), self.frame)
        return robot.mass_matrix(self.poses), still, moved - still[:, None]

    def _deviations(self, noise: Any) -> Array:
        """The standard deviation (n,) of every acceleration."""
        weights = whitening(self.robot, noise, np.arange(self.robot.nv), "acceleration_noise")
        if weights is None or weights.ndim > 2 or np.any(weights != np.diag(np.diag(weights))):
            raise ArgumentError("acceleration_noise is a standard deviation: one number, or one per joint.")
        return 1.0 / np.diag(weights)

    def _checked(self, holding: Any, qdd: Any) -> tuple[Array, Array]:
        n, P, K = self.robot.nv, len(self.poses), len(self.tested)
        torques = checked("holding", holding, (n,), self.robot.shape_reason).astype(float)
        accelerations = checked("qdd", qdd, (n,), self.robot.shape_reason).astype(float)
        if torques.shape != (P, n):
            raise ShapeError("holding", torques.shape, str((P, n)), f"there are {counted(P, 'pose')}")
        if accelerations.shape != (P, K, n):
            asked = f"there are {counted(P, 'pose')} with {counted(K, 'test')} each"
            raise ShapeError("qdd", accelerations.shape, str((P, K, n)), asked)
        require_finite("holding", torques, owners(self.robot))
        require_finite("qdd", accelerations, owners(self.robot))
        return torques, accelerations


def force_tests(
    robot: Robot,
    poses: Any,
    joints: Sequence[str] | None = None,
    size: Any = 0.05,
    *,
    frame: str | None = None,
) -> ForceTests:
    """Test forces that find what a robot carries at a frame (the tip).

        poses     (P, nq) at which the arm is held
        joints    that are pushed, one at a time (names may use * and ?); the three nearest the hand, if not given
        size      of the push: one number, or one per joint pushed (N m, N)

    ``robot`` is the empty arm. The result says what to do (`steps`) and evaluates what was read.
    """
    require_robot(robot)
    where = robot.moving_frame(frame)
    at = np.atleast_2d(finite_states(robot, poses, np.zeros(robot.nv), np.zeros(robot.nv))[0])
    if at.ndim > 2 or not len(at):
        raise ArgumentError(f"poses has shape {at.shape}; expected (P, {robot.nq}), one row per pose.")
    pushed = _near_hand(robot, where) if joints is None else joint_rows(robot, joints)
    sizes = finite_numbers("size", size)
    if len(sizes) not in (1, len(pushed)) or not all(sizes):
        raise ArgumentError(
            f"size is {shown(size)}; expected one number that is not zero, or {len(pushed)}, one for each "
            "joint tested."
        )
    return ForceTests(robot, where, at, pushed, np.broadcast_to(sizes, (len(pushed),)).astype(float))


def _through(M: Array, spread: Array, read: Array) -> Array:
    """What gives noise of accelerations unit variance where it acts as torque, M a, on some joints."""
    covariance = (M * spread) @ np.swapaxes(M * spread, -1, -2)
    return whitened(covariance[:, None, read[:, None], read])


def _near_hand(robot: Robot, frame: str) -> Array:
    """The last few degrees of freedom that move a frame."""
    moved = np.abs(robot.jacobian(robot.random_state(seed=0)[0], frame)).max(axis=0) > 0
    return np.flatnonzero(moved)[-NEAR:]
