"""Torques with something left out: exact where nothing is missing, and as wrong as measured where something is."""

import numpy as np
import pytest

import strobe
from strobe.approximate.omitted_terms import (
    GravityOnly,
    LockedJoints,
    ReducedInteraction,
    WithoutDistalLinks,
    WithoutVelocityTerms,
)
from strobe.errors import ArgumentError, StrobeError, UnknownNameError, UnsupportedModelError

METHODS = [WithoutVelocityTerms, GravityOnly, ReducedInteraction, WithoutDistalLinks]
PENDULUM = """<robot name="pendulum"><link name="base"/>
  <link name="rod"><inertial><origin xyz="0.2 0.1 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <dynamics damping="0.3" friction="0.1"/><limit lower="-3" upper="3" velocity="2" effort="9"/></joint></robot>"""
GANTRY = """<robot name="gantry"><link name="base"/>
  {links}
  <joint name="x" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/>{limit}</joint>
  <joint name="y" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>{limit}</joint>
  <joint name="z" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>{limit}</joint>
  <joint name="u" type="revolute"><parent link="c"/><child link="d"/><axis xyz="1 0 0"/>{limit}</joint>
  <joint name="v" type="revolute"><parent link="d"/><child link="e"/><axis xyz="0 1 0"/>{limit}</joint></robot>"""


@pytest.fixture(scope="module")
def swing(stanford, swing):
    """The reference motion from rest to rest, in 201 samples: q, qd, qdd and the exact torques."""
    assert swing.duration == pytest.approx(1.86666666667)
    _, state = swing.sampled(count=201)
    return (*state, stanford.inverse_dynamics(*state))


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory):
    return _read(tmp_path_factory, "pendulum", PENDULUM)


@pytest.fixture(scope="module")
def gantry(tmp_path_factory):
    link = (
        '<link name="{}"><inertial><origin xyz="0.03 0.05 0.07"/><mass value="{}"/>'
        '<inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0.002" iyz="0.003"/></inertial></link>'
    )
    links = "".join(link.format(name, mass) for name, mass in zip("abcde", (5, 4, 3, 2, 1), strict=True))
    limit = '<limit lower="-2" upper="2" velocity="2" effort="9"/>'
    return _read(tmp_path_factory, "gantry", GANTRY.format(links=links, limit=limit))


def _read(tmp_path_factory, name, text):
    path = tmp_path_factory.mktemp("models") / f"{name}.urdf"
    path.write_text(text)
    return strobe.load(path)


def rms(x):
    return np.sqrt(np.mean(x**2, axis=0))


def off(found, printed, digits):
    """By how many units of the last digit printed; one is allowed, and half of one for rounding."""
    return np.abs(np.asarray(found) - printed).max() * 10.0**digits


# -- what the reference motion measures ---------------------------------------------------------------


def test_the_exact_torques_of_the_reference_motion_are_the_reference_ones(swing):
    assert off(rms(swing[3])[:3], [2.136, 14.26, 37.98], 2) < 1.5
    assert off(rms(swing[3])[3:], [0.279, 0.358, 0.0011], 3) < 1.5


def test_without_velocity_terms_the_reference_motion_loses_what_is_known(stanford, swing):
    *state, tau = swing
    lost = WithoutVelocityTerms(stanford).inverse_dynamics(*state) - tau
    assert off(rms(lost), [0.728, 0.381, 0.890, 0.008, 0.036, 0], 3) < 1.5


def test_the_largest_loss_of_velocity_terms_falls_with_the_square_of_the_speed(stanford):
    motion = stanford.plan(
        [[0, 0.6, 0.4, 0, 0.5, 0], [1.2, 1.3, 0.8, 1, -0.6, 1.5]],
        velocity=[1, 1, 0.6, 2, 2, 2],
        acceleration=[1.5, 1.5, 0.8, 4, 4, 4],
    )
    _, (q, qd, qdd) = motion.sampled(count=31)  # 2.134 is the largest between samples
    method = WithoutVelocityTerms(stanford)
    for speed, printed in ((1, 2.098), (0.5, 0.524), (0.25, 0.131), (0.1, 0.021)):
        state = q, speed * qd, speed**2 * qdd
        lost = method.inverse_dynamics(*state) - stanford.inverse_dynamics(*state)
        assert off(np.linalg.norm(lost, axis=1).max(), printed, 3) < 1.5


