"""What a hand carries, found from torques: exactly without noise, honestly with it."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, UnknownNameError
from strobe.identify import Payload, identify_payload, partly_known, payload_regressor
from strobe.identify.least_squares import least_squares

PI = np.array([0.8, 0.016, -0.008, 0.048, 0.00596, 0.0072, 0.0024, 0.00016, -0.00096, 0.00048])
LOAD = (0.8, (0.02, -0.01, 0.06), (0.003, 0.004, 0.002, 0.0, 0.0, 0.0))
WRIST = ["joint4", "joint5", "joint6"]
BLIND = [1, 0, 0, -0.263, 0.069169, 0.069169, 0, 0, 0, 0]  # (1, −d6, d6², d6²): a point mass at the wrist
NOISE = np.array([0.2, 0.2, 0.5, 0.05, 0.05, 0.02])


@pytest.fixture(scope="module")
def arm(stanford):
    return stanford


@pytest.fixture(scope="module")
def loaded(arm):
    return arm.with_payload(*LOAD)


@pytest.fixture(scope="module")
def swing(swing):
    """The motion of constant accelerations that the report's methods are measured on, every 10 ms."""
    return swing(np.arange(0.0, swing.duration, 0.01))[:3]


# -- without noise ------------------------------------------------------------------------------------


def test_a_motion_gives_the_payload_back(arm, loaded, swing):
    found = identify_payload(arm, *swing, loaded.inverse_dynamics(*swing))
    assert np.allclose(found.parameters, PI, rtol=0, atol=1e-12)
    assert (found.rank, found.unseen, found.faults, found.notes) == (10, (), (), ())
    assert np.allclose(found.com, LOAD[1], atol=1e-12)
    assert np.allclose(found.inertia, np.diag(LOAD[2][:3]), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["panda", "puma560", "ur5"])
def test_other_arms_give_it_back_too_friction_and_rotors_included(name):
    robot = strobe.load(name)
    state = robot.random_state(seed=4, batch=(4, 6))
    found = identify_payload(robot, *state, robot.with_payload(*LOAD).inverse_dynamics(*state))
    assert np.allclose(found.parameters, PI, rtol=0, atol=1e-11)


def test_at_rest_only_mass_and_first_moments_are_seen(arm, loaded):
    q = arm.random_state(seed=0, batch=12)[0]
    found = identify_payload(arm, q, np.zeros(6), np.zeros(6), loaded.gravity(q))
    assert found.rank == 4
    assert np.allclose(found.parameters[:4], PI[:4], atol=1e-12)
    assert np.isinf(found.deviations[4:]).all()
    assert found.unseen[0] == "Ixx is not seen: no torque that was read depends on it."


def test_one_pose_and_unit_accelerations_of_the_wrist_decide_everything(arm, loaded):
    q, qdd = np.array([0.3, 0.9, 0.6, -0.4, 0.7, 1.1]), np.vstack([np.zeros(6), np.eye(6)[3:]])
    state = np.tile(q, (4, 1)), np.zeros((4, 6)), qdd
    found = identify_payload(arm, *state, loaded.inverse_dynamics(*state))
    assert found.rank == 10
    assert np.allclose(found.parameters, PI, atol=1e-12)


def test_wrist_torques_never_see_a_point_mass_at_the_wrist(arm, loaded):
    state = arm.random_state(seed=0, batch=50)
    found = identify_payload(arm, *state, loaded.inverse_dynamics(*state), joints=WRIST)
    assert (found.rank, found.joints) == (9, ("joint4", "joint5", "joint6"))
    assert np.allclose(found.fit.unseen, [BLIND], rtol=0, atol=1e-9)
    assert found.unseen == (
        "a point mass at (0, 0, -0.263) m is not seen: changing m by 1, m·cz by -0.263, Ixx by 0.069169, "
        "Iyy by 0.069169 together changes no torque that was read.",
    )
    assert found.seen[2].startswith("m·cz + 0.263 m = 0.2584 ± ")
    assert found.seen[3].startswith("Ixx − 0.069169 m = -0.0493752 ± ")
    assert np.allclose(found.fit.seen @ found.parameters, found.fit.seen @ PI, atol=1e-12)


@pytest.mark.parametrize("more", ["joint3", "joint1"])
def test_one_joint_before_the_wrist_completes_them(arm, loaded, more):
    state = arm.random_state(seed=0, batch=50)
    found = identify_payload(arm, *state, loaded.inverse_dynamics(*state), joints=[more, *WRIST])
    assert found.rank == 10
    assert np.allclose(found.parameters, PI, atol=1e-12)


