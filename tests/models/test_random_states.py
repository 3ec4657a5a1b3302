"""Random positions: within the limits, orientations of length one, platforms the right way up."""

from dataclasses import replace

import numpy as np
import pytest

from strobe.models.couplings import coordinates
from strobe.models.joints import Limits
from strobe.models.load import load_model
from strobe.models.model import Coupling
from strobe.models.random_robots import random_model
from strobe.models.random_states import random_guess, random_positions

SHAPE = (40, 5)


def positions(draw, subject, seed=3):
    return draw(subject, np.random.default_rng(seed), SHAPE)


def test_positions_fill_the_limits_and_do_not_leave_them():
    x = coordinates(load_model("panda"))
    q = positions(random_positions, x)
    lower, upper = np.array([joint.range for joint in x.joints]).T
    assert q.shape == (*SHAPE, x.nq)
    assert ((q >= lower) & (q <= upper)).all()
    assert (np.ptp(q, axis=(0, 1)) > 0.9 * (upper - lower)).all()


def test_quaternions_have_length_one_and_any_direction():
    x = coordinates(random_model(4, 2, kinds="SF", tree=True))
    q = positions(random_positions, x)
    for joint in x.joints:
        turn = q[..., joint.q : joint.q + joint.nq][..., -4:]
        assert np.abs(np.linalg.norm(turn, axis=-1) - 1.0).max() < 1e-15
        assert (turn.min(axis=(0, 1)) < -0.5).all()
        assert (turn.max(axis=(0, 1)) > 0.5).all()


def test_the_same_generator_gives_the_same_positions():
    x = coordinates(load_model("puma560"))
    assert np.array_equal(positions(random_positions, x), positions(random_positions, x))
    assert not np.array_equal(positions(random_positions, x), positions(random_positions, x, seed=4))


def test_a_guess_differs_only_where_a_platform_has_a_named_pose():
    model = load_model("delta")
    x, pose = coordinates(model), np.array(next(iter(model.poses.values())))
    guess, anywhere = positions(random_guess, model), positions(random_positions, x)
    for joint in x.joints:
        own = slice(joint.q, joint.q + joint.nq)
        expected = pose[own] if joint.nq > 1 else anywhere[..., own]
        assert (guess[..., own] == expected).all()


def test_without_a_named_pose_a_guess_is_anywhere():
    model = random_model(3, 1, kinds="SR")
    assert np.array_equal(positions(random_guess, model), positions(random_positions, coordinates(model)))


def test_limits_of_a_joint_that_follows_are_those_of_the_one_that_leads():
    """−2 q + 0.1 within −0.7 … 1.1 is q within −0.5 … 0.4; at most 3 rad/s of it are 1.5 rad/s of q."""
    model = load_model("planar2")
    first, second = model.bodies
    second = replace(second, joint=replace(second.joint, limits=Limits(-0.7, 1.1, 3.0)))
    gear = Coupling("joint2", {"joint1": -2.0}, 0.1)
    x = coordinates(replace(model, bodies=(first, second), couplings=(gear,), poses={}))
    (leader,) = x.joints
    own = first.joint.limits
    assert (leader.limits.lower, leader.limits.upper) == pytest.approx((-0.5, 0.4))
    assert (leader.limits.velocity, leader.limits.effort) == (1.5, own.effort)
    q = positions(random_positions, x)
    assert -0.5 <= q.min() < -0.45
    assert 0.35 < q.max() <= 0.4


@pytest.mark.parametrize("limits", [Limits(20.0, 21.0), Limits(3.1, 9.0)])  # beyond, and at its very end
def test_limits_that_exclude_each_other_leave_a_joint_its_own(limits):
    model = load_model("planar2")
    first, second = model.bodies
    second = replace(second, joint=replace(second.joint, limits=limits))
    gear = Coupling("joint2", {"joint1": 1.0})
    (leader,) = coordinates(replace(model, bodies=(first, second), couplings=(gear,), poses={})).joints
    assert leader.limits == first.joint.limits
