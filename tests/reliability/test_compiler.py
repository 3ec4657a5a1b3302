"""The differential fuzz of the compiler in short, and whether it would find anything."""

import json
from typing import Any

import numpy as np
import pytest

import strobe
from reliability import bounded, compiler, graphs, layouts, marches
from reliability.bounded import BoundedSystem
from reliability.comparison import (
    Mismatch,
    Subject,
    Tally,
    check_exact,
    check_layouts,
    check_values,
    interpreted,
)
from reliability.compiler import Case, attempt
from strobe.compiler.graph import rules
from strobe.compiler.graph.recurrence import STATE, Call, Recurrence
from strobe.compiler.runtime.device import INTERPRETER
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.marching import Marching
from strobe.models.load import load_model
from strobe.quantities import Request
from strobe.scalars import atan2, floor, less, sqrt, where
from strobe.scalars.precise import PreciseSystem


@pytest.fixture(autouse=True)
def as_in_a_trial(monkeypatch, tmp_path):
    """Nothing is kept on disk, and the width of vectors is set by each case."""
    monkeypatch.setenv("STROBE_CACHE", "off")
    monkeypatch.setenv("STROBE_WIDTH", "")
    monkeypatch.setattr(compiler, "REGRESSIONS", tmp_path)


# -- bounds -------------------------------------------------------------------------------------------------

