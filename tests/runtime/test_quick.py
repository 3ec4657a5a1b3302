"""The builtin for one state per call: right where it accepts, modest where it does not."""

import sys

import numpy as np
import pytest

import strobe
from strobe.quantities import Request
from strobe.runtime.kernels import Kernel


@pytest.fixture(scope="module")
def panda():
    return strobe.load("panda")


@pytest.fixture(scope="module")
def quick(panda):
    return Kernel(panda.model, Request("inverse_dynamics")).quick


def test_it_computes_what_the_ufunc_does(panda, quick):
    for seed in range(5):
        state = panda.random_state(seed=seed)
        assert quick(*state) == pytest.approx(panda.inverse_dynamics(*state), rel=1e-13)


def test_matrices_come_back_as_matrices(panda):
    q, _, _ = panda.random_state(seed=1)
    M = Kernel(panda.model, Request("mass_matrix")).quick(q)
    assert M.shape == (7, 7)
    assert pytest.approx(panda.mass_matrix(q), rel=1e-13) == M


@pytest.mark.parametrize(
    "spoil",
    [
        lambda q: q.tolist(),
        lambda q: q.astype(np.float32),
        lambda q: q[:6],
        lambda q: q[None],
        lambda q: q[::-1],
        lambda q: q.astype(q.dtype.newbyteorder()),
        lambda q: np.ma.masked_array(q),
        lambda q: None,
        lambda q: np.arange(7),
    ],
)
def test_anything_but_plain_vectors_is_declined(panda, quick, spoil):
    q, qd, qdd = panda.random_state(seed=2)
    assert quick(spoil(q), qd, qdd) is NotImplemented
    assert quick(q, qd, spoil(qdd)) is NotImplemented
    assert quick(q, qd) is NotImplemented
    assert quick() is NotImplemented


def test_read_only_inputs_are_read(panda, quick):
    q, qd, qdd = panda.random_state(seed=3)
    q.flags.writeable = False
    assert np.isfinite(quick(q, qd, qdd)).all()


def test_large_and_missing_angles_take_the_exact_path(panda, quick):
    q, qd, qdd = panda.random_state(seed=4)
    q[2] = 1e9
    assert quick(q, qd, qdd) == pytest.approx(panda.inverse_dynamics(q, qd, qdd), rel=1e-12)
    q[2] = np.nan
    assert np.isnan(quick(q, qd, qdd)).any()


def test_no_reference_is_lost_or_kept(panda, quick):
    q, qd, qdd = panda.random_state(seed=5)
    before = [sys.getrefcount(x) for x in (q, qd, qdd, np.dtype(np.float64), np.ndarray)]
    for _ in range(1000):
        quick(q, qd, qdd)
        quick(q, qd)
    after = [sys.getrefcount(x) for x in (q, qd, qdd, np.dtype(np.float64), np.ndarray)]
    assert after == before


def test_the_first_the_later_and_the_batched_call_give_the_same_bits(panda):
    q, qd, qdd = panda.random_state(seed=6)
    robot = strobe.Robot(panda.model)
    calls = [robot.inverse_dynamics(q, qd, qdd) for _ in range(4)]
    batch = robot.inverse_dynamics(np.stack([q] * 9), qd, qdd)
    assert all((call == batch[5]).all() for call in calls)


def test_a_robot_answers_single_states_with_the_builtin_once_they_recur(panda):
    robot = strobe.Robot(panda.model)
    q, qd, qdd = robot.random_state(seed=7)
    for _ in range(3):
        robot.inverse_dynamics(q, qd, qdd)
    assert type(robot._quick["inverse_dynamics", True]).__name__ == "builtin_function_or_method"
    warm = strobe.Robot(panda.model).compile("mass_matrix")
    assert type(warm._quick["mass_matrix", True]).__name__ == "builtin_function_or_method"
    with pytest.raises(strobe.StrobeError, match=r"q has shape \(6,\)"):
        robot.inverse_dynamics(q[:6], qd, qdd)
