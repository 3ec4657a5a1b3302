"""Numeric inverse kinematics: what is reached, what is said where it is not, and what is refused."""

import math

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, UnknownNameError, UnsupportedModelError
from strobe.kinematics import initial_guesses
from strobe.kinematics.numeric import solve
from strobe.kinematics.solutions import SolutionStatus
from strobe.kinematics.unreachable_poses import reach_of
from strobe.robot import Robot


def asked(robot, count=200, seed=11, frame=None):
    return robot.forward_kinematics(robot.random_state(seed, count)[0], frame)


def angle_between(A, B):
    """The angle between rotations by the chord, which is exact near zero."""
    chord = np.linalg.norm(A[..., :3, :3] - B[..., :3, :3], axis=(-1, -2)) / math.sqrt(8)
    return 2 * np.arcsin(np.clip(chord, 0, 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["panda", "ur5", "puma560", "stanford", "planar3", "biped10", "parallelogram"]
)
def test_every_random_reachable_pose_is_solved_within_the_limits(name):
    robot = strobe.load(name)
    poses = asked(robot)
    found = solve(robot, poses)
    assert (found.status == SolutionStatus.SOLVED).all()
    assert found.within.all()
    assert found.recognised == "numeric"
    assert found.reasons == ()
    q = found.q[:, 0]
    assert ((q >= robot.limits.lower) & (q <= robot.limits.upper)).all()
    there = robot.forward_kinematics(q)
    assert np.abs(there - poses).max() < 1e-10
    assert found.residual.max() <= 1e-10


def test_the_reached_frame_is_that_of_pinocchio():
    pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    from strobe.analysis.peers import Pinocchio

    robot = strobe.load("panda")
    peer = Pinocchio(robot)
    q = solve(robot, asked(robot, 5)).q[:, 0]
    joint = peer.model.njoints - 1
    last = robot.forward_kinematics(q, "link7")
    for k in range(5):
        peer.pin.forwardKinematics(peer.model, peer.data, peer.position(q[k]))
        np.testing.assert_allclose(peer.data.oMi[joint].homogeneous, last[k], atol=1e-9)


def test_both_branches_of_a_planar_arm_are_those_of_its_triangle():
    robot = strobe.load("planar2")
    a, b = (np.linalg.norm(robot.forward_kinematics([0.0, 0.0], f)[:3, 3]) for f in ("link1", "tool"))
    length1, length2 = a, b - a
    x, y = 0.45, 0.2
    cosine = (x * x + y * y - length1**2 - length2**2) / (2 * length1 * length2)
    for sign in (1, -1):
        second = sign * math.acos(cosine)
        first = math.atan2(y, x) - math.atan2(length2 * math.sin(second), length1 + length2 * cosine)
        found = solve(robot, [x, y, 0.0], what="position", q0=[first + 0.1, second - 0.1], seeds=1)
        np.testing.assert_allclose(found.q[0], [first, second], atol=1e-9)


@pytest.mark.slow
def test_position_alone_and_orientation_alone():
    robot = strobe.load("panda")
    poses = asked(robot, 100)
    place = solve(robot, poses[:, :3, 3], what="position")
    assert (place.status == SolutionStatus.SOLVED).all()
    there = robot.forward_kinematics(place.q[:, 0])
    assert np.linalg.norm(there[:, :3, 3] - poses[:, :3, 3], axis=-1).max() <= 1e-10
    assert angle_between(there, poses).max() > 0.1
    turn = solve(robot, poses[:, :3, :3], what="orientation")
    there = robot.forward_kinematics(turn.q[:, 0])
    assert (turn.status == SolutionStatus.SOLVED).all()
    assert angle_between(there, poses).max() <= 1e-10
    assert np.linalg.norm(there[:, :3, 3] - poses[:, :3, 3], axis=-1).max() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_trees_with_quaternion_joints(seed):
    robot = strobe.random(8, seed, kinds="RPSFC", tree=True)
    frame = robot.frames[-3]
    q0 = robot.random_state(5)[0]
    found = solve(robot, asked(robot, 20, frame=frame), frame, q0=q0)
    assert (found.status == SolutionStatus.SOLVED).all()
    supports = {body.joint.name for body in robot.model.support(robot.model.frame(frame).body)}
    for joint in robot.coordinates.joints:
        if joint.name not in supports:
            part = slice(joint.q, joint.q + joint.nq)
            assert (found.q[:, 0, part] == q0[part]).all()


@pytest.mark.slow
def test_a_floating_base():
    robot = strobe.load("biped10").with_base("floating")
    found = solve(robot, asked(robot, 20))
    assert (found.status == SolutionStatus.SOLVED).all()
    np.testing.assert_allclose(np.linalg.norm(found.q[:, 0, 3:7], axis=-1), 1.0, rtol=1e-12)


@pytest.mark.slow
def test_shapes_follow_the_poses():
    robot = strobe.load("ur5")
    poses = asked(robot, 6)
    many, one, none = (
        solve(robot, poses.reshape(2, 3, 4, 4)),
        solve(robot, poses[4]),
        solve(robot, poses[:0]),
    )
    assert many.q.shape == (2, 3, 1, 6)
    assert many.status.shape == many.iterations.shape == (2, 3)
    assert many.residual.shape == many.within.shape == (2, 3, 1)
    assert one.q.shape == (1, 6)
    assert one.status.shape == ()
    assert none.q.shape == (0, 1, 6)
    assert (robot.forward_kinematics(one.q[0]) - poses[4]).max() < 1e-10


@pytest.mark.slow
def test_a_search_is_repeatable_and_another_seed_is_another_search():
    robot = strobe.load("panda")
    poses = asked(robot, 30)
    first, again, other = solve(robot, poses), solve(robot, poses), solve(robot, poses, seed=1)
    assert (first.q == again.q).all()
    assert (other.status == SolutionStatus.SOLVED).all()
    assert np.abs(first.q - other.q).max() > 0.1


def test_from_a_start_near_a_solution_that_solution_is_found():
    robot = strobe.load("ur5")
    q = robot.random_state(12, 100)[0]
    q[:, 4] = np.clip(np.abs(q[:, 4]), 0.3, 2.8)  # not next to a singular wrist
    q[:, 2] = np.clip(np.abs(q[:, 2]), 0.3, 2.8)
    found = solve(robot, robot.forward_kinematics(q), q0=q + 0.01, seeds=1)
    near = np.abs(found.q[:, 0] - q).max(-1) < 0.1
    assert near.mean() > 0.9
    np.testing.assert_allclose(found.q[near, 0], q[near], atol=1e-6)


@pytest.mark.slow
def test_a_joint_without_limits_ends_within_half_a_turn_of_the_start():
    robot = strobe.load("stanford")
    poses = asked(robot, 50)
    far = solve(robot, poses, q0=[20.0, 0.5, 0.6, -30.0, 0.5, 0.1])
    assert (far.status == SolutionStatus.SOLVED).all()
    assert np.abs(far.q[:, 0, 0] - 20).max() <= math.pi + 1e-9
    assert np.abs(far.q[:, 0, 3] + 30).max() <= math.pi + 1e-9
    assert np.abs(solve(robot, poses).q[:, 0, [0, 3, 5]]).max() <= math.pi + 1e-9


def test_angles_come_in_the_turn_within_the_limits_that_is_nearest():
    robot = strobe.load("ur5")  # limits of two turns
    q = robot.random_state(14, 50)[0]
    poses = robot.forward_kinematics(q)
    assert np.abs(solve(robot, poses).q[:, 0]).max() <= math.pi + 1e-9
    near = np.tile([6.0, -6.0, 0.0, 5.0, -5.0, 4.0], (50, 1))
    found = solve(robot, poses, q0=near).q[:, 0]
    others = np.stack([found - 2 * np.pi, found + 2 * np.pi])
    allowed = (others >= robot.limits.lower) & (others <= robot.limits.upper)
    assert (np.abs(found - near) <= np.where(allowed, np.abs(others - near), np.inf) + 1e-9).all()


def test_the_wrist_may_be_singular():
    robot = strobe.load("ur5")
    q = robot.random_state(13, 100)[0]
    q[:, 4] = 0.0
    assert (solve(robot, robot.forward_kinematics(q)).status == SolutionStatus.SOLVED).all()


@pytest.mark.slow
def test_an_interpreted_robot_gives_the_same():
    robot = strobe.load("puma560")
    poses = asked(robot, 5)
    plain = solve(Robot(robot.model, compiled=False), poses)
    np.testing.assert_allclose(solve(robot, poses).q, plain.q, atol=1e-9)


def test_a_looser_tolerance_takes_fewer_steps_and_is_kept():
    robot = strobe.load("panda")
    poses = asked(robot, 300)
    loose, tight = solve(robot, poses, tolerance=1e-2), solve(robot, poses)
    assert 1e-4 < loose.residual.max() <= 1e-2
    assert loose.iterations.sum() < tight.iterations.sum()


def test_a_row_of_weight_zero_is_left_out():
    robot = strobe.load("ur5")
    poses = asked(robot, 20)
    found = solve(robot, poses, weights=[1, 1, 0, 1, 1, 1])
    there = robot.forward_kinematics(found.q[:, 0])
    assert (found.status == SolutionStatus.SOLVED).all()
    assert np.abs(there - poses)[:, :2, 3].max() < 1e-9
    assert np.abs(there - poses)[:, 2, 3].max() > 0.01
    assert found.residual.max() <= 1e-10


def test_orientation_left_out_by_weights_is_a_position_alone():
    robot = strobe.load("ur5")
    poses = asked(robot, 50)
    found = solve(robot, poses, weights=[1, 1, 1, 0, 0, 0], seeds=1)
    assert (found.status == SolutionStatus.SOLVED).all()
    assert angle_between(robot.forward_kinematics(found.q[:, 0]), poses).max() > 2.2  # far beyond 120°


def test_seeds_are_the_nearest_and_none_comes_twice():
    robot = strobe.load("ur5")
    table = initial_guesses.seeds_of(robot, "tool")
    poses = initial_guesses.twelve(asked(robot, 5))
    nearest = initial_guesses.Nearest(table, "position", poses)
    taken = np.concatenate([nearest.take(3), nearest.take(2)], axis=1)
    for pose, chosen in zip(poses, taken, strict=True):
        order = np.argsort(np.linalg.norm(table.poses[:, 3::4] - pose[3::4], axis=-1))
        np.testing.assert_array_equal(chosen, table.q[order[:5]])


# -- what is not reached ------------------------------------------------------------------------------


def test_a_position_beyond_reach_is_said_to_be_and_the_arm_stretches_towards_it():
    robot = strobe.load("planar2")
    reach = np.linalg.norm(robot.forward_kinematics([0.0, 0.0])[:3, 3])
    direction = np.array([math.cos(0.7), math.sin(0.7), 0.0])
    found = solve(robot, 2.0 * reach * direction, what="position")
    assert found.status == SolutionStatus.UNREACHABLE
    away, length = f"{2 * reach:.4g} m away", f"{reach:.4g} m away"
    assert found.reasons == (
        f'the pose is {away} from joint "joint1"; frame "tool" gets at most {length} from it.',
    )
    assert found.residual[0] == pytest.approx(reach, rel=1e-6)
    np.testing.assert_allclose(robot.forward_kinematics(found.q[0])[:3, 3], reach * direction, atol=1e-3)


def test_no_frame_is_farther_than_the_arm_is_long():
    for name in ("panda", "ur5", "stanford", "puma560"):
        robot = strobe.load(name)
        _, centre, length = reach_of(robot, robot.frames[-1])
        far = np.linalg.norm(asked(robot, 5000)[:, :3, 3] - centre, axis=-1).max()
        assert 0.6 * length < far <= length


def test_a_pose_that_limits_forbid_names_the_joint_and_the_limit():
    robot = strobe.load("stanford")
    pose = robot.forward_kinematics([0.3, 0.9, 1.5, -0.4, 0.7, 1.1])
    found = solve(robot, pose)
    assert found.status == SolutionStatus.NOT_CONVERGED
    assert found.within.all()
    (reason,) = found.reasons
    assert reason.startswith("the pose was not reached in 64 attempts: 0.")
    assert ' rad are missing, with joint "joint3" at its upper limit 1.27.' in reason
    assert reason.endswith(
        'Without limits it is reached with joint "joint3" at 1.5, above its upper limit 1.27.'
    )
    free = solve(robot, pose, limits=False)
    assert free.status == SolutionStatus.SOLVED
    assert not free.within.any()
    assert free.residual.max() <= 1e-10
    assert free.reasons == ()


def test_the_nearest_place_is_a_minimum_within_the_limits():
    robot = strobe.load("stanford")
    pose = robot.forward_kinematics([0.3, 0.9, 1.5, -0.4, 0.7, 1.1])
    found = solve(robot, pose)
    q = found.q[0]
    for k in range(6):
        for way in (-1e-3, 1e-3):
            other = q.copy()
            other[k] = np.clip(other[k] + way, robot.limits.lower[k], robot.limits.upper[k])
            there = robot.forward_kinematics(other)
            away = math.hypot(np.linalg.norm(there[:3, 3] - pose[:3, 3]), angle_between(there, pose))
            assert away > found.residual[0] - 1e-5


def test_one_bad_pose_does_not_stop_the_others():
    robot = strobe.load("panda")
    poses = asked(robot, 4).reshape(2, 2, 4, 4)
    poses[0, 1, 0, 0] = np.nan
    poses[1, 0, :3, 3] = [5.0, 0.0, 0.0]
    found = solve(robot, poses)
    assert found.status.tolist() == [
        [SolutionStatus.SOLVED, SolutionStatus.INVALID],
        [SolutionStatus.UNREACHABLE, SolutionStatus.SOLVED],
    ]
    assert np.isnan(found.q[0, 1]).all()
    assert np.isfinite(found.q[1, 0]).all()
    assert found.reasons[0] == "pose[0, 1] holds a NaN or an infinity."
    assert found.reasons[1].startswith("pose[1, 0] is 5.0")
    assert found.iterations[0, 1] == 0


@pytest.mark.slow
def test_what_is_not_asked_for_need_not_be_a_number():
    robot = strobe.load("ur5")
    poses = asked(robot, 10)
    turned, placed = poses.copy(), poses.copy()
    turned[:, :3, 3], placed[:, :3, :3] = np.nan, np.nan
    assert (solve(robot, turned, what="orientation").status == SolutionStatus.SOLVED).all()
    assert (solve(robot, placed, what="position").status == SolutionStatus.SOLVED).all()
    assert (solve(robot, placed).status == SolutionStatus.INVALID).all()


def test_a_pose_half_a_turn_away_is_not_taken_for_reached():
    robot = strobe.load("planar3")
    pose = robot.forward_kinematics([0.3, 0.4, 0.2]) @ np.diag([1.0, -1.0, -1.0, 1.0])
    found = solve(robot, pose)
    assert found.status == SolutionStatus.NOT_CONVERGED
    assert found.residual[0] > 1.0


@pytest.mark.slow
def test_the_residual_is_the_distance_that_is_left_metres_and_radians_together():
    robot = strobe.load("panda")
    pose = robot.forward_kinematics(robot.random_state(3)[0])
    pose[:3, 3] += [0.9, 0.4, 0.2]
    for what, parts in (("pose", (1, 1)), ("position", (1, 0)), ("orientation", (0, 1))):
        found = solve(robot, pose, what=what, iterations=3, seeds=1, limits=False)
        there = robot.forward_kinematics(found.q[0])
        left = np.linalg.norm(there[:3, 3] - pose[:3, 3]), angle_between(there, pose)
        assert found.residual[0] == pytest.approx(np.linalg.norm(np.multiply(left, parts)), abs=1e-12)


# -- what is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"seeds": 0}, "seeds is 0; expected a whole number, 1 or more."),
        ({"iterations": 2.5}, "iterations is 2.5; expected a whole number, 1 or more."),
        ({"seed": -1}, "seed is -1; expected a whole number, 0 or more."),
        ({"tolerance": 0}, "tolerance is 0; expected a positive number, metres and radians together."),
        ({"limits": 1}, "limits is 1; expected True or False."),
        ({"what": "twist"}, 'what is "twist"; expected one of pose, position, orientation.'),
        ({"q0": [0.0, np.nan, 0, 0, 0, 0]}, "q0 holds a NaN or an infinity; expected a position to start from."),
        ({"weights": [1, 1]}, "weights is [1, 1]; expected 6 numbers, none of them negative and not all zero."),
        ({"weights": (0,) * 6, "what": "position"},
         "weights is (0, 0, 0, 0, 0, 0); expected 3 numbers, none of them negative and not all zero."),
    ],
)  # fmt: skip
def test_arguments_that_mean_nothing_are_refused(options, sentence):
    robot = strobe.load("ur5")
    with pytest.raises(ArgumentError) as refused:
        solve(robot, asked(robot, 2), **options)
    assert str(refused.value) == sentence


