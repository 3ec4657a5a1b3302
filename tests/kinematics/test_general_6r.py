"""Every solution of arms with six joints in general position, and of special ones.

``STROBE_ARMS=1000`` (`make fuzz`) draws so many other arms and asks a dense search for solutions that were missed.
"""

import os
from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import ShapeError, UnsupportedModelError
from strobe.kinematics import general_6r
from strobe.kinematics.general_6r import MOST, solve, solve_in_rounds
from strobe.kinematics.screws import error, newton, placement, placement_and_jacobian
from strobe.kinematics.serial_chain import Serial, serial

ARMS = int(os.environ.get("STROBE_ARMS", "12"))
STARTS = 400


def from_dh(a, alpha, d, kinds="RRRRRR"):
    """A chain from standard Denavit-Hartenberg parameters."""
    T, lines = np.eye(4), []
    for length, twist, offset in zip(a, alpha, d, strict=True):
        lines.append((T[:3, 2], T[:3, 3]))
        c, s = np.cos(twist), np.sin(twist)
        T = T @ np.array([[1, 0, 0, length], [0, c, -s, 0], [0, s, c, offset], [0, 0, 0, 1]])
    n = len(kinds)
    return Serial(
        names=tuple(f"joint{k + 1}" for k in range(n)),
        revolute=np.array([kind == "R" for kind in kinds]),
        axes=np.array([axis for axis, _ in lines]),
        points=np.array([point for _, point in lines]),
        home=T,
        lower=np.full(n, -np.pi),
        upper=np.full(n, np.pi),
        columns=np.arange(n),
    )


def random_arm(draw, kinds="RRRRRR"):
    return from_dh(draw.uniform(-1, 1, 6), draw.uniform(-np.pi, np.pi, 6), draw.uniform(-1, 1, 6), kinds)


def solutions(q):
    return q[np.isfinite(q[..., 0])]


def residuals(chain, q, pose):
    return np.linalg.norm(error(placement(chain, q), pose), axis=-1)


def dense_search(chain, pose, draw, starts=STARTS):
    """Where Newton's method ends from many random starts: nothing but the forward kinematics is used."""
    q, residual = newton(
        chain, draw.uniform(-np.pi, np.pi, (starts, 6)), np.broadcast_to(pose, (starts, 4, 4)), steps=60
    )
    return q[residual < 1e-10]


def distances(chain, q, others):
    """(K, L): the largest difference of a joint, angles modulo full turns."""
    apart = q[:, None] - others
    turned = np.abs(apart - 2 * np.pi * np.rint(apart / (2 * np.pi)))
    return np.where(chain.revolute, turned, np.abs(apart)).max(axis=-1)


def missed(chain, pose, q, draw):
    """Solutions that the dense search finds and that are not in q."""
    found = dense_search(chain, pose, draw)
    if not len(found):
        return found
    regular = np.linalg.svd(placement_and_jacobian(chain, found)[1], compute_uv=False)[:, -1] > 1e-5
    far = distances(chain, found, solutions(q)).min(axis=1, initial=np.inf) > 1e-5
    return found[far & regular]


