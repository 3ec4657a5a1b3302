"""A recurrence as machine code: any width, any number of states and rounds, and what the formula says."""

import ctypes

import numpy as np
import pytest

from strobe.compiler.codegen.llvm_march import march_module, words
from strobe.compiler.graph.program import trace
from strobe.compiler.graph.recurrence import STATE, Call, Recurrence, Signal, sample
from strobe.compiler.runtime import jit
from strobe.scalars import Graph, sin

PUSHED = Recurrence(
    size=3,
    constants={"gain": 2},
    signals={"push": Signal(2, 2)},
    calls=(
        Call("first", (STATE, sample("push", 0)), "k"),
        Call("first", ("k", sample("push", 1)), "m"),
        Call("last", (STATE, "k", "m", "gain"), "next"),
    ),
    result="next",
    recorded=("k", 1, 2),
)


def first(x, push):
    return [x[0] * push[0] + x[1], x[1] - push[1], sin(x[0])]


def last(x, k, m, gain):
    return [x[0] + 0.1 * k[0] * gain[0], x[1] + 0.1 * m[1] * gain[1], x[2] + k[2]]


def programs():
    sizes = {"first": {"x": 2, "push": 2}, "last": {"x": 3, "k": 3, "m": 2, "gain": 2}}
    return {name: trace(f, sizes[name], (3,), Graph()) for name, f in (("first", first), ("last", last))}


def marched(width, state, gain, push, records, out, part=None):
    """The states after all rounds, by machine code for vectors of a width."""
    code = jit.compile_ir(march_module(programs(), PUSHED, jit.host_target(width=width)), "march")
    state = state.copy()
    a, b = part or (0, len(state))
    given = [a, b, len(records), state.ctypes.data, state.strides[0], records.ctypes.data, out.ctypes.data]
    given += [*out.strides[:2], gain.ctypes.data, gain.strides[0] if len(gain) > 1 else 0]
    given += [push.ctypes.data, push.strides[0] if len(push) > 1 else 0, push.strides[1]]
    assert len(given) == len(words(PUSHED))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(code.address)((ctypes.c_int64 * len(given))(*given))
    return state


def in_numpy(state, gain, push, rounds):
    rows = []
    for r in range(rounds):
        x, p = state.T, push[:, r].T
        k = np.array([x[0] * p[0] + x[1], x[1] - p[1], np.sin(x[0])])
        m1 = k[1] - p[3]
        rows.append(np.concatenate([state, k[1:].T], axis=1))
        state = np.array([x[0] + 0.1 * k[0] * gain.T[0], x[1] + 0.1 * m1 * gain.T[1], x[2] + k[2]]).T
    return state, np.stack(rows, axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("states", [1, 5, 8, 21])
@pytest.mark.parametrize("shared", [True, False])
def test_states_march_as_the_formula_says_whatever_the_width(width, states, shared):
    rng = np.random.default_rng(states)
    count = 1 if shared else states
    state, gain, push = (
        rng.normal(size=(states, 3)),
        rng.normal(size=(count, 2)),
        rng.normal(size=(count, 7, 4)),
    )
    records = np.array([-1, 0, -1, -1, 2, -1, 1])
    out = np.full((states, 3, 5), np.nan)
    found = marched(width, state, gain, push, records, out)
    expected, rows = in_numpy(state, gain, push, 7)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(out, rows[:, [1, 6, 4]], rtol=1e-12, atol=1e-14)


def test_every_width_computes_the_same_bits():
    rng = np.random.default_rng(0)
    state, gain, push = rng.normal(size=(13, 3)), rng.normal(size=(13, 2)), rng.normal(size=(1, 5, 4))
    out = np.empty((13, 1, 5))
    results = [marched(w, state, gain, push, np.array([0, -1, -1, -1, -1]), out) for w in (1, 4, 8)]
    for found in results[1:]:
        np.testing.assert_array_equal(found, results[0])


def test_a_part_of_the_states_leaves_the_others_alone():
    rng = np.random.default_rng(0)
    state, gain, push = rng.normal(size=(20, 3)), rng.normal(size=(1, 2)), rng.normal(size=(1, 4, 4))
    out = np.zeros((20, 4, 5))
    found = marched(8, state, gain, push, np.arange(4), out, part=(3, 14))
    np.testing.assert_array_equal(found[:3], state[:3])
    np.testing.assert_array_equal(found[14:], state[14:])
    assert not out[:3].any()
    assert not out[14:].any()
    np.testing.assert_allclose(found[3:14], in_numpy(state, gain, push, 4)[0][3:14], rtol=1e-12)


def test_no_rounds_leave_everything_as_it_is():
    state, out = np.ones((3, 3)), np.zeros((3, 1, 5))
    found = marched(4, state, np.ones((1, 2)), np.ones((1, 1, 4)), np.empty(0, dtype=np.int64), out)
    np.testing.assert_array_equal(found, state)
