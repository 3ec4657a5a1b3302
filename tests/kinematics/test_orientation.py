"""Sets of angles: both ways, their rates against fifty digits, and where they do not exist."""

from itertools import permutations, product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.spatial.transform import Rotation

from strobe.errors import StrobeError
from strobe.kinematics.orientation import (
    ANGLES,
    angles_of,
    matrix_of,
    rates_map,
    rotation_vector_matrix,
    velocity_map,
)
from strobe.kinematics.screws import cross_matrix

NAMES = tuple(ANGLES)
component = st.floats(-1, 1).map(lambda x: 0.0 if abs(x) < 1e-6 else x)
quaternions = (
    st.tuples(component, component, component, component)
    .filter(lambda q: np.linalg.norm(q) > 0.1)
    .map(lambda q: np.array(q) / np.linalg.norm(q))
)
vectors = st.tuples(component, component, component).map(np.array)


def random_rotations(n, seed=0):
    return Rotation.random(n, random_state=seed).as_matrix()


def right_angled():
    """The 24 rotations whose entries are 0 and ±1."""
    for places in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            R = np.zeros((3, 3))
            R[range(3), places] = signs
            if np.linalg.det(R) > 0:
                yield R


# -- both ways ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", NAMES)
def test_every_rotation_comes_back_from_its_angles(named):
    R = random_rotations(20_000).reshape(100, 200, 3, 3)
    back = matrix_of(angles_of(R, named), named)
    assert back.shape == R.shape
    assert np.abs(back - R).max() < (1e-12 if named == "waters" else 2e-15)


@settings(max_examples=60, deadline=None)
@given(q=quaternions)
def test_a_rotation_comes_back_from_its_angles_where_they_exist(q):
    R = matrix_of(q, "quaternion")
    for named in NAMES:
        angles = angles_of(R, named)
        if np.isfinite(angles).all() and (named != "waters" or _projected(R) > 1e-3):
            assert matrix_of(angles, named) == pytest.approx(R, abs=1e-9)


@pytest.mark.parametrize("named", ["rpy", "rotation-vector", "quaternion"])
def test_right_angled_rotations_come_back_though_the_pitch_may_be_a_right_angle(named):
    for R in right_angled():
        for turn in (0.0, 1e-14, 1e-9, 1e-5):
            near = rotation_vector_matrix(np.array([turn, -2 * turn, 3 * turn])) @ R
            assert matrix_of(angles_of(near, named), named) == pytest.approx(near, abs=2e-15)


def test_angles_are_those_of_scipy():
    R = random_rotations(2000)
    there = Rotation.from_matrix(R)
    assert angles_of(R, "rotation-vector") == pytest.approx(there.as_rotvec(), abs=1e-12)
    assert angles_of(R, "rpy") == pytest.approx(there.as_euler("xyz"), abs=1e-12)
    quaternion = np.roll(there.as_quat(canonical=True), 1, axis=-1)
    assert angles_of(R, "quaternion") == pytest.approx(quaternion, abs=1e-12)


def test_a_quaternion_has_a_positive_first_number_even_at_half_a_turn():
    half_turns = np.array([np.diag(d) for d in ([1.0, -1, -1], [-1.0, 1, -1], [-1.0, -1, 1])])
    assert angles_of(half_turns, "quaternion") == pytest.approx(np.eye(4)[1:])
    assert (angles_of(random_rotations(1000), "quaternion")[:, 0] >= 0).all()


@pytest.mark.parametrize("length", [0.0, 1e-200, 1e-9, 0.49999, 0.5, 3.0, np.pi, 5.0, 2 * np.pi, 9.0])
def test_the_rotation_about_a_vector_is_that_of_scipy_at_every_length(length):
    r = length * np.array([2.0, -1.0, 2.0]) / 3
    assert rotation_vector_matrix(r) == pytest.approx(Rotation.from_rotvec(r).as_matrix(), abs=2e-15)


# -- Waters' angles -------------------------------------------------------------------------------------


def _projected(R):
    """The shortest of the three axes as they are seen."""
    return min(np.hypot(R[1, 1], R[2, 1]), np.hypot(R[2, 2], R[0, 2]), np.hypot(R[0, 0], R[1, 0]))


