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
    x = table._drawn(40, 0)
    state = np.split(x, 3, axis=-1)
    np.testing.assert_allclose(table.inverse_dynamics(*state), ARM.inverse_dynamics(*state), atol=1e-8)


@pytest.mark.slow
def test_it_errs_as_much_as_it_says():
    table = made(samples=20_000, rows=2**14)
    rng = np.random.default_rng(9)
    q, qd, qdd = (rng.uniform(*RANGES[kind], (20_000, 2)) for kind in ("q", "qd", "qdd"))
    wrong = table.inverse_dynamics(q, qd, qdd) - ARM.inverse_dynamics(q, qd, qdd)
    rms = np.sqrt((wrong**2).mean(axis=0))
    np.testing.assert_allclose(rms, table.errors[0], rtol=0.1)
    assert table.notes[0].startswith(
        f"On states like those that it learned from, but others, it errs by: joint1 {table.errors[0, 0]:.3g}"
    )
    spread = ARM.inverse_dynamics(q, qd, qdd, friction=False).std(axis=0)
    np.testing.assert_allclose(table.errors[2], spread, rtol=0.05)
    assert (rms < 0.5 * spread).all()


@pytest.mark.slow
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


def test_rows_that_were_never_learned_are_counted_and_states_that_read_mostly_those_refused():
    table = made(samples=5, rows=2**16)
    assert table.unknown > 0.5
    assert table.refused > 0.5
    assert table.notes[1] == (
        f"{table.unknown:.1%} of the rows read there were never learned; it refuses {table.refused:.1%} of them."
    )
    state = [[0.0, 0.0], [0.9, -0.9]], [[0.0, 0.0], [0.9, 0.9]], [[0.0, 0.0], [1.9, -1.9]]
    with pytest.raises(
        ArgumentError,
        match="state [01] is unlike those that this CMAC of planar2 has learned: of the 16 rows that it reads . were",
    ):
        table.inverse_dynamics(*state)


# -- along a motion ------------------------------------------------------------------------------------------

STANFORD = strobe.load("stanford")
MOTION = STANFORD.plan(
    [(0, 0.6, 0.4, 0, 0.5, 0), (1.2, 1.3, 0.8, 1, -0.6, 1.5)],
    velocity=(1, 1, 0.6, 2, 2, 2), acceleration=(1.5, 1.5, 0.8, 4, 4, 4),
)  # fmt: skip
WIDE = {"q": [(-0.1, 1.6)] * 4 + [(-0.7, 0.6), (-0.1, 1.6)], "qd": (-2.0, 2.0), "qdd": (-4.1, 4.1)}


def along(instants=2000, shift=0.0):
    q, qd, qdd = MOTION(np.linspace(0, MOTION.duration, instants))
    return q + shift, qd, qdd


@pytest.mark.slow
def test_along_a_motion_it_learns_six_joints_which_random_states_do_not_teach_it():
    taught, drawn = (
        CMAC(STANFORD, WIDE, tiles=2, rows=2**13, **how) for how in ({"states": along()}, {"samples": 2000})
    )
    state = along(777)
    tau = STANFORD.inverse_dynamics(*state)
    wrong = np.abs(taught.inverse_dynamics(*state) - tau).max(axis=0) / np.abs(tau).max(axis=0)
    assert wrong.max() < 0.15
    assert (taught.errors[0] < 0.05 * taught.errors[2]).all()
    assert (drawn.errors[0] > drawn.errors[2]).any()
    assert "a constant would err less: states drawn at random in 18 variables" in drawn.notes[-1]
    assert len(taught.notes) == 2


@pytest.mark.slow
def test_it_answers_beside_the_motion_and_refuses_far_from_it():
    table = CMAC(STANFORD, WIDE, states=along(), tiles=2, rows=2**13)
    near = along(50, shift=0.002)
    tau = STANFORD.inverse_dynamics(*near)
    assert (np.abs(table.inverse_dynamics(*near) - tau).max(axis=0) < 0.3 * np.abs(tau).max(axis=0)).all()
    with pytest.raises(ArgumentError, match="is unlike those that this CMAC of stanford has learned"):
        table.inverse_dynamics([1.5, 0.0, 0.0, 1.5, 0.5, 0.0], [-2] * 6, [4] * 6)
    assert np.isnan(table.inverse_dynamics(near[0] * np.nan, *near[1:])).all()


def test_states_to_learn_from_are_checked():
    for states, sentence in (
        (along()[:2], "states has 2 parts; expected q, qd and qdd of states to learn from"),
        (along(4), "states are 4; expected 5 or more to learn from, of finite numbers"),
        ([x * np.nan for x in along()], "expected 5 or more to learn from, of finite numbers"),
        (along(shift=5.0), 'position of joint "joint1" is 5; this CMAC of stanford covers -0.1 to 1.6 rad'),
    ):
        with pytest.raises(ArgumentError, match=sentence):
            CMAC(STANFORD, WIDE, states=states)


def test_memory_is_that_of_its_rows():
    table = made(rows=1000)
    assert table.memory - 8 * table.kernel.program.counts["constant"] == 8 * 1000 * 3
    assert table.operations.lookups == 16 * 3


def test_float32_states_read_the_same_rows():
    table = made()
    q = np.float32(np.random.default_rng(0).uniform(-1, 1, (100, 2)))
    found = table.inverse_dynamics(q, q, q)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, table.inverse_dynamics(*[q.astype(float)] * 3), rtol=1e-6)


@pytest.mark.slow
def test_a_joint_that_turns_freely_has_rows_of_its_whole_turn():
    table = CMAC(
        strobe.load("spherical3"),
        {"q": {"joint3": (0.2, 0.5)}, "qd": (-1, 1), "qdd": (-1, 1)},
        samples=50,
        rows=64,
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
        ({"rows": 1000, "budget": 100}, "a CMAC of planar2 takes 24,000 bytes; the budget is 100"),
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
