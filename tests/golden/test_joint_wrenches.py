"""Joint wrenches of two arms to twelve digits, worked out by hand balances and confirmed by Pinocchio."""

import numpy as np
import pytest

import strobe
from strobe.robot import Robot

FORCES = [
    [-1.63548161418, 0.400873278982, 44.335195845],
    [-1.63548161418, 0.400873278982, 24.715195845],
    [-1.03729369939, 0.235830967029, 9.96030632637],
]
MOMENTS = [
    [1.50178221136, -2.56504760565, 0.164008569481],
    [1.50178221136, -2.56504760565, 0.167008569481],
    [-0.138534423433, 0.569163921144, -0.0291985801092],
]


@pytest.mark.parametrize("compiled", [True, False])
def test_the_turntable_with_a_double_pendulum(compiled):
    robot = Robot(strobe.load("pendulum3").model, compiled)
    state = [0.4, -0.6, 0.9], [1.1, -0.8, 0.5], [-0.3, 0.7, 1.2]
    f = robot.joint_wrenches(*state)
    assert f.shape == (3, 6)
    assert f[:, :3] == pytest.approx(np.array(FORCES), rel=1e-11)
    assert f[:, 3:] == pytest.approx(np.array(MOMENTS), rel=1e-11)


def test_the_planar_arm():
    f = strobe.load("planar2").joint_wrenches([0.7, -1.1], [1.3, -0.6], [-0.8, 2.1])
    assert f[1, :2] == pytest.approx([-0.453967597496, 14.0069827282], rel=1e-11)
    assert f[0, :2] == pytest.approx([-0.733762890315, 33.0147661374], rel=1e-11)
    assert f[:, 5] == pytest.approx([8.95178609256, 1.9242753188], rel=1e-11)
    assert f[:, 2:5] == pytest.approx(0.0, abs=1e-12)
