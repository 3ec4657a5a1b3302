"""The block form of extended coordinates: the paper's values, the translating base, and skew Ḋ_e − 2 C_e."""

import numpy as np
import pytest

import strobe
from strobe.errors import ShapeError, UnsupportedModelError
from strobe.mechanisms import block_form
from strobe.models.load import load_model
from strobe.models.random_robots import random_model

STATE = [0.4, -0.6, 0.9], [1.1, -0.8, 0.5]
GOLDEN = {  # of pendulum3 at that state
    "A": [
        [-0.136655346841, -0.66411758574, -0.131988476442],
        [0.323220290167, -0.280784411696, -0.0558038327913],
        [0, -0.350921700377, 0.0443280309992],
    ],
    "B": [
        [-0.552267932144, 0.587853495146, 0.0491355699822],
        [0.314978948846, -0.612573992667, -0.150365968591],
        [0, -0.50517808636, -0.0429901420107],
    ],
    "mass": 4.5,
    "gravity": [0, 0, 44.145, 0, -3.4425418807, 0.434857984102],
}
ROBOTS = {
    "pendulum3": lambda: load_model("pendulum3"),
    "puma560": lambda: load_model("puma560"),  # rotors
    "biped10": lambda: load_model("biped10"),  # a base with mass
    "parallelogram": lambda: load_model("parallelogram"),  # joints that follow others
    "tree": lambda: random_model(5, 4, kinds="RPS", tree=True),
}


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    return strobe.Robot(ROBOTS[request.param](), compiled=False)


@pytest.mark.parametrize("compiled", [True, False])
def test_the_pendulum_has_the_blocks_of_the_paper(compiled):
    found = block_form(strobe.Robot(load_model("pendulum3"), compiled), *STATE)
    for name, value in GOLDEN.items():
        assert getattr(found, name) == pytest.approx(np.array(value), rel=1e-11, abs=1e-13), name


def test_the_blocks_make_up_the_matrices_of_the_robot_on_a_translating_base(robot):
    q, qd, _ = robot.random_state(1, batch=(2, 3))
    sliding = robot.with_base("translating")
    base, drift = (np.broadcast_to(x, (2, 3, 3)) for x in ([1.0, -2.0, 3.0], [0.3, 0.2, -0.1]))
    whole, rates = np.concatenate([base, q], axis=-1), np.concatenate([drift, qd], axis=-1)
    found = block_form(robot, q, qd)
    pairs = (
        (found.mass_matrix, sliding.mass_matrix(whole)),
        (found.coriolis_matrix, sliding.coriolis_matrix(whole, rates)),
        (found.gravity, sliding.gravity(whole)),
    )
    for ours, expected in pairs:
        assert ours == pytest.approx(expected, abs=1e-12 * np.abs(expected).max())


@pytest.mark.parametrize("form", ["christoffel", "decomposition"])
def test_the_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(robot, form):
    q, qd, _ = robot.random_state(2)
    h = 1e-6
    up, down = (block_form(robot, robot.integrate(q, qd, s * h), qd).mass_matrix for s in (1, -1))
    N = (up - down) / (2 * h) - 2 * block_form(robot, q, qd, form=form).coriolis_matrix
    assert pytest.approx(-N.T, abs=1e-7 * np.abs(N).max()) == N


def test_the_first_rows_with_the_base_at_rest_are_the_force_through_the_first_joint_and_the_weight_of_the_base():
    robot = strobe.Robot(load_model("biped10"), compiled=False)
    q, qd, qdd = robot.random_state(3)
    found = block_form(robot, q, qd)
    force = found.A @ qdd + found.B @ qd + found.weight
    base = float(robot.model.base_inertial.m) * np.array([0, 0, 9.81])
    assert force == pytest.approx(robot.joint_wrenches(q, qd, qdd)[0, :3] + base, rel=1e-12)


def test_states_broadcast():
    robot = strobe.load("pendulum3")
    q, qd, _ = robot.random_state(4, batch=5)
    found = block_form(robot, q, qd[0])
    assert found.mass_matrix.shape == found.coriolis_matrix.shape == (5, 6, 6)
    assert found.gravity.shape == (5, 6)
    one = block_form(robot, q[0], qd)
    assert (one.mass_matrix.shape, one.coriolis_matrix.shape) == ((6, 6), (5, 6, 6))
    assert found.coriolis_matrix[0] == pytest.approx(one.coriolis_matrix[0], abs=1e-15)


def test_float32_in_float32_out():
    robot = strobe.Robot(load_model("pendulum3"), compiled=False)
    found = block_form(robot, *(np.array(x, np.float32) for x in STATE))
    for matrix in (found.mass_matrix, found.coriolis_matrix, found.gravity):
        assert matrix.dtype == np.float32


@pytest.mark.slow
def test_gravity_may_point_anywhere():
    robot = strobe.load("pendulum3").with_gravity([1.0, -2.0, 3.0])
    assert block_form(robot, *STATE).weight == pytest.approx(-4.5 * np.array([1.0, -2.0, 3.0]))


@pytest.mark.parametrize("base", ["translating", "floating"])
def test_a_base_that_moves_already_is_refused(base):
    robot = strobe.load("pendulum3", base=base)
    with pytest.raises(UnsupportedModelError) as error:
        block_form(robot, robot.neutral, np.zeros(robot.nv))
    assert str(error.value) == (
        f"pendulum3 stands on a {base} base, which its own coordinates move already; extended coordinates are "
        'those of a fixed one: robot.with_base("fixed").'
    )


def test_a_state_of_another_size_is_refused_as_everywhere():
    with pytest.raises(ShapeError, match=r"q has shape \(2,\); pendulum3 has 3 joints"):
        block_form(strobe.load("pendulum3"), [0.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize(
    "name", ["ur_description/urdf/ur5_robot.urdf", "solo_description/robots/solo12.urdf"]
)
def test_they_are_pinocchio_s_with_a_translation_joint(name):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")
    from benchmarks.robots import Real

    robot = strobe.Robot(Real(name).load().model, compiled=False)
    model = pin.buildModelFromUrdf(str(Real(name).path), pin.JointModelTranslation())
    data = model.createData()
    order = [0, 1, 2, *(model.joints[model.getJointId(joint)].idx_v for joint in robot.joint_names)]
    q, qd, _ = robot.random_state(5)
    position, velocity = np.empty(model.nq), np.empty(model.nv)
    position[order], velocity[order] = [0.3, -0.2, 1.0, *q], [0.5, 0.1, -0.4, *qd]
    upper = np.triu(pin.crba(model, data, position))
    D = upper + np.triu(upper, 1).T
    C = pin.computeCoriolisMatrix(model, data, position, velocity)
    G = pin.computeGeneralizedGravity(model, data, position)
    found, square = block_form(robot, q, qd), np.ix_(order, order)
    pairs = ((found.mass_matrix, D[square]), (found.coriolis_matrix, C[square]), (found.gravity, G[order]))
    for ours, theirs in pairs:
        assert ours == pytest.approx(theirs, abs=1e-11 * np.abs(theirs).max())
