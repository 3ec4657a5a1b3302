"""Sine, cosine, arc tangent and hyperbolic tangent over numbers, compiled for this machine, against exact values."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from functools import cache

import mpmath
import numpy as np
import pytest

from strobe.compiler.codegen.elementary import FUNCTIONS, precision, program
from strobe.compiler.codegen.llvm_scalar import module
from strobe.compiler.graph.program import trace
from strobe.compiler.runtime import jit
from strobe.scalars import Graph, Num, cos, sin
from strobe.scalars.functions import atan2, tanh

BASIC = {
    "add",
    "sub",
    "mul",
    "div",
    "neg",
    "abs",
    "floor",
    "less",
    "where",
    "pick",
}  # what every processor has
TYPES = {True: np.float32, False: np.float64}
ASKED: dict[str, tuple[Callable[..., list[Num]], int, int]] = {
    "circle": (lambda x: [sin(x[0]), cos(x[0])], 1, 2),
    "atan2": (lambda y, x: [atan2(y[0], x[0])], 2, 1),
    "tanh": (lambda x: [tanh(x[0])], 1, 1),
}
both = pytest.mark.parametrize("single", [True, False], ids=["single", "double"])


@cache
def compiled(name: str, single: bool) -> Callable[..., np.ndarray]:
    """A function of arrays in one precision, by code without a library."""
    function, arguments, results = ASKED[name]
    traced = trace(function, dict.fromkeys(("y", "x")[2 - arguments :], 1), (results,), Graph())
    code = jit.compile_ir(module(traced, "f", single, fused=True), "f")
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (arguments + 1))(code.address)

    def called(*rows: np.ndarray) -> np.ndarray:
        given = [np.ascontiguousarray(row, TYPES[single]) for row in rows]
        out = np.empty((len(given[0]), results), TYPES[single])
        for k in range(len(out)):
            call(*(x[k:].ctypes.data for x in given), out[k:].ctypes.data)
        return out

    called.code = code  # pyright: ignore[reportFunctionMemberAccess]  kept alive
    return called


def ulps(found: np.ndarray, exact: list[mpmath.mpf], single: bool) -> float:
    """The largest distance in units of the last place."""
    units = [mpmath.mpf(float(np.spacing(abs(TYPES[single](float(e)))))) for e in exact]
    return max(
        float(abs(mpmath.mpf(float(x)) - e) / u) for x, e, u in zip(found, exact, units, strict=True)
    )


def worst_circle(x: np.ndarray, single: bool) -> float:
    found = compiled("circle", single)(x)
    with mpmath.workdps(400):
        angles = [mpmath.mpf(float(a)) for a in x]
        sines = ulps(found[:, 0], [mpmath.sin(a) for a in angles], single)
        return max(sines, ulps(found[:, 1], [mpmath.cos(a) for a in angles], single))


def drawn(low: float, high: float, single: bool, count: int = 600) -> np.ndarray:
    """Numbers of either sign whose exponents are drawn at random."""
    rng = np.random.default_rng(round(abs(low) + 7 * abs(high)))
    return (2.0 ** rng.uniform(low, high, count) * rng.choice([-1.0, 1.0], count)).astype(TYPES[single])


@both
def test_they_are_made_of_what_every_processor_has(single: bool) -> None:
    for name in FUNCTIONS:
        assert set(program(name, single).counts) <= BASIC | {"input", "constant", "stored"}


@pytest.mark.slow
@both
@pytest.mark.parametrize(("low", "high"), [(-30, 1), (1, 11), (11, 21), (21, 127)])
def test_sines_and_cosines_are_within_one_unit_in_the_last_place(
    low: float, high: float, single: bool
) -> None:
    assert worst_circle(drawn(low, high, single), single) < 1.0


def test_so_are_they_up_to_the_largest_double() -> None:
    x = np.concatenate([drawn(127, 1023.9, False), [6381956970095103.0 * 2.0**797, np.finfo(float).max]])
    assert worst_circle(x, single=False) < 1.0


@both
def test_multiples_of_right_angles_keep_their_digits(single: bool) -> None:
    k = np.concatenate([np.arange(1, 200), np.random.default_rng(1).integers(200, 10**7, 200)])
    near = (k * (math.pi / 2)).astype(TYPES[single])
    closest = np.array([16367173.0 * 2.0**72, 826882.8943881015, 413441.44719405076], TYPES[single])
    limit = precision(single).limit
    edges = np.array([limit, np.nextafter(limit, 0.0), np.nextafter(limit, 1e9)], TYPES[single])
    assert worst_circle(np.concatenate([near, -near, closest, edges]), single) < 1.0


@both
def test_large_angles_near_half_a_quadrant_keep_their_digits(single: bool) -> None:
    """These floats were off by more than a unit while what is left of an angle was not the nearest number."""
    x = np.array([373005.219, 14280.8926, 423609632.0, 4.28253364e32, 6.03015735e20], np.float32)
    assert worst_circle(x.astype(TYPES[single]), single) < 1.0


@both
def test_angles_that_are_none_and_zeros(single: bool) -> None:
    found = compiled("circle", single)(np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, -1e-40]))
    assert np.isnan(found[:3]).all()
    assert np.signbit(found[3:, 0]).tolist() == [False, True, True]
    assert (found[3:, 1] == 1.0).all()


@both
def test_arc_tangents_are_within_two_units_in_the_last_place(single: bool) -> None:
    y, x = drawn(-9, 9, single), drawn(-9, 8, single)
    with mpmath.workdps(50):
        exact = [
            mpmath.atan2(mpmath.mpf(float(a)), mpmath.mpf(float(b))) for a, b in zip(y, x, strict=True)
        ]
        assert ulps(compiled("atan2", single)(y, x)[:, 0], exact, single) < 2.0


@both
def test_arc_tangents_of_zeros_infinities_and_nan_are_those_of_the_library(single: bool) -> None:
    info = np.finfo(TYPES[single])
    special = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, info.max, info.tiny], TYPES[single])
    y, x = (axis.ravel() for axis in np.meshgrid(special, special))
    found, expected = compiled("atan2", single)(y, x)[:, 0], np.arctan2(y, x)
    np.testing.assert_allclose(found, expected, rtol=4 * info.eps)
    known = ~np.isnan(expected)
    assert (np.signbit(found) == np.signbit(expected))[known].all()


@both
def test_hyperbolic_tangents_are_within_three_units_in_the_last_place(single: bool) -> None:
    x = np.concatenate([drawn(-20, 5.5, single), np.array([0.6, -0.6, 0.59999996], TYPES[single])])
    with mpmath.workdps(50):
        exact = [mpmath.tanh(mpmath.mpf(float(a))) for a in x]
        assert ulps(compiled("tanh", single)(x)[:, 0], exact, single) < 3.0
    ends = compiled("tanh", single)(np.array([np.inf, -np.inf, 1e30, -0.0, np.nan]))[:, 0]
    assert ends[:3].tolist() == [1.0, -1.0, 1.0]
    assert np.signbit(ends[3])
    assert np.isnan(ends[4])
