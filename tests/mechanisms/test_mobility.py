"""Freedoms, redundant conditions, dead points, and joints that can or cannot drive a closed chain."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError
from strobe.mechanisms import diagnose, independent
from strobe.mechanisms.mobility import driving_sets, freedoms

EXPECTED = {"fourbar": (3, 1), "slider-crank": (3, 1), "fivebar": (4, 2), "delta": (9, 3)}


def slow(robot):
    return strobe.Robot(robot.model, compiled=False)


@pytest.fixture(scope="module")
def fourbar():
    return slow(strobe.load("fourbar"))


@pytest.mark.parametrize("name", EXPECTED)
def test_built_in_linkages_have_the_freedoms_of_the_textbooks(name):
    robot = slow(strobe.load(name))
    found = diagnose(robot)
    assert (found.n, found.freedoms) == EXPECTED[name]
    assert found.rank == found.n - found.freedoms
    assert found.actuated in found.could_drive


def test_overconstrained_linkages_name_the_conditions_that_follow_from_others(bennett, flat):
    for robot in (bennett, flat):
        found = diagnose(slow(robot))
        assert (found.freedoms, found.rank, len(found.conditions)) == (1, 2, 5)
        assert len(found.redundant) == 3
    assert found.redundant == (("fourth", "place z"), ("fourth", "turn x"), ("fourth", "turn y"))
    assert "fourth (place z, turn x, turn y): they follow from the others" in str(found)


def test_without_conditions_that_follow_the_same_velocities_are_allowed(bennett):
    robot = slow(bennett)
    q, qd, _ = robot.random_state(1, batch=4)
    fewer, left_out = independent(robot, q)
    assert len(left_out) == 3
    assert fewer.loop_jacobian(q).shape == (4, 2, 3)
    assert np.abs(np.einsum("bij,bj->bi", fewer.loop_jacobian(q), qd)).max() < 1e-12
    assert freedoms(fewer) == 1
    same, none = independent(slow(strobe.load("delta")), slow(strobe.load("delta")).random_state(0)[0])
    assert none == ()
    assert len(same.model.loops) == 6


def test_a_stretched_linkage_is_at_a_dead_point_of_the_joint_that_cannot_pass_it():
    robot = slow(strobe.load("slider-crank"))
    q = np.array([np.arcsin(0.01 / 0.26), 0.0, np.sqrt(0.26**2 - 0.01**2)])  # crank and rod on one line
    driven = diagnose(robot, q, ["crank"])
    assert not driven.here.dead
    stuck = diagnose(robot, q, ["piston"])
    assert stuck.here.stuck == ("piston",)
    assert stuck.here.running == ("crank", "rod")
    assert stuck.here.margin < 1e-6
    assert "dead point  crank, rod can move while the actuated joints stand still" in str(stuck)
    near = diagnose(robot, robot.assemble(q, hold={"crank": q[0] + 0.001}), ["piston"])
    assert not near.here.dead
    assert near.here.margin < 1e-2


def test_where_a_parallelogram_is_flat_it_can_part_ways():
    robot = slow(strobe.load("parallelogram"))
    opened = slow(strobe.mechanisms.uncoupled(robot))
    q = np.array(robot.coordinates.expand([0.4, 0.4]))  # all links on one line
    found = diagnose(opened, q)
    assert found.freedoms == 2
    assert found.here.singular
    assert found.here.freedoms == 3
    assert found.here.more == 1
    assert "singular    1 more than near by" in str(found)
    away = diagnose(opened, np.array(robot.coordinates.expand([0.4, -0.9])))
    assert not away.here.singular
    assert away.here.regularity > 0.1


def test_a_diagnosis_prints_as_a_short_table(fourbar):
    lines = str(diagnose(fourbar, fourbar.random_state(2)[0])).splitlines()
    assert lines[0] == "fourbar: 1 freedom = 3 of the joints − 2 independent conditions"
    assert lines[1] == "  conditions  pin (place x, place y, place z)"
    assert lines[2] == "  redundant   pin (place y): they follow from the others"
    assert lines[3] == "  actuated    crank"
    assert lines[5].startswith("  at q        1 freedom, regularity 0.")


def test_an_open_chain_has_nothing_to_diagnose():
    with pytest.raises(ArgumentError, match="planar2 has no closed chain to diagnose"):
        diagnose(strobe.load("planar2"))


def test_a_position_that_is_not_a_number_is_not_diagnosed(fourbar):
    with pytest.raises(ArgumentError, match=r"^q is .*nan.*; expected finite numbers\.$"):
        diagnose(fourbar, [np.nan, 0.0, 0.0])


def test_too_few_and_too_many_actuated_joints_are_refused_with_sets_that_could(fourbar):
    state = fourbar.random_state(3)
    with pytest.raises(
        ArgumentError,
        match=r"^the closed chains of fourbar leave 1 freedom; the actuated joints \(crank, rocker\) are too many\. "
        r"Name as many as there are freedoms: actuated=\[…\] \(\w+ or \w+ or \w+ could\)\.$",
    ):
        fourbar.inverse_dynamics(*state, actuated=["crank", "rocker"])
    with pytest.raises(ArgumentError, match=r"the actuated joints \(none\) are too few"):
        fourbar.inverse_dynamics(*state, actuated=[])
    with pytest.raises(ArgumentError, match="actuated= is for closed chains; planar2 has none"):
        strobe.load("planar2").inverse_dynamics([0, 0], [0, 0], [0, 0], actuated=["joint1"])


def test_joints_that_leave_others_loose_cannot_drive():
    model = strobe.load("fourbar").model
    from dataclasses import replace

    last = model.bodies[-1]
    flap = replace(
        last, index=3, name="flap_link", parent=0, joint=replace(last.joint, name="flap", q=3, v=3)
    )
    robot = strobe.Robot(replace(model, bodies=(*model.bodies, flap)), compiled=False)
    state = robot.random_state(0)
    with pytest.raises(
        ArgumentError,
        match="crank, rocker cannot drive fourbar: with them held still, other joints can move",
    ):
        robot.inverse_dynamics(*state, actuated=["crank", "rocker"])
    assert all("flap" in names for names in driving_sets(robot))
    assert np.isfinite(robot.inverse_dynamics(*state, actuated=["crank", "flap"])).all()
