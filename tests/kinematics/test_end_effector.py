"""The hand in its own coordinates, there and back; analytic Jacobians against differences and Pinocchio."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import strobe
from strobe.errors import StrobeError
from strobe.kinematics.end_effector import angular_velocity, hand_at, hand_from
from strobe.kinematics.orientation import ANGLES, angles_of, matrix_of

NAMES = tuple(ANGLES)


@pytest.fixture(scope="module")
def panda():
    return strobe.load("panda")


@pytest.mark.parametrize("angles", NAMES)
def test_the_analytic_jacobian_gives_the_rates_of_the_angles(panda, angles):
    q, qd, _ = panda.random_state(seed=1, batch=(20, 5))
    hand = panda.hand(q, qd, angles=angles)
    J = panda.analytic_jacobian(q, angles=angles)
    assert J.shape == (20, 5, 7 if angles == "quaternion" else 6, 7)
    expected = np.concatenate([hand.velocity, hand.angle_rates], axis=-1)
    assert np.einsum("...ij,...j->...i", J, qd) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("angles", NAMES)
def test_the_rates_are_differences_of_the_angles(panda, angles):
    q, qd, _ = panda.random_state(seed=2, batch=200)
    h = 1e-6
    before, here, after = (panda.hand(panda.integrate(q, qd, t), angles=angles) for t in (-h, 0.0, h))
    rates = panda.hand(q, qd, angles=angles).angle_rates
    steady = np.abs(after.angles - before.angles).max(-1) < 1e-3  # none of them jumps by a full turn
    steady &= np.abs(rates).max(-1) < 20
    assert steady.sum() > 150
    slope = (after.angles - before.angles) / (2 * h)
    assert slope[steady] == pytest.approx(rates[steady], abs=1e-4)
    assert ((after.position - before.position) / (2 * h))[0] == pytest.approx(
        panda.hand(q, qd).velocity[0], abs=1e-8
    )
    assert here.velocity is None


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), angles=st.sampled_from(NAMES))
def test_pose_and_twist_come_back_from_position_angles_and_rates(seed, angles):
    robot = strobe.load("stanford")
    q, qd, _ = robot.random_state(seed=seed, batch=3)
    hand = robot.hand(q, qd, angles=angles)
    back = hand_from(hand.position, hand.angles, angles, hand.velocity, hand.angle_rates)
    assert back.pose == pytest.approx(robot.forward_kinematics(q), abs=1e-9)
    assert back.twist == pytest.approx(hand.twist, abs=1e-6)
    again = hand_at(hand.pose, hand.twist, angles)
    assert again.angles == pytest.approx(hand.angles, abs=1e-12)
    assert again.angle_rates == pytest.approx(hand.angle_rates, abs=1e-12)


def test_a_hand_can_be_named_by_other_angles(panda):
    q, qd, _ = panda.random_state(seed=3)
    assert panda.hand(q, qd).named_by("rpy").angle_rates == pytest.approx(
        panda.hand(q, qd, angles="rpy").angle_rates
    )
    assert panda.hand(q).named_by("quaternion").angles == pytest.approx(
        panda.hand(q, angles="quaternion").angles
    )


def test_a_quaternion_of_either_sign_and_a_long_rotation_vector_turn_with_their_own_rates():
    q, rate = (
        np.array([0.5, -0.5, 0.5, 0.5]),
        np.array([0.1, 0.2, 0.3, -0.2]),
    )  # perpendicular: |q| stays one
    turning = [
        hand_from([0, 0, 0], s * q, "quaternion", [0, 0, 0], s * rate).angular_velocity for s in (1, -1)
    ]
    assert turning[0] == pytest.approx(turning[1])
    r = np.array([0.0, 0.0, 4.0])  # more than half a turn
    long = hand_from([0, 0, 0], r, "rotation-vector", [0, 0, 0], [0, 0, 0.7])
    assert long.angular_velocity == pytest.approx([0, 0, 0.7])


def test_frames_are_asked_by_name_and_unknown_ones_are_told(panda):
    q = panda.random_state(seed=4)[0]
    frame = panda.frames[3]
    assert panda.hand(q, frame=frame).position == pytest.approx(panda.forward_kinematics(q, frame)[:3, 3])
    for ask in (panda.hand, panda.analytic_jacobian):
        with pytest.raises(StrobeError, match=r'no frame "hammer" in panda'):
            ask(q, frame="hammer")
        with pytest.raises(StrobeError, match=r'no orientation "euler" in strobe\. Known: waters, rpy,'):
            ask(q, angles="euler")


def test_the_hand_says_where_its_angles_do_not_exist():
    hand = hand_at([np.diag([1.0, -1, -1, 1]), [[0, 0, 1, 0], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]]])
    assert hand.defined.tolist() == [True, False]
    assert "not defined where an axis of the hand points along the base axis that it is seen from" in str(
        hand
    )
    locked = hand_at(hand.pose[1], [0, 0, 0, 1, 2, 3], "rpy")
    assert np.isfinite(locked.angles).all()
    assert np.isnan(locked.angle_rates).tolist() == [True, False, True]
    assert not locked.defined


def test_the_analytic_jacobian_is_not_a_number_at_gimbal_lock():
    robot = strobe.load("ur5")
    q = robot.random_state(seed=5, batch=2)[0]
    aligned = robot.hand(q[0]).orientation.T @ matrix_of([0, np.pi / 2, 0], "rpy")
    tool = robot.with_frame("locked", rpy=angles_of(aligned, "rpy"))
    J = tool.analytic_jacobian(q, frame="locked", angles="rpy")
    assert np.isnan(J).any((-1, -2)).tolist() == [True, False]
    assert np.isfinite(tool.analytic_jacobian(q, frame="locked", angles="quaternion")).all()


def test_the_geometric_and_the_analytic_jacobian_agree_with_pinocchio():
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")
    robot = strobe.load("ur5")
    q, qd, _ = robot.random_state(seed=6, batch=20)
    hand = robot.hand(q, qd, angles="rpy")
    for k in range(20):
        B = np.linalg.inv(pin.rpy.computeRpyJacobian(hand.angles[k], pin.LOCAL_WORLD_ALIGNED))
        J = robot.jacobian(q[k])
        assert robot.analytic_jacobian(q[k]) == pytest.approx(np.vstack([J[:3], B @ J[3:]]), abs=1e-10)


# -- angular velocity from points -------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(2, 5))
def test_two_points_in_different_directions_tell_the_angular_velocity(seed, k):
    rng = np.random.default_rng(seed)
    r, w = rng.normal(size=(4, k, 3)), rng.normal(size=(4, 3))
    assert angular_velocity(r, np.cross(w[:, None], r)) == pytest.approx(w, abs=1e-9)


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        (
            [[0.1, 0, 0]],
            "points lie on one line through the reference point, and do not say how the body turns",
        ),
        ([[0.1, 0, 0], [-0.3, 0, 0]], "points lie on one line through the reference point"),
        ([[0, 0, 0], [0, 0, 0]], "points lie on one line"),
        ([[[1, 0, 0], [0, 1, 0]], [[1, 0, 0], [2, 0, 0]]], "points[1] lie on one line"),
        ([1, 0, 0], "points has shape (3,); expected (..., k, 3)"),
    ],
)
def test_points_on_one_line_are_refused(points, sentence):
    with pytest.raises(StrobeError) as caught:
        angular_velocity(points, np.zeros_like(np.asarray(points, dtype=float)))
    assert sentence in str(caught.value)


def test_points_and_velocities_belong_together_and_what_is_unknown_stays_so():
    with pytest.raises(
        StrobeError, match="there are 2 points and 3 velocities; expected one velocity per point"
    ):
        angular_velocity(np.eye(3)[:2], np.eye(3))
    r = np.stack([np.eye(3), np.full((3, 3), np.nan)])
    assert np.isnan(angular_velocity(r, np.cross([0, 0, 1.0], r))).tolist() == [[False] * 3, [True] * 3]


# -- bad input ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: hand_at(np.eye(3)), "pose has shape (3, 3); a pose is a 4×4 matrix"),
        (lambda: hand_at(2 * np.eye(4)), "the rotation of pose is no rotation: RᵀR differs from the identity by 3"),
        (lambda: hand_at(np.eye(4), [1, 2, 3]), "twist has shape (3,); it is a linear and an angular part"),
        (lambda: hand_from([0, 0], [0, 0, 0]), "position has shape (2,); it is a point in base axes"),
        (lambda: hand_from([0, 0, 0], [0, 0, 0], velocity=[0, 0, 0]), "velocity= and angle_rates= belong together"),
        (lambda: hand_from([0, 0, 0], [0, 0, 0]).twist, "this hand has no velocity: give qd, a twist, or rates"),
        (lambda: strobe.load("ur5").hand(np.zeros(6), np.zeros(5)), "qd has shape (5,); ur5 has 6 degrees"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_a_sentence(call, sentence):
    with pytest.raises(StrobeError) as caught:
        call()
    assert sentence in str(caught.value)


def test_what_is_not_a_number_stays_so(panda):
    q, qd, _ = panda.random_state(seed=7, batch=3)
    q[1, 0] = np.nan
    for angles in NAMES:
        hand = panda.hand(q, qd, angles=angles)
        assert hand.defined.tolist() == [True, False, True]
        assert np.isnan(panda.analytic_jacobian(q, angles=angles)).any((-1, -2)).tolist() == [
            False,
            True,
            False,
        ]