def test_without_distal_links_the_reference_motion_is_as_wrong_as_is_known(stanford, swing):
    *state, tau = swing
    wrong = rms(WithoutDistalLinks(stanford).inverse_dynamics(*state) - tau)
    assert off(wrong[:3], [1.71, 14.25, 12.57], 2) < 1.5
    assert off(wrong[3:], [0.306, 0.357, 0], 3) < 1.5


def test_neglecting_distal_links_warns_with_the_joint_that_is_all_wrong(stanford):
    missing, warning = WithoutDistalLinks(stanford).notes
    assert missing == "What the links beyond a joint weigh, and how they resist acceleration, is missing."
    assert warning.startswith(
        "WARNING: at rest in 256 random poses torques are wrong (rms) by 20.9 of 20.9 N·m at joint2 (100%), "
    )
    assert warning.endswith("Do not use it where joints carry others against gravity.")


def test_a_balanced_arm_is_warned_of_links_that_are_not(stanford):
    from strobe.mechanisms import counterbalance

    balanced = counterbalance(strobe.load("planar2")).robot
    assert "N·m at joint1. Do" in WithoutDistalLinks(balanced).notes[1]  # of nothing: no percentage


def test_without_gravity_the_warning_is_not_about_gravity(stanford):
    assert len(WithoutDistalLinks(stanford.with_gravity([0, 0, 0])).notes) == 1


# -- where they are exact -------------------------------------------------------------------------------


def test_without_velocity_terms_is_exact_at_rest(stanford):
    q, _, qdd = stanford.random_state(seed=1, batch=20)
    still = np.zeros(6)
    assert WithoutVelocityTerms(stanford).inverse_dynamics(q, still, qdd) == pytest.approx(
        stanford.inverse_dynamics(q, still, qdd), abs=1e-12
    )


@pytest.mark.slow
def test_what_velocity_terms_are_worth_is_the_coriolis_matrix_times_the_rates():
    robot = strobe.load("puma560")  # with rotors and friction, which stay
    q, qd, qdd = robot.random_state(seed=2, batch=20)
    lost = robot.inverse_dynamics(q, qd, qdd) - WithoutVelocityTerms(robot).inverse_dynamics(q, qd, qdd)
    assert lost == pytest.approx(np.einsum("bij,bj->bi", robot.coriolis_matrix(q, qd), qd), abs=1e-11)


def test_gravity_only_is_gravity_and_friction():
    robot = strobe.load("puma560")
    q, qd, qdd = robot.random_state(seed=3, batch=20)
    rubbing = robot.inverse_dynamics(q, qd, qdd) - robot.inverse_dynamics(q, qd, qdd, friction=False)
    found = GravityOnly(robot).inverse_dynamics(q, qd, qdd)
    assert found == pytest.approx(robot.gravity(q) + rubbing, abs=1e-11)
    assert np.abs(rubbing).max() > 0.1


def test_a_robot_with_one_joint_loses_nothing(pendulum):
    q, qd, qdd = pendulum.random_state(seed=4, batch=20)
    exact = pendulum.inverse_dynamics(q, qd, qdd)
    for method in (WithoutVelocityTerms, ReducedInteraction, WithoutDistalLinks):
        assert method(pendulum).inverse_dynamics(q, qd, qdd) == pytest.approx(exact, abs=1e-12)
    still = np.zeros(1)
    assert GravityOnly(pendulum).inverse_dynamics(q, qd, still) == pytest.approx(
        pendulum.inverse_dynamics(q, qd, still), abs=1e-12
    )


