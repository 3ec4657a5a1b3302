"""Threads: the same bits as one, and any number of callers at once."""

import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, current_thread
from time import sleep

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime import threads
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.processor import MachineCode
from strobe.errors import ArgumentError
from strobe.quantities import Request

ARM = strobe.load("planar3")


@pytest.fixture(scope="module")
def kernel():
    return Kernel(ARM.model, Request("inverse_dynamics"))


@pytest.fixture
def divided(monkeypatch):
    """Batches of any size are divided."""
    monkeypatch.setattr(threads, "LEAST_PART", 1)
    monkeypatch.setattr(threads, "WORK_PER_THREAD", 1)


def arrays(batch, dtype=np.float64):
    states = ARM.random_state(seed=5, batch=batch)
    return {name: x.astype(dtype) for name, x in zip(("q", "qd", "qdd"), states, strict=True)}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("batch", [(), (1,), (2,), (1001,), (1, 1001), (3, 101), (2, 0), (0,)])
def test_many_threads_give_the_same_bits_as_one(kernel, batch, dtype, divided):
    given = arrays(batch, dtype)
    one = kernel(given, threads=1)
    for number in (2, 3, 7, 5000):
        assert np.array_equal(kernel(given, threads=number), one)


def test_threads_share_a_broadcast_input(kernel, divided):
    given = arrays((50,))
    given["qd"] = given["qd"][0]
    given["qdd"] = given["qdd"][:1]
    assert np.array_equal(kernel(given, threads=3), kernel(given, threads=1))


def test_threads_may_write_over_their_inputs(kernel, divided):
    given = arrays((1000,))
    expected = kernel(given, threads=1)
    room = np.zeros((1007, ARM.n))
    room[3:-4] = given["qd"]
    given["qd"] = room[3:-4]
    out = room[:-7]
    assert kernel(given, out, threads=4) is out
    assert np.array_equal(out, expected)


def test_threads_write_into_outputs_of_any_layout(kernel, divided):
    given = arrays((1000,))
    out = np.empty((ARM.n, 2000)).T[::2]
    kernel(given, out, threads=3)
    assert np.array_equal(out, kernel(given, threads=1))


@pytest.mark.parametrize("length", [0, 1, 2, 15, 16, 17, 1000, 4096, 65_537])
@pytest.mark.parametrize("number", [2, 3, 64])
@pytest.mark.parametrize("least", [0, 1, 100, 5000])
def test_shares_cover_a_batch_once_and_shrink(length, number, least):
    parts = threads.shares(length, number, least)
    assert [k for part in parts for k in range(part.start, part.stop)] == list(range(length))
    sizes = [part.stop - part.start for part in parts]
    assert sizes == sorted(sizes, reverse=True)
    assert all(size >= least for size in sizes[:-1])


@pytest.mark.parametrize("number", [1, 2, 7, 100])
def test_every_part_is_done_once_before_the_call_is_over(number):
    done = []
    threads.each_once(done.append, range(500), number)
    assert sorted(done) == list(range(500))


def test_work_is_done_where_no_thread_can_be_started(monkeypatch):
    def refused(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threads.Thread, "start", refused)
    crew = threads.Crew(4)
    monkeypatch.setattr(threads, "crew", lambda: crew)
    done = []
    threads.each_once(done.append, range(50), 3)
    assert done == list(range(50))


def test_a_call_does_not_wait_for_threads_that_are_busy(monkeypatch):
    crew = threads.Crew(1)
    monkeypatch.setattr(threads, "crew", lambda: crew)
    release, entered = Event(), Event()
    crew.ask(lambda: (entered.set(), release.wait()), 1)
    entered.wait()
    done = []
    threads.each_once(done.append, range(50), 2)
    release.set()
    assert done == list(range(50))


def test_a_failure_in_any_thread_is_that_of_the_call():
    def fails(part):
        if part == 17:
            raise ArgumentError("no")

    for number in (1, 2, 4):
        with pytest.raises(ArgumentError, match="^no$"):
            threads.each_once(fails, range(40), number)


def test_a_thread_that_is_told_to_stop_keeps_no_call_waiting():
    here, stopped = current_thread(), Event()

    def stops_elsewhere(part):
        if current_thread() is here:
            assert stopped.wait(30)
        else:
            stopped.set()
            raise SystemExit("told to stop")

    with pytest.raises(SystemExit, match="told to stop"):
        threads.each_once(stops_elsewhere, range(40), 2)


