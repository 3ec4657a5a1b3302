"""Kernels: what they ship, when they compile, and what happens where they cannot."""

import copy
import gc
import pickle
import sys
import warnings

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen.llvm import Target, module
from strobe.compiler.runtime import debug, kernels, processor
from strobe.compiler.runtime.kernels import Kernel
from strobe.errors import ArgumentError, InterpretedWarning, ProgramSizeError
from strobe.quantities import Request
from strobe.scalars import Graph

ARM = strobe.load("planar2")
STATE = ARM.random_state(seed=2, batch=9)


def test_a_kernel_is_pickled_as_its_model_and_request():
    kernel = Kernel(ARM.model, Request("inverse_dynamics"))
    expected = kernel.code.ufunc()(*STATE)
    shipped = pickle.dumps(kernel)
    assert b"ELF" not in shipped
    again = pickle.loads(shipped)
    assert again.request == kernel.request
    assert not again.code._ufuncs
    assert np.array_equal(again.code.ufunc()(*STATE), expected)


def test_copies_of_a_robot_compute_the_same():
    robot = strobe.load("panda")
    state = robot.random_state(seed=0, batch=5)
    expected = robot.inverse_dynamics(*state)
    for other in (copy.copy(robot), copy.deepcopy(robot), pickle.loads(pickle.dumps(robot))):
        assert other is not robot
        assert not other._kernels
        assert np.array_equal(other.inverse_dynamics(*state), expected)


WORKERS = """
import multiprocessing, sys
import numpy as np
import strobe

def torques(task):
    robot, state = task
    return robot.inverse_dynamics(*state)

if __name__ == "__main__":
    robot = strobe.load("planar2")
    states = [robot.random_state(seed=k, batch=20) for k in range(3)]
    expected = [robot.inverse_dynamics(*state) for state in states]
    with multiprocessing.get_context("METHOD").Pool(2) as pool:
        found = pool.map(torques, [(robot, state) for state in states])
    print(np.array_equal(found, expected))
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_robots_travel_to_other_processes(python, method):
    if method == "fork" and sys.platform == "win32":
        pytest.skip("Windows has no fork")
    assert python(WORKERS.replace("METHOD", method)) == "True"


@pytest.mark.slow
def test_importing_and_loading_compile_nothing(python):
    script = (
        "import sys\nimport strobe\nprint([m for m in ('numpy', 'llvmlite', 'sympy', 'scipy') if m in sys.modules])\n"
        "robot = strobe.load('panda')\nq, qd, qdd = robot.random_state(seed=0)\n"
        "print([m for m in ('llvmlite', 'sympy', 'scipy') if m in sys.modules])\n"
        "robot.gravity(q)\nprint([m for m in ('llvmlite', 'sympy', 'scipy') if m in sys.modules])"
    )
    assert python(script).splitlines() == ["[]", "[]", "['llvmlite']"]


WITHOUT_LLVM = """
import sys, warnings
sys.modules["llvmlite"] = None
import numpy as np
import strobe
from strobe.errors import InterpretedWarning

robot = strobe.load("planar2")
plain = strobe.Robot(robot.model, compiled=False)
state = robot.random_state(seed=0, batch=30)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    out = np.empty((30, 2))
    assert robot.inverse_dynamics(*state, out=out) is out
    assert np.array_equal(out, plain.inverse_dynamics(*state))
    assert np.array_equal(robot.mass_matrix(state[0]), plain.mass_matrix(state[0]))
    narrow = [x.astype(np.float32) for x in state]
    assert robot.inverse_dynamics(*narrow).dtype == np.float32
    assert np.array_equal(robot.gravity([0, 1]), plain.gravity([0, 1]))
