"""Numbers by counter: those of the published generator, the same in every chunk, distributed as they should be."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from strobe.sweep.random_streams import Choice, LogUniform, Normal, Uniform, WithTurns, uniforms

RUNS = 20_000


def philox(counter: int, key: tuple[int, int]) -> list[int]:
    """Philox4x64-10 as Salmon et al. (2011) define it: ten rounds of two products of 64 bits."""
    mask = 2**64 - 1
    x, k = [counter >> (64 * i) & mask for i in range(4)], list(key)
    for _ in range(10):
        a, b = 0xD2E7470EE14C6C93 * x[0], 0xCA5A826395121157 * x[2]
        x = [b >> 64 ^ x[1] ^ k[0], b & mask, a >> 64 ^ x[3] ^ k[1], a & mask]
        k = [(k[0] + 0x9E3779B97F4A7C15) & mask, (k[1] + 0xBB67AE8584CAA73B) & mask]
    return x


def test_run_k_draws_what_the_published_generator_gives_at_its_counters():
    found = uniforms(seed=7, stream=3, start=5, stop=7, count=6)
    for row, run in zip(found, (5, 6), strict=True):
        raw = [x for block in (1, 2) for x in philox(2 * run + block, (7, 3))]
        assert row.tolist() == [((x >> 12) + 0.5) * 2.0**-52 for x in raw[:6]]


@given(st.integers(1, 9), st.integers(0, 2**60), st.lists(st.integers(1, 40), min_size=1, max_size=5))
def test_any_cut_into_chunks_draws_the_same_bits(count, first, lengths):
    whole = uniforms(1, 0, first, first + sum(lengths), count)
    parts = [
        uniforms(1, 0, start, start + length, count)
        for start, length in zip(first + np.cumsum([0, *lengths[:-1]]).astype(object), lengths, strict=True)
    ]
    np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_seeds_streams_and_runs_share_no_number():
    drawn = [uniforms(seed, stream, 0, 500, 5) for seed in (0, 1) for stream in (0, 1)]
    assert len(np.unique(np.concatenate(drawn))) == 4 * 500 * 5


def test_uniform_numbers_stay_away_from_both_ends():
    lattice = (np.array([0, 2**52 - 1], dtype=np.uint64) + 0.5) * 2.0**-52
    assert 0 < lattice[0] < lattice[1] < 1
    assert np.isfinite(Normal(np.zeros(2), np.ones(2))(lattice[None])).all()


@pytest.mark.parametrize(
    ("drawing", "expected"),
    [
        (Uniform(np.array([-1.0, 2.0]), np.array([1.0, 5.0])), [stats.uniform(-1, 2), stats.uniform(2, 3)]),
        (Normal(np.array([0.0, 3.0]), np.array([1.0, 0.1])), [stats.norm(0, 1), stats.norm(3, 0.1)]),
        (
            LogUniform(np.array([1e-3, 1.0]), np.array([1e3, 2.0])),
            [stats.loguniform(1e-3, 1e3), stats.loguniform(1, 2)],
        ),
    ],
    ids=["uniform", "normal", "log-uniform"],
)
def test_draws_follow_their_distribution_and_are_independent(drawing, expected):
    found = drawing(uniforms(11, 2, 0, RUNS, drawing.count))
    for column, law in zip(found.T, expected, strict=True):
        assert stats.kstest(column, law.cdf).pvalue > 1e-3
    assert abs(stats.spearmanr(*found.T).statistic) < 0.03


def test_a_log_uniform_number_keeps_its_bounds():
    ends = LogUniform(np.array([1e-3]), np.array([0.7]))(np.array([[2.0**-53], [1 - 2.0**-53]]))
    assert 1e-3 <= ends[0, 0] < ends[1, 0] <= 0.7


def test_each_value_of_a_choice_is_as_likely_and_whole_rows_are_chosen():
    drawing = Choice(np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]))
    found = drawing(uniforms(5, 1, 0, RUNS, drawing.count))
    values, counts = np.unique(found[:, 0], return_counts=True)
    assert values.tolist() == [1, 2, 3]
    assert stats.chisquare(counts).pvalue > 1e-3
    np.testing.assert_array_equal(found[:, 1], 10 * found[:, 0])


def test_quaternions_have_unit_length_and_no_preferred_direction():
    drawing = WithTurns(Uniform(np.array([0.0] * 7 + [2.0]), np.array([0.0] * 7 + [3.0])), (slice(0, 7),))
    found = drawing(uniforms(9, 0, 0, RUNS, drawing.count))
    np.testing.assert_allclose(np.linalg.norm(found[:, 3:7], axis=1), 1, rtol=1e-15)
    assert stats.kstest(found[:, 0], stats.norm.cdf).pvalue > 1e-3
    for part in found[:, 3:7].T:  # of a random rotation each has the density 2/π √(1 − x²)
        assert (
            stats.kstest(part, lambda x: 0.5 + (x * np.sqrt(1 - x * x) + np.arcsin(x)) / np.pi).pvalue
            > 1e-3
        )
    assert stats.kstest(found[:, 7], stats.uniform(2, 1).cdf).pvalue > 1e-3
