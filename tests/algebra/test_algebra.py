"""The algebra against NumPy's matrices, and its laws."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from strobe.algebra import (
    Columns,
    Force,
    Inertia,
    Mat3,
    Mat4,
    Motion,
    Pose,
    Shift,
    Spin,
    Sym3,
    Turn,
    Vec3,
    ldl_solve,
    quaternion_rotation,
)
from strobe.algebra.elimination import ldl_factors
from strobe.algebra.lie import (
    pose_exponential,
    pose_logarithm,
    quaternion_product,
    rotation_exponential,
    rotation_logarithm,
)
from strobe.scalars import FieldSystem
from strobe.scalars.precise import PreciseSystem

rng = np.random.default_rng(0)
number = st.floats(-3, 3)
vector = st.builds(Vec3, number, number, number)


def array(x):
    """A vector or matrix as a NumPy array."""
    if isinstance(x, Vec3 | Mat3):
        return np.array([array(e) for e in x], dtype=float)
    if isinstance(x, Mat4):
        return np.array(x.rows, dtype=float)
    if isinstance(x, Sym3):
        return array(x.matrix())
    if isinstance(x, Motion):
        return np.concatenate([array(x.angular), array(x.linear)])
    if isinstance(x, Force):
        return np.concatenate([array(x.moment), array(x.force)])
    return float(x)


def random_vec():
    return Vec3(*rng.standard_normal(3).tolist())


def random_mat():
    return Mat3(random_vec(), random_vec(), random_vec())


def random_pose():
    steps = (Turn.by(0, 0.3), Shift(random_vec()), Turn.by(2, -1.1), Turn.by(1, 0.7), Shift(random_vec()))
    return Pose(steps)


@given(vector, vector)
def test_cross_and_dot_are_those_of_numpy(a, b):
    assert array(a.cross(b)) == pytest.approx(np.cross(array(a), array(b)), abs=1e-12)
    assert a.dot(b) == pytest.approx(float(array(a) @ array(b)), abs=1e-12)
    assert array(Mat3.cross(a) @ b) == pytest.approx(array(a.cross(b)), abs=1e-12)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_planar_turn_is_the_rotation_matrix_about_that_axis(axis):
    c, s = math.cos(0.4), math.sin(0.4)
    skew = array(Mat3.cross(Vec3.unit(axis)))
    expected = np.eye(3) + s * skew + (1 - c) * skew @ skew  # Rodrigues
    assert array(Pose((Turn(axis, c, s),)).rotation) == pytest.approx(expected)


def test_matrix_products_sums_and_traces_are_those_of_numpy():
    A, B, v = random_mat(), random_mat(), random_vec()
    assert array(A @ B) == pytest.approx(array(A) @ array(B))
    assert array(A @ v) == pytest.approx(array(A) @ array(v))
    assert array(A.T) == pytest.approx(array(A).T)
    assert array(A + B * 2.0 - (-A)) == pytest.approx(2 * array(A) + 2 * array(B))
    assert A.trace() == pytest.approx(np.trace(array(A)))
    assert array(Mat3.outer(v, B.a)) == pytest.approx(np.outer(array(v), array(B.a)))
    P, Q = Mat4.homogeneous(A, v), Mat4.homogeneous(B, A.b)
    assert array(P @ Q) == pytest.approx(array(P) @ array(Q))
    assert array(P + Q - P * 3.0) == pytest.approx(array(Q) - 2 * array(P))
    assert P.T.trace() == pytest.approx(np.trace(array(P)))
    assert P.apply([1.0, 2.0, 3.0, 1.0]) == pytest.approx(array(P) @ [1, 2, 3, 1])


def test_a_symmetric_matrix_multiplies_and_turns_like_the_full_one():
    S, v = Sym3(*rng.standard_normal(6).tolist()), random_vec()
    assert array(S @ v) == pytest.approx(array(S) @ array(v))
    for axis in range(3):
        R = array(Pose((Turn.by(axis, 0.8),)).rotation)
        turned = S.turned(axis, math.cos(0.8), math.sin(0.8))
        assert array(turned) == pytest.approx(R @ array(S) @ R.T)


def test_a_pose_is_its_homogeneous_matrix():
    pose, other, p = random_pose(), random_pose(), random_vec()
    T = array(pose.matrix())
    assert array(pose.point(p)) == pytest.approx((T @ [*array(p), 1])[:3])
    assert array(pose.direction(p)) == pytest.approx(T[:3, :3] @ array(p))
    assert array((pose @ other).matrix()) == pytest.approx(T @ array(other.matrix()))
    assert array(pose.inverted().matrix()) == pytest.approx(np.linalg.inv(T))


def test_power_is_the_same_in_every_frame():
    """f · X v = Xᵀ f · v: what makes the transpose of a motion transform the force transform."""
    X = random_pose().inverse()
    v, f = Motion(random_vec(), random_vec()), Force(random_vec(), random_vec())
    assert (X @ v).dot(f) == pytest.approx(v.dot(X.T @ f))


def test_a_motion_transform_moves_the_velocity_of_a_point():
    pose = random_pose()
    v = Motion(random_vec(), random_vec())
    inner = pose.inverse() @ v
    at_origin = v.linear + v.angular.cross(pose.translation)
    assert array(pose.direction(inner.linear)) == pytest.approx(array(at_origin))
    assert array(pose.direction(inner.angular)) == pytest.approx(array(v.angular))


def test_the_force_cross_product_is_the_negative_transpose_of_the_motion_one():
    v, u = (Motion(random_vec(), random_vec()) for _ in range(2))
    f = Force(random_vec(), random_vec())
    assert v.cross(u).dot(f) == pytest.approx(-u.dot(v.cross(f)))


@pytest.mark.parametrize(
    "steps",
    [(Turn.by(1, 0.7),), (Shift(Vec3(0.3, -1.0, 2.0)),), (Spin(quaternion_rotation(0.5, 0.1, -0.7, 0.2)),)],
)
def test_kinetic_energy_does_not_depend_on_the_frame_of_the_inertia(steps):
    pose = Pose(steps)
    body = Inertia(1.7, random_vec(), Sym3(2.0, 3.0, 4.0, 0.1, -0.2, 0.3))
    v = Motion(random_vec(), random_vec())
    inner = pose.inverse() @ v
    assert v.dot(pose.inertia(body) @ v) == pytest.approx(inner.dot(body @ inner))


def test_columns_combine_and_project():
    S = Columns((Motion(random_vec(), random_vec()), Motion(random_vec(), random_vec())))
    f = Force(random_vec(), random_vec())
    assert array(S @ [2.0, -3.0]) == pytest.approx(2 * array(S.columns[0]) - 3 * array(S.columns[1]))
    assert S.T @ f == pytest.approx([c.dot(f) for c in S])


@given(st.tuples(*[st.floats(-3.1, 3.1)] * 3))
def test_roll_pitch_yaw_round_trips_as_a_rotation(rpy):
    pose = Pose.at(rpy=rpy)
    spun = Pose((Spin(pose.rotation),))  # forget the angles
    assert array(Pose.at(rpy=spun.rpy()).rotation) == pytest.approx(array(pose.rotation), abs=1e-12)
    assert array(Pose.at(rpy=pose.rpy()).rotation) == pytest.approx(array(pose.rotation), abs=1e-15)


@pytest.mark.parametrize("pitch", [math.pi / 2, -math.pi / 2])
def test_roll_pitch_yaw_at_the_gimbal_lock(pitch):
    spun = Pose((Spin(Pose.at(rpy=(0.3, pitch, -0.8)).rotation),))
    assert array(Pose.at(rpy=spun.rpy()).rotation) == pytest.approx(array(spun.rotation), abs=1e-9)


def test_identity_steps_are_trimmed():
    assert Pose.at((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)).steps == ()
    assert len(Pose.at((0.0, 0.1, 0.0), (0.0, 0.0, math.pi)).steps) == 2


# -- quaternions and exponentials ---------------------------------------------------------------------


def test_a_quaternion_rotation_needs_no_normalisation():
    q = rng.standard_normal(4)
    R = array(quaternion_rotation(*q.tolist()))
    assert pytest.approx(np.eye(3), abs=1e-14) == R @ R.T
    assert np.linalg.det(R) == pytest.approx(1.0)
    assert array(quaternion_rotation(*(3 * q).tolist())) == pytest.approx(R)


def test_a_quaternion_rotation_is_orthogonal_exactly_in_the_field():
    system = FieldSystem(2)
    R = quaternion_rotation(*(system.variable(n) for n in "wxyz"))
    product = R @ R.T
    assert [[system.lower(x) for x in row] for row in product] == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


SIZES = [0.0, 1e-12, 1e-6, 0.02, 0.0316, 0.0317, 0.5, 2.0, 3.1]


@pytest.mark.parametrize("size", SIZES)
def test_exponential_and_logarithm_of_rotations_are_inverse(size):
    phi = Vec3(0.6, -0.48, 0.64) * size  # a unit vector, scaled
    assert array(rotation_logarithm(rotation_exponential(phi))) == pytest.approx(
        array(phi), rel=1e-12, abs=1e-15
    )


@pytest.mark.parametrize("size", SIZES)
def test_exponential_and_logarithm_of_placements_are_inverse(size):
    phi, u = Vec3(0.6, -0.48, 0.64) * size, Vec3(0.3, -1.0, 2.0)
    linear, angular = pose_logarithm(*pose_exponential(u, phi))
    assert array(linear) == pytest.approx(array(u), rel=1e-10)
    assert array(angular) == pytest.approx(array(phi), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("size", [1e-9, 0.01, 0.03162, 0.0317, 1.0])
def test_the_series_of_exponential_and_logarithm_keep_full_precision(size):
    """Against fifty digits, on both sides of where the series takes over."""
    precise = PreciseSystem()
    phi = Vec3(0.6, -0.48, 0.64) * size
    high = phi.map(precise.exact)
    q = rotation_exponential(phi)
    t = (high.dot(high)).value ** 0.5
    mp = precise.context
    expected = [mp.cos(t / 2), *(x.value * mp.sin(t / 2) / t for x in high)]
    assert q == pytest.approx([float(x) for x in expected], rel=4e-16, abs=1e-18)
    p, _ = pose_exponential(Vec3(1.0, 0.5, -2.0), phi)
    w = [x.value for x in high]
    u = [mp.mpf(1), mp.mpf("0.5"), mp.mpf(-2)]

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    once = cross(w, u)
    twice = cross(w, once)
    exact = [u[k] + once[k] * (1 - mp.cos(t)) / t**2 + twice[k] * (t - mp.sin(t)) / t**3 for k in range(3)]
    assert array(p) == pytest.approx([float(x) for x in exact], rel=1e-15)


def test_the_short_way_round_is_taken():
    q = rotation_exponential(Vec3(0.0, 0.0, 3.0))
    flipped = [-x for x in q]
    assert array(rotation_logarithm(flipped)) == pytest.approx([0, 0, 3.0])


def test_quaternion_products_are_products_of_rotations():
    p, q = rng.standard_normal(4).tolist(), rng.standard_normal(4).tolist()
    product = array(quaternion_rotation(*quaternion_product(p, q)))
    assert product == pytest.approx(array(quaternion_rotation(*p)) @ array(quaternion_rotation(*q)))


# -- elimination --------------------------------------------------------------------------------------


def tree_matrix(parents):
    """A positive definite matrix with the sparsity of a tree."""
    n = len(parents)
    L = np.eye(n)
    for i in range(n):
        j = i
        while (j := parents[j]) >= 0:
            L[i, j] = rng.standard_normal()
    return L.T @ np.diag(rng.uniform(0.5, 2.0, n)) @ L


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(*(st.integers(-1, i - 1) for i in range(n)))))
def test_elimination_solves_and_keeps_the_zeros_of_the_tree(parents):
    M = tree_matrix(parents)
    b = rng.standard_normal(len(parents))
    x = ldl_solve(M.tolist(), b.tolist(), parents)
    assert M @ x == pytest.approx(b, rel=1e-7, abs=1e-9)
    _, D = ldl_factors(M.tolist(), parents)
    assert 1 / np.prod(D) == pytest.approx(np.linalg.det(M), rel=1e-7)


def test_elimination_is_exact_in_the_field():
    system = FieldSystem(1)
    n, parents = 4, [-1, 0, 0, 2]
    M = [[0] * n for _ in range(n)]
    for i in range(n):
        for j in (i, *([parents[i]] if parents[i] >= 0 else []), *([0] if i == 3 else [])):
            M[i][j] = M[j][i] = system.variable("m")
    b = [system.variable("b") for _ in range(n)]
    x = ldl_solve(M, b, parents)
    for row, right in zip(M, b, strict=True):
        total = 0
        for m, value in zip(row, x, strict=True):
            total = total + m * value
        assert system.lower(total) == system.lower(right)
