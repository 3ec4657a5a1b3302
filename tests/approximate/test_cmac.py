"""The CMAC: learned torques in a memory of any size, the same for the same seed, and honest about its errors."""

import numpy as np
import pytest

import strobe
from strobe.approximate import CMAC
from strobe.errors import ArgumentError

ARM = strobe.load("planar2")
RANGES = {"q": (-1.0, 1.0), "qd": (-1.0, 1.0), "qdd": (-2.0, 2.0)}


def made(**how):
    return CMAC(ARM, RANGES, **{"samples": 2000, "rows": 4096, "tilings": 16, **how})


def test_what_it_learned_it_knows():
    """With far more rows than samples and no damping the learned states come back."""
    table = made(samples=40, rows=2**16, damping=0.0)
    x, _ = table._drawn(40, 0)
    state = np.split(x, 3, axis=-1)
    np.testing.assert_allclose(table.inverse_dynamics(*state), ARM.inverse_dynamics(*state), atol=1e-8)


def test_it_errs_as_much_as_it_says():
    table = made(samples=20_000, rows=2**14)
    rng = np.random.default_rng(9)
    q, qd, qdd = (rng.uniform(*RANGES[kind], (20_000, 2)) for kind in ("q", "qd", "qdd"))
    wrong = table.inverse_dynamics(q, qd, qdd) - ARM.inverse_dynamics(q, qd, qdd)
    rms = np.sqrt((wrong**2).mean(axis=0))
    np.testing.assert_allclose(rms, table.errors[0], rtol=0.1)
    assert table.notes[0].startswith(
        f"On random states that it did not learn from it errs by: joint1 {table.errors[0, 0]:.3g}"
    )
    spread = ARM.inverse_dynamics(q, qd, qdd).std(axis=0)
    assert (rms < 0.5 * spread).all()


def test_more_samples_and_memory_make_it_better():
    poor, rich = made(samples=300, rows=256), made(samples=6000, rows=2**14)
    assert (rich.errors[0] < 0.7 * poor.errors[0]).all()


def test_the_same_seed_learns_the_same_and_another_one_something_else():
    first, again, other = made(), made(), made(seed=1)
    np.testing.assert_array_equal(first.weights, again.weights)
    assert (first.weights != other.weights).any()


def test_near_states_share_rows_and_far_ones_hardly_any():
    table = made(rows=2**20, samples=1)
    near, step, far = ([[v, 0.1], [0.0, 0.2], [0.3, 0.0]] for v in (0.1, 0.13, 0.9))
    rows = [set(map(float, table.addresses(*x))) for x in (near, step, far)]
    assert len(rows[0] & rows[1]) >= 14
    assert not rows[0] & rows[2]


def test_rows_that_were_never_learned_are_counted():
    table = made(samples=5, rows=2**16)
    assert table.unknown > 0.5
    assert table.notes[1].endswith("of the rows read there were never learned.")


def test_memory_is_that_of_its_rows():
    table = made(rows=1000)
    assert table.memory - 8 * table.kernel.program.counts["constant"] == 8 * 1000 * 2
    assert table.operations.lookups == 16 * 2


def test_float32_states_read_the_same_rows():
    table = made()
    q = np.float32(np.random.default_rng(0).uniform(-1, 1, (100, 2)))
    found = table.inverse_dynamics(q, q, q)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, table.inverse_dynamics(*[q.astype(float)] * 3), rtol=1e-6)


def test_a_joint_that_turns_freely_has_rows_of_its_whole_turn():
    table = CMAC(
        strobe.load("spherical3"), {"q": {"joint3": (0.2, 0.5)}, "qd": (-1, 1), "qdd": (-1, 1)}, samples=50
    )
    state = [0.4, 3.0, 0.3], [0.1, 0.2, 0.3], [0.0, 0.1, 0.2]
    turned = [0.4 + 2 * np.pi, 3.0 - 4 * np.pi, 0.3]
    np.testing.assert_allclose(
        table.inverse_dynamics(*state), table.inverse_dynamics(turned, *state[1:]), atol=1e-12
    )


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"tilings": 0}, "tilings is 0; expected a whole number, 1 or more"),
        ({"rows": 2**25}, "rows is 33,554,432; expected 16,777,216 at most"),
        ({"rows": 1000, "budget": 100}, "a CMAC of planar2 takes 16,000 bytes; the budget is 100"),
        ({"budget": -5}, "budget is -5; expected bytes of memory"),
        ({"tiles": 0}, "tiles is 0; expected a whole number"),
        ({"damping": -1.0}, "damping is -1.0; expected a number, zero or more"),
        ({"samples": 0}, "samples is 0"),
    ],
)
def test_what_cannot_be_is_refused(how, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        made(**how)


def test_states_outside_are_refused():
    with pytest.raises(
        ArgumentError, match='acceleration of joint "joint2" is 2.5; this table of planar2 covers -2 to 2'
    ):
        made(samples=10).inverse_dynamics([0, 0], [0, 0], [0, 2.5])
