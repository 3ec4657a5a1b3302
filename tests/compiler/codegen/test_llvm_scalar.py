"""Scalar code without a library, on this machine: what it computes, and what it leaves alone."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen.llvm_scalar import OPERATIONS, module
from strobe.compiler.graph.program import Program, trace
from strobe.compiler.runtime import jit
from strobe.compiler.runtime.kernels import Kernel
from strobe.quantities import Request
from strobe.scalars import Graph, cos, sin


def called(program: Program, single: bool = False, fused: bool = True) -> Callable[..., None]:
    """The function on addresses of arrays."""
    code = jit.compile_ir(module(program, "f", single, fused), "f")
    raw = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(program.inputs) + 1))(code.address)

    def call(*arrays: np.ndarray[Any, Any]) -> None:
        assert code.engine
        raw(*(x.ctypes.data for x in arrays))

    return call


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("panda", "inverse_dynamics"),
        ("panda", "mass_matrix"),
        ("stanford", "forward_dynamics"),
        ("ur5", "jacobian"),
    ],
)
def test_every_quantity_is_that_of_the_vector_code(name: str, quantity: str, fused: bool) -> None:
    robot = strobe.load(name)
    kernel = Kernel(robot.model, Request(quantity))
    state = dict(zip(kernel.inputs, robot.random_state(seed=5), strict=False))
    out = np.empty(kernel.shape)
    called(kernel.program, fused=fused)(*state.values(), out)
    expected = getattr(robot, quantity)(*state.values())
    assert abs(out - expected).max() < 1e-13 * abs(expected).max()


def test_the_result_may_lie_over_an_argument() -> None:
    robot = strobe.load("puma560")
    program = Kernel(robot.model, Request("inverse_dynamics")).program
    q, qd, qdd = robot.random_state(seed=6)
    expected = robot.inverse_dynamics(q, qd, qdd)
    for over in range(3):
        arrays = [q.copy(), qd.copy(), qdd.copy()]
        called(program)(*arrays, arrays[over])
        np.testing.assert_allclose(arrays[over], expected, rtol=1e-12)


def test_what_is_not_a_number_reaches_only_what_depends_on_it() -> None:
    program = trace(lambda q: [sin(q[0]), cos(q[1]), q[2]], {"q": 3}, (3,), Graph())
    out = np.empty(3)
    called(program)(np.array([np.nan, 1.0, np.inf]), out)
    assert np.isnan(out[0])
    assert out[1:].tolist() == [np.cos(1.0), np.inf]


def test_helpers_are_written_once_and_only_where_they_are_needed() -> None:
    two = trace(lambda q: [sin(q[0]) + cos(q[1])], {"q": 2}, (1,), Graph())
    none = trace(lambda q: [q[0] * q[1]], {"q": 2}, (1,), Graph())
    defined = re.findall(r"^define .*?@([\w.]+)\(", module(two, "f", False, True), re.M)
    assert sorted(defined) == ["f", "strobe.circle", "strobe.far"]
    assert module(two, "f", False, True).count("call fastcc { double, double } @strobe.circle") == 2
    assert re.findall(r"^define .*?@([\w.]+)\(", module(none, "f", False, True), re.M) == ["f"]


def test_no_operation_calls_a_library() -> None:
    """Intrinsics only: those that become instructions, or a few of them."""
    text = module(trace(lambda x: [sin(x[0])], {"x": 1}, (1,), Graph()), "f", True, True)
    assert set(re.findall(r"declare .*?@([\w.]+)\(", text)) <= {
        f"llvm.{name}.f32" for name in ("fabs", "copysign", "fma", "sqrt")
    }
    called = {name for row in OPERATIONS.values() for name in re.findall(r"@([\w.]+)", row)}
    assert called == {
        "strobe.atan2", "strobe.tanh", *(f"llvm.{name}." for name in ("fabs", "copysign", "fma", "sqrt")),
    }  # fmt: skip
