"""Counts as the papers count, and as a robot's own zeros and ones allow."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

import strobe
from strobe.analysis.counts import Operations, cost, dense, fitted, general_arm, growth
from strobe.analysis.polynomials import Polynomial
from strobe.formulations import FORMULATIONS
from strobe.scalars import FoldedCount

LEDGER = {  # revolute arms with full inertia tensors, n ≥ 2: the like-for-like comparison of Turney1980's methods
    "newton-euler": ("124n−24", "101n−24"),
    "newton-euler-hat": ("112n−24", "98n−24"),
    "modified-newton-euler": ("106n−33", "95n−33"),
}


@pytest.mark.parametrize("n", range(2, 9))
@pytest.mark.parametrize("name", LEDGER)
def test_dense_counts_of_newton_euler_are_those_of_the_ledger(name, n):
    found = dense(FORMULATIONS[name], general_arm(n))
    expected = tuple(Polynomial.parse(text)(n) for text in LEDGER[name])
    assert (found.multiplications, found.additions, found.divisions) == (*expected, 0)


@pytest.mark.parametrize(
    ("name", "m", "a"),
    [("newton-euler", 720, 582), ("newton-euler-hat", 648, 564), ("modified-newton-euler", 603, 537)],
)
def test_six_joints_cost_what_is_known(name, m, a):
    for model in (general_arm(6), strobe.load("puma560").model):
        found = dense(FORMULATIONS[name], model)
        assert (found.multiplications, found.additions) == (m, a)


@pytest.mark.parametrize("name", LEDGER)
def test_the_fitted_polynomials_are_those_of_the_ledger(name):
    found = growth(FORMULATIONS[name], range(2, 6))
    assert str(found["dense multiplications"].polynomial) == LEDGER[name][0]
    assert str(found["dense additions"].polynomial) == LEDGER[name][1]
    assert found["dense additions"].start == 2
    assert found["path"].polynomial.degree == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "degree"),
    [
        ("uicker-kahn", 4),
        ("waters", 2),
        ("hollerbach-4x4", 1),
        ("hollerbach-3x3", 1),
        ("turney-lagrange", 3),
    ],
)
def test_methods_grow_with_the_power_of_n_that_their_papers_claim(name, degree):
    lengths = range(2, 8) if degree > 2 else range(2, 7)
    found = fitted({n: dense(FORMULATIONS[name], general_arm(n)).multiplications for n in lengths})
    assert found.polynomial.degree == degree


def test_uicker_and_kahn_lead_with_the_published_coefficients():
    """32½ n⁴ multiplications and 25 n⁴ additions [Hollerbach1980], Table I."""
    method = FORMULATIONS["uicker-kahn"]
    counts = {n: dense(method, general_arm(n)) for n in range(2, 8)}
    m = fitted({n: c.multiplications for n, c in counts.items()}).polynomial
    a = fitted({n: c.additions for n, c in counts.items()}).polynomial
    assert (m.coefficient(4), a.coefficient(4)) == (Polynomial.parse("32½")(0), 25)


def test_a_fit_skips_an_irregular_shortest_arm_and_refuses_what_is_no_polynomial():
    found = fitted({2: 100, 3: 7, 4: 9, 5: 11, 6: 13})
    assert (found.polynomial, found.start) == (Polynomial(1, 2), 3)
    assert fitted({n: 2**n for n in range(2, 9)}) is None


@pytest.mark.slow
@pytest.mark.every("formulation")
def test_each_way_to_count_costs_no_more_than_the_one_before(formulation):
    found = cost(FORMULATIONS[formulation], strobe.load("stanford").model)
    ways = (found.dense, found.folded, found.graph, found.optimised)
    for more, less in pairwise(ways):
        assert more.multiplications >= less.multiplications
        assert more.additions >= less.additions
    assert found.graph.multiplications + found.graph.additions + found.graph.divisions == found.flow.work
    assert found.nodes >= found.flow.work
    assert (found.graph.sines, found.graph.cosines) == (5, 5)  # the third joint slides


def test_the_graph_of_the_puma_has_its_golden_size():
    found = cost(FORMULATIONS["modified-newton-euler"], strobe.load("puma560").model)
    assert found.folded == Operations(239, 203, 0, 6, 6)
    assert found.graph == Operations(223, 187, 0, 6, 6)


def test_divisions_are_counted_apart():
    system = FoldedCount()
    x = system.variable("x")
    _ = x / (x * x + x)
    assert Operations.of(system.tally) == Operations(1, 1, 1, 0, 0)


ENTRY = re.compile(
    r"^## ([\w-]+)$|at n = 6: (\S+) × and (\S+) \+\. \[.*\]\(formulations/(\S+)\.md\)", re.MULTILINE
)


@pytest.mark.slow
def test_the_page_of_formulations_gives_each_ones_cost_and_page():
    page = (Path(__file__).parents[2] / "docs" / "formulations.md").read_text(encoding="utf-8")
    names = [name for name, _, _, _ in ENTRY.findall(page) if name in FORMULATIONS]
    costs = [(m, a) for _, m, a, _ in ENTRY.findall(page) if m]
    pages = [linked for _, _, _, linked in ENTRY.findall(page) if linked]
    assert names == list(FORMULATIONS)
    assert pages == list(FORMULATIONS)
    for method, stated in zip(FORMULATIONS.values(), costs, strict=True):
        counted = dense(method, general_arm(6))
        assert stated == (f"{counted.multiplications:,}", f"{counted.additions:,}")


@pytest.mark.slow
@pytest.mark.parametrize("robot", ["planar2", "planar3", "stanford", "puma560", "ur5", "panda"])
def test_the_form_over_second_moments_has_the_smallest_graph_and_in_the_plane_armstrongs(robot):
    model = strobe.load(robot).model
    linear = [name for name in FORMULATIONS if "newton-euler" in name]
    works = {name: cost(FORMULATIONS[name], model).flow.work for name in linear}
    smallest = "newton-euler-armstrong" if robot.startswith("planar") else "newton-euler-moments"
    assert min(works, key=works.get) == smallest


def test_of_the_papers_forms_as_written_the_modified_one_has_the_fewest_multiplications():
    counts = {name: dense(m, general_arm(6)).multiplications for name, m in FORMULATIONS.items()}
    assert sorted(counts, key=counts.get)[:2] == ["newton-euler-moments", "modified-newton-euler"]