def test_the_outermost_joint_feels_all_there_is_beyond_it(stanford):
    q, qd, qdd = stanford.random_state(seed=5, batch=20)
    tips = WithoutDistalLinks(stanford).inverse_dynamics(q, qd, qdd)[:, 5]
    assert tips == pytest.approx(stanford.inverse_dynamics(q, qd, qdd)[:, 5], abs=1e-14)


def test_own_links_add_up_what_each_link_alone_does():
    """Joint i of the sum over links is the sum over j ≥ i; its own term is that of an arm that ends there."""
    robot = strobe.load("planar2")
    shorter = robot.chain("link1")
    q, qd, qdd = robot.random_state(seed=6, batch=5)
    own = WithoutDistalLinks(robot).inverse_dynamics(q, qd, qdd)
    alone = shorter.inverse_dynamics(q[:, :1], qd[:, :1], qdd[:, :1])
    assert own[:, :1] == pytest.approx(alone, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["parallelogram", "biped10"])
def test_couplings_and_branches_are_followed(robot):
    robot = strobe.load(robot)
    q, qd, qdd = robot.random_state(seed=7, batch=5)
    exact = robot.inverse_dynamics(q, qd, qdd)
    assert ReducedInteraction(robot, keep=[robot.joint_names]).inverse_dynamics(
        q, qd, qdd
    ) == pytest.approx(exact, rel=1e-11, abs=1e-11)
    for method in METHODS:
        assert method(robot).inverse_dynamics(q, qd, qdd).shape == exact.shape


def test_a_floating_base_is_one_joint():
    robot = strobe.load("planar2").with_base("floating")
    q, qd, qdd = robot.random_state(seed=8, batch=5)
    exact = robot.inverse_dynamics(q, qd, qdd)
    whole = ReducedInteraction(robot, keep=[robot.joint_names])
    assert whole.inverse_dynamics(q, qd, qdd) == pytest.approx(exact, abs=1e-11)
    still = np.zeros(robot.nv)
    assert WithoutVelocityTerms(robot).inverse_dynamics(q, still, qdd) == pytest.approx(
        robot.inverse_dynamics(q, still, qdd), abs=1e-11
    )


# -- reduced interaction --------------------------------------------------------------------------------


def test_one_group_of_all_joints_is_exact(stanford):
    q, qd, qdd = stanford.random_state(seed=9, batch=20)
    found = ReducedInteraction(stanford, keep=[["joint*"]]).inverse_dynamics(q, qd, qdd)
    assert found == pytest.approx(stanford.inverse_dynamics(q, qd, qdd), abs=1e-12)


def test_joints_apart_leave_the_diagonal_of_the_mass_matrix_and_gravity(stanford):
    q, _, qdd = stanford.random_state(seed=10, batch=20)
    found = ReducedInteraction(stanford).inverse_dynamics(q, np.zeros(6), qdd)
    H = np.diagonal(stanford.mass_matrix(q), axis1=1, axis2=2)
    assert found == pytest.approx(H * qdd + stanford.gravity(q), abs=1e-12)


def test_groups_keep_their_block_of_the_mass_matrix_and_of_the_velocity_terms(stanford):
    q, qd, qdd = stanford.random_state(seed=11, batch=20)
    method = ReducedInteraction(
        stanford, keep=[("joint1", "joint2", "joint3"), ("joint4", "joint5", "joint6")]
    )
    found = method.inverse_dynamics(q, qd, qdd)
    H, g = stanford.mass_matrix(q), stanford.gravity(q)
    for block in (slice(0, 3), slice(3, 6)):
        alone = np.zeros_like(qd)
        alone[:, block] = qd[:, block]
        C = stanford.coriolis_matrix(q, alone)
        expected = (
            np.einsum("bij,bj->bi", H[:, block, block], qdd[:, block])
            + np.einsum("bij,bj->bi", C[:, block, block], qd[:, block])
            + g[:, block]
        )
        assert found[:, block] == pytest.approx(expected, abs=1e-12)
    assert method.title == "joints interact in groups"
    assert method.notes == (
        "Joints feel only the motion of their own group: joint1, joint2, joint3; joint4, joint5, joint6.",
    )


