"""Batches over threads in machine code: the same bits as on one, whoever takes which part."""

from threading import Event

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen.llvm_shares import DONE, FIRST, LAST
from strobe.compiler.runtime import shares, threads
from strobe.compiler.runtime.processor import has_compiler
from strobe.quantities import QUANTITIES, Request

pytestmark = pytest.mark.skipif(not has_compiler(), reason="needs llvmlite")
ARM = strobe.load("planar3")
BORDERS = sorted({k * threads.TOGETHER + d for k in (1, 2, 3, 8, 64) for d in (-1, 0, 1)})


@pytest.fixture
def orders(monkeypatch):
    """Parts of sixteen states, threads for the smallest batch; what was shared out, in the end."""
    monkeypatch.setattr(threads, "LEAST_PART", 1)
    monkeypatch.setattr(threads, "WORK_PER_THREAD", 1)
    found, shared = [], shares.shared
    monkeypatch.setattr(shares, "shared", lambda order, most: (found.append(order), shared(order, most)))
    return found


def given(quantity, batch, dtype=np.float64):
    q, qd, qdd = (x.astype(dtype) for x in ARM.random_state(seed=7, batch=batch))
    known = {"q": q, "qd": qd, "qdd": qdd, "tau": qdd}
    return {name: known[name] for name in QUANTITIES[quantity].states}


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_two_threads_give_the_bits_of_one_around_every_border_of_parts(quantity, dtype, orders):
    kernel = ARM.kernel(Request(quantity))
    for states in BORDERS:
        arrays = given(quantity, (states,), dtype)
        one = kernel(arrays, threads=1)
        for number in (2, 3):
            out = np.full_like(one, np.nan)
            assert kernel(arrays, out, threads=number) is out
            assert out.tobytes() == one.tobytes(), states
    assert len(orders) == 2 * sum(states > threads.TOGETHER for states in BORDERS)


def test_every_state_is_computed_once(orders):
    kernel = ARM.kernel(Request("inverse_dynamics"))
    for states in BORDERS:
        kernel(given("inverse_dynamics", (states,)), threads=2)
    for order in orders:
        first, last = order.words[FIRST], order.words[LAST]
        assert first + last == order.parts
        assert order.words[DONE] == len(order.arrays[-1])


def test_rows_that_lie_apart_or_are_one_row_for_all(orders):
    kernel = ARM.kernel(Request("inverse_dynamics"))
    arrays = given("inverse_dynamics", (1000,))
    arrays["q"] = np.repeat(arrays["q"], 3, axis=0)[::3]
    arrays["qd"] = arrays["qd"][::-1]
    arrays["qdd"] = arrays["qdd"][:1]
    out = np.empty((2000, ARM.n))[::2]
    assert np.array_equal(kernel(arrays, out, threads=2), kernel(arrays, threads=1))
    assert len(orders) == 1


def test_batches_that_are_no_single_row_of_rows_are_left_to_python(orders):
    kernel = ARM.kernel(Request("inverse_dynamics"))
    arrays = {name: x.swapaxes(0, 1) for name, x in given("inverse_dynamics", (30, 40)).items()}
    assert np.array_equal(kernel(arrays, threads=2), kernel(arrays, threads=1))
    assert not orders
    together = given("inverse_dynamics", (30, 40))
    assert np.array_equal(kernel(together, threads=2), kernel(together, threads=1))
    assert len(orders) == 1


def test_a_batch_is_computed_where_nobody_is_there_to_help(orders, monkeypatch):
    crew = threads.Crew(1)
    monkeypatch.setattr(threads, "crew", lambda: crew)
    release, entered = Event(), Event()
    crew.ask(lambda: (entered.set(), release.wait()), 1)
    entered.wait()
    kernel, arrays = ARM.kernel(Request("inverse_dynamics")), given("inverse_dynamics", (1000,))
    found = kernel(arrays, threads=2)
    release.set()
    assert orders[0].words[LAST] == 0
    assert np.array_equal(found, kernel(arrays, threads=1))


def test_after_an_interrupt_no_part_is_begun(orders, monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(shares.Order, "is_over", interrupted)
    kernel = ARM.kernel(Request("inverse_dynamics"))
    with pytest.raises(KeyboardInterrupt):
        kernel(given("inverse_dynamics", (1000,)), threads=2)
    (order,) = orders
    before = order.words[FIRST]
    order.take(helps=False)
    assert order.words[FIRST] == before
