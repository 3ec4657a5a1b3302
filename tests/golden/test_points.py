"""Forces at material points: the generalized forces of the literature, and Jacobians of points on any link."""

import numpy as np
import pytest

import strobe
from strobe.errors import StrobeError
from strobe.robot import Robot

Q = [0.7, -1.1]  # of planar2
ELBOW = (0.1 - 0.35, 0, 0)  # on link 2 of planar2, 0.1 m from its joint; the frame is at its end


@pytest.mark.parametrize(
    ("name", "q", "frame", "point", "force", "expected"),
    [
        ("planar2", Q, "tool", (0, 0, 0), (3, -2, 0), [-1.62078841089, -0.235853436378]),
        ("planar2", Q, "link2", ELBOW, (3, -2, 0), [-1.45232167062, -0.067386696108]),
        (
            "pendulum3",
            [0.4, -0.6, 0.9],
            "link3",
            (0.02, 0.03, -0.3),
            (3, -2, 1.5),
            [-0.53007536724, -1.47000597038, -0.476119817722],
        ),
    ],
)
def test_a_force_at_a_point_has_the_generalized_forces_of_the_literature(
    name, q, frame, point, force, expected
):
    robot = strobe.load(name)
    assert robot.point_forces(q, frame, point, force) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kinds", ["RP", "RPSF"])
def test_a_point_moves_as_a_frame_at_that_place_does(kinds):
    robot = strobe.random(4, 3, kinds=kinds, tree=True)
    point, frame = (0.1, -0.2, 0.3), robot.frames[2]
    q, qd, _ = robot.random_state(seed=1)
    moved = robot.with_frame("there", point, frame=frame)
    assert robot.point_jacobian(q, frame, point) == pytest.approx(moved.jacobian(q, "there")[:3], abs=1e-12)
    steps = [moved.forward_kinematics(robot.integrate(q, qd, h), "there")[:3, 3] for h in (-1e-6, 1e-6)]
    assert robot.point_jacobian(q, frame, point) @ qd == pytest.approx(
        (steps[1] - steps[0]) / 2e-6, abs=1e-8
    )


def test_points_and_forces_broadcast_against_positions():
    robot = strobe.load("puma560")
    q = robot.random_state(seed=2, batch=(3, 1))[0]
    points, forces = np.random.default_rng(1).standard_normal((2, 4, 3))
    J = robot.point_jacobian(q, "link3", points)
    assert J.shape == (3, 4, 3, 6)
    assert not J[..., 3:].any()  # the joints beyond the link
    assert robot.point_jacobian(q[1, 0], "link3", points[2]) == pytest.approx(J[1, 2])
    assert Robot(robot.model, compiled=False).point_jacobian(q, "link3", points) == pytest.approx(J)
    Q = robot.point_forces(q, "link3", points, forces)
    assert Q[1, 2] == pytest.approx(J[1, 2].T @ forces[2])
    single = robot.point_forces(q.astype(np.float32), "link3", [0.1, 0.2, 0.3], [1, 2, 3])
    assert single.dtype == np.float32


def test_joints_that_follow_others_carry_the_force_too():
    robot = strobe.load("parallelogram")
    q, h = np.array([0.6, -0.35]), 1e-6
    there = robot.with_frame("there", (0.1, 0.2, 0), frame="link2")
    steps = [
        (there.forward_kinematics(q + d, "there") - there.forward_kinematics(q - d, "there"))[:3, 3]
        / (2 * h)
        for d in h * np.eye(2)
    ]
    assert robot.point_jacobian(q, "link2", (0.1, 0.2, 0)) == pytest.approx(np.array(steps).T, abs=1e-8)


def test_a_point_that_is_none_is_refused():
    robot = strobe.load("planar2")
    with pytest.raises(
        StrobeError, match=r"point has shape \(2,\); it is a position in the frame's axes, exp"
    ):
        robot.point_jacobian(Q, "tool", [0, 0])
    with pytest.raises(StrobeError, match=r"force has shape \(6,\); it is a force in base axes, expected"):
        robot.point_forces(Q, "tool", [0, 0, 0], [1] * 6)
    with pytest.raises(StrobeError, match='no frame "toll" in planar2. Did you mean .tool.'):
        robot.point_jacobian(Q, "toll", [0, 0, 0])
