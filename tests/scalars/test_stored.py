"""Stored numbers read by a computed place: the same in every system that has places, refused by name in others."""

import math
import pickle

import numpy as np
import pytest

from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import trace
from strobe.errors import ArgumentError, UnsupportedOperationError
from strobe.scalars import (
    DegreeSystem,
    DualSystem,
    FieldSystem,
    FoldedCount,
    Graph,
    Lanes,
    Stored,
    floor,
)
from strobe.scalars.precise import PreciseSystem

SQUARES = Stored([k * k for k in range(6)], "squares")


@pytest.mark.parametrize(
    ("place", "found"),
    [
        (0.0, 0),
        (2.0, 4),
        (2.999, 4),
        (5.0, 25),
        (5.7, 25),
        (1e300, 25),
        (math.inf, 25),
        (-0.1, 0),
        (-math.inf, 0),
    ],
)
def test_a_place_is_rounded_down_and_held_at_both_ends(place, found):
    precise = PreciseSystem()
    assert SQUARES.at(place) == found
    assert SQUARES.at(Lanes(np.array([place, place]))).values.tolist() == [found] * 2
    assert precise.lower(SQUARES.at(precise.exact(place))) == found
    assert DualSystem().seed(place, 1.0).pick(SQUARES, 1)[0].value == found


@pytest.mark.parametrize(("place", "first"), [(1.5, 1), (3.0, 3), (4.0, 3), (99.0, 3), (-7.0, 0)])
def test_a_row_is_held_where_there_are_as_many_numbers(place, first):
    found = [k * k for k in range(first, first + 3)]
    precise = PreciseSystem()
    assert SQUARES.row(place, 3) == found
    assert [x.values.tolist() for x in SQUARES.row(Lanes(np.array([place])), 3)] == [[x] for x in found]
    assert [precise.lower(x) for x in SQUARES.row(precise.exact(place), 3)] == found
    assert all(math.isnan(x) for x in SQUARES.row(math.nan, 3))


def test_a_row_longer_than_what_is_stored_is_refused():
    with pytest.raises(ArgumentError, match="a row of 7 cannot be read from 6 stored numbers"):
        SQUARES.row(0.0, 7)


def test_what_is_not_a_number_as_a_place_gives_what_is_not_a_number():
    assert math.isnan(SQUARES.at(math.nan))
    assert np.isnan(SQUARES.at(Lanes(np.array([math.nan, 1.0]))).values).tolist() == [True, False]
    precise = PreciseSystem()
    assert precise.context.isnan(precise.lower(SQUARES.at(precise.exact(math.nan))))


def test_a_stored_number_does_not_change_with_its_place():
    assert DualSystem().seed(2.5, 1.0).pick(SQUARES, 1)[0].tangent == 0.0
    assert floor(DualSystem().seed(2.5, 1.0)).tangent == 0.0


def test_single_precision_stays_single():
    assert SQUARES.at(Lanes(np.array([2.0], np.float32))).values.dtype == np.float32


@pytest.mark.parametrize("system", [FoldedCount(), FieldSystem(1), DegreeSystem()])
def test_systems_without_places_refuse_by_name(system):
    with pytest.raises(
        UnsupportedOperationError, match=f"{system.name} cannot do pick: its numbers are no places"
    ):
        SQUARES.at(system.variable("x"))


@pytest.mark.parametrize(("x", "found"), [(1.5, 1.0), (-1.5, -2.0), (3.0, 3.0), (math.inf, math.inf)])
def test_floor_is_the_largest_whole_number_that_is_not_larger(x, found):
    precise = PreciseSystem()
    assert floor(x) == found
    assert floor(Lanes(np.array([x]))).values.tolist() == [found]
    assert precise.lower(floor(precise.exact(x))) == found


def test_equal_places_are_one_node_and_other_numbers_another():
    graph = Graph()
    x, others = graph.variable("x"), Stored([k * k for k in range(6)], "squares")
    assert SQUARES.at(x) is SQUARES.at(x)
    assert SQUARES.at(x) is not others.at(x)


def test_a_program_knows_what_it_reads_after_all_passes():
    def f(x):
        return [SQUARES.at(-x[0]) - SQUARES.at(x[1] * 2.0) + SQUARES.at(-x[0])]

    program = optimised(trace(f, {"x": 2}, (1,), Graph()))
    assert program.stored == (SQUARES,)
    assert program.counts["pick"] == 2
    assert f"stored squares[6] {SQUARES.digest}" in program.text()


def test_stored_numbers_never_change_and_travel():
    with pytest.raises(ValueError, match="read-only"):
        SQUARES.values[0] = 1.0
    copy = pickle.loads(pickle.dumps(SQUARES))
    assert repr(copy) == repr(SQUARES)
    assert not copy.values.flags.writeable


def test_what_is_no_row_of_numbers_is_refused():
    with pytest.raises(
        ArgumentError, match=r'stored numbers "stored" have shape \(2, 2\); expected one row'
    ):
        Stored([[1, 2], [3, 4]])
    with pytest.raises(ArgumentError, match=r"have shape \(0,\)"):
        Stored([])


def test_single_precision_refuses_more_places_than_it_tells_apart():
    many = Stored(np.zeros(2**24 + 1), "many")
    with pytest.raises(
        ArgumentError, match=r'there are 16,777,217 stored numbers "many"; single precision tells'
    ):
        many.at(Lanes(np.zeros(1, np.float32)))
