"""What the ground does: the reference sums, Pinocchio's free flyer, laws of forces, and feet that do not hold."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, UnknownNameError, UnsupportedModelError
from strobe.mechanisms import Foot, Footing, ground_reaction
from strobe.mechanisms.zero_moment_point import across, center_of_mass, total_wrench, upward

STILL = np.zeros(10)
SQUARE = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)]


@pytest.fixture(scope="module")
def biped():
    return strobe.Robot(strobe.load("biped10").model, compiled=False)


@pytest.fixture(scope="module")
def state(biped):
    (golden,) = biped.model.golden
    return tuple(np.array(golden[name], float) for name in ("q", "qd", "qdd"))


def digits(ours, printed):
    """Equal to the digits of the source, ±1 in the last."""
    return np.allclose(ours, printed, rtol=2e-11, atol=2e-13)


# -- the example of the source ----------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [True, False])
def test_the_biped_has_the_reference_force_moment_and_zero_moment_point(biped, state, compiled):
    found = ground_reaction(strobe.Robot(biped.model, compiled), *state)
    assert digits(found.force, [2.11618583128, -11.0573802287, 364.790569629])
    assert digits(found.moment, [-37.8716317458, -52.6979872237, -1.37578308072])
    assert digits(found.zmp, [0.14446093625, -0.103817463769, 0])
    assert abs(found.twist - 0.00187937372191) < 1e-13


def test_at_rest_the_zero_moment_point_lies_under_the_centre_of_mass(biped, state):
    found = ground_reaction(biped, state[0], STILL, STILL)
    assert digits(found.force, [0, 0, 372.78])
    assert digits(found.zmp, [0.152903607851, -0.12960874271, 0])
    assert digits(center_of_mass(biped, state[0]), [0.152903607851, -0.12960874271, 0.808765850668])


def test_the_sums_over_links_of_the_source_give_the_same(biped, state):
    q, qd, qdd = state
    F, top = np.zeros(3), np.zeros(2)
    for body in biped.model.bodies:
        m, c = float(body.inertial.m), np.array([*body.inertial.com], float)
        T = biped.forward_kinematics(q, body.name)
        J, Jd = biped.jacobian(q, body.name), biped.jacobian_dot(q, qd, body.name)
        (a, alpha), w = np.split(J @ qdd + Jd @ qd, 2), (J @ qd)[3:]
        r = T[:3, :3] @ c
        a = a + np.cross(alpha, r) + np.cross(w, np.cross(w, r))
        I = T[:3, :3] @ np.diag([*body.inertial.central][:3]) @ T[:3, :3].T
        spin = I @ alpha + np.cross(w, I @ w)
        x, up = T[:3, 3] + r, m * (a[2] + 9.81)
        F += m * (a + np.array([0, 0, 9.81]))
        top += [up * x[0] - m * a[0] * x[2] - spin[1], up * x[1] - m * a[1] * x[2] + spin[0]]
    F += [0, 0, 9.81]  # the stance foot
    top += [9.81 * 0.03, 0]
    found = ground_reaction(biped, q, qd, qdd)
    assert np.allclose(found.force, F, rtol=1e-12)
    assert np.allclose(found.zmp[:2], top / F[2], rtol=1e-12)


def test_the_reference_state_breaks_the_premise_of_single_support_and_that_is_said(biped, state):
    found = ground_reaction(biped, *state, foot="stance_foot")
    assert found.status == Footing.TIPPING
    assert not found.held
    assert found.margin == pytest.approx(-np.hypot(0.14446093625 - 0.13, 0.103817463769 - 0.05))
    assert np.isnan(found.center_of_pressure).all()
    assert found.sentence == (
        "at 1 of 1 instant the robot would tip: no foot at rest presses outside its sole, where the zero moment "
        "point is."
    )


# -- against Pinocchio ------------------------------------------------------------------------------------------


def humanoid():
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")
    spec = importlib.util.find_spec("cmeel")
    assert spec is not None
    site = Path(spec.submodule_search_locations[0]).parent  # pyright: ignore
    path = site / "cmeel.prefix/share/example-robot-data/robots/talos_data/robots/talos_reduced.urdf"
    return pin, path


def test_a_humanoid_has_the_wrench_of_pinocchios_free_flyer():
    pin, path = humanoid()
    robot = strobe.Robot(strobe.load(path).with_base("floating").model, compiled=False)
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data = model.createData()
    for seed in range(3):
        q, qd, qdd = robot.random_state(seed)
        order = [model.joints[model.getJointId(name)] for name in robot.joint_names[1:]]
        theirs = np.zeros(model.nq)
        theirs[:7] = [*q[:3], *q[4:7], q[3]]
        rates = [np.concatenate([x[:6], np.zeros(model.nv - 6)]) for x in (qd, qdd)]
        for k, joint in enumerate(order):
            theirs[joint.idx_q] = q[7 + k]
            for mine, x in zip(rates, (qd, qdd), strict=True):
                mine[joint.idx_v] = x[6 + k]
        wrench = pin.Force(pin.rnea(model, data, theirs, *rates)[:6])
        pin.forwardKinematics(model, data, theirs)
        expected = data.oMi[1].act(wrench)
        force, moment = total_wrench(robot, q, qd, qdd)
        scale = np.abs(expected.vector).max()
        assert np.abs(force - expected.linear).max() < 1e-12 * scale
        assert np.abs(moment - expected.angular).max() < 1e-12 * scale


def test_the_biped_has_the_wrench_of_pinocchios_free_flyer(biped, tmp_path):
    pin, _ = humanoid()
    from strobe.models.urdf_writer import write_urdf

    path = tmp_path / "biped.urdf"
    path.write_text(write_urdf(biped.model)[0])
    model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    data = model.createData()
    for seed in range(5):
        q, qd, qdd = biped.random_state(seed)
        turns = np.column_stack([np.cos(q), np.sin(q)]).ravel()  # continuous joints
        theirs = np.concatenate([[0, 0, 0, 0, 0, 0, 1], turns])
        still = np.zeros(6)
        tau = pin.rnea(model, data, theirs, np.concatenate([still, qd]), np.concatenate([still, qdd]))
        force, moment = total_wrench(biped, q, qd, qdd)
        assert np.allclose(np.concatenate([force, moment]), tau[:6], rtol=1e-9, atol=1e-9)


# -- laws -------------------------------------------------------------------------------------------------------


def test_the_force_is_the_rate_of_momentum_less_weight(biped):
    q, qd, qdd = biped.random_state(3, 20)
    floating = biped.with_base("floating")

    def momentum(t):
        base = np.tile([0.0, 0, 0, 1, 0, 0, 0], (20, 1))
        here = np.concatenate([base, q + t * qd + t * t / 2 * qdd], axis=1)
        return floating.momentum(here, np.concatenate([np.zeros((20, 6)), qd + t * qdd], axis=1))[:, :3]

    h = 1e-4
    rate = (momentum(h) - momentum(-h)) / (2 * h)
    found = ground_reaction(biped, q, qd, qdd)
    assert np.allclose(found.force, rate + np.array([0, 0, 38 * 9.81]), rtol=1e-6)


@pytest.mark.parametrize("name", ["fourbar", "delta", "parallelogram"])
def test_what_closes_a_chain_does_not_reach_the_ground(name):
    """The force is the rate of momentum less weight, whatever holds the links together."""
    robot = strobe.Robot(strobe.load(name).model, compiled=False)
    q, qd, qdd = robot.random_state(2)
    h = 1e-4
    forwards, backwards = (
        robot.momentum(robot.integrate(q, qd * t + qdd * t * t / 2), qd + t * qdd)[:3] for t in (h, -h)
    )
    down = np.array([float(x) for x in robot.model.gravity.linear])
    mass = sum(float(b.inertial.m) for b in robot.model.bodies) + float(robot.model.base_inertial.m)
    found = ground_reaction(robot, q, qd, qdd)
    assert np.allclose(found.force, (forwards - backwards) / (2 * h) - mass * down, rtol=1e-5, atol=1e-5)


def test_a_base_that_is_told_to_rest_gives_what_a_fixed_base_gives(biped):
    q, qd, qdd = biped.random_state(4, 6)
    still = ground_reaction(biped, q, qd, qdd, foot="stance_foot")
    at, zeros = np.tile([0.0, 0, 0, 1, 0, 0, 0], (6, 1)), np.zeros((6, 6))
    floating = ground_reaction(
        biped.with_base("floating"), np.hstack([at, q]), np.hstack([zeros, qd]), np.hstack([zeros, qdd]),
        foot="stance_foot",
    )  # fmt: skip
    sliding = ground_reaction(
        biped.with_base("translating"), np.hstack([at[:, :3], q]), np.hstack([zeros[:, :3], qd]),
        np.hstack([zeros[:, :3], qdd]), foot="stance_foot",
    )  # fmt: skip
    for other in (floating, sliding):
        for name in ("force", "moment", "zmp", "margin", "friction", "status"):
            assert np.allclose(getattr(other, name), getattr(still, name), rtol=1e-12, atol=1e-11)


def test_a_sliding_base_adds_its_acceleration_to_the_force(biped):
    q, qd, qdd = biped.random_state(5)
    sliding = biped.with_base("translating")
    push = np.array([1.0, -2.0, 0.5])
    found = ground_reaction(sliding, np.r_[0, 0, 0, q], np.r_[0.3, 0, 0, qd], np.r_[push, qdd], ground=0.0)
    assert np.allclose(found.force, ground_reaction(biped, q, qd, qdd).force + 38 * push)


def test_the_reaction_turns_with_the_robot(biped):
    """A robot on its side under gravity along x has the same reaction, axes exchanged."""
    q, qd, qdd = biped.random_state(6)
    up = ground_reaction(biped, q, qd, qdd)
    turned = biped.with_base("floating").with_gravity((-9.81, 0, 0))
    half = np.sqrt(0.5)
    lying = np.r_[0, 0, 0, half, 0, half, 0, q]  # z of the robot along x
    R = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]])
    found = ground_reaction(turned, lying, np.r_[np.zeros(6), qd], np.r_[np.zeros(6), qdd])
    assert np.allclose(found.force, R @ up.force)
    assert np.allclose(found.zmp, R @ up.zmp)
    assert np.allclose(found.twist, up.twist)


def test_a_placed_reaction_is_that_of_a_robot_standing_there(biped):
    q, qd, qdd = biped.random_state(7)
    c, s = np.cos(0.4), np.sin(0.4)
    T = np.array([[c, -s, 0, 1.0], [s, c, 0, -2.0], [0, 0, 1, 0.5], [0, 0, 0, 1]])
    base = np.r_[1.0, -2.0, 0.5, np.cos(0.2), 0, 0, np.sin(0.2)]
    there = ground_reaction(
        biped.with_base("floating"), np.r_[base, q], np.r_[np.zeros(6), qd], np.r_[np.zeros(6), qdd],
        foot="stance_foot",
    )  # fmt: skip
    moved = ground_reaction(biped, q, qd, qdd, foot="stance_foot").placed(T)
    for name in ("force", "moment", "zmp", "polygon", "margin", "twist"):
        assert np.allclose(getattr(moved, name), getattr(there, name), rtol=1e-11, atol=1e-11)


def test_axes_in_the_ground_are_x_and_y_where_z_is_up():
    assert np.array_equal(across(np.array([0.0, 0, 1])), np.eye(3)[:, :2])
    for up in np.random.default_rng(0).standard_normal((20, 3)):
        axes = np.column_stack([across(up / np.linalg.norm(up)), up / np.linalg.norm(up)])
        assert np.allclose(axes.T @ axes, np.eye(3))
        assert np.linalg.det(axes) == pytest.approx(1)


# -- the ground -------------------------------------------------------------------------------------------------


def test_the_ground_may_be_a_height_a_frame_or_the_plane_of_the_sole(biped, state):
    found = ground_reaction(biped, *state, ground=0.08)
    assert found.zmp[2] == pytest.approx(0.08)
    assert np.allclose(found.zmp, ground_reaction(biped, *state, ground="stance_ankle").zmp)
    lower = Foot("stance_foot", [(x, y, -0.02) for x, y in SQUARE])
    assert ground_reaction(biped, *state, foot=lower).zmp[2] == pytest.approx(-0.02)
    line = found.zmp - ground_reaction(biped, *state).zmp  # the moment is along the normal on the same line
    assert np.allclose(np.cross(line, found.force), 0, atol=1e-12)


# -- whether a foot holds ---------------------------------------------------------------------------------------


def standing(biped, **how):
    """The biped at rest, its centre of mass above the stance foot."""
    q = np.zeros(10)
    q[[0, 4]] = -0.12, 0.12
    return ground_reaction(biped, q, STILL, STILL, foot="stance_foot", **how)


def test_a_foot_under_the_centre_of_mass_holds(biped):
    found = standing(biped, friction=1e-9, torsion=1e-9)
    assert found.status == Footing.HELD
    assert found.held
    assert found.sentence == Footing.HELD.sentence
    assert np.array_equal(found.center_of_pressure, found.zmp)
    assert found.margin == pytest.approx(0.05 - abs(found.zmp[1]))
    assert found.friction == pytest.approx(0, abs=1e-15)


def push(biped, k, rate):
    """Posture above the stance foot, with one joint accelerated."""
    q, qdd = np.zeros(10), np.zeros(10)
    q[[0, 4]] = -0.12, 0.12
    qdd[k] = rate
    return q, STILL, qdd


def test_too_little_friction_slips_and_enough_holds(biped):
    motion = push(biped, 9, 30.0)
    needed = float(ground_reaction(biped, *motion, foot="stance_foot").friction)
    assert needed > 1e-4
    assert (
        ground_reaction(biped, *motion, foot="stance_foot", friction=0.99 * needed).status
        == Footing.SLIPPING
    )
    assert (
        ground_reaction(biped, *motion, foot="stance_foot", friction=1.01 * needed).status == Footing.HELD
    )


def test_too_little_torsional_friction_turns_the_foot(biped):
    q, qd, qdd = push(biped, 6, 2.0)
    found = ground_reaction(biped, q, qd, qdd, foot="stance_foot")
    needed = abs(float(found.twist)) / float(found.force[2])
    assert needed > 1e-5
    for share, status in ((0.99, Footing.TWISTING), (1.01, Footing.HELD)):
        told = ground_reaction(biped, q, qd, qdd, foot="stance_foot", torsion=share * needed)
        assert told.status == status


def test_a_robot_that_falls_faster_than_gravity_lifts_off_and_has_no_zero_moment_point(biped):
    q, qdd = np.zeros(10), np.zeros(10)
    q[1:4], qdd[1:4] = (-0.5, 1.0, -0.5), (-30.0, 60.0, -30.0)
    found = ground_reaction(biped, q, STILL, qdd, foot="stance_foot", friction=1.0)
    assert found.force[2] < 0
    assert found.status == Footing.LIFTING
    for value in (found.zmp, found.margin, found.friction, found.twist, found.center_of_pressure):
        assert np.isnan(value).all()
    assert "the ground would have to pull" in found.sentence


def test_a_foot_that_moves_or_is_tilted_does_not_stand(biped, state):
    q, qd, qdd = state
    assert ground_reaction(biped, q, STILL, STILL, foot="swing_foot").status == Footing.NOT_FLAT
    assert ground_reaction(biped, q, qd, qdd, foot="swing_foot").status == Footing.MOVING


def test_nan_in_a_motion_is_not_taken_for_a_foot_that_holds(biped):
    q = np.zeros((2, 10))
    q[1, 3] = np.nan
    found = ground_reaction(biped, q, STILL, STILL, foot="stance_foot")
    assert found.status[1] == Footing.UNKNOWN
    assert found.status[0] != Footing.UNKNOWN


def test_without_a_sole_nothing_is_claimed(biped, state):
    found = ground_reaction(biped, *state)
    assert found.status == Footing.UNCHECKED
    assert np.isnan(found.margin)
    assert not found.held
    assert "no sole was given" in found.sentence


def test_two_feet_support_what_one_does_not(biped):
    q = np.zeros(10)
    one = ground_reaction(biped, q, STILL, STILL, foot="stance_foot")
    both = ground_reaction(biped, q, STILL, STILL, foot=["stance_foot", "swing_foot"])
    assert one.status == Footing.TIPPING
    assert both.status == Footing.HELD
    assert both.polygon.shape == (8, 3)
    assert both.margin == pytest.approx(float(both.zmp[0]) + 0.07)


def test_leading_axes_broadcast(biped):
    q, qd, qdd = biped.random_state(1, (2, 3))
    found = ground_reaction(biped, q, qd, qdd[0], foot="stance_foot")
    assert found.force.shape == (2, 3, 3)
    assert found.status.shape == found.margin.shape == (2, 3)
    one = ground_reaction(biped, q[1, 2], qd[1, 2], qdd[0, 2], foot="stance_foot")
    assert np.allclose(found.zmp[1, 2], one.zmp)


def test_every_status_has_a_sentence():
    assert all(each.sentence.endswith(".") for each in Footing)


# -- what is refused --------------------------------------------------------------------------------------------


def test_a_foot_that_is_not_there_is_refused_with_the_nearest(biped, state):
    for foot in ("stance_fot", Foot("stance_fot", SQUARE)):
        with pytest.raises(
            UnknownNameError, match=r'no frame "stance_fot" in biped10\. Did you mean \'stance_foot'
        ):
            ground_reaction(biped, *state, foot=foot)


def test_what_is_no_foot_is_refused(biped, state):
    for foot in (3, [3]):
        with pytest.raises(ArgumentError, match=r"^foot is 3; expected a Foot, or the name of one\.$"):
            ground_reaction(biped, *state, foot=foot)


def test_feet_that_hold_are_not_said_to_hold_more_than_was_asked():
    assert Footing.HELD.sentence == (
        "the feet hold: the zero moment point is the centre of pressure, within the friction given."
    )


def test_a_frame_without_a_sole_is_refused(biped, state):
    with pytest.raises(
        ArgumentError, match=r'biped10 does not say what the sole of "torso" is; give its corners'
    ):
        ground_reaction(biped, *state, foot="torso")


@pytest.mark.parametrize("name", ["friction", "torsion"])
def test_friction_is_not_negative(biped, state, name):
    with pytest.raises(ArgumentError, match=rf"{name} is -0\.5; expected a number that is not negative\."):
        ground_reaction(biped, *state, **{name: -0.5})


def test_without_gravity_there_is_no_ground(biped, state):
    with pytest.raises(
        UnsupportedModelError, match="biped10 has no gravity: nothing says which way the ground lies"
    ):
        upward(biped.with_gravity((0, 0, 0)))
