"""Lists of numbers as vectors."""

import pytest

from strobe.algebra.rows import dot, minus
from strobe.scalars import Graph


def test_the_dot_product_of_lists_is_the_sum_of_products():
    assert dot([1.0, 2.0, 3.0], [4.0, -5.0, 6.0]) == 12.0
    assert dot([], []) == 0.0


def test_what_is_zero_leaves_no_operation_behind():
    graph = Graph()
    x, y = graph.variable("x"), graph.variable("y")
    assert dot([x, y], [1.0, 0.0]) is x
    assert minus([x, y], [0.0, 0.0]) == [x, y]


def test_lists_of_different_lengths_are_no_pair():
    with pytest.raises(ValueError, match="zip"):
        dot([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="zip"):
        minus([1.0], [1.0, 2.0])