def test_velocity_terms_within_groups_can_be_left_out_too(stanford):
    q, qd, qdd = stanford.random_state(seed=12, batch=20)
    both = ReducedInteraction(stanford, keep=[["joint*"]], velocity=False)
    expected = WithoutVelocityTerms(stanford).inverse_dynamics(q, qd, qdd)
    assert both.inverse_dynamics(q, qd, qdd) == pytest.approx(expected, abs=1e-12)
    assert both.notes[0].endswith(" Velocity terms are left out within groups too.")


def test_three_slides_at_right_angles_do_not_feel_each_other(gantry):
    q, qd, qdd = gantry.random_state(seed=13, batch=20)
    H = gantry.mass_matrix(q)
    assert H[:, :3, :3] == pytest.approx(np.broadcast_to(np.diag([15.0, 10.0, 6.0]), (20, 3, 3)), abs=1e-12)
    slides = np.concatenate([qd[:, :3], np.zeros((20, 2))], axis=1)
    assert gantry.bias(q, slides)[:, :3] == pytest.approx(gantry.gravity(q)[:, :3], abs=1e-12)
    held = qd * [1, 1, 1, 0, 0], qdd * [1, 1, 1, 0, 0]
    apart = ReducedInteraction(gantry).inverse_dynamics(q, *held)[:, :3]
    assert apart == pytest.approx(gantry.inverse_dynamics(q, *held)[:, :3], abs=1e-12)


def test_groups_are_checked(stanford):
    with pytest.raises(
        ArgumentError, match='joint "joint2" is in two groups of keep; each joint belongs to one.'
    ):
        ReducedInteraction(stanford, keep=[("joint1", "joint2"), ("joint2",)])
    with pytest.raises(UnknownNameError, match='no joint "elbow" in stanford'):
        ReducedInteraction(stanford, keep=[("elbow",)])
    with pytest.raises(ArgumentError, match="keep is 'joint1'; expected groups of joint names"):
        ReducedInteraction(stanford, keep="joint1")
    with pytest.raises(ArgumentError, match="expected groups of joint names"):
        ReducedInteraction(stanford, keep=["joint1", "joint2"])


# -- locked joints --------------------------------------------------------------------------------------


def test_locked_joints_give_the_torques_of_the_robot_with_merged_links(stanford):
    held = {"joint2": 0.7, "joint3": 0.4, "joint5": -0.2}
    method = LockedJoints(stanford, held)
    q, qd, qdd = stanford.random_state(seed=14, batch=20)
    for k, value in ((1, 0.7), (2, 0.4), (4, -0.2)):
        q[:, k], qd[:, k], qdd[:, k] = value, 0, 0
    tau = method.inverse_dynamics(q, qd, qdd)
    free = [0, 3, 5]
    merged = stanford.lock(held).inverse_dynamics(q[:, free], qd[:, free], qdd[:, free])
    assert tau[:, free] == pytest.approx(merged, abs=1e-14)
    assert tau[:, free] == pytest.approx(stanford.inverse_dynamics(q, qd, qdd)[:, free], abs=1e-12)
    assert not tau[:, [1, 2, 4]].any()
    # for 120: angles that are nothing special cost their zeros
    assert method.operations.multiplications == 82
    assert method.notes == (
        "Locked: joint2 at 0.7, joint3 at 0.4, joint5 at -0.2. What their brakes bear is not computed: their torques "
        "are 0, and no errors.",
    )