def test_three_of_waters_angles_are_a_rotation_exactly_where_their_products_have_a_positive_sum():
    angles = np.random.default_rng(1).uniform(-np.pi, np.pi, (20_000, 3))
    c, s = np.cos(angles).prod(-1), np.sin(angles).prod(-1)
    R = matrix_of(angles[c + s > 1e-9], "waters")
    assert np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max() < 1e-14
    assert np.linalg.det(R) == pytest.approx(1)
    assert angles_of(R, "waters") == pytest.approx(angles[c + s > 1e-9], abs=1e-13)
    seen = angles_of(random_rotations(20_000), "waters")
    assert (np.cos(seen).prod(-1) + np.sin(seen).prod(-1) > 0).all()
    with pytest.raises(
        StrobeError, match=r"no rotation has Waters' angles \(0, 3, 0\): .* is -0\.99, and it"
    ):
        matrix_of([0, 3, 0], "waters")
    with pytest.raises(StrobeError, match=r"no rotation has Waters' angles\[1\]"):
        matrix_of([[0, 0, 0], [0, 3, 0]], "waters")


@pytest.mark.parametrize("distance", [1e-2, 1e-5, 1e-8])
def test_near_where_they_are_undefined_waters_angles_lose_no_more_than_they_must(distance):
    """The error of a round trip is the rounding of the angles times the derivative of R by them."""
    rng = np.random.default_rng(2)
    for R in right_angled():
        near = rotation_vector_matrix(rng.uniform(-distance, distance, (500, 3))) @ R
        angles = angles_of(near, "waters")
        slope = np.linalg.norm(ANGLES["waters"].velocity(angles, near), axis=(-1, -2))
        errors = np.abs(matrix_of(angles, "waters") - near).max((-1, -2))
        defined = np.isfinite(angles).all(-1)
        assert (errors[defined] < 2e-15 * np.maximum(slope[defined], 1)).all()


def test_waters_angles_are_undefined_where_an_axis_points_along_its_view():
    R = matrix_of([0, np.pi / 2, 0], "rpy")  # the hand's X points down, and is seen along Z
    angles = angles_of([R, np.eye(3)], "waters")
    assert np.isnan(angles).tolist() == [[False, False, True], [False, False, False]]


def test_the_map_to_the_rates_of_waters_angles_is_invertible_wherever_they_exist():
    angles = angles_of(random_rotations(50_000), "waters")
    assert np.linalg.det(rates_map(angles, "waters")).min() > 27 / 32


# -- rates ----------------------------------------------------------------------------------------------


def _exact_angles(named, R):
    """The definitions, in as many digits as mpmath is set to."""
    if named == "waters":
        return [mpmath.atan2(R[i, j], R[j, j]) for i, j in ((2, 1), (0, 2), (1, 0))]
    if named == "rpy":
        return [
            mpmath.atan2(R[2, 1], R[2, 2]), mpmath.asin(-R[2, 0]), mpmath.atan2(R[1, 0], R[0, 0]),
        ]  # fmt: skip
    w = mpmath.sqrt(1 + R[0, 0] + R[1, 1] + R[2, 2]) / 2
    v = [(R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w), (R[1, 0] - R[0, 1]) / (4 * w)]
    if named == "quaternion":
        return [w, *v]
    sine = mpmath.sqrt(sum(x * x for x in v))
    return [x * 2 * mpmath.atan2(sine, w) / sine for x in v]


@pytest.mark.parametrize("named", NAMES)
@settings(max_examples=30, deadline=None)
@given(q=quaternions.filter(lambda q: q[0] > 0.05 and np.linalg.norm(q[1:]) > 1e-3), w=vectors)
def test_rates_are_differences_of_fifty_digits(named, q, w):
    with mpmath.workdps(60):
        R0 = _exact_matrix([mpmath.mpf(float(x)) for x in q])
        h = mpmath.mpf(10) ** -25
        turn = mpmath.expm(mpmath.matrix(cross_matrix(w).tolist()) * h)
        before, after = _exact_angles(named, R0), _exact_angles(named, turn * R0)
        turn = 2 * mpmath.pi  # an angle may pass half a turn on the way
        ways = (b - a - turn * mpmath.nint((b - a) / turn) for a, b in zip(before, after, strict=True))
        expected = [float(way / h) for way in ways]
        R = np.array(R0.tolist(), dtype=float)
    if (named == "waters" and _projected(R) < 1e-2) or (named == "rpy" and abs(R[2, 0]) > 0.9999):
        return
    rates = rates_map(angles_of(R, named), named) @ w
    assert rates == pytest.approx(expected, rel=1e-9, abs=1e-10)


