"""Constants of a robot as vectors: order, names, what belongs to the geometry, what no body can have."""

import numpy as np
import pytest

import strobe
from strobe.errors import ShapeError, UnsupportedModelError
from strobe.models.toml_reader import read_toml
from strobe.robot import Robot


def test_ten_parameters_a_body_in_the_order_of_the_package():
    arm = strobe.load("planar2")
    assert arm.parameter_names[:11] == (
        "m1", "mcx1", "mcy1", "mcz1", "Ixx1", "Iyy1", "Izz1", "Ixy1", "Ixz1", "Iyz1", "m2",
    )  # fmt: skip
    body = arm.model.bodies[1].inertia
    assert arm.parameters[10:].tolist() == [body.m, *body.h, *body.I]


def test_drives_are_rotor_viscous_and_coulomb_both_ways():
    puma = strobe.load("puma560")
    assert puma.drive_names[:5] == ("Ir1", "v1", "fp1", "fn1", "Ir2")
    joint = puma.model.joints[0]
    assert puma.drive_parameters[:4].tolist() == [joint.rotor_inertia, joint.damping, *joint.coulomb]


def test_the_geometry_has_neither_zeros_nor_right_angles_unless_it_is_full():
    puma = strobe.load("puma560")
    assert puma.geometry_names == ("z1", "x2", "x3", "z3", "z4")
    assert puma.geometry == pytest.approx([0.67183, 0.4318, 0.0203, 0.15005, 0.4318])
    assert set(puma.geometry_names) < set(puma.full_geometry_names)
    assert "rx1" in puma.full_geometry_names
    assert puma.full_geometry[puma.full_geometry_names.index("rx1")] == pytest.approx(np.pi / 2)


def test_a_second_number_of_a_kind_has_a_suffix():
    names = strobe.random(2, 1, kinds="R").geometry_names
    assert len(set(names)) == len(names)
    assert any(name.endswith("_2") for name in names)


def test_a_robot_with_other_constants_is_a_robot_like_any_other():
    arm = strobe.random(3, 2, kinds="R")
    moved = arm.with_parameters(geometry=arm.geometry * 1.2)
    assert moved.geometry == pytest.approx(arm.geometry * 1.2)
    assert moved.parameters == pytest.approx(arm.parameters)
    heavier = arm.with_parameters(arm.parameters * 3.0)
    q, qd, qdd = arm.random_state(seed=1)
    torques = Robot(heavier.model, compiled=False).inverse_dynamics(q, qd, qdd, friction=False)
    assert torques == pytest.approx(3 * Robot(arm.model, compiled=False).inverse_dynamics(q, qd, qdd))


def ball():
    """One body that turns about its centre."""
    text = """
        format = 1
        name = "ball"
        [dh]
        convention = "standard"
        [[dh.link]]
        joint = "revolute"
        mass = 2.0
        com = [0.0, 0.0, 0.0]
        inertia = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    """
    return Robot(read_toml("ball.toml", text=text))


# -- what no body can have ----------------------------------------------------------------------------


def test_parameters_of_bodies_are_found_sound():
    assert strobe.load("panda").check_parameters(strobe.load("panda").parameters) == ()


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        (0, -1.0, 'body "link1": its mass is -1; a mass is zero or positive.'),
        (0, 0.0, 'body "link1": its mass is 0, but not its moments; a body without mass has none.'),
        (0, np.nan, 'body "link1": its parameters are not finite.'),
        (4, -1.0, 'body "link1": its principal moments of inertia are -1, 1, 1; none may be negative.'),
        (4, 3.0, 'body "link1": its principal moments of inertia break 1 + 1 >= 3 by 1.'),
    ],
)
def test_what_no_body_can_have_is_told(place, value, sentence):
    arm = ball()
    given = arm.parameters.copy()
    given[1] = 0.5 if place == 0 and value == 0 else 0.0
    given[place] = value
    assert [str(fault) for fault in arm.check_parameters(given)] == [sentence]


def test_one_robot_at_a_time_is_checked():
    arm = strobe.load("planar2")
    with pytest.raises(
        ShapeError, match=r"parameters has shape \(3, 20\); it is one robot, expected \(20,\)"
    ):
        arm.check_parameters(np.ones((3, 20)))
    with pytest.raises(ShapeError, match=r"geometry has shape \(3, 2\); it is one robot, expected \(2,\)"):
        arm.with_parameters(geometry=np.ones((3, 2)))


def test_a_geometry_that_cannot_be_is_refused():
    arm = strobe.load("planar3").with_frame("there", (0.3, 0.2, 0.0), frame="base")
    closed = arm.with_loop(arm.frames[-2], "there")
    with pytest.raises(UnsupportedModelError, match="has closed chains, which another geometry would open"):
        closed.mass_matrix(closed.neutral, geometry=closed.geometry)
    with pytest.raises(
        UnsupportedModelError, match="no number that places a joint of ball; leave geometry= out"
    ):
        ball().mass_matrix([0.1], geometry=[])
