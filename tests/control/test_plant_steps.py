"""The arm is integrated in as many steps of a period as it needs, and who asks for fewer is told."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.control import control
from strobe.errors import ControlWarning
from strobe.models.joints import Friction
from strobe.robot import Robot


def rough(name: str, coulomb: float) -> Robot:
    """A robot with as much dry friction in every joint."""
    model = strobe.load(name).model
    bodies = tuple(
        replace(body, joint=replace(body.joint, friction=Friction(0.0, (coulomb, coulomb))))
        for body in model.bodies
    )
    return Robot(replace(model, bodies=bodies, golden=()))


def a_swing(robot: Robot):
    return robot.plan([[0.1] * robot.n, [0.4] * robot.n], acceleration=5.0, velocity=1.5)


def test_an_arm_without_friction_takes_one_step_a_period():
    arm = strobe.load("spherical3")
    motion = a_swing(arm)
    np.testing.assert_array_equal(control(arm, motion).q, control(arm, motion, steps=1).q)


@pytest.mark.slow
def test_dry_friction_is_integrated_in_steps_that_it_needs():
    """By its own, the arm comes to what 50 steps a period give; one step a period is off by ten times as much."""
    arm = rough("planar2", 0.5)
    motion = a_swing(arm)

    def rests(**steps):
        run = control(arm, motion, "feed-forward-pd", t=motion.duration + 0.2, check=False, **steps)
        return np.abs(run.qd[-50:]).max()

    assert rests() == pytest.approx(rests(steps=50), abs=1e-5)
    assert rests(steps=1) > 100 * rests()


def test_steps_that_are_too_few_are_told_with_the_mode_that_grows():
    arm = rough("planar2", 0.5)
    with pytest.warns(
        ControlWarning, match=r"step is 0\.001 s, too long for rk4: the mode of joint"
    ) as caught:
        run = control(arm, a_swing(arm), steps=1)
    assert str(caught[0].message).endswith("A larger plant_rate= (or rate=) makes it shorter.")
    assert str(caught[0].message) in run.notes


@pytest.mark.slow
def test_a_joint_too_light_for_any_number_of_steps_is_told_of():
    arm = rough("ur5", 0.5)
    with pytest.warns(ControlWarning, match=r"step is 1e-05 s, too long for rk4: the mode of joint"):
        run = control(arm, a_swing(arm), t=0.01)
    assert any("step is 1e-05 s" in note for note in run.notes)


def test_a_delay_that_is_part_of_a_period_makes_steps_of_which_it_is_a_whole_number():
    arm = strobe.load("spherical3")
    motion = a_swing(arm)
    own = control(arm, motion, delay=4e-4)
    np.testing.assert_array_equal(own.q, control(arm, motion, delay=4e-4, steps=5).q)
