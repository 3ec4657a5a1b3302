"""Memory of large results: used again, never while an array sees it, and no more of it kept than is said."""

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime import results
from strobe.compiler.runtime.results import KEPT, LARGE, new_result

DOUBLE = np.dtype(np.float64)
ROWS = LARGE // 16  # of two numbers


@pytest.fixture(autouse=True)
def nothing_idle(monkeypatch):
    gc.collect()
    monkeypatch.setattr(results, "_idle", {})


def idle():
    return [memory.nbytes for memory in results._idle.values()]


def address(array):
    return array.ctypes.data


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_large_result_is_an_array_like_any_other(dtype):
    made = new_result((4 * ROWS, 2), np.dtype(dtype))
    assert (made.shape, made.dtype) == ((4 * ROWS, 2), dtype)
    assert made.flags.c_contiguous
    assert made.flags.writeable
    assert made.flags.aligned
    made[:] = 1.5
    assert made.sum() == 12.0 * ROWS


def test_memory_serves_again_once_no_array_sees_it():
    first = new_result((ROWS, 2), DOUBLE)
    place = address(first)
    del first
    assert idle() == [LARGE]
    assert address(new_result((ROWS, 2), DOUBLE)) == place


def test_a_view_keeps_the_memory_from_serving_again():
    first = new_result((ROWS, 2), DOUBLE)
    first[:] = 1.0
    row = first.T[1][::7].reshape(-1)[3:]
    del first
    others = [new_result((ROWS, 2), DOUBLE) for _ in range(3)]
    for other in others:
        other[:] = 2.0
        assert not np.may_share_memory(other, row)
    assert (row == 1.0).all()


def test_memory_much_too_large_is_left_for_others():
    place = new_result((2 * ROWS, 2), DOUBLE)
    del place
    small = new_result((ROWS, 2), DOUBLE)
    assert idle() == [2 * LARGE]
    del small


def test_no_more_lies_idle_than_is_said():
    held = [new_result((ROWS + k, 2), DOUBLE) for k in range(2 * KEPT // LARGE)]
    last = held[-1].nbytes
    while held:
        held.pop(0)
        assert sum(idle()) <= KEPT
    assert idle()[-1] == last


@pytest.mark.parametrize("bytes_", [0, 8, LARGE - 16, KEPT + 16])
def test_small_results_and_huge_ones_own_their_memory(bytes_):
    made = new_result((bytes_ // 16, 2), DOUBLE)
    assert made.flags.owndata
    del made
    assert idle() == []


AT_THE_END = """
import threading
import numpy as np
from strobe.compiler.runtime import results

for module in (threading, np):  # which are emptied at the end, as the one they hold
    module.results = results
    module.kept = results.new_result((results.LARGE,), np.dtype(float))
"""


def test_an_array_may_be_kept_until_python_ends(python):
    assert python(AT_THE_END, errors=True) == ""


def test_threads_never_have_the_same_memory():
    def ask(k):
        for _ in range(20):
            mine = new_result((ROWS, 2), DOUBLE)
            mine[::997] = k
            assert (mine[::997] == k).all()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ask, range(8)))
    assert sum(idle()) <= KEPT


def test_large_batches_give_results_that_stay_as_they_are():
    arm = strobe.load("planar2")
    states = arm.random_state(seed=1, batch=ROWS)
    expected = arm.inverse_dynamics(*states, out=np.empty((ROWS, 2)))
    for _ in range(3):
        first = arm.inverse_dynamics(*states)
        second = arm.inverse_dynamics(*states)
        assert not np.may_share_memory(first, second)
        second[:] = np.nan
        assert np.array_equal(first, expected)
