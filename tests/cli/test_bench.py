"""``strobe bench`` as a user meets it; no time is asserted, only that there is one."""

import json
import sys

import numpy as np
import pytest

from strobe.analysis.speed import batch_way, measurable, method, too_large
from strobe.cli import bench
from strobe.compiler.runtime.timing import Way, best_times
from strobe.formulations import FORMULATIONS
from strobe.quantities import QUANTITIES
from strobe.robot import load
from tests.cli.verb import Verb


@pytest.fixture(autouse=True)
def in_a_hurry(monkeypatch):
    """All the time to compile, next to none to time."""
    monkeypatch.setattr(bench, "SHARE", 0.001)


run = Verb("bench")


def measured(*words):
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.slow
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


@pytest.mark.slow
def test_peers_are_timed_beside_what_they_have_too():
    pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")
    data = measured("planar2", "--peers", "--seconds", "60")
    assert data["quantities"]["inverse_dynamics"]["peers_ns"]["Pinocchio, batch"] > 0
    assert data["quantities"]["mass_matrix"]["peers_ns"]["Pinocchio, one call"] > 0
    assert data["quantities"]["joint_wrenches"]["peers_ns"] == {}


def test_a_person_reads_tables_and_is_told_what_had_no_time():
    result = run("planar2", "--seconds", "0.1")
    assert result.exit_code == 0
    assert "planar2: nanoseconds per state" in result.stdout
    assert "left out: the time is up." in result.stderr


@pytest.mark.slow
def test_a_tree_has_quantities_but_no_ladder_of_formulations():
    data = measured("parallelogram", "--seconds", "60")
    assert data["formulations"] == {}
    assert data["quantities"]["inverse_dynamics"]["batch_ns"] > 0


@pytest.mark.slow
def test_cycles_are_explained_for_both_widths_of_vectors():
    data = measured("planar2", "--explain")
    assert data["quantity"] == "inverse_dynamics"
    assert [(w["vectors"], w["states"], w["registers"]) for w in data["widths"]] == [
        ("AVX2", 4, 16),
        ("AVX-512", 8, 32),
    ]
    for width in data["widths"]:
        assert sum(width["instructions"].values()) == width["all_instructions"]
        assert width["instructions"]["fma"] > 0
        assert set(width["other_cores"]) == {"Golden Cove", "Skylake-X", "Zen 4"}
        if width["measured"] is not None:
            assert width["limits"]["front end"] > 0


def test_a_person_reads_what_bounds_a_quantity():
    result = run("planar2", "--explain", "--quantity", "forward_dynamics")
    assert result.exit_code == 0
    assert "planar2: forward_dynamics, instructions of one group of states" in result.stdout
    assert "values of a state alive at once" in result.stdout
    assert "AVX2: " in result.stdout
    assert "AVX-512: " in result.stdout
    assert "least cycles of a group on other cores" in result.stdout


def test_a_quantity_that_cannot_be_explained_is_bad_input():
    result = run("planar2", "--explain", "--quantity", "inverse_dynamic")
    assert result.exit_code == 2
    assert 'no quantity "inverse_dynamic"' in result.stderr
    assert "Did you mean 'inverse_dynamics'" in result.stderr


def test_without_a_compiler_nothing_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "strobe.analysis.cycles", None)
    result = run("planar2", "--explain")
    assert result.exit_code == 2
    assert "--explain reads machine code; llvmlite, which makes it, cannot be used" in result.stderr


def test_a_quantity_without_explain_is_bad_input():
    result = run("planar2", "--quantity", "gravity")
    assert result.exit_code == 2
    assert "--quantity chooses what --explain looks at; add --explain." in result.stderr


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


def test_every_quantity_is_timed():
    open_chain = {request.quantity for request in measurable(load("planar2"))}
    of_loops = {name for name in QUANTITIES if name.startswith(("loop_", "closed_"))}
    assert open_chain == set(QUANTITIES) - of_loops
    assert {request.quantity for request in measurable(load("fourbar"))} == set(QUANTITIES)


@pytest.mark.parametrize("name", ["planar2", "fourbar"])
def test_what_is_timed_is_what_the_methods_answer(name: str):
    """A batch with ``out`` on one thread and single calls, both as they are timed."""
    robot = load(name)
    for request in measurable(robot):
        if too_large(robot, request):
            continue
        way, ask = batch_way(robot, request, 1, batch=3), method(robot, request)
        found = way.function(*way.arguments[0])
        for k in range(3):
            row = [value if np.ndim(value) == 0 else value[k] for value in way.arguments[0]]
            for part, one in zip(parts_of(found), parts_of(ask(*row)), strict=True):
                np.testing.assert_allclose(part[k], one, rtol=1e-12, atol=1e-12, err_msg=request.quantity)


def parts_of(found) -> tuple:
    return found if isinstance(found, tuple) else (found,)


def test_kernels_for_cards_are_told_of_without_one(monkeypatch):
    from strobe.compiler.runtime import cuda_driver, ptx

    monkeypatch.setattr(cuda_driver, "LIBRARY", "libno-driver.so.1")
    cuda_driver.driver.cache_clear()
    if ptx.assembler() is None:
        assert run("planar2", "--target", "cuda").exit_code == 1
        pytest.skip("ptxas is not here: pip install nvidia-cuda-nvcc")
    data = measured("planar2", "--target", "cuda")
    assert data["card"] == ""
    rows = {(row["quantity"], row["precision"]): row for row in data["kernels"]}
    assert rows["inverse_dynamics", "float32"]["moved"] == 4 * 8
    assert all(
        0 < row["registers"] <= 255 and row["threads"] and row["rate"] is None for row in data["kernels"]
    )
    assert "there is no card here" in run("planar2", "--target", "cuda").stdout


def test_other_targets_are_refused():
    result = run("planar2", "--target", "metal")
    assert result.exit_code != 0
    assert "processor" in result.output
