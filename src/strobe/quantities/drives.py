"""What acts inside the drives, per degree of freedom: rotor inertia, and friction that is linear while slow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from strobe.models.joints import Joint
from strobe.models.model import Model
from strobe.scalars import Num, Numbers, absolute, less, maximum, minimum, where

if TYPE_CHECKING:
    from strobe.quantities.evaluation import Asked

COULOMB_SPEED = 1e-3  # below this speed (rad/s, m/s) Coulomb friction grows linearly from zero
DRIVE = ("rotor inertia", "viscous", "coulomb forwards", "coulomb backwards")  # of each degree of freedom


def rotor_inertias(model: Model) -> list[float]:
    """What rotors add to the diagonal of M."""
    return [joint.rotor_inertia for joint in model.joints for _ in range(joint.nv)]


def friction_torques(asked: Asked, qd: Numbers) -> list[Num]:
    """damping · qd + coulomb · clip(qd / v0, −1, 1), per degree of freedom."""
    if not asked.request.friction:
        return [0.0] * asked.model.nv
    torques: list[Num] = []
    for joint in asked.model.joints:
        for rate in joint.rates(qd):
            torque = rate * joint.damping
            if any(joint.coulomb):
                torque = torque + _ramp(rate) * _coulomb(joint, rate)
            torques.append(torque)
    return torques


def friction_slopes(asked: Asked, qd: Numbers) -> list[Num]:
    """The derivatives of friction: damping, and coulomb / v0 up to and at the speed v0 where the ramp ends."""
    if not asked.request.friction:
        return [0.0] * asked.model.nv
    found: list[Num] = []
    for joint in asked.model.joints:
        for rate in joint.rates(qd):
            slope: Num = joint.damping
            if any(joint.coulomb):
                speed, v0 = absolute(rate), COULOMB_SPEED
                size = _coulomb(joint, rate)
                ramp = where(less(speed, 2.0 * v0), size * (1.0 / v0), math.nan)  # no speed, no slope
                slope = slope + where(less(v0, speed), 0.0, ramp)
            found.append(slope)
    return found


def drive_column(rate: Num, change: Num) -> list[Num]:
    """What a joint feels of one unit of each parameter of its drive."""
    ramp = _ramp(rate)
    return [change, rate, maximum(ramp, 0.0), minimum(ramp, 0.0)]


def _coulomb(joint: Joint, rate: Num) -> Num:
    """The size of Coulomb friction in the direction of a motion."""
    forwards, backwards = joint.coulomb
    return forwards if forwards == backwards else where(less(rate, 0.0), backwards, forwards)


def _ramp(rate: Num) -> Num:
    """The direction of a motion, −1 to 1, in which Coulomb friction is linear while it is slow."""
    return maximum(minimum(rate * (1.0 / COULOMB_SPEED), 1.0), -1.0)
