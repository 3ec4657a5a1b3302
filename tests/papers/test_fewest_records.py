"""The records: what each stored certificate costs, and that it holds."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

import strobe
from strobe.analysis.counts import compiled
from strobe.formulations import formulation
from strobe.papers.certificates import OPERATIONS, check, given, parameters, read
from strobe.papers.conditions import DISTANCES
from strobe.papers.fewest_records import (
    DIVISION_FREE,
    FOLDER,
    GENERIC,
    VARIANTS,
    beside_conditions,
    checked,
    on_real_arms,
    stored,
)

GOLDEN = {
    "general-6r-multiplications": (307, 395),
    "general-6r-operations": (371, 308),
    "puma560-multiplications": (147, 177),
    "puma560-operations": (163, 135),
    "puma560-full-multiplications": (198, 267),
    "puma560-full-operations": (232, 211),
    "panda-multiplications": (239, 322),
    "panda-operations": (282, 257),
    "stanford-multiplications": (118, 127),
    "stanford-operations": (128, 104),
    "stanford-principal-multiplications": (114, 124),
    "stanford-principal-operations": (124, 101),
    "general-6r-operations-generic": (326, 289),
    "puma560-operations-generic": (154, 137),
    "panda-operations-generic": (277, 257),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_a_certificate_has_its_count_and_holds(name):
    found = stored(name)
    assert (found.multiplications, found.additions) == GOLDEN[name]
    assert found.title == VARIANTS[name].title
    verdict = checked(name)
    assert verdict.holds
    assert verdict.probability < 1e-15
    assert bool(found.divisions) == VARIANTS[name].generic


def test_every_variant_has_a_certificate_and_every_certificate_a_variant():
    assert {path.stem for path in FOLDER.iterdir()} == set(VARIANTS) == set(GOLDEN)


@pytest.mark.parametrize("name", [name for name, variant in VARIANTS.items() if variant.robots])
def test_a_certificate_runs_on_the_arm_that_it_is_named_after(name):
    errors = on_real_arms(name)
    assert set(errors) == set(VARIANTS[name].robots)
    assert max(errors.values()) < 1e-14


def test_every_program_with_the_name_of_an_arm_is_tried_on_it():
    named = {"puma560": "PUMA 560,", "panda": "Panda,", "stanford": "Stanford arm,"}
    for variant in VARIANTS.values():
        assert {robot for robot, title in named.items() if variant.title.startswith(title)} <= set(
            variant.robots
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", GENERIC)
def test_generic_programs_stop_where_a_condition_is_broken_and_lose_no_more_than_its_distance(name):
    found = beside_conditions(name)
    assert len(found) >= 4
    assert all(margin.stops for margin in found)
    for margin in found:
        assert all(lost < 1.7 - math.log10(e) for lost, e in zip(margin.lost, DISTANCES, strict=True))


@pytest.mark.parametrize("seed", [11, 12])
def test_another_arm_and_another_prime_find_the_same(seed):
    name = "general-6r-operations"
    verdict = check(stored(name), VARIANTS[name].model, trials=1, seed=seed)
    assert verdict.holds
    assert verdict.primes != checked(name).primes


def test_a_certificate_of_one_arm_does_not_hold_for_another():
    free = VARIANTS["puma560-operations"]
    assert not check(stored("puma560-operations"), VARIANTS["puma560-full-operations"].model).holds
    assert free.model.nv == 6


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9])
def test_a_changed_sign_is_found_wherever_it_is(place):
    name = "stanford-operations"
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").split("\n")
    start, stop = lines.index("program"), lines.index("torques")
    k = next(k for k in range(start + int(place * (stop - start)), stop) if " + " in lines[k])
    lines[k] = lines[k].replace(" + ", " - ")
    changed = read("\n".join(lines))
    assert (changed.multiplications, changed.additions) == GOLDEN[name]
    assert not check(changed, VARIANTS[name].model, trials=1).holds


@pytest.mark.parametrize("name", GOLDEN)
def test_few_operations_cost_few_digits(name):
    model, rng = VARIANTS[name].model, random.Random(5)
    for _ in range(20):
        state = [[rng.uniform(-3.0, 3.0) for _ in range(model.nv)] for _ in range(3)]
        expected = formulation("newton-euler").inverse_dynamics(model, *state)
        found = stored(name).evaluated(given(model, tuple(state)))
        largest = max(map(abs, expected))
        assert found == pytest.approx(expected, rel=0, abs=2e-14 * largest)


def left_where(name, equal):
    """Multiplications and additions of a certificate once those of factors that are zero are gone."""
    program, rng = stored(name), random.Random(2)
    known = {x: Fraction(rng.randint(1, 10**6), 7919) for x in parameters(VARIANTS[name].model)}
    known |= {a: known[b] for a, b in equal.items()}

    def constant(text):
        return known[text] if text in known else Fraction(text)

    for line in program.constants:
        right = constant(line.right)
        known[line.name] = OPERATIONS[line.operation](constant(line.left), right) if line.left else -right
    same = {x: None for x, value in known.items() if value == 0}  # what a name stands for; None: zero
    uses = {}
    for line in program.program:
        left, right = (same.get(x, x) for x in (line.left, line.right))
        if line.operation == "*" and None in (left, right):
            same[line.name] = None
        elif None in (left, right):
            same[line.name] = left or right  # but for its sign
        else:
            uses[line.name] = (line.operation, left, right)
    alive = {same.get(line.right, line.right) for line in program.torques}
    for x in reversed(uses):
        if x in alive or x.startswith("q"):  # the sum of two angles, whose cosine is named c23
            alive |= {x, *uses[x][1:]}
    operations = [operation for x, (operation, *_) in uses.items() if x in alive]
    return operations.count("*"), len(operations) - operations.count("*")


@pytest.mark.parametrize("name", DIVISION_FREE)
def test_no_line_of_a_certificate_is_spare(name):
    assert left_where(name, {}) == GOLDEN[name]


def test_equal_inertias_leave_fewer_operations_than_a_call_compiles():
    left = left_where("stanford-operations", {"Ixx6": "Iyy6"})
    called = compiled(strobe.load("stanford").model)
    assert left == (122, 98)
    assert (called.multiplications, called.additions) == (120, 102)
    assert sum(left) < called.multiplications + called.additions
