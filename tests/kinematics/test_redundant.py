"""Arms with seven joints: a family of solutions by one joint, and the member nearest to where the joints are."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, UnknownNameError, UnsupportedModelError
from strobe.kinematics.redundant import SAMPLES, held, nearest, solve
from strobe.kinematics.screws import error, placement, placement_and_jacobian
from strobe.kinematics.serial_chain import serial

PANDA = serial(strobe.load("panda"))


def drawn(count, seed=0, chain=PANDA):
    return np.random.default_rng(seed).uniform(chain.lower, chain.upper, (count, chain.n))


def residuals(chain, q, poses):
    return np.linalg.norm(error(placement(chain, q), poses), axis=-1)


def turned(apart):
    return np.abs(apart - 2 * np.pi * np.rint(apart / (2 * np.pi)))


def general_seven(seed=1):
    return serial(strobe.random(7, seed=seed, kinds="R"))


def test_of_the_panda_the_last_joint_is_the_parameter_and_the_others_have_a_closed_form():
    family = solve(PANDA, placement(PANDA, drawn(2)))
    assert family.joint == PANDA.names[6]
    assert family.recognised == "spherical base"
    assert len(family.values) == SAMPLES
    np.testing.assert_allclose(family.values[[0, -1]], [PANDA.lower[6], PANDA.upper[6]])


def test_every_member_reaches_the_pose_at_its_value_of_the_parameter():
    poses = placement(PANDA, drawn(5, seed=1))
    family = solve(PANDA, poses)
    pose, value, place = np.nonzero(np.isfinite(family.q[..., 0]))
    q = family.q[pose, value, place]
    assert len(q) > 200
    assert residuals(PANDA, q, poses[pose]).max() < 1e-9
    np.testing.assert_array_equal(q[:, 6], family.values[value])


@pytest.mark.parametrize("joint", [0, 3, 6])
def test_a_configuration_is_in_the_family_of_its_pose_whichever_joint_is_held(joint):
    (q,) = drawn(1, seed=2)
    family = solve(PANDA, placement(PANDA, q)[None], PANDA.names[joint], [q[joint]])
    assert turned(family.q[0, 0] - q).max(axis=-1)[np.isfinite(family.q[0, 0, :, 0])].min() < 1e-8


def test_a_general_arm_of_seven_joints_is_solved_by_elimination():
    chain = general_seven()
    q = np.random.default_rng(3).uniform(-np.pi, np.pi, (3, 7))
    family = solve(chain, placement(chain, q), values=q[:, 6])
    assert family.recognised == "general 6R"
    for k in range(3):
        members = family.q[k, k]
        members = members[np.isfinite(members[:, 0])]
        assert turned(members - q[k]).max(axis=-1).min() < 1e-8


@pytest.mark.parametrize("joint", range(7))
def test_holding_a_joint_leaves_the_frame_where_it_is(joint):
    (q,) = drawn(1, seed=4)
    six = held(PANDA, joint, q[joint])
    np.testing.assert_allclose(placement(six, np.delete(q, joint)), placement(PANDA, q), atol=1e-14)
    assert six.names == tuple(name for k, name in enumerate(PANDA.names) if k != joint)


def test_the_nearest_solution_reaches_the_pose_within_limits_and_no_self_motion_brings_it_nearer():
    q = drawn(15, seed=5)
    poses, q0 = placement(PANDA, q), q + 0.1 * np.random.default_rng(6).normal(size=q.shape)
    found, residual = nearest(PANDA, poses, q0)
    assert residual.max() < 1e-9
    assert (found >= PANDA.lower).all()
    assert (found <= PANDA.upper).all()
    gap = np.linalg.norm(found - q0, axis=-1)
    assert (gap <= np.linalg.norm(q - q0, axis=-1) + 1e-9).all()
    null = np.linalg.svd(placement_and_jacobian(PANDA, found)[1])[2][:, -1]
    free = np.minimum(found - PANDA.lower, PANDA.upper - found).min(axis=1) > 1e-6
    assert np.abs(np.sum(null * (q0 - found), axis=-1))[free].max() < 1e-4
    assert free.sum() > 5


def test_a_pose_out_of_reach_has_no_nearest_solution():
    pose = np.eye(4)
    pose[0, 3] = 9.0
    q, residual = nearest(PANDA, pose[None], np.zeros(7))
    assert np.isnan(q).all()
    assert np.isnan(residual).all()


def test_an_arm_on_a_rail_is_solved_for_positions_of_the_rail():
    ur5 = serial(strobe.load("ur5"))
    rail = replace(
        ur5,
        names=("rail", *ur5.names),
        revolute=np.array([False, *ur5.revolute]),
        axes=np.array([[1.0, 0, 0], *ur5.axes]),
        points=np.array([[0.0, 0, 0], *ur5.points]),
        lower=np.array([-1.0, *ur5.lower]),
        upper=np.array([1.0, *ur5.upper]),
        columns=np.arange(7),
    )
    q = np.random.default_rng(7).uniform(-1, 1, (1, 7))
    family = solve(rail, placement(rail, q), "rail", q[:, 0])
    members = family.q[0, 0]
    assert turned(members - q[0]).max(axis=-1)[np.isfinite(members[:, 0])].min() < 1e-8
    endless = replace(rail, lower=rail.lower - np.inf)
    with pytest.raises(ArgumentError, match='joint "rail" slides without limits; give values of it.'):
        solve(endless, placement(rail, q), "rail")


def test_bad_arguments_are_refused_with_a_sentence():
    pose = np.eye(4)[None]
    with pytest.raises(UnknownNameError, match='no joint "elbow" in the chain'):
        solve(PANDA, pose, "elbow")
    with pytest.raises(ShapeError, match=r'values has shape \(1, 2\); they are positions of joint "'):
        solve(PANDA, pose, values=[[0.0, 1.0]])
    with pytest.raises(ArgumentError, match="must be finite; got \\[nan\\]"):
        solve(PANDA, pose, values=[np.nan])
    with pytest.raises(
        UnsupportedModelError, match="the chain has 6 joints; a family of solutions by one parameter"
    ):
        solve(serial(strobe.load("ur5")), pose)
