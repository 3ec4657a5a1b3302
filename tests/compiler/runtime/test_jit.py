"""Machine code in this process: made, loaded, run and dropped."""

import gc
import subprocess
import sys

import numpy as np
import pytest
from llvmlite.binding.context import GlobalContextRef

from strobe.compiler.codegen.llvm import module
from strobe.compiler.graph.program import trace
from strobe.compiler.runtime import jit
from strobe.compiler.runtime.gufunc import gufunc
from strobe.scalars import Graph
from strobe.scalars.functions import sin


def program(scale=2.0):
    """y = scale x₀ + x₁ x₂ + sin x₀, and x₂."""
    return trace(lambda x: [x[0] * scale + x[1] * x[2] + sin(x[0]), x[2]], {"x": 3}, (2,), Graph())


def function(code, single=False):
    return gufunc("f", "", "(3)->(2)", [(code.address, single)], 1, code)


def expected(x, scale=2.0):
    return np.stack([scale * x[..., 0] + x[..., 1] * x[..., 2] + np.sin(x[..., 0]), x[..., 2]], -1)


@pytest.mark.parametrize("width", [None, 1, 2, 4, 8])
@pytest.mark.parametrize("single", [False, True])
def test_code_of_every_width_computes_the_same(width, single):
    f = function(jit.compile_ir(module(program(), jit.host_target(single, width))), single)
    x = np.random.default_rng(0).normal(size=(37, 3)).astype(np.float32 if single else np.float64)
    np.testing.assert_allclose(
        f(x), expected(x), rtol=1e-5 if single else 1e-14, atol=1e-6 if single else 1e-15
    )


def test_unoptimised_code_computes_the_same():
    text = module(program(), jit.host_target())
    f = function(jit.load_object(jit.emit_object(text, optimise=False)))
    x = np.random.default_rng(0).normal(size=(37, 3))
    np.testing.assert_allclose(f(x), expected(x), rtol=1e-14, atol=1e-15)


def test_object_code_may_be_loaded_many_times():
    code = jit.emit_object(module(program(), jit.host_target()))
    x = np.ones((9, 3))
    first, second = function(jit.load_object(code)), function(jit.load_object(code))
    assert np.array_equal(first(x), second(x))


@pytest.mark.slow
def test_hundreds_of_engines_may_come_and_go():
    x = np.random.default_rng(0).normal(size=(9, 3))
    codes = [jit.emit_object(module(program(float(k)), jit.host_target())) for k in range(4)]
    kept = []
    for k in range(200):
        f = function(jit.load_object(codes[k % 4]))
        np.testing.assert_allclose(f(x), expected(x, k % 4), rtol=1e-14, atol=1e-14)
        if k % 20 == 0:
            kept.append((k % 4, f))
        if k % 50 == 0:
            gc.collect()
    for scale, f in kept:
        np.testing.assert_allclose(f(x), expected(x, scale), rtol=1e-14, atol=1e-14)


def test_code_lives_as_long_as_its_ufunc_and_no_longer():
    class Owner:
        alive = 0

        def __init__(self, code):
            self.code = code
            Owner.alive += 1

        def __del__(self):
            Owner.alive -= 1

    code = jit.compile_ir(module(program(), jit.host_target()))
    f = gufunc("f", "", "(3)->(2)", [(code.address, False)], 1, Owner(code))
    f(np.ones((5, 3)))
    gc.collect()
    assert Owner.alive == 1
    del f
    gc.collect()
    assert Owner.alive == (0 if hasattr(np.add, "__dict__") else 1)


def test_angles_beyond_the_fast_path_are_exact():
    f = function(jit.compile_ir(module(program(0.0), jit.host_target())))
    x = np.zeros((5, 3))
    x[:, 0] = 1e22, 3e9, np.inf, np.nan, 2.0**20 + 1
    with np.errstate(all="ignore"):
        got = f(x)[:, 0]
    np.testing.assert_allclose(
        got, np.sin(x[:, 0], where=np.isfinite(x[:, 0]), out=np.full(5, np.nan)), rtol=1e-15
    )


def test_a_processor_that_llvm_cannot_name_still_has_vectors(monkeypatch):
    def unknown():
        raise RuntimeError("failed to get host cpu features")

    monkeypatch.setattr(jit.llvm, "get_host_cpu_features", unknown)
    for known in (jit.host_features, jit.host_target, jit.host):
        known.cache_clear()
    try:
        assert jit.host_target().width == 2
        f = function(jit.compile_ir(module(program(), jit.host_target())))
        x = np.random.default_rng(0).normal(size=(5, 3))
        np.testing.assert_allclose(f(x), expected(x), rtol=1e-14, atol=1e-15)
    finally:
        monkeypatch.undo()
        for known in (jit.host_features, jit.host_target, jit.host):
            known.cache_clear()


def test_what_llvm_makes_of_a_text_goes_with_it():
    """In LLVM's global context every constant ever compiled would stay: eighty kilobytes of a kernel."""
    with jit.parsed_for(
        module(program(), jit.host_target()), jit.machine(), jit.machine().triple
    ) as parsed:
        context = parsed._context
        assert not isinstance(context, GlobalContextRef)
    assert context.closed


def test_an_interrupt_while_code_is_made_leaves_nothing_that_crashes_later():
    """Objects of LLVM that a traceback holds together are let go by the collector in any order."""
    script = """
import gc
from strobe.runtime import jit

text = "define double @f(double %x) { %y = fadd double %x, %x ret double %y }"
for _ in range(30):
    target = jit.machine(False)
    class Stopping:
        target_data = target.target_data
        def emit_object(self, parsed):
            raise KeyboardInterrupt
    jit.machine, kept = (lambda *_: Stopping()), jit.machine
    try:
        jit.emit_object(text)
    except KeyboardInterrupt as error:
        cycle = [error, error.__traceback__]
        cycle.append(cycle)
    jit.machine = kept
    del cycle
    gc.collect()
print("alive")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "alive\n", done.stderr