print(len(said), said[0].category is InterpretedWarning, said[0].message)
"""


@pytest.mark.slow
def test_without_llvm_every_quantity_is_interpreted(python):
    said = python(WITHOUT_LLVM)
    assert said.startswith("1 True llvmlite cannot be used (")
    assert said.endswith("Interpreted on NumPy instead: the same results, more slowly.")


def test_a_quantity_with_too_many_operations_is_interpreted(monkeypatch, folder):
    monkeypatch.setattr(kernels, "MOST_TRACED", 20)
    kernel = Kernel(ARM.model, Request("inverse_dynamics"))
    with pytest.raises(ProgramSizeError, match="inverse_dynamics of planar2 takes more than 20 operations"):
        kernel.program  # noqa: B018
    given = dict(zip(("q", "qd", "qdd"), STATE, strict=True))
    robot = strobe.Robot(kernel.model, compiled=False)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for threads in (None, 2):
            np.testing.assert_array_equal(kernel(given, None, threads), robot.inverse_dynamics(*STATE))
    assert [warning.category for warning in said] == [InterpretedWarning]
    assert "too many to write out as machine code" in str(said[0].message)


def test_that_a_quantity_is_too_large_is_remembered(monkeypatch, folder):
    model, request = ARM.model, Request("bias")
    monkeypatch.setattr(processor, "MOST_COMPILED", 10)
    first, second = Kernel(model, request), Kernel(model, request)
    for kernel in (first, second):
        with pytest.warns(InterpretedWarning, match="bias of planar2 takes more than 10 operations"):
            kernel.code.ufunc()
    assert "program" not in vars(second)


def test_a_large_program_is_compiled_without_optimisation(monkeypatch, folder):
    model = ARM.model
    monkeypatch.setattr(processor, "MOST_OPTIMISED", 10)
    plain = strobe.Robot(model, compiled=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tau = Kernel(model, Request("inverse_dynamics")).code.ufunc()(*STATE)
    np.testing.assert_allclose(tau, plain.inverse_dynamics(*STATE), atol=1e-12)


@pytest.mark.slow
def test_two_hundred_kernels_may_come_and_go():
    q, qd, _ = STATE
    for k in range(200):
        robot = strobe.Robot(ARM.model)
        np.testing.assert_array_equal(robot.difference(q, qd), qd - q)
        if k % 50 == 0:
            gc.collect()


def test_a_ufunc_outlives_its_kernel():
    def ufunc():
        return Kernel(ARM.model, Request("difference")).code.ufunc()

    lonely = ufunc()
    gc.collect()
    np.testing.assert_array_equal(lonely(STATE[0], STATE[1]), STATE[1] - STATE[0])


@pytest.mark.slow
def test_debugging_shows_more_with_every_level(python):
    script = "import strobe\nrobot = strobe.load('planar2')\nrobot.gravity([0.0, 1.0])"
    said = [python(script, errors=True, STROBE_CACHE="off", STROBE_DEBUG=str(level)) for level in range(5)]
    assert said[0] == ""
    assert "gravity of planar2: 15 nodes (" in said[1]
    assert "gravity of planar2: LLVM, " in said[1]
    assert "traced" not in said[1]
    assert "gravity of planar2: traced, " in said[2]
    assert "gravity of planar2: simplified, " in said[2]
    assert "return %" not in said[2]
    assert "return %" in said[3]
    assert "define" not in said[3]
    assert "define void @loop" in said[4]


def test_a_bad_debug_level_is_named(monkeypatch):
    monkeypatch.setenv("STROBE_DEBUG", "loud")
    debug.level.cache_clear()
    with pytest.raises(ArgumentError, match='STROBE_DEBUG is "loud"; expected a number from 0 to 4'):
        Kernel(ARM.model, Request("gravity")).program  # noqa: B018
    monkeypatch.undo()
    debug.level.cache_clear()


def test_graphs_on_the_way_to_a_program_need_no_collector_of_garbage():
    arm = strobe.load("panda")
    code = Kernel(arm.model, Request("energy"))
    gc.collect()
    gc.disable()
    try:
        before = _graphs()
        module(code.program, Target())
        assert _graphs() - before == {id(code.program.outputs[0].system)}
    finally:
        gc.enable()


def _graphs() -> set[int]:
    return {id(thing) for thing in gc.get_objects() if isinstance(thing, Graph)}


def test_a_graph_that_was_let_go_makes_nothing_more():
    graph = Graph()
    x = graph.variable("x")
    graph.let_go()
    with pytest.raises(AttributeError):
        _ = x + x
