"""All formulations are one function: built-in robots, random arms and trees, and what the verdict says.

``STROBE_ARMS=1000`` (`make fuzz`) draws so many other arms, and a third as many other trees.
"""

import inspect
import os
from itertools import product

import numpy as np
import pytest

import strobe
from strobe.analysis import equivalence, symbolic_equality, verdict
from strobe.analysis.accuracy import relative
from strobe.errors import UnknownNameError, UnsupportedModelError, UnsupportedOperationError, ZeroPivotError
from strobe.formulations import FORMULATIONS, PRINTED
from strobe.models.library import built_in_names
from strobe.models.random_robots import random_model
from strobe.robot import Robot
from strobe.scalars import FieldSystem

ARMS = int(os.environ.get("STROBE_ARMS", "100"))
TREES = ARMS // 3
OTHER = 0 if ARMS == 100 else 1_000_000  # seeds that the hundred arms do not use
SIZES = range(1, 10)
ROUND = (*SIZES, *range(1, 7), *range(1, 6), *range(1, 6))  # sizes in turn, fewer of the slow long arms

TREES_OF_LINKS = ("parallelogram", "fourbar", "slider-crank", "fivebar", "delta")
SERIAL = [name for name in built_in_names() if name not in ("rx90", *TREES_OF_LINKS)]


def methods(model):
    """The formulations that a model allows."""
    return {name: method for name, method in FORMULATIONS.items() if method.refusal(model) is None}


def drawn(n):
    """The numbers of the arms with n joints: together as many as there are to be."""
    return [number for number in range(ARMS) if ROUND[number % len(ROUND)] == n]


def assert_one_function(robot, seed):
    """Exactly in the field, and to 1e-12 in float64."""
    model, chosen = robot.model, methods(robot.model)
    system = FieldSystem(seed)
    tau = equivalence.torques(chosen, model, system)
    exact = {name: [system.lower(t) for t in values] for name, values in tau.items()}
    assert [name for name in exact if exact[name] != exact["spatial-newton-euler"]] == []
    q, qd, qdd = (array.tolist() for array in robot.random_state(seed))
    values = {n: np.array(m.inverse_dynamics(model, q, qd, qdd), float) for n, m in chosen.items()}
    errors = {n: relative(x, values["spatial-newton-euler"]) for n, x in values.items()}
    assert max(errors.values()) < 1e-12, errors


@pytest.mark.parametrize("name", SERIAL)
def test_every_formulation_agrees_on_the_serial_built_in_robots(name):
    robot = strobe.load(name)
    assert methods(robot.model) == FORMULATIONS
    assert_one_function(robot, 0)


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
def test_every_formulation_agrees_on_random_arms_of_mixed_joints(n):
    for number in drawn(n):
        robot = strobe.random(n, OTHER + number)
        assert methods(robot.model) == FORMULATIONS
        assert_one_function(robot, number)


def test_there_are_a_hundred_arms_of_one_to_nine_joints_and_no_two_alike():
    numbers = [number for n in SIZES for number in drawn(n)]
    assert sorted(numbers) == list(range(ARMS))
    assert ARMS >= 100
    arms = {repr(strobe.random(n, OTHER + number).model) for n in SIZES for number in drawn(n)}
    assert len(arms) == ARMS


