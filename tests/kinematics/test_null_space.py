"""The freedom of a redundant robot: a second wish is followed, the pose is kept."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError
from strobe.kinematics.manipulability import manipulability
from strobe.kinematics.null_space import objective
from strobe.kinematics.numeric import solve
from strobe.kinematics.solutions import SolutionStatus


@pytest.fixture(scope="module")
def panda():
    return strobe.load("panda")


@pytest.fixture(scope="module")
def poses(panda):
    return panda.forward_kinematics(panda.random_state(21, 40)[0])


def from_centre(panda, q):
    lower, upper = panda.limits.lower, panda.limits.upper
    return (((q - (lower + upper) / 2) / ((upper - lower) / 2)) ** 2).sum(-1)


def kept(panda, found, poses):
    q = found.q[:, 0]
    inside = ((q >= panda.limits.lower) & (q <= panda.limits.upper)).all()
    return bool((found.status == SolutionStatus.SOLVED).all() and found.residual.max() <= 1e-10 and inside)


@pytest.mark.slow
def test_joints_go_to_the_middle_and_stop_where_no_self_motion_leads_nearer(panda, poses):
    plain, centred = solve(panda, poses), solve(panda, poses, secondary="center")
    assert kept(panda, centred, poses)
    q = centred.q[:, 0]
    assert (from_centre(panda, q) <= from_centre(panda, plain.q[:, 0]) + 1e-12).all()
    half = (panda.limits.upper - panda.limits.lower) / 2
    slope = 2 * (q - (panda.limits.upper + panda.limits.lower) / 2) / half**2
    free = (np.abs(q - panda.limits.lower) > 1e-6) & (np.abs(q - panda.limits.upper) > 1e-6)
    ending = [np.linalg.svd(J)[2][6] @ g for J, g in zip(panda.jacobian(q), slope, strict=True)]
    assert np.median(np.abs(ending)) < 1e-3
    assert free.all(-1).mean() > 0.5


def test_manipulability_grows(panda, poses):
    plain, best = solve(panda, poses), solve(panda, poses, secondary="manipulability")
    assert kept(panda, best, poses)
    before, after = (manipulability(panda, found.q[:, 0]) for found in (plain, best))
    assert (after >= before - 1e-12).all()
    assert after.mean() > 1.1 * before.mean()


def test_a_function_of_ones_own_becomes_less(panda, poses):
    def elbow(q):
        return -panda.forward_kinematics(q, "link4")[..., 2, 3]  # as high as possible

    plain, raised = solve(panda, poses), solve(panda, poses, secondary=elbow)
    assert kept(panda, raised, poses)
    assert (elbow(raised.q[:, 0]) <= elbow(plain.q[:, 0]) + 1e-12).all()
    assert elbow(raised.q[:, 0]).mean() < elbow(plain.q[:, 0]).mean() - 0.02


def test_a_constant_gradient_is_followed_downhill(panda, poses):
    plain, low = solve(panda, poses), solve(panda, poses, secondary=[1.0, 0, 0, 0, 0, 0, 0])
    assert kept(panda, low, poses)
    assert (low.q[:, 0, 0] <= plain.q[:, 0, 0] + 1e-12).all()
    assert low.q[:, 0, 0].mean() < plain.q[:, 0, 0].mean() - 0.1


@pytest.mark.slow
def test_an_arm_without_freedom_keeps_its_solution():
    robot = strobe.load("ur5")
    poses = robot.forward_kinematics(robot.random_state(22, 10)[0])
    np.testing.assert_allclose(solve(robot, poses, secondary="center").q, solve(robot, poses).q, atol=1e-6)


def test_joints_that_do_not_move_the_frame_have_no_say():
    robot = strobe.load("biped10")
    frame = robot.frames[3]
    q0 = 0.8 * robot.random_state(23)[0]
    found = solve(
        robot, robot.forward_kinematics(q0, frame)[:3, 3], frame, what="position", q0=q0, secondary="center"
    )
    supports = {body.joint.name for body in robot.model.support(robot.model.frame(frame).body)}
    off = [joint.q for joint in robot.coordinates.joints if joint.name not in supports]
    assert off
    assert (found.q[0, off] == q0[off]).all()


@pytest.mark.parametrize("what", ["pose", "position", "orientation"])
@pytest.mark.parametrize("wish", ["center", "manipulability"])
def test_gradients_are_those_of_differences(panda, what, wish):
    q = panda.random_state(24, 5)[0]
    named = objective(panda, "tool", what, wish)
    differences = objective(
        panda, "tool", what, lambda x: named.value(x.reshape(-1, 7)).reshape(x.shape[:-1])
    )
    np.testing.assert_allclose(named.gradient(q), differences.gradient(q), rtol=1e-5, atol=1e-8)


def test_what_is_no_wish_is_refused(panda, poses):
    with pytest.raises(ArgumentError) as refused:
        solve(panda, poses, secondary="elbow")
    assert str(refused.value) == (
        'secondary is "elbow"; expected one of center, manipulability, a function of q, or a gradient.'
    )
    with pytest.raises(ShapeError) as refused:
        solve(panda, poses, secondary=[1.0, 2.0])
    assert str(refused.value) == (
        "secondary has shape (2,); it is a gradient and panda has 7 degrees of freedom, expected (..., 7)."
    )
    with pytest.raises(ArgumentError, match="secondary gave shape"):
        solve(panda, poses, secondary=lambda q: q)
