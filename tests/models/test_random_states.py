"""Random positions: within the limits, orientations of length one, platforms the right way up."""

import numpy as np

from strobe.models.couplings import coordinates
from strobe.models.load import load_model
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