@pytest.mark.parametrize("seed", range(ARMS))
def test_all_real_solutions_of_a_random_arm_are_found(seed):
    draw = np.random.default_rng(seed)
    chain = random_arm(draw)
    pose = placement(chain, draw.uniform(-np.pi, np.pi, (1, 6)))
    (q,) = solve(chain, pose)
    found = solutions(q)
    assert len(found) % 2 == 0  # complex roots come in pairs, and there are sixteen in all
    assert residuals(chain, found, pose).max() < 1e-9
    assert not len(missed(chain, pose[0], q, draw))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(max(ARMS // 4, 2)))
@pytest.mark.parametrize("slide", range(6))
def test_all_real_solutions_of_an_arm_with_one_slide_are_found(slide, seed):
    draw = np.random.default_rng(1000 + seed)
    chain = random_arm(draw, "".join("P" if k == slide else "R" for k in range(6)))
    pose = placement(chain, draw.uniform(-np.pi, np.pi, (1, 6)))
    (q,) = solve(chain, pose)
    assert residuals(chain, solutions(q), pose).max() < 1e-9
    assert not len(missed(chain, pose[0], q, draw))


def test_the_configuration_that_made_a_pose_is_among_its_solutions():
    draw = np.random.default_rng(7)
    chain = random_arm(draw)
    asked = draw.uniform(-np.pi, np.pi, (300, 6))
    poses = placement(chain, asked)
    q, rounds = solve_in_rounds(chain, poses)
    for one, found, pose in zip(asked, q, poses, strict=True):
        assert distances(chain, one[None], solutions(found)).min() < 1e-6
        assert residuals(chain, solutions(found), pose).max() < 1e-9
    assert (rounds == 1).all()


def test_an_arm_of_manseur_and_doty_reaches_a_pose_in_sixteen_ways():
    """After [Manseur1989], which was not at hand: what is tested is that these numbers give sixteen."""
    degrees = np.radians([90, 1, 90, 1, 90, 1])
    chain = from_dh([0.3, 1, 0, 1.5, 0, 0], degrees, [0, 0, 0.2, 0, 0, 0])
    pose = np.eye(4)
    pose[:3] = [
        [-0.760117, -0.641689, 0.102262, -1.140175],
        [0.133333, 0.0, 0.991071, 0.0],
        [-0.635959, 0.766965, 0.085558, 0.0],
    ]
    left, _, right = np.linalg.svd(pose[:3, :3])  # six digits are a rotation to six digits
    pose[:3, :3] = left @ right
    (q,) = solve(chain, pose[None])
    assert np.isfinite(q).all()
    assert q.shape == (MOST, 6)
    assert residuals(chain, q, pose).max() < 1e-12
    assert (distances(chain, q, q) + 9 * np.eye(16)).min() > 1e-2


@pytest.mark.slow
@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-6, 1e-4])
@pytest.mark.parametrize("name", ["puma560", "ur5", "rx90", "stanford"])
def test_special_arms_and_arms_close_to_them_are_solved_completely(name, off):
    draw = np.random.default_rng(3)
    chain = serial(strobe.load(name))
    axes = chain.axes + off * draw.normal(size=(6, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    chain = replace(chain, axes=axes, points=chain.points + off * draw.normal(size=(6, 3)))
    poses = placement(chain, draw.uniform(-np.pi, np.pi, (2, 6)))
    q, rounds = solve_in_rounds(chain, poses)
    assert (rounds > 0).all()
    for found, pose in zip(q, poses, strict=True):
        assert residuals(chain, solutions(found), pose).max() < 1e-9
        assert not len(missed(chain, pose, found, draw))


def test_a_general_arm_is_believed_at_once_and_a_special_one_after_a_twin():
    draw = np.random.default_rng(4)
    q = draw.uniform(-np.pi, np.pi, (5, 6))
    general, puma = random_arm(draw), serial(strobe.load("puma560"))
    assert solve_in_rounds(general, placement(general, q))[1].tolist() == [1] * 5
    assert (solve_in_rounds(puma, placement(puma, q))[1] >= 3).all()


@pytest.mark.parametrize("joint", range(6))
def test_a_joint_at_half_a_turn_is_no_special_case(joint):
    draw = np.random.default_rng(5)
    chain = random_arm(draw)
    asked = draw.uniform(-np.pi, np.pi, (4, 6))
    asked[:, joint] = np.pi
    q = solve(chain, placement(chain, asked))
    for one, found in zip(asked, q, strict=True):
        assert distances(chain, one[None], solutions(found)).min() < 1e-9


def test_where_two_solutions_meet_one_is_given():
    """A configuration with a singular Jacobian is a double root: rounding makes it two, one or none."""
    draw = np.random.default_rng(6)
    chain = random_arm(draw)
    ends = draw.uniform(-np.pi, np.pi, (200, 2, 6))
    determinant = lambda q: np.linalg.det(placement_and_jacobian(chain, q)[1])  # noqa: E731
    signs = determinant(ends)
    low, high = ends[signs[:, 0] * signs[:, 1] < 0][0]
    for _ in range(80):
        middle = 0.5 * (low + high)
        same = determinant(middle) * determinant(low) > 0
        low, high = (middle, high) if same else (low, middle)
    (q,) = solve(chain, placement(chain, low)[None])
    near = distances(chain, low[None], solutions(q))[0]
    assert near.min() < 1e-4
    assert (near < 1e-3).sum() == 1


def test_angles_lie_above_minus_pi_and_up_to_pi_in_the_order_of_the_first_joint():
    draw = np.random.default_rng(8)
    chain = random_arm(draw)
    q = solve(chain, placement(chain, draw.uniform(-9, 9, (50, 6))))
    angles = solutions(q)
    assert (angles > -np.pi).all()
    assert (angles <= np.pi).all()
    first = np.diff(q[:, :, 0], axis=1)
    assert (first[np.isfinite(first)] >= 0).all()
    empty = np.isnan(q).any(axis=-1)
    assert (np.diff(empty.astype(int), axis=1) >= 0).all()  # filled from the first place on
    assert np.isnan(q[empty]).all()


def test_a_pose_out_of_reach_or_with_a_nan_has_no_solution_and_spoils_no_other():
    draw = np.random.default_rng(9)
    chain = random_arm(draw)
    poses = placement(chain, draw.uniform(-np.pi, np.pi, (3, 6)))
    alone = solve(chain, poses[2:])
    poses[0, :3, 3] = 50.0
    poses[1, 0, 0] = np.nan
    q, rounds = solve_in_rounds(chain, poses)
    assert np.isnan(q[:2]).all()
    assert rounds.tolist() == [0, 0, 1]
    np.testing.assert_allclose(q[2], alone[0], atol=1e-9)


def test_the_size_of_an_arm_does_not_matter():
    draw = np.random.default_rng(10)
    chain = random_arm(draw)
    asked = draw.uniform(-np.pi, np.pi, (20, 6))
    home = chain.home.copy()
    home[:3, 3] *= 1000.0
    in_millimetres = replace(chain, points=chain.points * 1000.0, home=home)
    poses = placement(chain, asked)
    q = solve(chain, poses)
    poses[:, :3, 3] *= 1000.0
    np.testing.assert_allclose(solve(in_millimetres, poses), q, atol=1e-8)


def test_no_poses_have_no_solutions():
    chain = random_arm(np.random.default_rng(11))
    assert solve(chain, np.zeros((0, 4, 4))).shape == (0, MOST, 6)


def test_chains_that_elimination_does_not_cover_are_refused_with_what_they_have():
    chain = random_arm(np.random.default_rng(12), "RPRPRR")
    assert not general_6r.covers(chain)
    with pytest.raises(
        UnsupportedModelError,
        match="the chain has 6 joints, 2 of them prismatic; elimination solves six joints",
    ):
        solve(chain, np.eye(4)[None])


def test_a_pose_that_is_no_stack_of_matrices_is_refused():
    chain = random_arm(np.random.default_rng(13))
    with pytest.raises(
        ShapeError, match=r"poses has shape \(4, 4\); each pose is a 4×4 matrix, expected \(N, 4, 4\)"
    ):
        solve(chain, np.eye(4))
