"""Reductions of chunks, against NumPy on all numbers at once and exact fractions."""

import json
from fractions import Fraction
from functools import reduce

import numpy as np
import pytest

from strobe.sweep.reductions import Moments, Reduced


def merged(values, cuts):
    parts = np.split(values, cuts)
    starts = [0, *cuts]
    return reduce(
        Moments.then, (Moments.of(part, start) for part, start in zip(parts, starts, strict=True))
    )


def test_chunks_merge_into_the_moments_of_all_runs():
    values = np.random.default_rng(0).normal(size=(1000, 3, 2))
    found = merged(values, [1, 2, 300, 301, 900]).told()
    np.testing.assert_allclose(found["mean"], values.mean(0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found["variance"], values.var(0, ddof=1), rtol=1e-13)
    assert np.array_equal(found["least"], values.min(0))
    assert np.array_equal(found["largest_run"], values.argmax(0))
    assert np.array_equal(found["least_run"], values.argmin(0))
    assert np.array_equal(found["count"], np.full((3, 2), 1000))


def test_the_variance_of_numbers_far_from_zero_keeps_its_digits():
    values = 1e9 + np.random.default_rng(1).normal(size=400)
    exact = [Fraction(x) for x in values.tolist()]
    mean = sum(exact) / len(exact)
    variance = sum((x - mean) ** 2 for x in exact) / (len(exact) - 1)
    assert merged(values, [100, 200, 300]).told()["variance"] == pytest.approx(float(variance), rel=1e-7)


def test_numbers_that_are_not_finite_are_not_counted():
    values = np.array([np.nan, 3.0, -np.inf, 1.0, np.inf])
    found = Moments.of(values, 10).told()
    assert (found["count"], found["mean"], found["variance"]) == (2, 2.0, 2.0)
    assert (found["least"], found["least_run"], found["largest"], found["largest_run"]) == (
        1.0,
        13,
        3.0,
        11,
    )


def test_a_chunk_without_a_finite_number_changes_nothing():
    some, none = Moments.of(np.array([1.0, 2.0]), 2), Moments.of(np.array([np.nan, np.nan]), 0)
    assert none.then(some).told() == some.told() == some.then(none).told()
    assert none.told() == {
        "count": 0, "mean": None, "variance": None, "least": None, "least_run": 0, "largest": None, "largest_run": 0
    }  # fmt: skip


def test_of_equal_extremes_the_earliest_run_is_told():
    values = np.array([1.0, 5.0, 1.0, 5.0, 1.0])
    found = merged(values, [2, 3])
    assert (int(found.least_run), int(found.largest_run)) == (0, 1)


def test_a_receipt_in_json_merges_into_the_same_bits():
    random = np.random.default_rng(2)
    rows = [
        {"tau": random.normal(size=(7, 2)), "peak": random.normal(size=7), "status": np.zeros(7, np.int8)}
        for _ in range(5)
    ]
    rows[0]["tau"][:, 1] = np.nan
    direct = [Reduced.of(each, 7 * k) for k, each in enumerate(rows)]
    read = [Reduced.from_data(json.loads(json.dumps(each.data(), allow_nan=False))) for each in direct]
    assert reduce(Reduced.then, read).told() == reduce(Reduced.then, direct).told()


def test_runs_are_counted_by_how_they_ended():
    status = np.array([0, 0, 2, 0, 1], np.int8)
    first, second = Reduced.of({"status": status}, 0), Reduced.of({"status": status[:2]}, 5)
    assert first.then(second).told() == {"runs": 7, "status": {"0": 5, "1": 1, "2": 1}, "fields": {}}


def test_numbers_whose_squares_overflow_have_no_variance_and_no_warning(recwarn):
    found = Moments.of(np.array([1e200, -1e200]), 0).told()
    assert found["variance"] is None
    assert found["mean"] == 0.0
    assert not recwarn.list