@pytest.mark.slow
@pytest.mark.parametrize("kinds", ["R", "RP", "RPS", "RPSF"])
def test_the_formulations_for_trees_agree_on_random_trees(kinds):
    for seed in range(TREES // 4):
        robot = strobe.random(2 + seed % 4, OTHER + seed, kinds=kinds, tree=True)
        assert_one_function(robot, seed)


def test_each_trial_has_a_prime_of_its_own_and_every_pair_a_verdict():
    model = random_model(3, 1)
    exact = equivalence.compare(FORMULATIONS, model)
    assert len(set(exact.primes)) == 3
    assert all(2**60 < prime < 2**61 for prime in exact.primes)
    assert len(exact.equal) == len(exact.degree) == 19 * 18 // 2
    assert exact.passed
    assert exact.classes() == [list(FORMULATIONS)]
    assert 0 < exact.probability < 1e-15


def test_other_seeds_draw_other_primes_and_so_do_redraws():
    model = random_model(1, 1)
    chosen = {name: FORMULATIONS[name] for name in ("waters", "newton-euler")}
    primes = [p for seed in range(4) for p in equivalence.compare(chosen, model, 4, seed).primes]
    assert len(set(primes)) == 16
    assert primes[:4] == list(equivalence.compare(chosen, model, 4, 0).primes)
    places = [equivalence.stream(*place) for place in product(range(6), repeat=3)]
    assert len(set(places)) == len(places)


def test_the_printed_recursion_stands_alone():
    model = random_model(3, 1, kinds="R")
    exact = equivalence.compare({**FORMULATIONS, PRINTED.name: PRINTED}, model, trials=1)
    assert not exact.passed
    assert exact.classes() == [list(FORMULATIONS), [PRINTED.name]]


def test_base_coordinates_have_a_higher_degree_than_the_trace_forms():
    names = ("waters", "hollerbach-4x4", "newton-euler-base")
    degree = equivalence.degrees({n: FORMULATIONS[n] for n in names}, random_model(4, 0))
    assert degree["waters", "hollerbach-4x4"] < degree["waters", "newton-euler-base"] < 400


def test_a_zero_pivot_is_drawn_again_and_three_in_a_row_are_reported():
    draws = []

    def fails_once(system):
        draws.append(system.prime)
        if len(draws) == 1:
            x = system.draw()
            _ = x / (x - x)
        return True

    assert equivalence.redrawn(fails_once, 0) == (True, draws[1])
    assert draws[0] != draws[1]
    with pytest.raises(ZeroPivotError):
        equivalence.redrawn(_always_fails, 0)


def _always_fails(system):
    x = system.draw()
    return x / (x - x)


def test_forward_dynamics_round_trips_hold_exactly_on_chains_and_trees():
    for model in (random_model(4, 3), random_model(5, 3, kinds="RPS", tree=True)):
        trips = equivalence.round_trips(model, trials=2)
        assert [trip.holds for trip in trips.values()] == [True, True]
        assert all(len(trip.primes) == 2 and trip.degree for trip in trips.values())


@pytest.mark.parametrize(("name", "odds"), [("stanford", 1e-15), ("panda", 1e-15), ("biped10", 1e-14)])
def test_the_degree_of_a_round_trip_leaves_no_doubt(name, odds):
    for trip in equivalence.round_trips(strobe.load(name).model, trials=1).values():
        assert 0 < trip.degree / trip.primes[0] < odds


def test_the_methods_that_borrow_from_the_reference_are_named():
    found = verdict.check(Robot(random_model(1, 1)), ["composite-body", "waters"], trials=1)
    assert list(found.borrowed) == ["composite-body"]
    sources = {name: inspect.getsource(method.module) for name, method in FORMULATIONS.items()}
    borrowing = {name for name, text in sources.items() if "spatial_newton_euler.inverse_dynamics" in text}
    assert borrowing == set(equivalence.BORROWED)


def test_a_joint_without_inertia_has_no_forward_dynamics_and_says_so(tmp_path):
    path = tmp_path / "weak.urdf"
    path.write_text(
        '<robot name="weak"><link name="base"/><link name="arm"/>'
        '<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/>'
        '<axis xyz="0 0 1"/></joint></robot>'
    )
    trips = equivalence.round_trips(strobe.load(path).model, trials=1)
    assert {trip.holds for trip in trips.values()} == {None}
    assert all("moves no inertia" in trip.why for trip in trips.values())


def test_a_selection_keeps_the_reference_and_refuses_with_the_reason():
    tree = random_model(4, 2, tree=True)
    assert not tree.is_serial
    chosen = equivalence.select(tree)
    assert "waters" in chosen.refused
    assert "single chain" in chosen.refused["waters"]
    assert list(equivalence.select(tree, ["composite-body"]).methods) == [
        "spatial-newton-euler",
        "composite-body",
    ]
    with pytest.raises(UnsupportedModelError, match="single chain"):
        equivalence.select(tree, ["waters"])
    with pytest.raises(UnknownNameError, match="Did you mean 'waters'"):
        equivalence.select(tree, ["water"])
    with pytest.raises(UnsupportedModelError, match="revolute joints only"):
        equivalence.select(random_model(3, 0, kinds="P"), [PRINTED.name])


# -- symbols ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["planar2", "planar3", "spherical3", "pendulum3"])
def test_small_robots_agree_symbol_by_symbol(name):
    model = strobe.load(name).model
    proof = symbolic_equality.compare(FORMULATIONS, "spatial-newton-euler", model)
    assert proof.passed
    assert len(proof.equal) == 15
    assert proof.terms > 20


def test_a_random_arm_with_oblique_axes_agrees_symbol_by_symbol():
    chosen = {n: FORMULATIONS[n] for n in ("waters", "newton-euler", "spatial-newton-euler")}
    assert symbolic_equality.compare(chosen, "spatial-newton-euler", random_model(3, 4)).passed


def test_a_misprint_is_seen_symbolically():
    chosen = {"spatial-newton-euler": FORMULATIONS["spatial-newton-euler"], PRINTED.name: PRINTED}
    proof = symbolic_equality.compare(chosen, "spatial-newton-euler", strobe.load("planar2").model)
    assert proof.equal == {"spatial-newton-euler": True, PRINTED.name: False}


def test_the_normal_form_knows_that_sines_and_cosines_lie_on_the_circle():
    system = symbolic_equality.PolynomialSystem(strobe.load("planar2").model)
    q = system.variable("q1", angle=True)
    c, s = q.apply("cos", q), q.apply("sin", q)
    assert system.lower(c * c + s * s) == 1
    assert system.lower(s * s * s - s + c * c * s) == 0
    with pytest.raises(UnsupportedOperationError, match="Polynomial cannot do div"):
        _ = 1.0 / c


def test_a_large_robot_is_not_compared_symbolically_and_says_why():
    robot = strobe.random(4, 0)
    found = verdict.symbolic(equivalence.select(robot.model), robot)
    assert "symbols are compared up to 3" in found.why


def test_a_check_that_fails_says_what_disagrees():
    found = verdict.check(Robot(random_model(2, 1, kinds="R")), [PRINTED.name], trials=1)
    assert not found.passed
    assert found.disagreements[0] == "spatial-newton-euler ≠ hollerbach-3x3-printed, exactly."
