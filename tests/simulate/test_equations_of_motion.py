"""What acts on a robot besides its torques: friction, stops, motors with limits, wrenches, payloads, quaternions."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, SimulationWarning
from strobe.models.joints import Friction, Limits, Motor
from strobe.models.model import Coupling
from strobe.simulate import Stops, TimeSeries, simulate
from strobe.simulate.equations_of_motion import RateRequest
from strobe.simulate.evaluation import values_of
from strobe.simulate.torques import payload_numbers


def one_joint(**changes):
    """A rod on a horizontal axis without gravity: M = 0.5 kg m² with its rotor."""
    robot = strobe.random(1, 0, kinds="R").with_gravity([0, 0, 0])
    body = robot.model.bodies[0]
    own = float(robot.mass_matrix([0.0])[0, 0]) - body.joint.rotor_inertia
    joint = replace(
        body.joint, motor=Motor(inertia=(3.0 - own) / 4, gear=2.0), friction=Friction(), limits=Limits()
    )
    joint = replace(joint, **changes)
    robot = strobe.Robot(replace(robot.model, bodies=(replace(body, joint=joint),)))
    assert robot.mass_matrix([0.3]) == pytest.approx(3.0)
    return robot


def floating(n, kinds):
    """A tree of joints on a floating base that has a mass."""
    robot = strobe.random(n, 5, kinds=kinds, tree=True)
    return robot.with_base("floating").with_payload(4.0, size=0.5, frame=robot.frames[0])


def test_viscous_friction_slows_down_exponentially_and_its_work_is_in_the_books():
    robot = one_joint(friction=Friction(viscous=1.5))
    run = simulate(robot, [0.0], [2.0], None, 2.0, step=1e-2)
    np.testing.assert_allclose(run.qd[:, 0], 2.0 * np.exp(-0.5 * run.times), rtol=1e-9)
    np.testing.assert_allclose(run.audit.work_of("friction"), 6.0 * (np.exp(-run.times) - 1), atol=1e-9)
    assert run.audit.largest_drift < 1e-10


def test_coulomb_friction_stops_a_joint_when_its_energy_is_used_up():
    robot = one_joint(friction=Friction(coulomb=(1.2, -1.2)))
    run = simulate(robot, [0.0], [2.0], None, 8.0)
    assert run.q[-1, 0] == pytest.approx(6.0 / 1.2, rel=1e-3)
    assert abs(run.qd[-1, 0]) < 1e-3
    assert run.audit.work_of("friction")[-1] == pytest.approx(-6.0, rel=1e-6)


def test_a_spring_stop_throws_a_joint_back_and_keeps_it_out():
    robot = one_joint(limits=Limits(lower=-1.0, upper=0.5))
    elastic = simulate(robot, [0.0], [2.0], None, 4.0, step=1e-4, stops=Stops(3e4, 0.0))
    assert elastic.q.max() == pytest.approx(0.5 + 2.0 / np.sqrt(1e4), rel=1e-4)  # v √(M/k)
    assert elastic.q.min() == pytest.approx(-1.0 - 0.02, rel=1e-4)
    assert np.abs(elastic.audit.energy - 6.0).min() < 1e-6
    assert elastic.audit.largest_drift < 1e-6
    damped = simulate(robot, [0.0], [2.0], None, 4.0, stops=True)
    assert damped.q.max() < 0.52
    assert damped.audit.work_of("stops")[-1] < -3.0
    assert np.abs(damped.qd[-1]) < 1.0


def test_stops_do_not_pull():
    """Leaving a stop faster than its damper likes, a joint is free at once."""
    robot = one_joint(limits=Limits(lower=-1.0, upper=0.5))
    run = simulate(robot, [0.49], [1.0], None, 0.5, step=1e-5, stops=Stops(3e3, 300.0), every=10)
    out = run.q[:, 0] > 0.5
    pushed = np.diff(run.qd[:, 0]) / np.diff(run.times)
    assert (pushed[out[1:] & out[:-1]] < 1e-9).all()
    assert run.qd[-1, 0] < 0


def geared(**limits):
    """Two joints, the second of which follows the first at −2 q + 0.1."""
    robot = strobe.load("planar2").with_gravity([0, 0, 0])
    own = {"joint1": limits.get("first", Limits()), "joint2": limits.get("second", Limits())}
    bodies = tuple(
        replace(body, joint=replace(body.joint, limits=own[body.joint.name], friction=Friction()))
        for body in robot.model.bodies
    )
    gear = Coupling("joint2", {"joint1": -2.0}, 0.1)
    return strobe.Robot(replace(robot.model, bodies=bodies, couplings=(gear,), poses={}))


def test_the_stop_of_a_joint_that_follows_is_felt_by_the_one_that_leads():
    """−2 q + 0.1 within −0.7 … 1.1 is q within −0.5 … 0.4."""
    following, leading = geared(second=Limits(-0.7, 1.1)), geared(first=Limits(-0.5, 0.4))
    runs = [
        simulate(robot, [0.0], [3.0], None, 1.0, step=1e-4, stops=stops, every=100)
        for robot in (following, leading)
        for stops in (True, Stops(3e3, 4.0))
    ]
    assert 0.4 < runs[0].q.max() < 0.43
    for one, other in zip(runs[:2], runs[2:], strict=True):
        np.testing.assert_allclose(one.q, other.q, atol=1e-9)
        np.testing.assert_allclose(one.audit.work_of("stops"), other.audit.work_of("stops"), atol=1e-9)


def test_a_stop_of_what_follows_two_joints_holds_both():
    robot = strobe.load("planar3").with_gravity([0, 0, 0])
    *before, last = robot.model.bodies
    last = replace(last, joint=replace(last.joint, limits=Limits(-0.3, 0.3)))
    sum_of_both = Coupling("joint3", {"joint1": 1.0, "joint2": 1.0})
    robot = strobe.Robot(replace(robot.model, bodies=(*before, last), couplings=(sum_of_both,), poses={}))
    loose, held = (simulate(robot, [0.0, 0.0], [1.0, 1.0], None, 1.0, stops=on) for on in (False, True))
    assert loose.q.sum(axis=-1).max() > 1.0
    assert held.q.sum(axis=-1).max() < 0.33
    assert held.audit.largest_drift < 1e-4


def test_a_joint_that_follows_and_starts_beyond_its_limit_is_told_and_refused_with_stops():
    robot = geared(second=Limits(-0.7, 1.1, velocity=1.0))
    with pytest.raises(
        ArgumentError, match='^joint "joint2" starts at -0.9, outside its limits -0.7 to 1.1: deep'
    ):
        simulate(robot, [0.5], [0.0], None, 0.1, stops=True)
    with pytest.warns(SimulationWarning, match="joint2"):
        run = simulate(robot, [0.0], [1.0], None, 0.01, step=1e-3)
    assert 'joint "joint2" starts at a speed of 2, beyond its limit 1' in " ".join(run.notes)


def test_no_motor_drives_a_joint_that_follows_beyond_its_speed():
    robot = geared(second=Limits(velocity=1.0))
    run = simulate(robot, [0.0], [0.0], [5.0], 1.0, limits=True, step=1e-3)
    assert 0.47 < run.qd.max() <= 0.5 + 1e-9


def test_stops_act_on_plain_numbers_as_they_do_on_arrays():
    robot = one_joint(limits=Limits(upper=0.5))
    rate = RateRequest("rate", stops=True)
    given = {"x": [0.6, 0.1], "tau": [0.0], "stop stiffness": [30.0], "stop damping": [2.0]}
    found = rate.evaluate(robot.model, **given)
    assert found[1] == pytest.approx(-(30.0 * 0.1 + 2.0 * 0.1) / 3.0)
    arrays = {name: np.array([numbers]) for name, numbers in given.items()}
    np.testing.assert_allclose(values_of(robot, rate, arrays)[0], np.array(found, dtype=float))


def test_a_motor_gives_no_more_than_its_effort_and_says_for_how_long_it_was_cut():
    robot = one_joint(limits=Limits(effort=6.0))
    run = simulate(
        robot,
        [0.0],
        [0.0],
        TimeSeries([0.0, 1.0, 2.0], [[9.0], [4.0], [4.0]], "zero-order"),
        2.0,
        limits=True,
    )
    assert run.tau[0] == pytest.approx(6.0)
    assert run.tau[-1] == pytest.approx(4.0)
    assert run.qd[-1, 0] == pytest.approx((6 + 4) / 3.0)
    assert run.cut[0] == pytest.approx(1.0)
    assert f'the motor of joint "{robot.joint_names[0]}" gave less than was asked for 1 s.' in run.notes


def test_a_motor_drives_no_faster_than_its_speed_but_brakes():
    robot = one_joint(limits=Limits(velocity=2.0, effort=60.0))
    fast = simulate(robot, [0.0], [0.0], 30.0, 2.0, limits=True)
    assert 1.9 < fast.qd[-1, 0] <= 2.0
    with pytest.warns(
        SimulationWarning, match="at a speed of 3, beyond its limit 2; its motor only brakes until"
    ):
        braking = simulate(robot, [0.0], [3.0], -30.0, 0.1, limits=True)
    assert braking.qd[-1, 0] == pytest.approx(3.0 - 10 * 0.1)
    free = simulate(robot, [0.0], [0.0], 30.0, 2.0)
    assert free.qd[-1, 0] == pytest.approx(20.0)
    assert free.cut == pytest.approx(0.0)


@pytest.mark.slow
def test_a_wrench_in_time_does_the_work_of_its_frame():
    robot = strobe.load("panda")
    q, qd, _ = robot.random_state(0, 3)
    F = TimeSeries([0.0, 0.1, 0.2], np.random.default_rng(0).normal(size=(3, 3, 6)))
    run = simulate(robot, q, qd * 0.1, None, 0.2, step=1e-3, wrench=F, frame="tool", friction=False)
    assert (run.audit.largest_drift < 1e-8).all()
    row = 137
    J = robot.jacobian(run.q[:, row], "tool")
    power = np.einsum(
        "nk,nkj,nj->n",
        F.sampled(run.times[row, None, None], run.times[row, None])[:, 0, 0],
        J,
        run.qd[:, row],
    )
    W = run.audit.work_of("wrenches")
    np.testing.assert_allclose((W[:, row + 1] - W[:, row - 1]) / 2e-3, power, rtol=1e-3, atol=1e-5)
    same = simulate(robot, q, qd * 0.1, None, 0.2, step=1e-3, wrench={"tool": F}, friction=False)
    np.testing.assert_array_equal(same.q, run.q)


@pytest.mark.slow
def test_a_batch_of_payloads_is_a_robot_with_each():
    robot = strobe.load("panda")
    q, qd, _ = robot.random_state(1)
    loads = np.array([[0.0, 0, 0, 0], [2.0, 0.01, -0.02, 0.1], [5.0, 0, 0, 0.05]])
    run = simulate(robot, q, qd, None, 0.1, step=1e-3, payload=loads)
    for k, (mass, *com) in enumerate(loads):
        alone = simulate(robot.with_payload(mass, com), q, qd, None, 0.1, step=1e-3)
        np.testing.assert_allclose(run.q[k], alone.q, atol=1e-12)
        np.testing.assert_allclose(run.audit.energy[k], alone.audit.energy, rtol=1e-11)


def test_payload_numbers_are_mass_first_moments_and_inertia_about_the_frame():
    numbers = payload_numbers([[2.0, 0.1, -0.2, 0.3]])
    body = strobe.load("panda").with_payload(2.0, [0.1, -0.2, 0.3]).model.bodies[-1].inertia
    bare = strobe.load("panda").model.bodies[-1].inertia
    assert numbers[0, :4] == pytest.approx([2.0, 0.2, -0.4, 0.6])
    assert numbers[0, 4:] == pytest.approx([0.26, 0.2, 0.1, 0.04, -0.06, 0.12])
    assert float(body.m - bare.m) == pytest.approx(2.0)
    with pytest.raises(
        ShapeError, match=r"^payload has shape \(3,\); it is mass and centre, or ten parameters"
    ):
        payload_numbers([1.0, 2.0, 3.0])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:joint .* starts at a speed of")
def test_a_free_body_keeps_energy_and_momentum_and_unit_quaternions():
    robot = floating(4, "RS").with_gravity([0, 0, 0])
    q, qd, _ = robot.random_state(0, 5)
    run = simulate(robot, q, qd, None, 1.0, step=5e-4)
    assert (run.audit.largest_drift < 1e-7).all()
    momentum = run.audit.momentum
    np.testing.assert_allclose(momentum - momentum[:, :1], 0.0, atol=1e-7 * np.abs(momentum).max())
    for joint in robot.coordinates.joints:
        if joint.nq > joint.nv:
            lengths = np.linalg.norm(run.q[..., joint.q + joint.nq - 4 : joint.q + joint.nq], axis=-1)
            np.testing.assert_allclose(lengths, 1.0, atol=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("rk8", 8), ("semi-implicit-euler", 1)])
def test_every_method_has_its_order_on_quaternions_too(method, order):
    robot = floating(2, "S")
    q, qd, _ = robot.random_state(0)
    end, counts = (1.0, (10, 20)) if method == "rk8" else (0.2, (40, 80))
    exact = simulate(robot, q, qd, None, end, "rk8", step=1e-3)
    runs = [simulate(robot, q, qd, None, end, method, step=end / n) for n in counts]
    errors = [np.abs(robot.difference(exact.q[-1], run.q[-1])).max() for run in runs]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.6)


@pytest.mark.slow
def test_an_adaptive_method_agrees_on_quaternions():
    robot = floating(2, "S")
    q, qd, _ = robot.random_state(0)
    times = [0.0, 0.1, 0.3]
    fixed = simulate(robot, q, qd, None, times, "rk8", step=1e-3)
    chosen = simulate(robot, q, qd, None, times, "dop853", rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(robot.difference(fixed.q, chosen.q), 0.0, atol=1e-9)


def test_tables_are_checked():
    with pytest.raises(
        ArgumentError, match="^the times of a table must be two or more, each after the one before"
    ):
        TimeSeries([0.0, 0.0], np.zeros((2, 3)))
    with pytest.raises(ShapeError, match=r"^values has shape \(3, 1\); the table has 2 times"):
        TimeSeries([0.0, 1.0], np.zeros((3, 1)))
    with pytest.raises(ArgumentError, match="^the table holds a value that is not finite, at time 1 s"):
        TimeSeries([0.0, 1.0], [[0.0], [np.nan]])
    with pytest.raises(ArgumentError, match='^hold is "cubic"'):
        TimeSeries([0.0, 1.0], [[0.0], [1.0]], "cubic")


def test_a_table_is_read_between_the_rows_that_a_step_lies_in():
    held = TimeSeries([0.0, 1.0, 2.0], [[1.0], [5.0], [7.0]], "zero-order")
    linear = TimeSeries([0.0, 1.0, 2.0], [[1.0], [5.0], [7.0]])
    t, inside = np.array([[0.5, 1.0], [1.0, 1.5]]), np.array([0.75, 1.25])
    assert held.sampled(t, inside)[..., 0].tolist() == [[1.0, 1.0], [5.0, 5.0]]
    assert linear.sampled(t, inside)[..., 0].tolist() == [[3.0, 5.0], [5.0, 6.0]]
