"""What closed loops say about the claims that `papers.claims` cannot decide, or only in part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np

from strobe.papers.findings import Check, Finding
from strobe.robot import Robot, load
from strobe.trajectory.motion import Trajectory

Array = np.ndarray

COULOMB = 0.5  # N m, that nobody told the controller of
PERIODS = (1e-3, 3e-3, 1e-2)
STEP = 1e-4  # seconds, of the arm
POSE = (0.7, -1.1)
KNOT = 1e-2  # seconds between the instants at which a polynomial meets the motion

START = (0.3, 0.9, 0.6, -0.4, 0.7, 1.1)
GOAL = (0.80290487636, 0.900325188623, 0.76118454643, -0.562975865306, 1.0498635426, 0.864589980256)
LOAD = (0.3, 0.0, 0.0, -0.1076)  # kg and m: link 6 of the Stanford arm heavier, its centre where it was


def servo_under_friction() -> Finding:
    """planar2 with dry friction: accelerations under a servo on them, and under the model's torques alone."""
    from strobe.control.acceleration_servo import AccelerationServo
    from strobe.control.tracking import control

    arm, rough = _links(0.0), _links(COULOMB)
    motion = _waves(arm)
    servo = []
    for period in PERIODS:
        controller = AccelerationServo(arm, period, kp=0.0, kd=0.0)
        run = control(arm, motion, controller, plant=rough, steps=round(period / STEP), check=False)
        felt = rough.forward_dynamics(run.q, run.qd, run.memory["torque"])
        servo.append(float(_rms(felt - run.wanted[:, -arm.nv :]).max()))
    q, qd, qdd = motion(np.linspace(0.0, motion.duration, 1001))
    model = _rms(rough.forward_dynamics(q, qd, arm.inverse_dynamics(q, qd, qdd)) - qdd)
    shown = ", ".join(
        f"{error:.2g} every {1e3 * period:g} ms" for period, error in zip(PERIODS, servo, strict=True)
    )
    figure = (
        f"planar2 with {COULOMB} N·m of friction that nobody told of: accelerations are off by {shown}; by "
        f"{model[0]:.2g} and {model[1]:.3g} rad/s² under the model's torques alone"
    )
    return Finding(figure, bool(servo[0] < 0.1 * model.min()) and all(a < b for a, b in pairwise(servo)))


def feedback_makes_up() -> Finding:
    """The Stanford arm under computed torque at 500 Hz, with and without velocity terms in its model."""
    from strobe.approximate.omitted_terms import WithoutVelocityTerms
    from strobe.control.computed_torque import ComputedTorque
    from strobe.control.tracking import control

    robot = load("stanford")
    motion = robot.plan([START, GOAL], velocity=(1, 1, 0.6, 2, 2, 2), acceleration=(1.5, 1.5, 0.8, 4, 4, 4))
    off = []
    for model in (None, WithoutVelocityTerms(robot)):
        controller = ComputedTorque(robot, 2e-3, model=model)
        run = control(robot, motion, controller, payload=[(0.0,) * 4, LOAD], check=False)
        off.append(1e3 * run.hand_error().max(axis=-1))
    (exact, loaded), (dropped, both) = off
    figure = (
        f"but feedback does correct it: under computed torque the hand strays {dropped:.2f} mm in place of "
        f"{exact:.2f}, and {both:.1f} in place of {loaded:.1f} where it carries {LOAD[0]} kg unknown"
    )
    return Finding(figure, bool(dropped < 1.0 and abs(both - loaded) < 0.05 * loaded))


def _links(coulomb: float) -> Robot:
    """The links of planar2 alone, with as much dry friction in every joint."""
    from strobe.models.joints import Friction, Motor

    model = load("planar2").model
    drives = {"motor": Motor(), "friction": Friction(0.0, (coulomb, coulomb))}
    bodies = tuple(replace(body, joint=replace(body.joint, **drives)) for body in model.bodies)
    return Robot(replace(model, bodies=bodies, golden=()))


def _waves(robot: Robot) -> Trajectory:
    """A second from rest with the accelerations (0.8 cos 2t, −sin(3t + 0.3)), as quintics between instants."""
    from scipy.interpolate import BPoly, PPoly

    t = np.linspace(0.0, 1.0, round(1.0 / KNOT) + 1)
    phase = 3 * t + 0.3
    a = np.stack([0.8 * np.cos(2 * t), -np.sin(phase)], axis=-1)
    v = np.stack([0.4 * np.sin(2 * t), (np.cos(phase) - np.cos(0.3)) / 3], axis=-1)
    away = np.stack(
        [0.2 - 0.2 * np.cos(2 * t), (np.sin(phase) - np.sin(0.3)) / 9 - t * np.cos(0.3) / 3], axis=-1
    )
    pieces = PPoly.from_bernstein_basis(BPoly.from_derivatives(t, np.stack([POSE + away, v, a], axis=1)))
    rising = np.moveaxis(pieces.c[::-1], 0, -1)
    return Trajectory(robot.joint_names, t, rising, "waves", np.array([0.0, 1.0]))


def _rms(values: Array) -> Array:
    return np.sqrt((values**2).mean(axis=0))


CHECKS: Mapping[str, Check] = {"H-11": feedback_makes_up, "W-14": servo_under_friction}
"""By the name of the claim."""