def test_a_planar_arm_sees_the_plane_only():
    robot = strobe.load("planar2")
    state = robot.random_state(seed=0, batch=20)
    found = identify_payload(robot, *state, robot.with_payload(*LOAD).inverse_dynamics(*state))
    assert [name.split(" ")[0] for name in found.seen] == ["m", "m·cx", "m·cy", "Izz"]


def test_torques_of_joints_that_were_not_read_may_be_missing(arm, loaded, swing):
    tau = loaded.inverse_dynamics(*swing)
    tau[:, 1] = np.nan
    joints = [name for name in arm.joint_names if name != "joint2"]
    assert np.allclose(identify_payload(arm, *swing, tau, joints=joints).parameters, PI, atol=1e-11)


# -- with noise ---------------------------------------------------------------------------------------


def test_the_stated_uncertainty_is_honest_over_two_hundred_experiments(arm, loaded, swing):
    swing = [x[::3] for x in swing]
    tau, rng = loaded.inverse_dynamics(*swing), np.random.default_rng(0)
    Y = (payload_regressor(arm, *swing) / NOISE[:, None]).reshape(-1, 10)
    left = tau - arm.inverse_dynamics(*swing)
    distances, z = [], []
    for _ in range(200):
        fit = least_squares(
            Y, ((left + rng.normal(size=tau.shape) * NOISE) / NOISE).ravel(), unit_noise=True
        )
        error = fit.values - PI
        distances.append(error @ fit.information @ error)
        z.append(error / fit.deviations)
    assert abs(np.mean(distances) - 10) < 4 * np.sqrt(20 / 200)  # χ² with ten degrees of freedom
    assert np.all(np.abs(np.std(z, axis=0) - 1) < 0.25)
    assert np.mean(np.abs(z) < 2) == pytest.approx(0.954, abs=0.03)


@pytest.mark.parametrize("seed", range(3))
def test_the_estimate_lies_within_a_few_deviations(arm, loaded, swing, seed):
    noisy = loaded.inverse_dynamics(*swing)
    noisy = noisy + np.random.default_rng(seed).normal(size=noisy.shape) * NOISE
    found = identify_payload(arm, *swing, noisy, noise=NOISE)
    assert np.all(np.abs(found.parameters - PI) < 4 * found.deviations)
    assert np.allclose(found.rms / NOISE, 1.0, atol=0.3)


def test_noise_that_is_not_known_is_taken_from_what_is_left(arm, loaded, swing):
    tau = loaded.inverse_dynamics(*swing)
    noisy = tau + 0.1 * np.random.default_rng(1).normal(size=tau.shape)
    open_, stated = (identify_payload(arm, *swing, noisy, noise=noise) for noise in (None, 0.1))
    assert np.allclose(open_.parameters, stated.parameters)
    assert np.allclose(open_.deviations / stated.deviations, 1.0, atol=0.1)


def test_a_covariance_of_independent_torques_is_their_deviations(arm, loaded, swing):
    tau = loaded.inverse_dynamics(*swing)
    plain, matrix = (
        identify_payload(arm, *swing, tau, noise=noise) for noise in (NOISE, np.diag(NOISE**2))
    )
    assert np.allclose(plain.covariance, matrix.covariance, rtol=1e-9)


def test_two_experiments_one_after_the_other_say_what_both_say_together(arm, loaded):
    state = arm.random_state(seed=0, batch=30)
    tau = loaded.inverse_dynamics(*state) + np.random.default_rng(0).normal(size=(30, 6)) * NOISE
    first = identify_payload(arm, *(x[:10] for x in state), tau[:10], noise=NOISE, joints=WRIST)
    then = identify_payload(arm, *(x[10:] for x in state), tau[10:], noise=NOISE, prior=first)
    rows = np.r_[np.zeros((10, 3)), np.zeros((20, 3))] + NOISE[:3]
    rows[:10] = 1e9  # the first torques were not read in the first ten samples
    spread = np.hstack([rows, np.tile(NOISE[3:], (30, 1))])
    covariance = spread[:, :, None] ** 2 * np.eye(6)
    both = identify_payload(arm, *state, tau, noise=covariance)
    assert (first.rank, then.rank) == (9, 10)
    assert np.allclose(then.parameters, both.parameters, rtol=1e-6, atol=1e-9)


def test_what_is_partly_known_completes_what_torques_leave_open(arm, loaded):
    state = arm.random_state(seed=0, batch=50)
    tau = loaded.inverse_dynamics(*state)
    known = partly_known(arm, 0.8, 0.3)
    found = identify_payload(arm, *state, tau, joints=WRIST, noise=0.01, prior=known)
    assert found.rank == 10
    assert np.all(np.abs(found.parameters - PI) < 3 * found.deviations + 1e-9)
    assert found.deviations[3] < 0.01