def test_a_start_of_another_size_is_refused():
    robot = strobe.load("ur5")
    with pytest.raises(ShapeError) as refused:
        solve(robot, asked(robot, 2), q0=[0.0] * 5)
    assert str(refused.value) == "q0 has shape (5,); ur5 has 6 position numbers, expected (..., 6)."
    with pytest.raises(ArgumentError) as refused:
        solve(robot, asked(robot, 2), q0=np.zeros((3, 6)))
    assert (
        str(refused.value)
        == "q0 has shape (3, 6) and poses (2, 4, 4): the leading axes do not go together. "
        "Give one position, or one for each pose."
    )


def test_unknown_frames_and_frames_that_no_joint_moves_are_refused():
    robot = strobe.load("ur5")
    with pytest.raises(UnknownNameError, match="no frame \"tol\" in ur5. Did you mean 'tool'?"):
        solve(robot, asked(robot, 2), "tol")
    with pytest.raises(UnsupportedModelError) as refused:
        solve(robot, asked(robot, 2), "base")
    assert str(refused.value) == (
        'no joint of ur5 moves frame "base". Name a frame that joints move, such as "tool"; see robot.frames.'
    )


def test_a_matrix_that_is_no_rotation_is_refused():
    robot = strobe.load("ur5")
    poses = asked(robot, 2)
    poses[1, :3, :3] *= 1.1
    with pytest.raises(ArgumentError, match=r"pose\[1\] is no rotation"):
        solve(robot, poses)


def test_the_numbers_of_a_quaternion_are_named_as_logs_and_files_name_them():
    robot = strobe.random(3, seed=2, kinds="S")
    found = solve(robot, robot.forward_kinematics(robot.neutral))
    assert found.names == robot.coordinates.position_names
    assert found.names[:4] == ("joint1_qw", "joint1_qx", "joint1_qy", "joint1_qz")
