"""The records: what each stored certificate costs, that it holds, and that it is what its variant writes."""

from __future__ import annotations

import random

import pytest

from strobe.formulations import formulation
from strobe.papers.certificates import check, given, read
from strobe.papers.fewest_program import certificate
from strobe.papers.fewest_records import FOLDER, VARIANTS, checked, stored

GOLDEN = {
    "general-6r-multiplications": (314, 351),
    "general-6r-shears": (312, 341),
    "general-6r-operations": (332, 292),
    "puma560-multiplications": (149, 160),
    "puma560-operations": (161, 133),
    "puma560-full-multiplications": (212, 262),
    "puma560-full-operations": (232, 227),
    "panda-multiplications": (250, 323),
    "panda-operations": (284, 283),
    "stanford-multiplications": (121, 120),
    "stanford-operations": (135, 96),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_a_certificate_has_its_count_and_holds(name):
    found = stored(name)
    assert (found.multiplications, found.additions) == GOLDEN[name]
    assert found.title == VARIANTS[name].title
    verdict = checked(name)
    assert verdict.holds
    assert verdict.probability < 1e-15


def test_every_variant_has_a_certificate_and_every_certificate_a_variant():
    assert {path.stem for path in FOLDER.iterdir()} == set(VARIANTS) == set(GOLDEN)


def test_records_are_below_what_was_reached_before():
    multiplications, operations = GOLDEN["general-6r-multiplications"], GOLDEN["general-6r-operations"]
    assert multiplications[0] <= 350
    assert sum(operations) <= 720
    assert GOLDEN["puma560-multiplications"][0] < 200
    m, a = GOLDEN["stanford-operations"]
    assert (m < 142, a < 99) == (True, True)


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


def test_a_variant_without_a_search_is_written_and_holds():
    variant = VARIANTS["stanford-operations"]
    found = read(certificate(variant.title, variant.model, variant.choices, rounds=0))
    assert check(found, variant.model, trials=1).holds
    assert found.additions == GOLDEN["stanford-operations"][1]
    assert found.multiplications <= 137


@pytest.mark.parametrize("name", GOLDEN)
def test_few_operations_cost_no_digits(name):
    """Shears divide by 1 + cos q and lose some near a half turn."""
    model, rng = VARIANTS[name].model, random.Random(5)
    for _ in range(20):
        state = [[rng.uniform(-3.0, 3.0) for _ in range(model.nv)] for _ in range(3)]
        expected = formulation("newton-euler").inverse_dynamics(model, *state)
        found = stored(name).evaluated(given(model, tuple(state)))
        largest = max(map(abs, expected))
        assert found == pytest.approx(expected, rel=0, abs=(1e-11 if "shears" in name else 2e-14) * largest)