FUNCTIONS = {
    "a difference of large numbers": lambda x, y: (x + 1e12 * y) - 1e12 * y,
    "a quotient by a difference": lambda x, y: x / (x - y),
    "a root of a difference": lambda x, y: sqrt(x * x * y - (x * y) * (x - 1e-9)),
    "an angle": lambda x, y: atan2(x - y, y * x),
    "a polynomial": lambda x, y: ((x * 3.7 - y) * x + y * y * 0.1) * x - 2.25,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_value_is_further_from_fifty_digits_than_its_bound(name):
    rng, system, precise = np.random.default_rng(3), BoundedSystem(), PreciseSystem()
    given = rng.uniform(0.1, 3.0, (200, 2))
    found = FUNCTIONS[name](*system.given(given))
    exact = [FUNCTIONS[name](*map(precise.exact, row)).value for row in given.tolist()]
    off = np.array(
        [float(abs(precise.context.mpf(x) - y)) for x, y in zip(found.values, exact, strict=True)]
    )
    assert (off <= found.error).all()
    assert np.median(found.error / np.maximum(off, np.finfo(float).tiny)) < 1e3


def error_of(number: Any) -> Any:
    return number.error


def test_what_rounding_may_turn_around_is_as_uncertain_as_the_two_choices_differ():
    (x,) = BoundedSystem().given(np.array([[0.3], [0.7]]))
    third = x * (1 / 3) * 3.0  # x but for rounding
    choice = where(less(third, x), 5.0, 2.0)
    assert (error_of(choice) >= 3.0).all()
    assert error_of(floor(third * 10.0)).tolist() == [1.0, 1.0]
    assert error_of(where(less(x, 0.5), 5.0, 2.0)).tolist() == [0.0, 0.0]


def test_a_divisor_that_may_be_zero_leaves_nothing_certain():
    (x,) = BoundedSystem().given(np.array([[0.3]]))
    with np.errstate(divide="ignore"):
        assert np.isinf(error_of(1.0 / (x * (1 / 3) * 3.0 - x)))


def test_a_constant_is_rounded_in_single_precision_only():
    assert BoundedSystem(np.float64).literal(0.1).error == 0.0
    single = BoundedSystem(np.float32).literal(0.1)
    assert abs(single.values - 0.1) <= single.error < 1e-8
    assert BoundedSystem(np.float32).literal(1e300).values == np.inf


def test_bounds_on_the_torques_of_an_arm_are_a_few_hundred_roundings():
    robot = strobe.load("panda")
    kernel = Kernel(robot.model, Request("inverse_dynamics"))
    state = dict(zip(kernel.inputs, robot.random_state(seed=1, batch=50), strict=True))
    values, error = interpreted(Subject(kernel, kernel), state)
    assert 1e-16 < np.median(error / np.abs(values).max(axis=1, keepdims=True)) < 1e-13


def test_a_program_runs_on_any_numbers():
    program = strobe.trace(lambda x: [x[0] * x[1] - x[0], sqrt(x[1])], x=2).program
    system = BoundedSystem()
    results = bounded.run(program, {"x": system.given(np.array([3.0, 4.0]))}, system.literal)
    assert [float(x.values) for x in results] == [9.0, 2.0]


# -- what is drawn ------------------------------------------------------------------------------------------


def test_the_same_seed_draws_the_same_function_which_survives_a_file():
    first, again = (graphs.random_recipe(np.random.default_rng(5), 60) for _ in range(2))
    kept = graphs.Recipe.from_json(json.loads(json.dumps(first.to_json())))
    assert first == again == kept


def test_a_function_without_what_no_result_needs_is_the_same_function():
    recipe = graphs.random_recipe(np.random.default_rng(8), 80)
    state = {name: graphs.states(np.random.default_rng(1), 1, n)[0].tolist() for name, n in recipe.inputs}
    shorter = graphs.needed(recipe)
    assert len(shorter.steps) < len(recipe.steps)
    assert shorter.function(**state) == recipe.function(**state)


@pytest.mark.parametrize("name", layouts.LAYOUTS)
def test_every_layout_holds_the_same_numbers(name):
    rng, array = np.random.default_rng(2), np.arange(24.0).reshape(2, 3, 4)
    for _ in range(5):
        assert layouts.LAYOUTS[name](rng, array).tolist() == array.tolist()


def test_a_place_for_results_may_begin_inside_an_input():
    rng, shared = np.random.default_rng(4), 0
    for _ in range(10):
        given, out = layouts.overlapping(rng, np.arange(12.0).reshape(4, 3), (4, 3))
        assert given.tolist() == np.arange(12.0).reshape(4, 3).tolist()
        shared += np.shares_memory(given, out)
    assert shared > 5


# -- faults are found ---------------------------------------------------------------------------------------


def subject(spoilt=lambda result: result):
    """Inverse dynamics of a small arm, whose results are changed on their way out."""
    robot = strobe.load("planar2")
    kernel = Kernel(robot.model, Request("inverse_dynamics"))
    state = dict(zip(kernel.inputs, robot.random_state(seed=2, batch=40), strict=True))
    return Subject(
        kernel, lambda arrays, out=None, threads=None: spoilt(kernel(arrays, out, threads))
    ), state


def test_a_torque_that_is_wrong_in_its_last_three_digits_is_found():
    made, state = subject()
    found = made.call(state)
    check_values(made, state, found, Tally())
    found[17, 0] *= 1 + 1e-13
    with pytest.raises(Mismatch, match=r"^values: entry 0 is .* at \{'q': "):
        check_values(made, state, found, Tally())
    with pytest.raises(Mismatch, match=r"^exact: entry 0 compiled is off by "):
        check_exact(made, {name: x[17:18] for name, x in state.items()}, found[17:18], Tally())


def test_a_result_that_depends_on_where_numbers_lie_is_found():
    calls = iter(range(100))
    made, state = subject(lambda result: result + 1e-9 * next(calls))
    with pytest.raises(Mismatch, match=r"^layouts: "):
        check_layouts(made, state, Tally(), np.random.default_rng(0))


@pytest.mark.slow
def test_a_wrong_rule_of_the_compiler_is_found_and_shortened_to_what_shows_it(monkeypatch):
    monkeypatch.setitem(rules.FORMS, "cos", rules.FORMS["sin"])  # cos(−x) = −cos x, and cos is sin
    case = next(
        case for case in map(compiler.drawn, range(1, 200)) if case.kind == "graph" and 20 < case.size < 60
    )
    error = compiler.failing(case)
    assert isinstance(error, Mismatch)
    smallest, why = compiler.minimised(case, error)
    assert smallest.recipe is not None
    assert 1 <= len(smallest.recipe.steps) <= 3
    path = compiler.keep(smallest, why)
    again = Case.from_json(json.loads(path.read_text()))
    assert again == smallest
    assert compiler.kept() == [path]
    monkeypatch.undo()
    assert compiler.failing(again) is None


# -- in short -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [2, 3, 5])
def test_random_functions_compile_to_what_they_say(seed):
    tally = attempt(Case("graph", seed, 60, 37))
    assert tally.evaluations + tally.undecided >= 37
    assert tally.evaluations > 15
    assert tally.layouts >= 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", [4, 16])
def test_random_robots_compile_to_what_they_say(seed):
    tally = attempt(Case("robot", seed, 3, 33))
    assert tally.robots == 1
    assert tally.evaluations + tally.undecided >= 33 * tally.kernels > 0
    assert tally.exact > 0


@pytest.mark.slow
def test_random_recurrences_have_the_same_bits_in_one_loop():
    tally = Tally()
    for seed in range(4):
        marches.attempt_march(np.random.default_rng(seed), tally)
    assert tally.rounds > 100


def test_a_record_of_what_all_states_share_is_made_without_a_compiler_too():
    programs = {
        "next": strobe.trace(lambda x, c: [x[0] + c[0]], x=1, c=1),
        "drive": strobe.trace(lambda c: [2.0 * c[0]], c=1),
    }
    calls = (Call("drive", ("gain",), "torque"), Call("next", (STATE, "torque"), "next"))
    recurrence = Recurrence(1, {"gain": 1}, {}, calls, "next", ("torque", 0, 1))
    march = Marching(load_model("planar2"), programs, recurrence, INTERPRETER)
    state, out = np.array([[1.0], [2.0]]), np.empty((2, 1, 2))
    march(state, {"gain": np.array([[0.5]])}, {}, np.array([0]), out)
    assert out[:, 0].tolist() == [[1.0, 1.0], [2.0, 1.0]]
    assert state.tolist() == [[2.0], [3.0]]


REGRESSIONS = compiler.kept()


@pytest.mark.parametrize("path", REGRESSIONS, ids=[path.stem for path in REGRESSIONS])
def test_what_failed_once_holds(path):
    tally = attempt(Case.from_json(json.loads(path.read_text())))  # a mismatch is raised
    assert tally.failures == []
    assert tally.evaluations + tally.rounds > 0
