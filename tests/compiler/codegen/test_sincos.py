"""Our sine and cosine against fifty digits: below one unit in the last place, and never wrong."""

import math
from dataclasses import replace

import mpmath
import numpy as np
import pytest

from strobe.compiler.codegen.llvm import module
from strobe.compiler.graph.program import trace
from strobe.compiler.runtime import jit
from strobe.compiler.runtime.gufunc import gufunc
from strobe.scalars import Graph, cos, sin


def kernel(width=None, single=False, fused=True):
    """(1) -> (2): the sine and the cosine."""
    program = trace(lambda x: [sin(x[0]), cos(x[0])], {"x": 1}, (2,), Graph())
    target = jit.host_target(single, width)
    code = jit.compile_ir(module(program, replace(target, fused=target.fused and fused)))
    return gufunc("sincos", "", "(1)->(2)", [(code.address, single)], 1, code)


@pytest.fixture(scope="module", params=[True, False], ids=["fused", "not fused"])
def sincos(request):
    made = kernel(fused=request.param)
    return lambda x: made(np.asarray(x, float)[:, None])


def ulps(values, exact):
    """Distance from the exact value in units of the last place."""
    return max(
        abs(mpmath.mpf(float(v)) - e) / mpmath.mpf(math.ulp(float(e)))
        for v, e in zip(values, exact, strict=True)
    )


def worst(sincos, xs):
    with mpmath.workdps(60):
        results = sincos(xs)
        exact = [(mpmath.sin(mpmath.mpf(float(x))), mpmath.cos(mpmath.mpf(float(x)))) for x in xs]
        return max(ulps(results[:, 0], [s for s, _ in exact]), ulps(results[:, 1], [c for _, c in exact]))


@pytest.mark.parametrize("bound", [1e-3, 1.0, math.pi, 100.0, 1e4, 1e6])
def test_the_error_is_below_one_unit_in_the_last_place(sincos, bound):
    rng = np.random.default_rng(int(bound * 1000))
    assert worst(sincos, rng.uniform(-bound, bound, 1500)) < 1.0


def test_multiples_of_right_angles_keep_their_precision(sincos):
    """Where the reduction cancels most: floats next to k π/2."""
    k = np.concatenate([np.arange(1, 400), np.random.default_rng(1).integers(400, 600_000, 400)])
    near = k * (math.pi / 2)
    xs = np.concatenate([near, np.nextafter(near, 0), np.nextafter(near, np.inf), -near])
    assert worst(sincos, [*xs, *CLOSEST]) < 1.0


CLOSEST = (826882.8943881015, 413441.44719405076)  # closest to multiples of π/2 for their size


def test_tiny_angles_and_signed_zeros_are_their_own_sines(sincos):
    xs = np.array([0.0, -0.0, 5e-324, -1e-300, 1e-9, -7e-9])
    s, c = sincos(xs).T
    assert (s == xs).all()
    assert np.signbit(s).tolist() == np.signbit(xs).tolist()
    assert (c == 1.0).all()


@pytest.mark.parametrize("x", [2.0**20, 1048577.0, 1e7, 1e15, 1e22, 1.7e308, -1e300])
def test_large_angles_take_the_exact_path(sincos, x):
    s, c = sincos([0.3, x, 0.4])[1]
    assert s == pytest.approx(math.sin(x), abs=1e-15)
    assert c == pytest.approx(math.cos(x), abs=1e-15)


def test_infinity_and_nan_give_nan_without_touching_their_neighbours(sincos):
    with np.errstate(all="raise"):  # nor a floating-point flag
        results = sincos([0.5, np.inf, np.nan, -np.inf, 0.5])
    assert np.isnan(results[1:4]).all()
    assert (results[0] == results[4]).all()
    assert results[0, 0] == pytest.approx(math.sin(0.5))


def test_an_angle_has_the_same_bits_beside_any_other(sincos):
    """Also where a neighbour sends the whole group on the slower path."""
    xs = np.random.default_rng(4).uniform(-1e5, 1e5, 64)
    mixed = np.where(np.arange(64) % 5 == 2, 1e18, xs)
    ours = mixed == xs
    with np.errstate(all="raise"):
        assert (sincos(mixed)[ours] == sincos(xs)[ours]).all()


def test_angles_around_the_last_fast_quadrant_keep_their_precision(sincos):
    edge = 2.0**20 * math.pi / 2
    offsets = np.array([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0])
    assert worst(sincos, [*(edge + offsets), *(-edge + offsets)]) < 1.0


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_every_width_computes_the_same_bits(width):
    xs = np.random.default_rng(2).uniform(-10, 10, 37)[:, None]
    assert (kernel(width)(xs) == kernel()(xs)).all()


def test_single_precision_is_rounded_from_double():
    made = kernel(single=True)
    xs = np.random.default_rng(3).uniform(-100, 100, 50).astype(np.float32)
    expected = np.stack([np.sin(xs.astype(float)), np.cos(xs.astype(float))], -1).astype(np.float32)
    assert (made(xs[:, None]) == expected).all()
