"""The section in which a robot is let go, and the figure of a run."""

from __future__ import annotations

import numpy as np
import pytest

import strobe
from strobe.errors import SimulationWarning, UnsupportedModelError
from strobe.simulate import simulate
from strobe.simulate.figure import simulation_figure
from strobe.study import page_parts as page, simulation
from strobe.study.case import Case
from strobe.study.simulation_tables import energy_table, joints_table, told


@pytest.fixture(scope="module")
def case():
    return Case.of(strobe.load("planar2"))


@pytest.fixture(scope="module")
def data(case):
    return simulation.measure(case)


def test_a_robot_let_go_loses_the_energy_that_friction_and_stops_take(data):
    books = data["energy"]
    start, end = (sum(books[when].values()) for when in ("start", "end"))
    work = books["work"]
    assert work["drive"] == 0
    assert work["friction"] < 0
    assert end == pytest.approx(start + work["friction"] + work["stops"] + books["drift"], abs=1e-9)
    assert books["largest_drift"] < 1e-4
    assert data["status"] == "done"
    assert data["times"][-1] == simulation.DURATION
    assert not np.any(data["tau"])


def test_the_motion_is_that_of_the_command(case, data):
    wanted = simulate(strobe.load("planar2"), case.swing.q, [0, 0], None, data["times"], stops=True)
    np.testing.assert_array_equal(data["q"], wanted.q)
    assert simulation.command(case) == "simulate planar2 --q 0.7,-1.1 --duration 2 --stops"


def test_the_page_draws_it_and_has_the_rows_to_play(case, data):
    shown = str(simulation.html(data, case))
    assert shown.count("<svg") == 2
    assert 'id="fall"' in shown
    played = simulation.played(data, case)
    np.testing.assert_array_equal(played["q"], data["q"])
    left = case.robot.inverse_dynamics(data["q"], data["qd"], played["qdd"])  # no motor acts
    assert np.abs(left).max() < 1e-8


def test_quaternions_are_played_as_roll_pitch_and_yaw():
    case = Case.of(strobe.random(1, seed=2, kinds="F", tree=True))
    data = simulation.measure(case)
    played = simulation.played(data, case)
    assert played["q"].shape == (len(data["times"]), 6)
    np.testing.assert_array_equal(played["q"][:, :3], data["q"][:, :3])
    yaw = played["q"][-1, 5]
    w, x, y, z = data["q"][-1, 3:]
    assert np.tan(yaw) == pytest.approx(2 * (w * z + x * y) / (1 - 2 * (y * y + z * z)))
    assert "from" not in str(page.printed([joints_table(data)]))  # rates have other names than positions


def test_what_does_not_apply_says_why():
    with pytest.raises(UnsupportedModelError, match="has no dynamics"):
        simulation.measure(Case.of(strobe.load("rx90")))
    with pytest.raises(UnsupportedModelError, match=r"a study waits for 12"):
        simulation.measure(Case.of(strobe.random(13, seed=1, kinds="R")))
    with pytest.raises(UnsupportedModelError, match=r"a study waits for 8"):
        simulation.measure(Case.of(strobe.load("biped10"), quick=True))
    with pytest.raises(UnsupportedModelError, match=r"moves no inertia"):
        simulation.measure(Case.of(strobe.load("planar2").with_base("floating")))


def test_a_figure_has_a_row_of_energies_and_one_per_joint_with_limits_that_are_near():
    robot = strobe.load("pendulum3")
    run = simulate(robot, [0.3, 0.8, 0.4], np.zeros(3), [0.1, 0, 0], 0.5, step=5e-3)
    drawn = simulation_figure(run)
    assert drawn.count("time (s)") == 3
    for joint in robot.joint_names:
        assert drawn.count(f">{joint}<") == 3
    assert ">limits<" not in drawn  # there are none
    assert ">points, and switches of acceleration<" not in drawn
    free = simulation_figure(simulate(robot, [0.3, 0.8, 0.4], np.zeros(3), None, 0.5, step=5e-3))
    assert free.count("time (s)") == 2  # no torques to show
    near = simulate(strobe.load("planar2"), [2.9, 0], [1.0, 0], None, 0.2, stops=True)
    assert ">limits<" in simulation_figure(near)


def test_a_run_that_was_lost_is_told_and_drawn_up_to_there():
    robot = strobe.load("pendulum3")
    with pytest.warns(SimulationWarning, match="too long"):
        run = simulate(robot, [0.3, 0.8, 0.4], np.zeros(3), [0, 0, 1e14], 0.1, step=1e-3)
    data = told(run)
    assert data["status"] == "diverged"
    assert data["rows"] == int(np.isfinite(run.q).all(axis=-1).sum()) < 101
    assert np.isfinite(data["to"]).all()
    assert "NaN" not in simulation_figure(run)
    assert "unaccounted for" in str(page.printed([energy_table(data["energy"])]))


def test_an_interrupt_while_a_robot_falls_interrupts_the_study(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("strobe.simulate.fixed_steps.Stepping.go", interrupted)
    with pytest.raises(KeyboardInterrupt):
        simulation.let_go(Case.of(strobe.load("planar2")))
