"""The values of the equivalence report's simulation, worked out again: a bare two-link arm, torques in time."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.models.joints import Friction, Motor
from strobe.scalars import cos, sin

Q0, QD0 = (0.7, -1.1), (1.3, -0.6)
UNFORCED = (-3.50608742295, -1.74364954866, 0.326379945702, -3.63758438473)
FORCED = (-3.61637738457, -1.74148542994, -2.19160015856, -10.632814305)


@pytest.fixture(scope="module")
def arm():
    """planar2 without rotors and friction, which the report does not have."""
    model = strobe.load("planar2").model
    bare = [
        replace(body, joint=replace(body.joint, motor=Motor(), friction=Friction()))
        for body in model.bodies
    ]
    return strobe.Robot(replace(model, bodies=tuple(bare)))


@pytest.fixture(scope="module")
def drive():
    return strobe.trace(lambda t: [3.0 * sin(7.0 * t[0]), 1.5 * cos(5.0 * t[0])], t=1)


def end(run):
    return np.concatenate([run.q[-1], run.qd[-1]])


def test_one_step_is_the_golden_one(arm):
    run = strobe.simulate(arm, Q0, QD0, 0.0, 0.01, step=0.01)
    golden = [0.712077650501, -1.10634705155, 1.11624483526, -0.672564796249]
    np.testing.assert_allclose(end(run), golden, rtol=5e-12)


@pytest.mark.parametrize("formulation", ["newton-euler", "uicker-kahn", "articulated-body"])
def test_one_step_is_the_same_by_strobing_and_elimination(arm, formulation):
    by_default = strobe.simulate(arm, Q0, QD0, 0.0, 0.01, step=0.01)
    by_name = strobe.simulate(arm, Q0, QD0, 0.0, 0.01, step=0.01, formulation=formulation)
    np.testing.assert_allclose(end(by_name), end(by_default), rtol=1e-13)


@pytest.mark.parametrize(("method", "step"), [("rk4", 1e-4), ("rk8", 2e-3)])
def test_unforced_it_is_where_dop853_says_after_a_second_and_has_its_energy(arm, method, step):
    run = strobe.simulate(arm, Q0, QD0, 0.0, 1.0, method, step=step)
    np.testing.assert_allclose(end(run), UNFORCED, atol=2e-11)
    assert run.audit.energy[-1] == pytest.approx(5.538705127613, abs=1e-12)


def test_the_energy_drift_is_the_golden_one_at_three_steps(arm):
    drifts = [
        strobe.simulate(arm, Q0, QD0, 0.0, 1.0, step=h).audit.drift[-1] for h in (0.01, 0.005, 0.0025)
    ]
    np.testing.assert_allclose(drifts, [-8.6e-4, -2.8e-5, -8.9e-7], rtol=0.02)


def test_with_torques_at_the_stage_times_the_order_is_four(arm, drive):
    runs = [strobe.simulate(arm, Q0, QD0, drive, 1.0, step=1 / n) for n in (50, 100, 200, 400)]
    errors = [np.abs(end(run) - FORCED).max() for run in runs]
    np.testing.assert_allclose(errors, [6.3e-3, 1.7e-4, 1.5e-5, 1.1e-6], rtol=0.05)
    assert np.log2(errors[2] / errors[3]) == pytest.approx(4, abs=0.3)


def test_torques_held_over_each_step_have_order_one(arm):
    errors = []
    for n in (50, 100, 200, 400):
        t = np.arange(n + 1) / n
        table = strobe.simulate.TimeSeries(
            t, np.stack([3 * np.sin(7 * t), 1.5 * np.cos(5 * t)], -1), "zero-order"
        )
        errors.append(np.abs(end(strobe.simulate(arm, Q0, QD0, table, 1.0, step=1 / n)) - FORCED).max())
    np.testing.assert_allclose(errors, [2.5, 1.1, 0.53, 0.26], rtol=0.05)


def test_a_step_ends_where_the_torque_switches(arm):
    """At 1/3 s, which no multiple of the step is: landed 1,000 times more exactly than ignored."""
    table = strobe.simulate.TimeSeries(
        [0.0, 1 / 3, 2.0], [[3.0, 1.0], [-3.0, -1.0], [0.0, 0.0]], "zero-order"
    )
    exact = end(strobe.simulate(arm, Q0, QD0, table, 1.0, step=1e-4))
    landed = end(strobe.simulate(arm, Q0, QD0, table, 1.0, step=1 / 400))
    ignored = end(
        strobe.simulate(
            arm, Q0, QD0, lambda t, q, qd: [3.0, 1.0] if t < 1 / 3 else [-3.0, -1.0], 1.0, step=1 / 400
        )
    )
    assert np.abs(landed - exact).max() < 1e-5 < 1e-3 < np.abs(ignored - exact).max()


@pytest.mark.parametrize("method", ["rk45", "dop853", "radau", "bdf", "lsoda"])
def test_integrators_that_choose_their_steps_agree(arm, drive, method):
    stiff = method in ("bdf", "radau")
    run = strobe.simulate(arm, Q0, QD0, drive, 1.0, method, rtol=1e-8 if stiff else 1e-11, atol=1e-11)
    np.testing.assert_allclose(end(run), FORCED, atol=1e-4 if stiff else 1e-6)
    assert run.audit.largest_drift < 1e-5
    assert len(run.times) == 1001
    assert np.isnan(run.step)


def test_a_python_function_a_law_and_dense_tables_give_the_same_motion(arm, drive):
    t = np.linspace(0, 1, 20001)
    table = strobe.simulate.TimeSeries(t, np.stack([3 * np.sin(7 * t), 1.5 * np.cos(5 * t)], -1))
    runs = [
        strobe.simulate(arm, Q0, QD0, torque, 1.0, step=1e-3)
        for torque in (drive, lambda t, q, qd: [3 * np.sin(7 * t), 1.5 * np.cos(5 * t)])
    ]
    np.testing.assert_allclose(end(runs[1]), end(runs[0]), rtol=1e-11)
    np.testing.assert_allclose(
        end(strobe.simulate(arm, Q0, QD0, table, 1.0, step=1e-3)), end(runs[0]), rtol=1e-7
    )
    np.testing.assert_allclose(runs[1].tau, runs[0].tau, atol=1e-12)
    assert runs[0].tau[500] == pytest.approx([3 * np.sin(3.5), 1.5 * np.cos(2.5)])
