"""``strobe count`` as a user meets it."""

import json
from functools import cache

import pytest

from strobe.formulations import FORMULATIONS
from tests.cli.verb import Verb

run = Verb("count")


@cache
def counted(*words):
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.slow
def test_every_formulation_is_counted_four_ways_and_scheduled():
    data = counted("puma560")
    assert set(data["formulations"]) == set(FORMULATIONS)
    costs = data["formulations"]["newton-euler"]
    assert (costs["dense"]["multiplications"], costs["dense"]["additions"]) == (720, 582)
    assert costs["graph"]["sines"] == costs["graph"]["cosines"] == 6
    assert costs["optimised"]["multiplications"] <= costs["graph"]["multiplications"]
    schedule = costs["schedule"]
    assert schedule["length"]["1"] == schedule["work"]
    assert schedule["length"][max(schedule["length"], key=int)] == schedule["path"]


@pytest.mark.slow
def test_one_formulation_can_be_asked_for_with_its_polynomials():
    data = counted("planar3", "--formulation", "modified-newton-euler", "--polynomials")
    assert list(data["formulations"]) == ["modified-newton-euler"]
    grown = data["polynomials"]["modified-newton-euler"]
    assert grown["dense multiplications"] == {"polynomial": "106n−33", "from": 2}
    assert grown["dense additions"]["polynomial"] == "95n−33"


def test_a_person_reads_tables():
    shown = run("planar2", "--formulation", "newton-euler", "--polynomials").stdout
    for text in (
        "dense ×",
        "optimised ×",
        "compiled (regrouped)",
        "newton-euler",
        "P=1",
        "parallelism",
        "124n−24",
        "101n−24",
    ):
        assert text in shown


def test_a_tree_names_what_does_not_run_on_it():
    result = run("parallelogram")
    assert result.exit_code == 0
    assert "spatial-newton-euler" in result.stdout
    assert "newton-euler left out: parallelogram is not a single chain" in result.stderr


def test_a_chain_formulation_asked_for_on_a_tree_is_bad_input():
    result = run("parallelogram", "--formulation", "waters")
    assert result.exit_code == 2
    assert "not a single chain of one-degree joints, which waters needs" in result.stderr


def test_an_unknown_formulation_is_answered_with_the_nearest():
    result = run("planar2", "--formulation", "newton-eulr")
    assert result.exit_code == 2
    assert "Did you mean 'newton-euler'" in result.stderr


@pytest.mark.slow
def test_what_a_call_runs_costs_less_than_any_formulation_alone():
    data = counted("puma560")
    most = data["compiled"]
    for costs in data["formulations"].values():
        assert most["multiplications"] < costs["optimised"]["multiplications"]
        assert most["additions"] < costs["optimised"]["additions"]
