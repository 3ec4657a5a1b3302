"""Kernels for cards, their threads one after the other on this processor: the same text, and so the same bits."""

from __future__ import annotations

import ctypes
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen.llvm_cuda import Form, module, shared_bytes, twin
from strobe.compiler.runtime import jit
from strobe.quantities import Request
from strobe.scalars import Stored, atan2, cos, sin, tanh

pytestmark = pytest.mark.numeric

FORMS = {
    "columns": Form(),
    "two states a thread": Form(states=2),
    "columns that wait in shared memory": Form(staged=1),
    "two states a thread, waiting": Form(staged=1, states=2),
    "rows": Form("rows"),
    "rows of small blocks": Form("rows", block=32),
    "strided": Form("strided"),
    "angles where they are met": Form(at_once=0, early=0),
}
QUANTITIES = (
    "inverse_dynamics",
    "forward_dynamics",
    "mass_matrix",
    "jacobian",
    "inverse_dynamics_derivatives",
)


def run(program: Any, form: Form, arrays: list[np.ndarray], counted: bool = False) -> Any:
    """What a kernel gives on (N, size) arrays, and how many states went the long way."""
    code = jit.compile_ir(twin(program, "kernel", form), "kernel")
    states = max((len(a) for a in arrays if a.ndim == 2), default=1)
    order = "F" if form.layout == "columns" else "C"
    dtype = np.float32 if form.single else np.float64
    out = np.full((states, prod(program.shape)), np.nan, dtype, order=order)
    given: list[Any] = [ctypes.c_int64(states)]
    kept = [np.asarray(a, dtype, order=order) for a in arrays]
    for a in (*kept, out):
        steps = [step // a.itemsize for step in a.strides]
        steps = [0, *steps] if a.ndim == 1 else steps
        given += [ctypes.c_void_p(a.ctypes.data), ctypes.c_int64(steps[0]), ctypes.c_int32(steps[1])]
    ctypes.CFUNCTYPE(None, *map(type, given))(code.address)(*given)
    if not counted:
        return out
    far = code.engine.get_global_value_address("strobe_far")
    return out, ctypes.c_int64.from_address(far).value


def states_of(robot: strobe.Robot, kernel: Any, batch: int) -> list[np.ndarray]:
    q, qd, qdd = robot.random_state(seed=3, batch=batch)
    return [{"q": q, "qd": qd}.get(name, qdd) for name in kernel.inputs]


@pytest.fixture(scope="module")
def robot() -> strobe.Robot:
    return strobe.load("panda")


@pytest.fixture(scope="module")
def fused() -> None:
    if not jit.host_target().fused:
        pytest.skip("this processor does not fuse multiplications and additions, as cards do")


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("form", FORMS)
def test_double_precision_gives_the_bits_of_this_processor(
    robot: strobe.Robot, form: str, quantity: str, fused: None
) -> None:
    kernel = robot.kernel(Request(quantity, frame=robot.tip if quantity == "jacobian" else None))
    arrays = states_of(robot, kernel, 130)
    expected = kernel(dict(zip(kernel.inputs, arrays, strict=True)))
    found = run(kernel.program, FORMS[form], arrays)
    assert np.array_equal(found.reshape(expected.shape), expected)


@pytest.mark.parametrize("states", [0, 1, 31, 32, 33, 255])
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("layout", ["columns", "rows", "strided"])
def test_every_number_of_states_is_computed_once(
    robot: strobe.Robot, layout: str, single: bool, states: int
) -> None:
    kernel = robot.kernel(Request("mass_matrix"))
    arrays = states_of(robot, kernel, states)
    found = run(kernel.program, Form(layout, single, block=32), arrays)
    np.testing.assert_allclose(
        found.reshape(-1, 7, 7), robot.mass_matrix(arrays[0]), 0.0, 2e-6 if single else 1e-14
    )


def test_single_precision_is_as_good_as_that_of_this_processor(robot: strobe.Robot) -> None:
    kernel = robot.kernel(Request("inverse_dynamics"))
    arrays = states_of(robot, kernel, 200)
    exact = robot.inverse_dynamics(*(a.astype(np.float32).astype(float) for a in arrays))
    ours = robot.inverse_dynamics(*(a.astype(np.float32) for a in arrays))
    for form in FORMS.values():
        found = run(kernel.program, replace(form, single=True), arrays)
        assert np.abs(found - exact).max() <= 1.5 * np.abs(ours - exact).max()


def test_elimination_may_be_in_double_precision_on_arrays_of_single(
    robot: strobe.Robot, fused: None
) -> None:
    kernel = robot.kernel(Request("forward_dynamics"))
    arrays = states_of(robot, kernel, 40)
    expected = robot.forward_dynamics(*(a.astype(np.float32) for a in arrays))
    for layout in ("columns", "rows"):
        found = run(kernel.program, Form(layout, single=True, wide=True), arrays)
        assert found.dtype == np.float32
        assert np.array_equal(found, expected)


def test_what_all_states_have_in_common_is_one_row(robot: strobe.Robot, fused: None) -> None:
    kernel = robot.kernel(Request("inverse_dynamics", gravity=True))
    q, qd, qdd = robot.random_state(seed=1, batch=70)
    gravity = np.array([1.0, 2.0, -3.0])
    expected = robot.inverse_dynamics(q, qd, qdd, gravity=gravity)
    for layout in ("columns", "rows", "strided"):
        common = () if layout == "strided" else (3,)
        found = run(kernel.program, Form(layout, common=common), [q, qd, qdd, gravity])
        assert np.array_equal(found, expected)


def test_angles_beyond_the_limit_go_the_long_way_and_are_counted() -> None:
    circle = strobe.trace(lambda x: [sin(x[0]), cos(x[0]), sin(x[1])], x=2)
    x = np.array([[0.5, 1.0], [1e9, 0.25], [-3e300, 2.0**20], [np.nan, np.inf], [-0.0, 1e22]])
    with np.errstate(invalid="ignore"):
        expected = np.stack([np.sin(x[:, 0]), np.cos(x[:, 0]), np.sin(x[:, 1])], axis=1)
    for form in (Form(), Form("rows"), Form(at_once=0)):
        found, far = run(circle.program, form, [x], counted=True)
        np.testing.assert_array_max_ulp(found, expected, 1)
        assert np.signbit(found[4, 0])
        assert far == 5


def test_sines_of_single_precision_are_within_one_unit_of_the_last_place() -> None:
    circle = strobe.trace(lambda x: [sin(x[0]), cos(x[0])], x=1)
    x = np.arange(0x30000000, 0x7F800000, 4001, dtype=np.uint32).view(np.float32)
    found = run(circle.program, Form(single=True), [x[:, None]])
    for mine, exact in zip(found.T, (np.sin(x.astype(float)), np.cos(x.astype(float))), strict=True):
        assert (np.abs(mine - exact) <= np.spacing(np.abs(exact).astype(np.float32))).all()


def test_arc_tangents_and_stored_numbers_are_there_too(fused: None) -> None:
    table = Stored(np.linspace(0.0, 4.0, 9) ** 2, "table")
    f = strobe.trace(lambda x: [atan2(x[0], x[1]), tanh(x[0]), *table.row(x[1], 2)], x=2)
    x = np.random.default_rng(1).uniform(-3.0, 9.0, (50, 2))
    for form in FORMS.values():
        found = run(f.program, form, [x])
        np.testing.assert_array_max_ulp(found, f(x), 3)


def test_what_follows_from_a_quaternion_that_is_no_orientation_is_not_a_number() -> None:
    free = strobe.load("planar2").with_base("floating")
    kernel = free.kernel(Request("gravity"))
    q, _, _ = free.random_state(seed=1, batch=3)
    expected = free.gravity(q)
    q[1, 3:7] *= 1.1
    for layout in ("columns", "rows", "strided"):
        found = run(kernel.program, Form(layout, turns=kernel.turns), [q])
        assert np.isnan(found[1, :3]).all()
        np.testing.assert_allclose(found[::2], expected[::2], rtol=1e-12, atol=1e-12)


def test_rows_take_as_much_shared_memory_as_they_have_numbers() -> None:
    assert shared_bytes([7, 7, 7, 7], Form("rows", single=True)) == 4 * 64 * 28
    assert shared_bytes([7, 7, 7, 7], Form("columns")) == 0
    assert shared_bytes([7, 7, 7, 7], Form("columns", staged=1)) == 8 * 64 * 21
    assert shared_bytes([6, 6], Form("rows", single=True)) == 4 * 2 * (64 * 6 + 12)


def test_the_text_for_cards_keeps_every_rounding(robot: strobe.Robot) -> None:
    text = module(robot.kernel(Request("inverse_dynamics")).program, "kernel", Form())
    assert "fast" not in text.replace("fastcc", "")
    assert "contract" not in text
    assert "define ptx_kernel void @kernel(i64 %N, ptr addrspace(1) %b0, i64 %s0, i32 %e0," in text
