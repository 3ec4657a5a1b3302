"""The step that is chosen, and what is said about one that is too long."""

import numpy as np
import pytest

import strobe
from strobe.errors import SimulationWarning
from strobe.simulate import Stops, simulate
from strobe.simulate.integrators import fixed_method
from strobe.simulate.step_size import longest_stable


@pytest.mark.parametrize(
    ("method", "eigenvalue", "limit"),
    [
        ("rk4", -1.0, 2.785),
        ("rk4", 1j, 2.828),
        ("semi-implicit-euler", 1j, 2.0),
        ("semi-implicit-euler", -1.0, 2.0),
    ],
)
def test_the_border_of_stability_is_where_it_is_known_to_be(method, eigenvalue, limit):
    found = longest_stable(fixed_method(method), np.array([eigenvalue * 50.0]))
    assert found * 50.0 == pytest.approx(limit, abs=0.03)


def test_a_mode_that_grows_by_itself_and_one_that_rests_set_no_limit():
    assert np.isinf(longest_stable(fixed_method("rk4"), np.array([3.0 + 1j, 0.0]))).all()


def test_the_stability_function_follows_the_exponential_to_its_order():
    z = np.array([0.1j, -0.1, 0.07 - 0.07j])
    for name, order in (("rk4", 4), ("rk8", 8)):
        error = np.abs(fixed_method(name).growth(z) - np.abs(np.exp(z)))
        assert (error < 3 * 0.1 ** (order + 1) / 50).all()


def test_a_fast_start_asks_for_a_short_step():
    robot = strobe.load("pendulum3")
    run = simulate(robot, np.zeros(3), [0.0, 0.0, 40.0], None, 0.1, friction=False)
    assert run.step <= 0.05 / 40
    assert run.notes[0].startswith("the step was chosen: 0.00125 s, for 0.05 rad per step at 40 rad/s")


def test_the_step_that_is_chosen_is_the_one_that_is_told():
    robot = strobe.load("planar2")
    run = simulate(robot, [0.1, 0.1], [0.0, 0.0], None, 0.01)
    assert run.notes[0].startswith(f"the step was chosen: {run.step} s, for ")
    given = simulate(robot, [0.1, 0.1], [0.0, 0.0], None, 0.01, step=run.step)
    np.testing.assert_array_equal(given.q, run.q)


def test_a_motion_that_becomes_fast_shortens_the_step():
    robot = strobe.load("planar2")
    run = simulate(robot, [0.7, -1.1], [1.3, -0.6], None, 1.0, friction=False)
    assert run.step * np.abs(run.qd).max() <= 2 * 0.05
    assert run.audit.largest_drift < 1e-6


def test_gains_of_a_law_ask_for_a_short_step_and_a_longer_one_is_warned_of():
    robot = strobe.load("pendulum3")
    stiff = strobe.trace(lambda q, qd: [-4e4 * x - 40.0 * v for x, v in zip(q, qd, strict=True)], q=3, qd=3)
    run = simulate(robot, np.full(3, 0.1), np.zeros(3), stiff, 0.02)
    assert run.step < 1e-3
    assert run.notes[0].startswith("the step was chosen: ")
    assert 'the mode of joint "' in run.notes[0]
    with pytest.warns(SimulationWarning, match="^step is 0.01 s, too long for rk4: the mode of joint"):
        wild = simulate(robot, np.full(3, 0.1), np.zeros(3), stiff, 1.0, step=0.01)
    assert not wild.done


def test_a_torque_function_is_tried_around_the_start_as_the_same_law_is():
    robot = strobe.load("pendulum3")
    start = np.full((2, 3), 1e-4), np.zeros(3)
    stiff = strobe.trace(lambda q, qd: [-4e4 * x - 40.0 * v for x, v in zip(q, qd, strict=True)], q=3, qd=3)
    run, same = (
        simulate(robot, *start, law, 0.005) for law in (stiff, lambda t, q, qd: -4e4 * q - 40.0 * qd)
    )
    assert same.step == pytest.approx(run.step, rel=1e-4)
    assert 'for the mode of joint "' in same.notes[0]


def test_a_torque_function_is_not_tried_where_the_step_is_given():
    calls = []
    robot = strobe.load("pendulum3")
    simulate(
        robot, [0] * 3, [0] * 3, lambda t, q, qd: calls.append(t) or qd, 1e-3, "semi-implicit-euler", 1e-3
    )
    assert calls == [0.0, 1e-3]  # the step, and the torque of the last row


def test_stops_ask_for_a_step_that_follows_their_spring():
    robot = strobe.load("planar2")
    run = simulate(robot, [0.1, 0.1], [0.0, 0.0], None, 0.05, friction=False, stops=Stops(1e6, 0.0))
    assert "in its stop" in run.notes[0]
    soft = simulate(robot, [0.1, 0.1], [0.0, 0.0], None, 0.05, friction=False)
    assert run.step < soft.step / 5


def test_coulomb_friction_at_rest_is_the_mode_that_is_named():
    robot = strobe.load("planar2")
    run = simulate(robot, [0.1, 0.1], [0.0, 0.0], None, 0.01)
    quiet = simulate(robot, [0.1, 0.1], [0.0, 0.0], None, 0.01, friction=False)
    assert "eigenvalue -" in run.notes[0]
    assert run.step < quiet.step / 5


@pytest.mark.slow
def test_a_robot_that_falls_into_its_stops_keeps_its_books_with_the_step_that_is_chosen():
    robot = strobe.load("panda")
    run = simulate(robot, [0, 0, 0, -1.5, 0, 1.5, 0], np.zeros(7), None, 5.0, stops=True)
    assert run.notes[0].startswith("the step was chosen: 0.000288 s, for the mode of joint")
    assert run.audit.largest_drift < 1e-4
    assert not [note for note in run.notes if "the energy is off" in note]


def test_energy_that_is_off_is_told_as_a_part_of_the_largest_kinetic_energy_of_the_run():
    robot = strobe.load("panda")
    run = simulate(robot, [0, 0, 0, -1.5, 0, 1.5, 0], np.zeros(7), None, 1.0, stops=True, step=1.5e-3)
    said = f"the energy is off by up to {run.audit.largest_drift:.2g} of the kinetic energy"
    assert [note for note in run.notes if said in note]


@pytest.mark.parametrize("name", ["pendulum3", "panda", "planar2"])
def test_no_note_shows_what_rounding_leaves_of_nothing(name):
    robot = strobe.load(name)
    middle = np.clip(robot.neutral, robot.limits.lower, robot.limits.upper)
    for friction in (True, False):
        run = simulate(robot, middle, np.zeros(robot.nv), robot.gravity(middle), 0.1, friction=friction)
        assert not [note for note in run.notes if "e-1" in note or "e+1" in note or "+0i" in note]


def test_energy_of_an_arm_at_rest_is_off_by_nothing_but_rounding_and_not_told():
    robot = strobe.load("planar2")
    run = simulate(robot, robot.neutral, [0.0, 0.0], robot.gravity(robot.neutral), 0.2, step=1e-4)
    assert not [note for note in run.notes if "the energy is off" in note]
    assert run.audit.noticed_drift == 0.0
    assert "0.0e+00 of the largest kinetic energy" in str(run.audit)
