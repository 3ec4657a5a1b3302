"""``strobe bench`` as a user meets it; no time is asserted, only that there is one."""

import json

import pytest
from typer.testing import CliRunner

from strobe.analysis.speed import Way, best_times, measurable
from strobe.cli import bench
from strobe.cli.app import app
from strobe.formulations import FORMULATIONS
from strobe.robot import load


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch):
    """All the time to compile, next to none to time."""
    monkeypatch.setattr(bench, "SHARE", 0.001)


def run(*words):
    return CliRunner().invoke(app, ["bench", *words])


def measured(*words):
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_every_quantity_and_formulation_has_its_operations_and_times():
    data = measured("planar2", "--seconds", "60")
    assert {"inverse_dynamics", "forward_dynamics", "mass_matrix", "jacobian"} <= set(data["quantities"])
    assert not data["left_out"]
    assert set(data["formulations"]) == set(FORMULATIONS)
    for figures in data["quantities"].values():
        assert figures["batch_ns"] > 0
        assert figures["single_ns"] > 0
        assert figures["peers_ns"] == {}
    assert data["quantities"]["inverse_dynamics"]["multiplications"] > 0


def test_peers_are_timed_beside_what_they_have_too():
    pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")
    data = measured("planar2", "--peers", "--seconds", "60")
    assert data["quantities"]["inverse_dynamics"]["peers_ns"]["Pinocchio, batch"] > 0
    assert data["quantities"]["mass_matrix"]["peers_ns"]["Pinocchio, one call"] > 0
    assert data["quantities"]["coriolis_matrix"]["peers_ns"] == {}


def test_a_person_reads_tables_and_is_told_what_had_no_time():
    result = run("planar2", "--seconds", "0.1")
    assert result.exit_code == 0
    assert "planar2: nanoseconds per state" in result.stdout
    assert "left out: the time is up." in result.stderr


def test_a_tree_has_quantities_but_no_ladder_of_formulations():
    data = measured("parallelogram", "--seconds", "60")
    assert data["formulations"] == {}
    assert data["quantities"]["inverse_dynamics"]["batch_ns"] > 0


def test_a_robot_that_does_not_exist_is_bad_input():
    result = run("pandda")
    assert result.exit_code == 2
    assert "Did you mean 'panda'" in result.stderr


def test_the_help_shows_examples():
    shown = run("--help").stdout
    assert "strobe bench panda" in shown
    assert "--json" in shown


def test_the_timer_takes_its_ways_and_their_inputs_in_turn():
    seen = []
    ways = {name: Way(lambda x, name=name: seen.append((name, x)), [(0,), (1,), (2,)]) for name in "ab"}
    times = best_times(ways, 0.0)
    assert set(times) == {"a", "b"}
    assert all(seconds > 0 for seconds in times.values())
    inputs = [x for name, x in seen if name == "a"]
    assert inputs == [k % 3 for k in range(len(inputs))]


def test_what_is_timed_are_functions_of_a_state_alone():
    names = [request.quantity for request in measurable(load("planar2"))]
    assert "inverse_dynamics" in names
    assert "integrate" not in names
