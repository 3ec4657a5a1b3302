"""Joint velocities and accelerations behind those of the hand."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import strobe
from strobe.errors import StrobeError

ARMS = ("stanford", "ur5", "puma560", "panda", "planar2")


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(name=st.sampled_from(ARMS), seed=st.integers(0, 10_000))
def test_the_hand_of_the_joint_rates_moves_as_asked(name, seed):
    robot = strobe.load(name)
    q, qd, qdd = robot.random_state(seed=seed, batch=4)
    J = robot.jacobian(q)
    twist = np.einsum("...ij,...j->...i", J, qd)
    found = robot.inverse_velocity(q, twist)
    assert found.residual == pytest.approx(np.zeros_like(twist), abs=1e-9)
    if robot.n > 6:
        assert (np.linalg.norm(found.joints, axis=-1) <= np.linalg.norm(qd, axis=-1)).all()
    else:
        assert found.joints == pytest.approx(qd, rel=1e-6, abs=1e-7)
    carried = np.einsum("...ij,...j->...i", robot.jacobian_dot(q, qd), qd)
    acceleration = np.einsum("...ij,...j->...i", J, qdd) + carried
    assert robot.inverse_acceleration(q, qd, acceleration).residual == pytest.approx(
        np.zeros_like(twist), abs=1e-8
    )
    if robot.n <= 6:
        assert robot.inverse_acceleration(q, qd, acceleration).joints == pytest.approx(
            qdd, rel=1e-5, abs=1e-6
        )


def test_accelerations_of_the_joints_carry_the_hand_along_its_path():
    robot = strobe.load("ur5")
    q, qd, _ = robot.random_state(seed=1)
    rest = robot.inverse_acceleration(q, qd, np.zeros(6)).joints  # the hand goes on with a constant twist
    h = 1e-5
    twists = [robot.hand(q + s * h * qd + h * h / 2 * rest, qd + s * h * rest).twist for s in (-1, 1)]
    assert (twists[1] - twists[0]) / (2 * h) == pytest.approx(np.zeros(6), abs=1e-7)


def test_redundant_arms_take_the_least_norm_and_follow_a_preferred_motion_unseen():
    panda = strobe.load("panda")
    q, _, _ = panda.random_state(seed=2, batch=20)
    twist = np.random.default_rng(0).normal(size=(20, 6))
    least = panda.inverse_velocity(q, twist)
    pinned = np.einsum("...ij,...j->...i", np.linalg.pinv(panda.jacobian(q)), twist)
    assert least.joints == pytest.approx(pinned, rel=1e-9, abs=1e-9)
    wish = np.random.default_rng(1).normal(size=(20, 7))
    followed = panda.inverse_velocity(q, twist, preferred=wish)
    assert followed.residual == pytest.approx(np.zeros((20, 6)), abs=1e-10)
    before, after = (np.linalg.norm(wish - x.joints, axis=-1) for x in (least, followed))
    assert (after < before).all()
    idle = panda.singular_directions(q)
    null = idle.joints[idle.idle]
    assert np.einsum("ij,ij->i", followed.joints - wish, null) == pytest.approx(np.zeros(20), abs=1e-9)


def test_rows_may_be_asked_for_alone():
    ur5 = strobe.load("ur5")
    q = ur5.random_state(seed=3, batch=5)[0]
    found = ur5.inverse_velocity(q, [0.1, 0.2, 0.3], of="translation")
    assert ur5.hand(q, found.joints).velocity == pytest.approx(np.tile([0.1, 0.2, 0.3], (5, 1)))
    planar = strobe.load("planar3")
    q = planar.random_state(seed=3)[0]
    rates = planar.inverse_velocity(q, [0.1, -0.1], of=("x", "y")).joints
    assert planar.hand(q, rates).velocity == pytest.approx([0.1, -0.1, 0])


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), damping=st.floats(1e-3, 1.0))
def test_damped_rates_solve_the_damped_equations_and_stay_below_their_bound(seed, damping):
    robot = strobe.load("stanford")
    q, twist, _ = robot.random_state(seed=seed, batch=5)
    q[:, 4] *= 1e-6
    J = robot.jacobian(q)
    found = robot.inverse_velocity(q, twist, damping=damping)
    left = J @ np.swapaxes(J, -1, -2) + damping**2 * np.eye(6)
    expected = np.swapaxes(J, -1, -2) @ np.linalg.solve(left, twist[..., None])
    assert found.joints == pytest.approx(expected[..., 0], rel=1e-6, abs=1e-9)
    bound = np.linalg.norm(twist, axis=-1) / (2 * damping)
    assert (np.linalg.norm(found.joints, axis=-1) <= bound * (1 + 1e-12)).all()


def test_at_a_singularity_the_lost_direction_is_left_out_and_shown_in_the_residual():
    stanford = strobe.load("stanford")
    q = [0.3, 0.9, 0.6, -0.4, 0.0, 1.1]
    lost = stanford.singular_directions(q)
    (direction,) = lost.hand[lost.lost]
    found = stanford.inverse_velocity(q, direction)
    assert found.singular
    assert found.joints == pytest.approx(np.zeros(6), abs=1e-12)
    assert found.residual == pytest.approx(direction)
    q[4] = 0.5
    assert not stanford.inverse_velocity(q, direction).singular


def test_singular_states_in_a_batch_change_nothing_beside_them():
    stanford = strobe.load("stanford")
    q, twist, _ = stanford.random_state(seed=6, batch=(2, 4))
    q[0, 1, 4], q[1, 2, 4] = 0.0, 1e-8
    found = stanford.inverse_velocity(q, twist)
    for k in np.ndindex(2, 4):
        alone = stanford.inverse_velocity(q[k], twist[k])
        assert found.joints[k] == pytest.approx(alone.joints, rel=1e-9)
        assert found.singular[k] == alone.singular
    assert found.singular.sum() == 1
    assert np.abs(found.residual[~found.singular]).max() < 1e-6


# -- by differences ---------------------------------------------------------------------------------------


def planar_inverse(pose):
    """Both elbows of a planar arm with two links, NaN out of reach."""
    l1, l2 = 0.4, 0.35
    x, y = pose[..., 0, 3], pose[..., 1, 3]
    cosine = (x * x + y * y - l1 * l1 - l2 * l2) / (2 * l1 * l2)
    with np.errstate(invalid="ignore"):
        elbow = np.arccos(np.where(np.abs(cosine) > 1, np.nan, cosine))
    both = [
        (np.arctan2(y, x) - np.arctan2(l2 * np.sin(e), l1 + l2 * np.cos(e)), e) for e in (elbow, -elbow)
    ]
    return np.stack([np.stack(pair, axis=-1) for pair in both], axis=-2)


def test_differences_take_the_nearest_branch_and_the_shorter_way_round():
    planar = strobe.load("planar2")
    # the closed form answers with angles up to half a turn
    q = np.array([[3.1, -1.2], [-3.1, 1.2], [9.5, 0.7]])
    qd = np.array([[1.0, 0.3], [-1.0, 0.2], [0.4, -0.5]])
    twist = planar.hand(q, qd).twist
    found = planar.inverse_velocity(q, twist, method="difference", dt=1e-5, inverse=planar_inverse)
    assert found.joints == pytest.approx(qd, abs=1e-8)
    assert np.abs(found.error).max() < 1e-8
    assert found.residual == pytest.approx(np.zeros((3, 6)), abs=1e-8)


def test_differences_out_of_reach_are_not_numbers_and_spoil_nothing_beside_them():
    planar = strobe.load("planar2")
    q = np.array([[0.3, 0.0], [0.3, 0.9]])  # the first is stretched and asked to go further
    twist = np.array([[np.cos(0.3), np.sin(0.3), 0, 0, 0, 0], [0.1, 0, 0, 0, 0, 0]])
    found = planar.inverse_velocity(q, twist, method="difference", scheme="forward", inverse=planar_inverse)
    assert np.isnan(found.joints).all(-1).tolist() == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stanford", "ur5", "panda"])
def test_differences_go_through_the_robots_own_inverse_kinematics(name):
    robot = strobe.load(name)
    q, qd, _ = robot.random_state(seed=3, batch=4)
    found = robot.inverse_velocity(q, robot.hand(q, qd).twist, method="difference", dt=1e-4)
    assert np.abs(found.error).max() < 1e-4
    assert found.residual == pytest.approx(np.zeros((4, 6)), abs=1e-5)


# -- bad input ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"damping": -1.0}, "damping is -1.0; expected a number that is not negative."),
        ({"damping": np.nan}, "damping is nan; expected a number that is not negative."),
        ({"method": "newton"}, 'method is "newton"; expected one of jacobian, difference.'),
        ({"method": "difference", "dt": 0}, "dt is 0; expected a positive time in seconds."),
        ({"method": "difference", "scheme": "backward"}, 'scheme is "backward"; expected one of forward, central.'),
        ({"method": "difference", "damping": 0.1}, 'method="difference" moves the whole hand: it takes no damping='),
        ({"of": "translation"}, "twist has shape (6,); 3 rows were asked for, expected (..., 3)."),
        ({"preferred": [1, 2]}, "preferred has shape (2,); it is a joint velocity and ur5 has 6 degrees of freedom"),
        ({"frame": "hammer"}, 'no frame "hammer" in ur5.'),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_a_sentence(keywords, sentence):
    with pytest.raises(StrobeError) as caught:
        strobe.load("ur5").inverse_velocity(np.zeros(6), np.zeros(6), **keywords)
    assert sentence in str(caught.value)


def test_what_is_not_a_number_stays_so_and_spoils_nothing_beside_it():
    ur5 = strobe.load("ur5")
    q, qd, twist = ur5.random_state(seed=4, batch=3)
    q[1, 2], twist[2, 0] = np.nan, np.nan
    for found in (ur5.inverse_velocity(q, twist), ur5.inverse_acceleration(q, qd, twist)):
        assert np.isnan(found.joints).all(-1).tolist() == [False, True, True]


def test_one_position_serves_many_twists_and_one_twist_many_positions():
    ur5 = strobe.load("ur5")
    q, twist, _ = ur5.random_state(seed=5, batch=4)
    assert ur5.inverse_velocity(q[0], twist).joints[2] == pytest.approx(
        ur5.inverse_velocity(q[0], twist[2]).joints
    )
    assert ur5.inverse_velocity(q, twist[0]).joints[3] == pytest.approx(
        ur5.inverse_velocity(q[3], twist[0]).joints
    )