def test_threads_that_wait_keep_no_array_alive(kernel, divided):
    given = arrays((5000,))
    seen = weakref.ref(given["q"])
    kernel(given, threads=4)
    del given
    for _ in range(1000):  # orders that nobody was there to take are taken in the end, and found empty
        if seen() is None:
            return
        sleep(0.005)
    pytest.fail("an array is still held")


@pytest.mark.parametrize("bad", [0, -1, 1.5, "2"])
def test_a_number_of_threads_is_at_least_one(kernel, bad):
    with pytest.raises(ArgumentError, match="expected a number of threads, 1 or more"):
        kernel(arrays(()), threads=bad)


def test_threads_are_used_where_there_is_work_for_them(kernel, monkeypatch):
    kernel.code.ufunc()
    monkeypatch.setattr(threads, "default_threads", lambda: 8)
    enough = threads.WORK_PER_THREAD // kernel.code.operations + 1
    assert [
        threads.worthwhile(states * kernel.code.operations)
        for states in (0, 1, enough, 3 * enough, 100 * enough)
    ] == [
        1, 1, 1, 3, 8,
    ]  # fmt: skip


def test_a_kernel_is_compiled_once_however_many_ask_at_once(monkeypatch):
    compiled, original = [], MachineCode._compiled

    def counted(self, single, states):
        compiled.append(single)
        return original(self, single, states)

    monkeypatch.setattr(MachineCode, "_compiled", counted)
    kernel, barrier = Kernel(ARM.model, Request("bias")), Barrier(8)
    q, qd, _ = ARM.random_state(seed=0, batch=17)

    def ask(_):
        barrier.wait()
        return kernel({"q": q, "qd": qd})

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(8)))
    assert compiled == [False]
    assert all(np.array_equal(answer, answers[0]) for answer in answers)


def test_many_threads_may_use_one_robot_and_compile_different_kernels():
    robot, barrier = strobe.load("planar2"), Barrier(9)
    state = robot.random_state(seed=0, batch=300)
    plain = strobe.Robot(robot.model, compiled=False)

    def ask(k):
        barrier.wait()
        return (robot.inverse_dynamics(*state), robot.mass_matrix(state[0]), robot.gravity(state[0]))[k % 3]

    with ThreadPoolExecutor(9) as pool:
        answers = list(pool.map(ask, range(9)))
    expected = plain.inverse_dynamics(*state), plain.mass_matrix(state[0]), plain.gravity(state[0])
    for k, answer in enumerate(answers):
        np.testing.assert_allclose(answer, expected[k % 3], atol=1e-12)


@pytest.mark.slow
def test_the_environment_sets_the_number_of_threads(python):
    script = "from strobe.compiler.runtime.threads import default_threads\nprint(default_threads())"
    assert python(script, STROBE_THREADS="3") == "3"
    assert int(python(script, STROBE_THREADS="")) >= 1


@pytest.mark.parametrize("bad", ["0", "-2", "many", "1.5", "²"])
def test_a_bad_number_of_threads_in_the_environment_is_named(monkeypatch, bad):
    monkeypatch.setenv("STROBE_THREADS", bad)
    threads.default_threads.cache_clear()
    with pytest.raises(ArgumentError, match=f'STROBE_THREADS is "{bad}"; expected a number of threads'):
        threads.default_threads()
    monkeypatch.undo()
    assert threads.default_threads() >= 1


FORKED = """
import os
import numpy as np
import strobe
from strobe.quantities import Request

robot = strobe.load("planar2")
kernel = robot.kernel(Request("gravity"))
q = {"q": robot.random_state(seed=0, batch=10_000)[0]}
before = kernel(q, threads=4)
child = os.fork()
if not child:
    os._exit(0 if np.array_equal(kernel(q, threads=4), before) else 1)
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_threads_work_in_a_forked_process_too(python):
    assert python(FORKED) == "0"


FORKED_WHILE_BUILDING = """
import os, threading, time
import strobe

robot = strobe.load("panda")
state = robot.random_state(seed=0, batch=5)
threads = [threading.Thread(target=lambda: robot.forward_dynamics(*state)) for _ in range(4)]
for thread in threads:
    thread.start()
children = []
for _ in range(6):
    time.sleep(0.03)
    child = os.fork()
    if not child:
        other = strobe.load("planar2")
        other.inverse_dynamics(*other.random_state(seed=0))
        robot.forward_dynamics(*state)
        os._exit(0)
    children.append(child)
print([os.waitpid(child, 0)[1] for child in children])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_process_forked_while_something_is_built_does_not_wait_for_ever(python):
    assert python(FORKED_WHILE_BUILDING, STROBE_CACHE="off") == str([0] * 6)
