"""Inverse kinematics as a user asks for it: golden branches, round trips, singular poses, limits and refusals."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, UnknownNameError, UnsupportedModelError
from strobe.kinematics.inverse import every_way
from strobe.kinematics.poses import pose
from strobe.kinematics.solutions import SolutionStatus

HOME = np.array([0.3, 0.9, 0.6, -0.4, 0.7, 1.1])
# all eight branches (σ, λ, ε) of the pose at HOME, worked out independently with formulas for this arm alone
GOLDEN = {
    "(+,+,+)": [0.3, 0.9, 0.6, -0.4, 0.7, 1.1],
    "(+,+,−)": [0.3, 0.9, 0.6, 2.74159265359, -0.7, -2.04159265359],
    "(+,−,+)": [0.3, -2.24159265359, -0.6, 0.4, 2.44159265359, -2.04159265359],
    "(+,−,−)": [0.3, -2.24159265359, -0.6, -2.74159265359, -2.44159265359, 1.1],
    "(−,+,+)": [-2.20831678165, -0.9, 0.6, 2.52710465619, 1.13463337514, 0.800425582443],
    "(−,+,−)": [-2.20831678165, -0.9, 0.6, -0.614487997401, -1.13463337514, -2.34116707115],
    "(−,−,+)": [-2.20831678165, 2.24159265359, -0.6, -2.52710465619, 2.00695927845, -2.34116707115],
    "(−,−,−)": [-2.20831678165, 2.24159265359, -0.6, 0.614487997401, -2.00695927845, 0.800425582443],
}


@pytest.fixture(scope="module")
def stanford():
    return strobe.load("stanford")


@pytest.fixture(scope="module")
def ur5():
    return strobe.load("ur5")


def turned(q):
    return np.angle(np.exp(1j * np.asarray(q)))


def closest(robot, found, q):
    """The distance of the nearest solution from q, full turns apart."""
    apart = found.q - np.asarray(q)[..., None, :]
    revolute = [joint.turns for joint in robot.coordinates.joints]
    apart = np.where(revolute, turned(apart), apart)
    return np.nanmin(np.abs(apart).max(-1), axis=-1)


# -- the Stanford arm -------------------------------------------------------------------------------------


def test_all_eight_branches_of_the_stanford_arm_have_their_reference_values(stanford):
    found = stanford.inverse_kinematics(stanford.forward_kinematics(HOME))
    assert (found.recognised, int(found.count)) == ("spherical wrist", 8)
    for q, branch in zip(found.q, found.branch, strict=True):
        expected = GOLDEN[found.branches[branch].split()[0]]
        np.testing.assert_allclose(turned(q - expected)[[0, 1, 3, 4, 5]], 0.0, atol=1e-11)
        assert q[2] == pytest.approx(expected[2], abs=1e-11)
    assert sorted(found.branch) == list(range(8))


def test_branches_are_named_after_shoulder_slide_and_wrist(stanford):
    found = stanford.inverse_kinematics(stanford.forward_kinematics(HOME), q0=HOME)
    assert found.branches[found.branch[0]] == "(+,+,+) shoulder left, slide forwards, wrist"
    assert found.branches[-1] == "(−,−,−) shoulder right, slide backwards, wrist flipped"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["stanford", "puma560", "ur5", "rx90"])
def test_every_branch_of_random_poses_reaches_its_pose(name):
    robot = strobe.load(name)
    q = robot.random_state(seed=1, batch=2000)[0]
    found = robot.inverse_kinematics(robot.forward_kinematics(q))
    assert (found.status == SolutionStatus.SOLVED).all()
    assert np.nanmax(found.residual) < 1e-12
    assert closest(robot, found, q).max() < 1e-7
    reached = robot.forward_kinematics(np.where(found.exists[..., None], found.q, 0.0))
    miss = np.abs(reached - robot.forward_kinematics(q)[:, None]).max((-1, -2))
    # by the compiled forward kinematics, not by the residual's own kernel
    assert miss[found.exists].max() < 1e-12


def test_the_stanford_arm_has_four_solutions_with_the_slide_forwards(stanford):
    q = stanford.random_state(seed=2, batch=500)[0]
    found = stanford.inverse_kinematics(stanford.forward_kinematics(q))
    assert (found.within.sum(-1) == 4).all()
    assert (found.q[..., 2] > 0).sum(-1).tolist() == [4] * 500


def test_a_pose_inside_the_cylinder_of_the_shoulder_is_unreachable_by_its_depth(stanford):
    found = stanford.inverse_kinematics(pose((0.1, 0.0, 0.8)))
    assert found.status == SolutionStatus.UNREACHABLE
    assert np.isnan(found.q).all()
    assert found.reasons == (
        'unreachable: the wrist lies 0.054 m inside the cylinder of radius 0.154 m about the axis of "joint1".',
    )


@pytest.mark.slow
def test_a_slide_beyond_its_limit_is_told_by_how_much(stanford):
    found = stanford.inverse_kinematics(pose((2.0, 0.0, 0.8)))
    assert found.status == SolutionStatus.LIMITS
    assert (int(found.count), bool(found.within.any())) == (8, False)
    assert found.reasons == (
        '8 solutions, none within the limits: in the nearest, joint "joint3" is at 1.99798 m, 0.728 m above its '
        "limit 1.27 m.",
    )
    free = stanford.inverse_kinematics(pose((2.0, 0.0, 0.8)), limits=False)
    assert (free.status, free.reasons) == (SolutionStatus.SOLVED, ())
    assert not free.within.any()  # which is still told


@pytest.mark.parametrize("bend", [0.0, math.pi])
def test_a_straight_wrist_keeps_joint_4_and_marks_it_as_free(stanford, bend):
    q = HOME.copy()
    q[4] = bend
    found = stanford.inverse_kinematics(stanford.forward_kinematics(q), q0=q)
    np.testing.assert_allclose(found.q[0], q, atol=1e-9)
    assert found.free[0].tolist() == [False, False, False, True, False, False]
    assert int(found.count) == 6  # one instead of two wherever the wrist is straight


def test_shoulder_branches_that_coincide_are_one(stanford):
    q = HOME.copy()
    q[1] = 0.0
    found = stanford.inverse_kinematics(stanford.forward_kinematics(q), q0=q)
    np.testing.assert_allclose(found.q[0], q, atol=1e-7)
    assert int(found.count) == 4
    assert found.double[0].tolist() == [True, False, False, False, False, False]
    assert str(found).endswith("= two branches are one here")
    q[1] = 1e-3
    assert not stanford.inverse_kinematics(stanford.forward_kinematics(q), q0=q).double.any()


def test_a_slide_at_zero_leaves_joint_2_free(stanford):
    q = HOME.copy()
    q[2] = 0.0
    found = stanford.inverse_kinematics(stanford.forward_kinematics(q), q0=q)
    np.testing.assert_allclose(found.q[0], q, atol=1e-7)
    assert found.free[0].tolist() == [False, True, False, False, False, False]


@pytest.mark.slow
@pytest.mark.parametrize("small", [1e-3, 1e-6, 1e-9, 1e-12])
def test_residuals_stay_small_next_to_singular_poses(stanford, small):
    for joint, value in ((4, 0.0), (4, math.pi), (1, 0.0), (1, math.pi), (2, 0.0)):
        q = HOME.copy()
        q[joint] = value + small
        found = stanford.inverse_kinematics(stanford.forward_kinematics(q), q0=q, limits=False)
        assert np.nanmin(found.residual) < 1e-12
        assert np.nanmax(found.residual) < 1e-10


# -- other arms -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_ur5_is_solved_by_its_parallel_axes_and_a_singular_wrist_keeps_joint_6(ur5):
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.0, 0.7])
    found = ur5.inverse_kinematics(ur5.forward_kinematics(q), q0=q)
    assert found.recognised == "three parallel axes"
    np.testing.assert_allclose(found.q[0], q, atol=1e-9)
    assert found.free[0].tolist() == [False] * 5 + [True]


def test_planar_arms_are_solved_in_their_plane_only():
    arm = strobe.load("planar3")
    q = np.array([0.3, 0.8, -0.5])
    T = arm.forward_kinematics(q)
    found = arm.inverse_kinematics(T, q0=q)
    assert (found.recognised, int(found.count)) == ("parallel axes", 2)
    np.testing.assert_allclose(found.q[0], q, atol=1e-12)
    T[2, 3] += 0.1
    above = arm.inverse_kinematics(T)
    assert above.status == SolutionStatus.UNREACHABLE
    assert above.reasons == (
        "unreachable: 3 joints cannot bring the frame to every pose, and not to this one.",
    )


def test_two_joints_place_a_point():
    arm = strobe.load("planar2")
    q = np.array([0.4, 1.1])
    found = arm.inverse_kinematics(arm.forward_kinematics(q)[:3, 3], what="position", q0=q)
    assert int(found.count) == 2
    np.testing.assert_allclose(found.q[0], q, atol=1e-12)


def test_a_general_arm_goes_to_elimination():
    robot = strobe.random(6, seed=1, kinds="R")
    q = robot.random_state(seed=3)[0]
    found = robot.inverse_kinematics(robot.forward_kinematics(q), q0=q)
    assert found.recognised == "general 6R"
    np.testing.assert_allclose(found.q[0], q, atol=1e-8)


def test_seven_joints_are_searched_for_or_solved_as_a_family_if_asked():
    panda = strobe.load("panda")
    q = np.array([0.3, -0.5, 0.2, -1.8, 0.4, 1.5, 0.2])
    T = panda.forward_kinematics(q)
    assert panda.inverse_kinematics(T, q0=q).recognised == "numeric"
    family = panda.inverse_kinematics(T, q0=q, method="analytic")
    assert (family.recognised, family.parameter, int(family.count)) == ("redundant 7R", "joint7", 16)
    assert str(family).startswith(
        "redundant 7R (joint7 is the parameter): 16 solutions, 16 within the limits (rad, m)\n"
    )
    assert every_way(panda, T, q0=q).recognised == "redundant 7R"
    np.testing.assert_allclose(family.q[0], q, atol=1e-6)


def test_a_frame_in_the_middle_leaves_the_other_joints_where_they_are(stanford):
    T = stanford.forward_kinematics(HOME, frame="link3")
    found = stanford.inverse_kinematics(T, "link3", q0=HOME)
    np.testing.assert_allclose(found.q[0], HOME, atol=1e-12)
    assert np.isnan(found.q[int(found.count) :]).all()


def arm_of(tmp_path, kinds, axes, places, limit=3.0):
    """A chain of joints along base axes."""
    joints = "".join(
        f'<joint name="j{k}" type="{kind}"><parent link="l{k}"/><child link="l{k + 1}"/><origin xyz="{place}"/>'
        f'<axis xyz="{axis}"/><limit lower="-{limit}" upper="{limit}" effort="1" velocity="1"/></joint>'
        f'<link name="l{k + 1}"/>'
        for k, (kind, axis, place) in enumerate(zip(kinds, axes, places, strict=True))
    )
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="arm"><link name="l0"/>{joints}</robot>')
    return strobe.Robot(strobe.load(path).model, compiled=False)


def test_a_turn_and_a_slide_along_one_line_have_no_closed_form_by_a_point_on_it(tmp_path):
    arm = arm_of(tmp_path, ["revolute", "prismatic"], ["0 0 1", "0 0 -1"], ["0 0.2 0.3", "0 0 0.3"])
    q = arm.random_state(seed=0, batch=5)[0]
    found = arm.inverse_kinematics(arm.forward_kinematics(q))
    assert (found.recognised, found.status.tolist()) == ("numeric", [SolutionStatus.SOLVED] * 5)
    np.testing.assert_allclose(found.q[:, 0], q, atol=1e-9)


def test_a_frame_on_the_axis_of_the_last_of_two_parallel_joints_is_solved(tmp_path):
    arm = arm_of(tmp_path, ["revolute"] * 2, ["0 0 1"] * 2, ["0 0 0", "0.3 0 0"])
    q = arm.random_state(seed=0, batch=5)[0]
    found = arm.inverse_kinematics(arm.forward_kinematics(q))
    assert found.recognised == "parallel axes"
    np.testing.assert_allclose(found.q[:, 0], q, atol=1e-9)


def test_what_few_joints_leave_open_at_a_singular_pose_is_searched_for(tmp_path):
    axes = [
        "0 0 1",
        "0 -1 0",
    ]  # the second joint turns the point of the frame about the first axis, or onto it
    arm = arm_of(tmp_path, ["revolute", "prismatic"], axes, ["0 0.3 -0.25", "0 0 0"])
    q = np.array([2.0, 0.0])
    found = arm.inverse_kinematics(arm.forward_kinematics(q))
    assert (found.recognised, found.status) == ("two joints", SolutionStatus.SOLVED)
    np.testing.assert_allclose(found.q[0], q, atol=1e-9)
    assert found.branch_name(0) == "by search"


# -- order and turns --------------------------------------------------------------------------------------


def test_solutions_within_the_limits_come_first_and_then_the_nearest():
    puma = strobe.load("puma560")
    q = puma.random_state(seed=4, batch=300)[0]
    found = puma.inverse_kinematics(puma.forward_kinematics(q), q0=q)
    np.testing.assert_allclose(found.q[:, 0], q, atol=1e-7)
    assert (np.diff(found.within.astype(int), axis=-1) <= 0).all()
    away = np.linalg.norm(found.q - q[:, None], axis=-1)
    both = found.within[:, 1:] & found.within[:, :-1]
    assert (np.diff(away, axis=-1)[both] >= -1e-12).all()


@pytest.mark.slow
def test_an_angle_comes_in_the_turn_nearest_to_where_the_robot_is(stanford, ur5):
    q = HOME + 2 * np.pi * np.array([3, 0, 0, -2, 0, 5])  # no limits
    found = stanford.inverse_kinematics(stanford.forward_kinematics(HOME), q0=q)
    np.testing.assert_allclose(found.q[0], q, atol=1e-12)
    q = np.array([5.0, -1.0, 1.2, -5.5, 1.0, 6.0])  # limits of two turns
    found = ur5.inverse_kinematics(ur5.forward_kinematics(q), q0=q)
    np.testing.assert_allclose(found.q[0], q, atol=1e-9)


def test_a_batch_is_solved_pose_by_pose(stanford):
    q = stanford.random_state(seed=5, batch=(3, 4))[0]
    T = stanford.forward_kinematics(q)
    found = stanford.inverse_kinematics(T, q0=HOME)
    assert found.q.shape == (3, 4, 8, 6)
    assert (found.residual.shape, found.status.shape) == ((3, 4, 8), (3, 4))
    np.testing.assert_array_equal(found.q[1, 2], stanford.inverse_kinematics(T[1, 2], q0=HOME).q)
    assert stanford.inverse_kinematics(T[:0]).q.shape == (0, 4, 8, 6)


def test_interpreted_and_compiled_agree(stanford):
    plain = strobe.Robot(stanford.model, compiled=False)
    T = stanford.forward_kinematics(HOME)
    np.testing.assert_allclose(
        plain.inverse_kinematics(T, q0=HOME).q, stanford.inverse_kinematics(T, q0=HOME).q, atol=1e-12
    )


# -- what is refused, and what is answered ------------------------------------------------------------------


def test_one_bad_row_does_not_stop_a_batch(stanford):
    T = np.repeat(stanford.forward_kinematics(HOME)[None], 3, axis=0)
    T[1, 0, 3] = math.nan
    found = stanford.inverse_kinematics(T)
    assert found.status.tolist() == [SolutionStatus.SOLVED, SolutionStatus.INVALID, SolutionStatus.SOLVED]
    assert found.reasons == ("pose[1]: it holds a NaN or an infinity.",)
    assert not found.exists[1].any()
    T[1, 0, 3], T[2, 3, 3] = 0.5, math.nan
    assert stanford.inverse_kinematics(T).status[2] == SolutionStatus.INVALID
    assert stanford.inverse_kinematics(T, method="numeric").status[2] == SolutionStatus.INVALID


def test_a_sentence_names_a_pose_by_its_place_in_the_batch(stanford):
    T = np.tile(stanford.forward_kinematics(HOME), (2, 3, 1, 1))
    T[1, 2] = pose((0.1, 0.0, 0.8))
    (reason,) = stanford.inverse_kinematics(T).reasons
    assert reason.startswith("pose[1, 2]: unreachable: the wrist lies 0.054 m inside")


def test_an_arm_with_more_joints_than_its_plane_has_room_for_is_searched():
    arm = strobe.Robot(strobe.load("planar3").model, compiled=False)
    assert arm.inverse_kinematics([0.5, 0.4, 0.0], what="position").recognised == "numeric"
    with pytest.raises(
        UnsupportedModelError, match="3 joints carry it .RRR., more than the 2 degrees of freedom"
    ):
        arm.inverse_kinematics([0.5, 0.4, 0.0], what="position", method="analytic")


@pytest.mark.parametrize(
    ("error", "sentence", "arguments"),
    [
        (ArgumentError, 'method is "fast"; expected one of auto, analytic, numeric.', {"method": "fast"}),
        (UnknownNameError, 'no frame "tol" in stanford. Did you mean \'tool\'?', {"frame": "tol"}),
        (UnknownNameError, 'no frame "tol" in stanford.', {"frame": "tol", "method": "numeric"}),
        (ShapeError, "q0 has shape (2,); stanford has 6 position numbers, expected (..., 6).", {"q0": [0, 0]}),
        (ArgumentError, "q0 holds a NaN or an infinity", {"q0": [math.nan] * 6}),
        (UnknownNameError, 'no option "sedes" in inverse kinematics. Did you mean', {"sedes": 3}),
        (UnknownNameError, 'no option "sedes" in inverse kinematics.', {"sedes": 3, "method": "numeric"}),
        (ArgumentError, "seeds belong to a numeric search, but stanford is solved as spherical wrist", {"seeds": 3}),
        (ArgumentError, "tolerance is -1; expected a positive number.", {"tolerance": -1}),
        (ArgumentError, "limits is 'soft'; expected True or False.", {"limits": "soft"}),
        (UnsupportedModelError, 'position of frame "tool" of stanford: 6 joints carry it (RRPRRR), more than the 3',
         {"what": "position", "method": "analytic"}),
    ],
)  # fmt: skip
def test_bad_requests_are_refused_with_a_sentence(stanford, error, sentence, arguments):
    with pytest.raises(error, match=re.escape(sentence)):
        stanford.inverse_kinematics(np.eye(4), **arguments)


def test_poses_and_starts_must_go_together(stanford):
    sentence = (
        "q0 has shape (3, 6) and poses (2, 4, 4): the leading axes do not go together. Give one position"
    )
    with pytest.raises(ArgumentError, match=re.escape(sentence)):
        stanford.inverse_kinematics(np.stack([np.eye(4)] * 2), q0=np.zeros((3, 6)))


# -- printing -----------------------------------------------------------------------------------------------


def test_one_pose_prints_as_a_table(stanford):
    lines = str(stanford.inverse_kinematics(stanford.forward_kinematics(HOME), q0=HOME)).splitlines()
    assert lines[0] == "spherical wrist: 8 solutions, 4 within the limits (rad, m)"
    assert lines[1].split() == [*stanford.joint_names, "residual", "limits", "branch"]
    assert lines[2].split()[:7] == [
        "1",
        "0.300000",
        "0.900000",
        "0.600000",
        "-0.400000",
        "0.700000",
        "1.100000",
    ]
    assert {line.index("(") for line in lines[2:]} == {lines[1].index("branch")}


def test_a_free_joint_is_marked_in_the_table(stanford):
    q = HOME * [1, 1, 1, 1, 0, 1]
    text = str(stanford.inverse_kinematics(stanford.forward_kinematics(q), q0=q))
    assert "-0.400000*" in text
    assert text.endswith("* could be anywhere: kept where it was")


def test_a_batch_prints_as_a_summary(stanford):
    T = np.stack([stanford.forward_kinematics(HOME), pose((0.1, 0, 0.8)), pose((2, 0, 0.8))])
    first, *reasons = str(stanford.inverse_kinematics(T)).splitlines()
    assert first.startswith(
        "spherical wrist: 3 poses: 1 solved, 1 limits, 1 unreachable; residual at most "
    )
    assert [line.split(":")[0] for line in reasons] == ["pose[1]", "pose[2]"]
