"""The width of vectors: twice that of the target where code would wait for quotients, with the same bits."""

from dataclasses import replace

import numpy as np
import pytest

from strobe.compiler.codegen import llvm
from strobe.compiler.codegen.llvm import Emitter, Target, module, paired
from strobe.compiler.graph.program import trace
from strobe.compiler.runtime import jit
from strobe.compiler.runtime.gufunc import gufunc
from strobe.scalars import Graph, sin, sqrt


def program(function):
    return trace(lambda x: function(*x), {"x": 3}, (2,), Graph())


DIVIDES = program(lambda a, b, c: [sin(a) / (2 + b * b), c / (1 + a * a) + b])
ROOTS = program(lambda a, b, c: [sqrt(1 + a * a), sqrt(1 + b * b) + c])
ONCE = program(lambda a, b, c: [sin(a) / (2 + b * b), c + a])
PLAIN = program(lambda a, b, c: [sin(a) * b, c + a])


@pytest.mark.parametrize(("traced", "width"), [(DIVIDES, 16), (ROOTS, 16), (ONCE, 8), (PLAIN, 8)])
def test_what_divides_or_takes_roots_more_than_once_is_computed_for_twice_as_many_states(traced, width):
    assert paired(traced, Target(8)).width == width


@pytest.mark.parametrize("target", [Target(1), Target(8, single=True)])
def test_single_states_and_single_precision_stay_as_they_are(target):
    assert paired(DIVIDES, target) == target


def test_code_that_would_leave_the_instruction_cache_stays_as_it_is(monkeypatch):
    monkeypatch.setattr(llvm, "MOST_PAIRED", len(DIVIDES.nodes) - 1)
    assert paired(DIVIDES, Target(8)).width == 8


@pytest.mark.parametrize("states", [1, 2, 7, 8, 9, 16, 33])
def test_any_number_of_states_gives_the_same_bits_in_pairs_and_alone(states):
    target = jit.host_target()
    alone, pairs = (_made(text) for text in (Emitter(DIVIDES, target).text(), module(DIVIDES, target)))
    x = np.random.default_rng(states).uniform(-3, 3, (states, 3))
    assert (alone(x) == pairs(x)).all()
    a, b, c = x.T
    expected = np.stack([np.sin(a) / (2 + b * b), c / (1 + a * a) + b], -1)
    np.testing.assert_allclose(pairs(x), expected, rtol=1e-14)


def _made(text):
    code = jit.compile_ir(text)
    return gufunc("made", "", "(3)->(2)", [(code.address, False)], 1, code)


def test_the_attributes_of_a_target_stay():
    target = replace(Target(4), attributes='"frame-pointer"="none"')
    assert paired(DIVIDES, target) == replace(target, width=8)
