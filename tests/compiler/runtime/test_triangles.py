"""Rows turned into triangles: what batch least squares says, with the same bits in every width."""

import numpy as np
import pytest

from strobe.compiler.codegen.llvm_triangles import turn_module
from strobe.compiler.codegen.triangles import Triangles
from strobe.compiler.runtime import jit
from strobe.compiler.runtime.triangles import Turning

SIZES = Triangles(joints=3, own=2, shared=7)


def rows_of(sizes: Triangles, count: int, seed: int = 0) -> np.ndarray:
    rows = np.zeros((count, sizes.joints, sizes.stride))
    rows[..., : sizes.unknowns + 1] = np.random.default_rng(seed).normal(
        size=(count, sizes.joints, sizes.unknowns + 1)
    )
    return rows


def turned(
    rows: np.ndarray, sizes: Triangles = SIZES, root: float = 1.0, compiled: bool = True
) -> np.ndarray:
    memory = np.zeros(sizes.size)
    Turning(sizes, compiled=compiled)(rows.copy(), memory, root)
    return memory


def test_triangles_hold_what_the_rows_held():
    rows = rows_of(SIZES, 40)
    memory = turned(rows)
    triangles = memory[: SIZES.sums].reshape(SIZES.rows, SIZES.stride)
    shared = triangles[SIZES.joints * SIZES.own :, SIZES.own : SIZES.unknowns]
    assert not np.tril(shared, -1).any()
    for i in range(SIZES.joints):
        own = triangles[i * SIZES.own : (i + 1) * SIZES.own, : SIZES.unknowns + 1]
        A = rows[:, i, : SIZES.own]
        assert own[:, : SIZES.own].T @ own[:, : SIZES.own] == pytest.approx(A.T @ A)
    assert memory[SIZES.told : SIZES.told + 3] == pytest.approx(40)


def test_numpy_agrees():
    rows = rows_of(SIZES, 40)
    assert turned(rows, root=0.99) == pytest.approx(
        turned(rows, root=0.99, compiled=False), rel=1e-12, abs=1e-13
    )


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_every_width_computes_the_same_bits(width: int):
    import ctypes

    rows, memory = rows_of(SIZES, 30), np.zeros(SIZES.size)
    code = jit.load_object(jit.emit_object(turn_module(SIZES, jit.host_target(width=width))), "turn")
    kinds = ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_double
    turn = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(code.address)
    assert turn(rows.ctypes.data, len(rows), memory.ctypes.data, 0.98) == 90
    expected = turned(rows_of(SIZES, 30), root=0.98)
    assert np.array_equal(memory, expected)


def test_without_fused_operations_it_is_the_same_up_to_rounding():
    from dataclasses import replace

    text = turn_module(SIZES, replace(jit.host_target(), fused=False))
    assert "call double @llvm.fma" not in text
    jit.emit_object(text)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_row_with_a_number_that_is_none_leaves_no_trace(compiled: bool):
    rows = rows_of(SIZES, 5)
    spoilt = rows.copy()
    spoilt[2, 1, 4], spoilt[3, 0, 0] = np.nan, np.inf
    rows[2, 1], rows[3, 0] = 0.0, 0.0
    turning = Turning(SIZES, compiled=compiled)
    memory = np.zeros(SIZES.size)
    assert turning(spoilt, memory) == 13
    assert np.array_equal(memory, turned(rows, compiled=compiled))


def test_numbers_whose_squares_vanish_do_no_harm():
    rows = rows_of(SIZES, 3)
    rows[0] *= 1e-300
    assert np.isfinite(turned(rows)).all()
