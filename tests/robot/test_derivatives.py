"""Derivatives of a robot's dynamics and Jacobians: laws, borders, friction, couplings, second order."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import ShapeError, SingularMassMatrixError, UnsupportedModelError
from strobe.models.inertial import Inertial
from strobe.models.random_robots import random_model
from strobe.quantities import Request
from strobe.quantities.drives import COULOMB_SPEED
from strobe.robot import Robot

H = 1e-6
WRENCH = np.array([3.0, -2.0, 5.0, 0.4, 0.5, -0.6])
MODELS = {
    "puma560": strobe.load("puma560").model,  # rotors and friction
    "parallelogram": strobe.load("parallelogram").model,  # a joint that follows
    "tree": random_model(3, 8, kinds="RPS", tree=True),  # one joint of each kind, and a fork
    "floating": random_model(2, 4, kinds="FR"),
    "screws and planes": random_model(3, 6, kinds="HE", tree=True),
}
ROBOTS = {name: Robot(model, compiled=False) for name, model in MODELS.items()}


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    return ROBOTS[request.param]


def close(a, b, tolerance):
    return np.abs(a - b).max() <= tolerance * np.abs(b).max()


def differences(robot, function, q, *rest):
    """Central differences of a function of q along every degree of freedom, in a last axis."""
    columns = []
    for unit in np.eye(robot.n):
        ends = [function(robot.integrate(q, sign * H * unit), *rest) for sign in (1, -1)]
        columns.append((ends[0] - ends[1]) / (2 * H))
    return np.stack(columns, axis=-1)


def test_they_are_the_differences_of_torques_under_a_wrench(robot):
    q, qd, qdd = robot.random_state(seed=3)
    found = robot.inverse_dynamics_derivatives(q, qd, qdd, wrench=WRENCH)

    def torques(q, qd):
        return robot.inverse_dynamics(q, qd, qdd, wrench=WRENCH)

    assert close(found.dtau_dq, differences(robot, torques, q, qd), 1e-7)
    faster = [(torques(q, qd + H * e) - torques(q, qd - H * e)) / (2 * H) for e in np.eye(robot.n)]
    assert close(found.dtau_dqd, np.stack(faster, axis=-1), 1e-7)
    assert close(found.M, robot.mass_matrix(q), 1e-13)


def test_they_are_the_differences_of_accelerations(robot):
    q, qd, tau = robot.random_state(seed=4)
    found = robot.forward_dynamics_derivatives(q, qd, tau, wrench=WRENCH)

    def accelerations(q, qd):
        return robot.forward_dynamics(q, qd, tau, wrench=WRENCH)

    assert close(found.dqdd_dq, differences(robot, accelerations, q, qd), 1e-6)
    faster = [
        (accelerations(q, qd + H * e) - accelerations(q, qd - H * e)) / (2 * H) for e in np.eye(robot.n)
    ]
    assert close(found.dqdd_dqd, np.stack(faster, axis=-1), 1e-6)
    assert close(found.Minv @ robot.mass_matrix(q), np.eye(robot.n), 1e-9)


def test_accelerations_and_torques_change_against_each_other(robot):
    q, qd, qdd = robot.random_state(seed=5)
    tau = robot.inverse_dynamics(q, qd, qdd)
    one, other = (
        robot.inverse_dynamics_derivatives(q, qd, qdd),
        robot.forward_dynamics_derivatives(q, qd, tau),
    )
    assert close(-one.M @ other.dqdd_dq, one.dtau_dq, 1e-9)
    assert close(-one.M @ other.dqdd_dqd, one.dtau_dqd, 1e-9)


def test_the_hessian_of_a_frame_is_the_difference_of_its_jacobian(robot):
    q, qd, _ = robot.random_state(seed=6)
    frame = robot.frames[-1]
    found = robot.jacobian_derivative(q, frame)
    assert found.shape == (6, robot.n, robot.n)
    assert np.abs(found - differences(robot, lambda q: robot.jacobian(q, frame), q)).max() < 1e-7
    assert found @ qd == pytest.approx(robot.jacobian_dot(q, qd, frame), abs=1e-12)


@pytest.mark.slow
def test_gravity_is_a_gradient_and_its_derivative_symmetric():
    for robot in (ROBOTS["puma560"], ROBOTS["parallelogram"], Robot(random_model(5, 1, tree=True))):
        q, still = robot.random_state(seed=1)[0], np.zeros(robot.n)
        stiffness = robot.inverse_dynamics_derivatives(q, still, still).dtau_dq
        assert close(stiffness, stiffness.T, 1e-12)


@pytest.mark.slow
def test_compiled_is_interpreted_on_batches_threads_and_in_both_precisions(robot):
    plain, robot = robot, Robot(robot.model)
    q, qd, x = robot.random_state(seed=7, batch=(3, 5))
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        wanted = getattr(plain, name)(q, qd, x, wrench=WRENCH)
        ours = getattr(robot, name)(q, qd, x, wrench=WRENCH)
        split = getattr(robot, name)(q, qd, x, wrench=WRENCH, threads=2)
        coarse = [np.float32(part) for part in (q, qd, x)]
        single = getattr(robot, name)(*coarse, wrench=np.float32(WRENCH))
        double = getattr(plain, name)(*(part.astype(float) for part in coarse), wrench=WRENCH)
        for k, field in enumerate(wanted._fields):
            assert ours[k].shape == (3, 5, robot.n, robot.n)
            assert close(ours[k], wanted[k], 1e-10), field
            assert (split[k] == ours[k]).all()
            assert single[k].dtype == np.float32
            assert close(single[k], double[k], 2e-3)


def test_all_three_matrices_can_be_written_into_one_array(robot):
    q, qd, qdd = robot.random_state(seed=8, batch=4)
    out = np.empty((4, 3, robot.n, robot.n))
    found = robot.inverse_dynamics_derivatives(q, qd, qdd, out=out)
    assert all(np.shares_memory(matrix, out) for matrix in found)
    assert (out[:, 2] == found.M).all()
    with pytest.raises(ShapeError, match="out has shape"):
        robot.inverse_dynamics_derivatives(q, qd, qdd, out=out[:, 0])


def test_friction_adds_damping_and_the_slope_of_its_ramp():
    robot = ROBOTS["puma560"]
    joints, v0 = robot.model.joints, COULOMB_SPEED
    damping = np.array([joint.damping for joint in joints])
    forwards, backwards = np.array([joint.coulomb for joint in joints]).T
    q, _, qdd = robot.random_state(seed=0)

    def slopes(rate):
        qd = np.full(6, rate)
        both = (
            robot.inverse_dynamics_derivatives(q, qd, qdd, friction=friction) for friction in (True, False)
        )
        with_friction, without = (np.diag(found.dtau_dqd) for found in both)
        return with_friction - without

    assert slopes(0.5 * v0) == pytest.approx(damping + forwards / v0)
    assert slopes(-0.5 * v0) == pytest.approx(damping + backwards / v0)
    assert slopes(0.0) == pytest.approx(damping + forwards / v0)  # at rest: that of forwards
    # at the kink: that of the ramp, on either side
    assert slopes(v0) == pytest.approx(damping + forwards / v0)
    assert slopes(-v0) == pytest.approx(damping + backwards / v0)
    assert slopes(np.nextafter(v0, 1.0)) == pytest.approx(damping)
    assert slopes(-2.0 * v0) == pytest.approx(damping)


def test_a_rate_that_is_no_number_gives_no_slope():
    robot = ROBOTS["puma560"]
    q, qd, qdd = robot.random_state(seed=0)
    qd[5] = np.nan
    found = robot.inverse_dynamics_derivatives(q, qd, qdd)
    assert np.isnan(found.dtau_dqd[5, 5])
    assert np.isfinite(found.M).all()


def test_gravity_of_another_place_enters_the_derivatives():
    robot = ROBOTS["tree"]
    q, qd, qdd = robot.random_state(seed=2)
    down = [1.0, 2.0, -3.0]
    found = robot.inverse_dynamics_derivatives(q, qd, qdd, gravity=down).dtau_dq
    wanted = differences(robot, lambda q: robot.inverse_dynamics(q, qd, qdd, gravity=down), q)
    assert close(found, wanted, 1e-7)


def test_closed_chains_are_refused():
    robot = strobe.load("fourbar")
    n = robot.n
    sentence = "has closed chains, and its joints cannot move one by one"
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        with pytest.raises(UnsupportedModelError, match=sentence):
            getattr(robot, name)(robot.neutral, np.zeros(n), np.zeros(n))


def test_an_arm_with_a_joint_that_moves_nothing_is_refused_by_name():
    model = random_model(3, 0, kinds="R")
    empty = replace(model.bodies[-1], inertial=Inertial.zero())
    robot = Robot(replace(model, bodies=(*model.bodies[:-1], empty), golden=()))
    q, qd, tau = robot.random_state(seed=0)
    with pytest.raises(SingularMassMatrixError, match="forward dynamics derivatives is not defined"):
        robot.forward_dynamics_derivatives(q, qd, tau)


# -- second order ----------------------------------------------------------------------------------------


def test_second_derivatives_are_the_differences_of_the_first(robot):
    q, qd, qdd = robot.random_state(seed=9)
    found = robot.inverse_dynamics_second_derivatives(q, qd, qdd)

    def first(which):
        return lambda q: robot.inverse_dynamics_derivatives(q, qd, qdd)[which]

    assert close(found.d2tau_dqdq, differences(robot, first(0), q), 1e-6)
    assert close(found.dM_dq, differences(robot, first(2), q), 1e-6)
    for which, part in ((0, found.d2tau_dqdqd), (1, found.d2tau_dqddqd)):
        faster = [
            (robot.inverse_dynamics_derivatives(q, qd + H * e, qdd)[which]
             - robot.inverse_dynamics_derivatives(q, qd - H * e, qdd)[which]) / (2 * H)
            for e in np.eye(robot.n)
        ]  # fmt: skip
        assert close(part, np.stack(faster, axis=-1), 1e-6)


@pytest.mark.slow
def test_second_derivatives_of_one_degree_joints_are_symmetric_and_hold_the_christoffel_symbols():
    robot = Robot(random_model(3, 3, kinds="RP", tree=True))
    q, qd, qdd = robot.random_state(seed=1, batch=2)
    found = robot.inverse_dynamics_second_derivatives(q, qd, qdd)
    plain = Robot(robot.model, compiled=False).inverse_dynamics_second_derivatives(q, qd, qdd)
    assert all(close(ours, wanted, 1e-12) for ours, wanted in zip(found, plain, strict=True))
    assert close(found.d2tau_dqdq, np.swapaxes(found.d2tau_dqdq, -1, -2), 1e-11)
    dM = found.dM_dq
    symbols = 0.5 * (dM + np.swapaxes(dM, -1, -2) - np.moveaxis(dM, -1, -3))
    assert close(found.d2tau_dqddqd, 2.0 * symbols, 1e-11)
    assert np.einsum("...ijk,...k->...ij", symbols, qd) == pytest.approx(
        robot.coriolis_matrix(q, qd), abs=1e-10
    )


def test_any_quantity_can_be_differentiated_by_what_it_takes():
    robot = ROBOTS["floating"]
    q, qd, _ = robot.random_state(seed=2, batch=3)
    request = Request("center_of_mass", by=("q",))
    shift = Robot(robot.model).kernel(request)({"q": q})
    assert shift.shape == (3, 3, robot.n)
    before, after = (robot.center_of_mass(robot.integrate(q, sign * H * qd)) for sign in (-1, 1))
    assert np.einsum("...ij,...j->...i", shift, qd) == pytest.approx((after - before) / (2 * H), abs=1e-7)
    assert close(shift, robot.evaluate(request, {"q": q}), 1e-13)
