"""Formulas over letters: what they are worth in space and in a plane."""

from __future__ import annotations

import pytest

from strobe.algebra import Mat3, Vec3
from strobe.equations.derivation_lines import (
    Letter,
    Line,
    Rate,
    Step,
    Times,
    Values,
    Written,
    plus,
    waves,
    worked_out,
)
from strobe.equations.expression import ZERO, Symbol
from strobe.equations.notation import index
from strobe.equations.trig_polynomials import Waves

A, B, M, S = (Letter(x, bold=True) for x in "ABMS")
RING = Waves((), ("s",))
BOOK = {A: Vec3(1.0, 2.0, 3.0), B: Vec3(4.0, 5.0, 6.0), M: Mat3.identity() * 2.0, S: 3.0}


def test_products_are_those_of_vectors_matrices_and_numbers() -> None:
    assert [*worked_out(Times(A, B, "×"), BOOK)] == [-3.0, 6.0, -3.0]
    assert worked_out(Times(A, B, "·"), BOOK) == 32.0
    assert [*worked_out(Times(M, A), BOOK)] == [2.0, 4.0, 6.0]
    assert [*worked_out(Times(S, A), BOOK)] == [3.0, 6.0, 9.0]
    assert worked_out(Times(S, S), BOOK) == 9.0


def test_in_a_plane_a_cross_product_is_its_component_along_the_normal() -> None:
    assert worked_out(Times(A, B, "×"), BOOK, Vec3.unit(1, -1)) == -6.0


def test_terms_have_signs() -> None:
    assert [*worked_out(plus([(-1, A), (1, B)]), BOOK)] == [3.0, 3.0, 3.0]
    assert plus([(1, A)]) is A
    assert plus([]) == Written(ZERO)
    assert worked_out(plus([]), BOOK) == 0.0


def test_derivatives_are_not_worked_out() -> None:
    with pytest.raises(AssertionError, match="only relations between letters"):
        worked_out(Rate(A), BOOK)


def test_entries_and_indices_of_letters() -> None:
    assert Letter("v", "c1", 1, bold=True).entry("x") == Letter("v", "c1,x", 1)
    assert Letter("D").entry("1", "2") == Letter("D", "12")
    assert index(0, 1) == "01"
    assert index(9, 10) == "9,10"


def test_the_waves_of_a_step_are_those_on_both_sides_of_its_lines() -> None:
    s, t, u = RING.variable("s"), RING.constant(2), RING.constant(3)
    lines = (
        Line((Times(Written(s), A),), plus([(1, Written(t)), (-1, Written(Symbol("x")))])),
        Line((A,), Values(((u,), (s,)), ("x", "y"))),
    )
    assert list(waves(Step("", "", lines))) == [s, t, u, s]