def _exact_matrix(q):
    norm = mpmath.sqrt(sum(x * x for x in q))
    w, x, y, z = (c / norm for c in q)
    return mpmath.matrix(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.parametrize("named", NAMES)
def test_the_two_maps_undo_each_other(named):
    angles = angles_of(random_rotations(2000, seed=3), named)
    assert velocity_map(angles, named) @ rates_map(angles, named) == pytest.approx(
        np.broadcast_to(np.eye(3), (2000, 3, 3)), abs=1e-11
    )


@pytest.mark.parametrize("length", [1e-9, 0.2499, 0.25, 0.2501, 0.4999, 0.5001, 3.0, np.pi, 6.0, 7.0])
def test_rates_of_a_rotation_vector_are_right_at_every_length(length):
    r = length * np.array([2.0, -1.0, 2.0]) / 3
    assert rates_map(r, "rotation-vector") @ velocity_map(r, "rotation-vector") == pytest.approx(
        np.eye(3), abs=1e-13
    )


def test_rates_without_an_answer_are_not_numbers():
    locked = rates_map([0.3, np.pi / 2, 0.1], "rpy")
    assert np.isnan(locked).any(axis=-1).tolist() == [True, False, True]
    assert np.isfinite(velocity_map([0.3, np.pi / 2, 0.1], "rpy")).all()
    full_turn = [0, 2 * np.pi, 0]
    assert np.isnan(rates_map(full_turn, "rotation-vector")).any()
    assert np.isfinite(velocity_map(full_turn, "rotation-vector")).all()


def test_the_maps_of_rpy_and_rotation_vector_are_those_of_pinocchio():
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")
    for R in random_rotations(50, seed=4):
        rpy, r = angles_of(R, "rpy"), angles_of(R, "rotation-vector")
        assert rpy == pytest.approx(pin.rpy.matrixToRpy(R), abs=1e-12)
        there = pin.rpy.computeRpyJacobian(rpy, pin.LOCAL_WORLD_ALIGNED)
        assert velocity_map(rpy, "rpy") == pytest.approx(there, abs=1e-12)
        assert r == pytest.approx(pin.log3(R), abs=1e-9)
        assert rates_map(r, "rotation-vector") == pytest.approx(pin.Jlog3(R) @ R.T, abs=1e-9)


# -- bad input ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: angles_of(np.ones((2, 3, 3)), "rpy"), "R[0] is no rotation: RᵀR differs from the identity by 3,"),
        (lambda: angles_of(np.diag([1, 1, -1]), "rpy"), "R is no rotation but a reflection: its determinant is −1."),
        (lambda: angles_of(np.eye(4), "rpy"), "R has shape (4, 4); a rotation is a 3×3 matrix, expected (..., 3, 3)"),
        (
            lambda: matrix_of([1, 1, 0, 0], "quaternion"),
            "quaternion (1, 1, 0, 0) has length 1.41421; expected 1, in the order w x y z. Divide it by its length.",
        ),
        (lambda: matrix_of([0, 0, 0, 0], "quaternion"), "quaternion (0, 0, 0, 0) has length 0; expected 1"),
        (lambda: matrix_of([0, 0, 0, 1], "rpy"), "angles has shape (4,); rpy has 3 numbers (roll, pitch, yaw)"),
        (lambda: matrix_of([0, 0, 0], "ryp"), 'no orientation "ryp" in strobe. Did you mean \'rpy\'?'),
        (lambda: matrix_of("abc", "rpy"), "angles holds text; expected real numbers"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_with_a_sentence(call, sentence):
    with pytest.raises(StrobeError) as caught:
        call()
    assert sentence in str(caught.value)


@pytest.mark.parametrize("named", NAMES)
def test_what_is_not_a_number_stays_so_and_spoils_nothing_beside_it(named):
    R = random_rotations(3)
    R[1] = np.nan
    angles = angles_of(R, named)
    assert np.isnan(angles).all(-1).tolist() == [False, True, False]
    assert np.isnan(matrix_of(angles, named)).all((-1, -2)).tolist() == [False, True, False]
    assert np.isnan(rates_map(angles, named)).any((-1, -2)).tolist() == [False, True, False]
    assert np.isnan(velocity_map(angles, named)).any((-1, -2)).tolist() == [False, True, False]


def test_a_quaternion_rounded_to_six_digits_is_taken_as_the_rotation_it_means():
    q = np.round(angles_of(random_rotations(1), "quaternion"), 6)
    R = matrix_of(q, "quaternion")
    assert np.swapaxes(R, -1, -2) @ R == pytest.approx(np.eye(3)[None], abs=1e-15)
