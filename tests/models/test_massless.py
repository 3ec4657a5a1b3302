"""A model as it is: robots without mass have kinematics, and no torques of zero."""

import pytest

import strobe
from strobe.errors import UnsupportedModelError


def massless() -> strobe.Robot:
    return strobe.from_dh([("R", 0.0, 0.1, 0.0, 1.5), ("R", 0.0, 0.0, 0.3, 0.0)])


@pytest.mark.parametrize(
    "ask",
    [
        lambda r: r.inverse_dynamics([0, 0], [0, 0], [1, 1]),
        lambda r: r.mass_matrix([0, 0]),
        lambda r: r.gravity([0, 0]),
        lambda r: r.energy([0, 0], [0, 0]),
        lambda r: r.equations().mass_matrix,
        lambda r: r.simulate([0, 0], [0, 0], None, 0.1),
        lambda r: r.explain([0, 0], [0, 0], [0, 0]),
        lambda r: r.export("inverse_dynamics"),
        lambda r: r.joint_wrenches([0, 0], [0, 0], [0, 0]),
    ],
)
def test_dynamics_of_a_robot_without_mass_is_refused_and_not_zero(ask) -> None:
    with pytest.raises(UnsupportedModelError, match="has no dynamics: none of its moving links has mass"):
        ask(massless())


def test_a_robot_without_mass_has_kinematics_regressors_and_what_is_given_to_it() -> None:
    robot, heavy = massless(), [1.0, 0.0, 0.0, 0.1, 0.1, 0.1, 0.1, 0.0, 0.0, 0.0] * 2
    state = [0.3, -0.2], [0.1, 0.4], [1.0, -1.0]
    assert robot.jacobian(state[0]).shape == (6, 2)
    expected = robot.regressor(*state) @ heavy
    assert robot.inverse_dynamics(*state, parameters=heavy) == pytest.approx(expected, abs=1e-12)
    assert robot.with_parameters(heavy).inverse_dynamics(*state) == pytest.approx(expected, abs=1e-12)
    assert abs(robot.with_payload(2.0).gravity(state[0])[1]) > 1