def test_a_state_in_which_a_locked_joint_is_elsewhere_or_moves_is_refused(stanford):
    method = LockedJoints(stanford, {"joint2": 0.7})
    q, rest = np.full((3, 6), 0.7), np.zeros((3, 6))
    moving = rest.copy()
    moving[2, 1] = 0.25
    with pytest.raises(ArgumentError) as error:
        method.inverse_dynamics(q + moving, rest, rest)
    assert str(error.value) == (
        'joint "joint2" is locked at 0.7, but q has it at 0.95; lock it there, or leave it free.'
    )
    with pytest.raises(ArgumentError, match='joint "joint2" is locked, but qd has it at 0.25; expected 0.'):
        method.inverse_dynamics(q, moving, rest)
    with pytest.raises(ArgumentError, match="qdd has it at 0.25"):
        method.inverse_dynamics(q, rest, moving)
    with pytest.raises(ArgumentError, match="q has it at nan"):
        method.inverse_dynamics(q + np.nan, rest, rest)


def test_single_precision_is_near_enough_to_a_lock(stanford):
    method = LockedJoints(stanford, {"joint2": 0.7})
    q, rest = np.full((3, 6), 0.7, np.float32), np.zeros((3, 6), np.float32)
    assert method.inverse_dynamics(q, rest, rest).dtype == np.float32


def test_locks_are_checked(stanford):
    with pytest.raises(UnknownNameError, match='no joint "elbow" in stanford'):
        LockedJoints(stanford, {"elbow": 0})
    with pytest.raises(
        ArgumentError, match="all joints of stanford are locked: no torque is left to compute."
    ):
        LockedJoints(stanford, {"joint*": 0.1})
    with pytest.raises(ArgumentError, match="there is no joint to lock"):
        LockedJoints(stanford, {})
    with pytest.raises(ArgumentError, match="is locked at 0 by .* and at 1 by"):
        LockedJoints(stanford, {"joint2": 0, "joint?": 1})
    floating = stanford.with_base("floating")
    name = floating.joint_names[0]
    with pytest.raises(
        UnsupportedModelError, match=f'joint "{name}" of stanford is floating; only joints with one'
    ):
        LockedJoints(floating, {name: [0, 0, 0, 1, 0, 0, 0]})


def test_a_joint_that_follows_a_locked_one_is_locked_with_it():
    robot = strobe.load("parallelogram")
    first, second = robot.joint_names
    method = LockedJoints(robot, {first: 0.3})
    q, qd, qdd = ([0.3, 0.9], [0.0, 1.1], [0.0, -0.4])
    assert method.inverse_dynamics(q, qd, qdd)[1] == pytest.approx(
        robot.inverse_dynamics(q, qd, qdd)[1], abs=1e-12
    )


# -- behind the interface ---------------------------------------------------------------------------------


@pytest.mark.parametrize("make", METHODS)
def test_each_says_what_it_costs_less_than_the_exact_torques(make, stanford):
    method = make(stanford)
    exact = stanford.kernel(strobe.quantities.Request("inverse_dynamics")).program
    cheaper = method.operations.multiplications < exact.multiplications
    # a motion for each group: nothing is saved on a serial arm
    assert cheaper or make is ReducedInteraction
    assert method.memory > 0
    assert method.preparation > 0
    assert method.notes
    assert method.name == method.name.lower().replace(" ", "-")
    assert method.title


@pytest.mark.parametrize("make", METHODS)
def test_lists_and_leading_axes_are_taken_and_wrong_sizes_refused(make, stanford):
    method = make(stanford)
    q, qd, qdd = stanford.random_state(seed=15, batch=(2, 3))
    many = method.inverse_dynamics(q, qd, qdd)
    assert many.shape == (2, 3, 6)
    one = method.inverse_dynamics(q[1, 2].tolist(), qd[1, 2].tolist(), qdd[1, 2].tolist())
    assert one == pytest.approx(many[1, 2], abs=1e-13)
    with pytest.raises(
        StrobeError, match=r"q has shape \(5,\); stanford has 6 joints, expected \(\.\.\., 6\)"
    ):
        method.inverse_dynamics([0] * 5, [0] * 6, [0] * 6)


def test_a_robot_without_dynamics_is_refused():
    with pytest.raises(UnsupportedModelError, match="rx90 has no dynamics"):
        WithoutVelocityTerms(strobe.load("rx90"))