def test_ten_parameters_and_deviations_are_a_prior(arm):
    q, qd, qdd = arm.random_state(seed=0)
    prior = (PI, np.full(10, 1e-6))
    tau = arm.inverse_dynamics(q, qd, qdd)
    found = identify_payload(arm, q, qd, qdd, tau, noise=1.0, prior=prior)
    assert np.allclose(found.parameters, PI, atol=1e-4)


@pytest.mark.slow
def test_as_many_numbers_as_unknowns_leave_the_noise_open():
    robot = strobe.load("planar2")
    state = robot.random_state(seed=0, batch=5)
    found = identify_payload(robot, *state, robot.inverse_dynamics(*state))
    assert found.notes[-1].startswith("Iyz is not seen")
    arm = strobe.load("stanford").lock({"joint6": 0.0})
    state = arm.random_state(seed=0, batch=2)
    found = identify_payload(arm, *state, arm.with_payload(*LOAD).inverse_dynamics(*state))
    assert found.rank == 10
    assert np.isnan(found.deviations).all()
    assert found.notes == (
        "as many numbers as unknowns were read, which leaves none to tell the noise from; give noise=.",
    )
    with pytest.raises(
        ArgumentError, match="the prior's uncertainty is not known; identify it with noise="
    ):
        identify_payload(arm, *state, np.zeros((2, 5)), noise=1.0, prior=found)


# -- physical consistency -----------------------------------------------------------------------------


def with_parameters(arm, parameters):
    state = arm.random_state(seed=0, batch=20)
    tau = arm.inverse_dynamics(*state) + payload_regressor(arm, *state) @ parameters
    return identify_payload(arm, *state, tau)


def test_a_negative_mass_is_said(arm):
    fault = with_parameters(arm, -PI).faults[0]
    assert fault.startswith("the mass is -0.8 ± ")
    assert fault.endswith(" kg; a mass is not negative.")


def test_a_broken_triangle_inequality_is_said(arm):
    wrong = np.array([1.0, 0, 0, 0, 0.001, 0.001, 0.005, 0, 0, 0])
    (fault,) = with_parameters(arm, wrong).faults
    assert fault.startswith(
        "the principal moments about the centre of mass are (0.001, 0.001, 0.005) kg m²; in no body is one larger "
        "than the sum of the other two. It is by 0.003 ± "
    )
    (fault,) = with_parameters(arm, np.array([1.0, 0.1, 0, 0, 0.01, 0.001, 0.001, 0, 0, 0])).faults
    assert "are (-0.009, -0.009, 0.01) kg m²" in fault


@pytest.mark.slow
def test_how_far_moments_break_the_rule_comes_with_its_deviation(arm, loaded, swing):
    tau, rng = loaded.inverse_dynamics(*swing), np.random.default_rng(0)
    faults = []
    for _ in range(40):
        found = identify_payload(arm, *swing, tau + rng.normal(size=tau.shape) * NOISE, noise=NOISE)
        faults += [fault.split(" It is by ")[1].rstrip(".").split(" ± ") for fault in found.faults]
    assert 0 < len(faults) < 40
    assert all(float(size) < 4 * float(spread) for size, spread in faults)


@pytest.mark.parametrize("load", [np.zeros(10), [1.0, 0, 0, 0.1, 0.01, 0.01, 0, 0, 0, 0]])
def test_an_empty_hand_and_a_point_mass_are_no_fault(arm, load):
    assert with_parameters(arm, np.array(load)).faults == ()


# -- what is printed ----------------------------------------------------------------------------------


def test_a_payload_prints_as_a_table(arm, loaded, swing):
    noisy = loaded.inverse_dynamics(*swing)
    lines = str(identify_payload(arm, *swing, noisy, noise=NOISE, joints=WRIST)).splitlines()
    assert lines[0].startswith(
        "payload at tool: 9 of 10 combinations decided by torques of joint4, joint5, joint6, "
    )
    assert lines[1] == "  m     left open"
    assert lines[2].startswith("  m·cx   0.016 ± ")
    assert lines[-1].startswith("a point mass at (0, 0, -0.263) m is not seen")


@pytest.mark.slow
def test_a_payload_is_what_simulation_takes(arm, loaded, swing):
    found = identify_payload(arm, *swing, loaded.inverse_dynamics(*swing))
    assert isinstance(found, Payload)
    q0, rest = np.array([0, 0.6, 0.4, 0, 0.5, 0]), np.zeros(6)
    runs = [
        strobe.simulate(arm, q0, rest, None, 0.05, step=1e-3, payload=found.parameters),
        strobe.simulate(loaded, q0, rest, None, 0.05, step=1e-3),
    ]
    assert np.allclose(runs[0].q, runs[1].q, atol=1e-9)


