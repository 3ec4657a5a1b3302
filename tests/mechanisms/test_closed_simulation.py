"""Closed chains in motion: no drift, the energy audit, and everything that may act on a run."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, OpenLoopError, UnsupportedModelError
from strobe.models.joints import Friction
from strobe.scalars import cos, sin
from strobe.simulate import Attach, Drop, Lock, Release
from strobe.simulate.batch_stepper import SideBySide

STILL = np.zeros(3)


@pytest.fixture(scope="module")
def fourbar():
    return strobe.load("fourbar")


@pytest.fixture(scope="module")
def start(fourbar):
    return fourbar.assemble(hold={"crank": 0.7})


def opened(run):
    return np.abs(run.robot.loop_residuals(run.q)).max()


def parting(run):
    return np.abs(np.einsum("...ij,...j->...i", run.robot.loop_jacobian(run.q), run.qd)).max()


def driven_delta():
    """A Delta robot whose arms follow sines."""
    robot = strobe.load("delta")
    home = robot.assemble(robot.model.poses["home"])

    def law(t, q, qd):
        pulls = [
            60 * (float(home[k]) + 0.2 * sin(3 * t[0] + k) - q[k]) + 3 * (0.6 * cos(3 * t[0] + k) - qd[k])
            for k in range(3)
        ]
        return [*pulls, *[0.0] * 6]

    return robot, home, strobe.trace(law, t=1, q=robot.nq, qd=robot.nv)


@pytest.mark.slow
def test_a_minute_of_a_four_bar_leaves_its_loop_closed_and_its_energy_accounted_for(fourbar, start):
    run = fourbar.simulate(start, STILL, [0.2, 0, 0], 60.0, step=1e-3, every=10)
    assert run.done
    assert opened(run) < 1e-14
    assert parting(run) < 1e-12
    assert run.audit.largest_drift < 1e-5
    assert np.abs(run.qd).max() > 10


@pytest.mark.slow
def test_a_driven_delta_stays_closed_and_its_energy_is_accounted_for():
    robot, home, law = driven_delta()
    run = robot.simulate(home, np.zeros(robot.nv), law, 20.0, step=1e-3, every=10)
    assert run.done
    assert opened(run) < 1e-14
    assert run.audit.largest_drift < 1e-5
    assert np.abs(run.q[-600:, 0]).max() > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bennett", "flat"])
def test_overconstrained_linkages_run_through_all_positions(name, request):
    robot = request.getfixturevalue(name)
    q, qd, _ = robot.random_state(0)
    run = robot.simulate(q, 5 * qd / np.abs(qd).max(), None, 10.0, step=1e-3, every=5)
    assert run.done
    assert opened(run) < 1e-12
    assert run.audit.largest_drift < 1e-4
    assert np.ptp(run.q[:, 0]) > 1.0
    notes = [note for note in run.notes if "follow from others" in note]
    assert len(notes) == (1 if name == "bennett" else 0)  # in the plane the others say nothing at all


@pytest.mark.slow
def test_a_step_too_long_is_told_with_the_loops_that_came_open(fourbar, start):
    run = fourbar.simulate(start, STILL, [20.0, 0, 0], 3.0, step=3e-2)
    assert any("loops came open by up to" in note for note in run.notes)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["rk4", "rk8", "semi-implicit-euler"])
def test_every_method_of_fixed_step_keeps_loops_closed(fourbar, start, method):
    run = fourbar.simulate(start, STILL, None, 1.0, method, step=1e-3)
    assert opened(run) < 1e-12
    assert parting(run) < 1e-12


def test_methods_of_scipy_and_articulated_bodies_are_refused(fourbar, start):
    with pytest.raises(
        ArgumentError, match="fourbar has closed chains, which lsoda would let drift open; choose"
    ):
        fourbar.simulate(start, STILL, None, 1.0, "lsoda")
    with pytest.raises(UnsupportedModelError, match="closed chains, which articulated-body cannot take"):
        fourbar.simulate(start, STILL, None, 1.0, formulation="articulated-body")


def test_a_start_that_does_not_exist_is_refused(fourbar, start):
    with pytest.raises(OpenLoopError, match='loop "pin" is open by'):
        fourbar.simulate(start + 0.1, STILL, None, 1.0)
    with pytest.raises(OpenLoopError, match='loop "pin" opens at a speed'):
        fourbar.simulate(start, STILL + 1.0, None, 1.0)


@pytest.mark.slow
def test_a_locked_joint_stops_the_linkage_and_holds_it(fourbar, start):
    events = [Lock(0.5, "rocker"), Release(1.0, "rocker")]
    run = fourbar.simulate(start, STILL, None, 1.5, step=1e-3, events=events)
    held = (run.times > 0.5) & (run.times < 1.0)
    assert np.ptp(run.q[held], axis=0).max() < 1e-12
    assert np.ptp(run.q[run.times > 1.0, 2]) > 0.1
    q = run.q[held][0]
    expected = fourbar.inverse_dynamics(q, STILL, STILL, actuated=["rocker"])
    assert run.tau[held][5] == pytest.approx(expected, abs=1e-9)
    assert opened(run) < 1e-14
    assert run.audit.largest_drift < 1e-6  # what the lock took is in the books


def test_more_locks_than_freedoms_hold_it_too(fourbar, start):
    run = fourbar.simulate(start, STILL, None, 1.0, step=1e-3, events=[Lock(0.5, "*")])
    assert run.done
    assert np.ptp(run.q[run.times > 0.5], axis=0).max() < 1e-12


@pytest.mark.slow
def test_a_locked_overconstrained_linkage_is_held(bennett):
    q, qd, _ = bennett.random_state(1)
    run = bennett.simulate(q, qd, None, 0.4, step=1e-3, events=[Lock(0.2, "j2")])
    assert run.done
    assert np.ptp(run.q[run.times > 0.2], axis=0).max() < 1e-10


@pytest.mark.slow
def test_payloads_and_wrenches_act_as_they_do_on_the_robot_itself(fourbar, start):
    loaded = fourbar.with_payload(2.0, com=[0.0, 0.0, 0.1], frame="pin_on_coupler")
    run = fourbar.simulate(
        start, STILL, None, 1.0, step=1e-3, payload=[2.0, 0, 0, 0.1], frame="pin_on_coupler"
    )
    other = loaded.simulate(start, STILL, None, 1.0, step=1e-3)
    assert run.q[-1] == pytest.approx(other.q[-1], abs=1e-9)
    push = [5.0, 0, 3.0, 0, 0, 0]
    pushed = fourbar.simulate(start, STILL, None, 1.0, step=1e-3, wrench=push, frame="pin_on_coupler")
    tau = fourbar.jacobian(start, frame="pin_on_coupler").T @ push
    first = fourbar.forward_dynamics(start, STILL, tau)
    assert pushed.qd[1] / 1e-3 == pytest.approx(first, rel=2e-2)
    for each in (run, pushed):
        assert opened(each) < 1e-14
        assert each.audit.largest_drift < 1e-6


def test_a_load_taken_up_on_the_way_gives_an_impulse_that_loops_allow(fourbar, start):
    events = [Attach(0.5, 3.0, frame="pin_on_rocker"), Drop(0.8, frame="pin_on_rocker")]
    run = fourbar.simulate(start, STILL, None, 1.2, step=1e-3, events=events)
    assert opened(run) < 1e-14
    assert parting(run) < 1e-12
    assert run.audit.largest_drift < 1e-6


@pytest.mark.slow
def test_stops_and_motor_limits_act(fourbar, start):
    piston = strobe.load("slider-crank")
    q = piston.assemble(hold={"crank": 1.0})
    tight = piston.simulate(q, STILL, [2.0, 0, 0], 0.3, step=1e-4, stops=True)
    assert opened(tight) < 1e-13
    assert tight.q[:, 2].max() < 0.31
    limited = fourbar.simulate(start, STILL, [100.0, 0, 0], 0.5, step=5e-4, limits=True)
    assert np.abs(limited.tau[:, 0]).max() <= 30.0
    assert opened(limited) < 1e-12
    assert any('motor of joint "crank" gave less' in note for note in limited.notes)


@pytest.mark.slow
def test_friction_in_a_passive_joint_brings_the_linkage_to_rest_and_is_in_the_books(fourbar, start):
    bodies = list(fourbar.model.bodies)
    bodies[1] = replace(bodies[1], joint=replace(bodies[1].joint, friction=Friction(viscous=0.3)))
    robot = strobe.Robot(replace(fourbar.model, bodies=tuple(bodies)))
    run = robot.simulate(start, STILL, None, 20.0, step=1e-3, every=20)
    assert np.abs(run.qd[-1]).max() < 1e-2 * np.abs(run.qd).max()
    assert run.audit.work_of("friction")[-1] == pytest.approx(
        run.audit.energy[-1] - run.audit.energy[0], rel=1e-6
    )
    assert opened(run) < 1e-14
    tau = robot.inverse_dynamics(*robot.random_state(1))
    assert np.count_nonzero(tau) == 1  # the motor overcomes the friction of the others


def test_energy_can_be_conserved_to_rounding(fourbar, start):
    run = fourbar.simulate(start, STILL, None, 2.0, step=1e-3, conserve_energy=True)
    assert run.audit.largest_drift < 1e-13
    assert opened(run) < 1e-14
    assert parting(run) < 1e-12


def test_batches_run_as_single_runs_do(fourbar):
    q, qd, _ = fourbar.random_state(3, batch=3)
    runs = fourbar.simulate(q, qd, None, 0.5, step=1e-3)
    one = fourbar.simulate(q[1], qd[1], None, 0.5, step=1e-3)
    assert runs.q[1, -1] == pytest.approx(one.q[-1], abs=1e-12)
    assert runs.robot is fourbar


def test_many_side_by_side_stay_closed(fourbar):
    many = SideBySide(fourbar, 4, period=0.01)
    q, qd, _ = fourbar.random_state(4, batch=4)
    for k in range(4):
        many.place(k, q[k], qd[k])
    for _ in range(20):
        many.advance(np.zeros((4, 3)))
    assert np.abs(fourbar.loop_residuals(np.ascontiguousarray(many.q))).max() < 1e-12