# -- bad input ----------------------------------------------------------------------------------------


def test_too_few_samples_are_refused(arm):
    state = arm.random_state(seed=0)
    with pytest.raises(
        ArgumentError, match="^1 sample of 6 joints are 6 numbers for 10 unknowns; give more samples"
    ):
        identify_payload(arm, *state, np.zeros(6))
    with pytest.raises(ArgumentError, match="^0 samples of 6 joints are 0 numbers"):
        identify_payload(arm, np.zeros((0, 6)), np.zeros((0, 6)), np.zeros((0, 6)), np.zeros((0, 6)))


@pytest.mark.parametrize(
    ("noise", "sentence"),
    [
        (-0.1, "noise is -0.1; a standard deviation is positive."),
        (0.0, "noise is 0; a standard deviation is positive."),
        ([1, 1, 1, 1, 1, -1], "noise is (1, 1, 1, 1, 1, -1); a standard deviation is positive."),
        (np.nan, "noise is nan; a standard deviation is positive."),
        (-np.eye(6), "noise is no covariance: a matrix of it is not positive definite."),
    ],
)
def test_noise_that_is_none_is_refused(arm, noise, sentence):
    state = arm.random_state(seed=0, batch=5)
    with pytest.raises(ArgumentError) as error:
        identify_payload(arm, *state, np.zeros((5, 6)), noise=noise)
    assert str(error.value).startswith(sentence)


def test_shapes_that_do_not_fit_are_refused(arm):
    state = arm.random_state(seed=0, batch=5)
    with pytest.raises(ShapeError, match="tau has shape \\(5, 5\\); stanford has 6 joints, expected"):
        identify_payload(arm, *state, np.zeros((5, 5)))
    with pytest.raises(
        ShapeError, match="tau has shape \\(4, 6\\); every state has its own torques, expected \\(5, 6\\)"
    ):
        identify_payload(arm, *state, np.zeros((4, 6)))
    with pytest.raises(ShapeError, match="noise has shape \\(3,\\); stanford has 6 joints, expected"):
        identify_payload(arm, *state, np.zeros((5, 6)), noise=[1, 1, 1])
    with pytest.raises(
        ShapeError, match="noise has shape \\(4, 6, 6\\); it is a covariance, expected \\(5, 6, 6\\)"
    ):
        identify_payload(arm, *state, np.zeros((5, 6)), noise=np.tile(np.eye(6), (4, 1, 1)))


def test_numbers_that_are_none_are_found(arm):
    q, qd, qdd = arm.random_state(seed=0, batch=5)
    tau = np.zeros((5, 6))
    tau[3, 1] = np.nan
    with pytest.raises(
        ArgumentError, match="tau is nan at sample 3, joint joint2; leave out what was not measured"
    ):
        identify_payload(arm, q, qd, qdd, tau)
    q[2, 4] = np.inf
    with pytest.raises(ArgumentError, match="q is inf at sample 2, number 4;"):
        identify_payload(arm, q, qd, qdd, np.zeros((5, 6)))


def test_unknown_joints_and_frames_are_refused(arm):
    state = (*arm.random_state(seed=0, batch=5), np.zeros((5, 6)))
    with pytest.raises(UnknownNameError, match='no joint "wrist" in stanford'):
        identify_payload(arm, *state, joints=["wrist"])
    with pytest.raises(ArgumentError, match="joints is empty; name the joints whose torques were read"):
        identify_payload(arm, *state, joints=[])
    with pytest.raises(UnknownNameError, match='no frame "gripper" in stanford'):
        identify_payload(arm, *state, frame="gripper")
    with pytest.raises(ArgumentError, match='no joint of stanford moves frame "base"'):
        identify_payload(arm, *state, frame="base")


@pytest.mark.parametrize(
    ("prior", "noise", "sentence"),
    [
        ((PI, np.ones(10)), None, "a prior is weighed against the noise of the torques; give noise=."),
        ((PI,), 1.0, "prior has 1 parts; expected ten parameters and their ten standard deviations."),
        (
            (PI, -np.ones(10)),
            1.0,
            "the prior's deviations are (-1, -1, -1, -1, -1, -1, -1, -1, -1, -1); a standard",
        ),
        ((PI[:9], np.ones(10)), 1.0, "the prior's parameters is "),
        (0.8, 1.0, "prior is a float; expected a payload, or ten parameters and ten deviations."),
    ],
)
def test_priors_that_are_none_are_refused(arm, prior, noise, sentence):
    state = (*arm.random_state(seed=0, batch=5), np.zeros((5, 6)))
    with pytest.raises(ArgumentError) as error:
        identify_payload(arm, *state, noise=noise, prior=prior)
    assert str(error.value).startswith(sentence)
