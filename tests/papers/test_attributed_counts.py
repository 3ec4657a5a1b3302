"""Operations charged to the expressions that ask for them: complete, and never to the wrong row in silence."""

import pytest

from strobe.papers import attributed_counts
from strobe.papers.attributed_counts import added, by_part, in_matrices
from strobe.papers.counted_code import measured


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "inertia"),
    [("newton-euler-hat", "full"), ("modified-newton-euler", "diagonal"), ("turney-lagrange", "full")],
)
def test_the_parts_are_the_whole(method, inertia):
    assert added(by_part(method, inertia).values()).counts == measured(method, inertia).counts


def test_the_matrix_operations_of_a_recursion_grow_linearly():
    totals = [sum(m for m, _ in in_matrices("waters-recursive", n).values()) for n in (3, 4, 5, 6)]
    assert totals == [22, 32, 42, 52]


def test_an_expression_that_no_rule_knows_is_an_error(monkeypatch):
    monkeypatch.setitem(attributed_counts.RULES, "newton-euler-hat", attributed_counts.OUTWARD)
    with pytest.raises(ArithmeticError, match=r"no part of a table knows the expression A @ link\.r"):
        attributed_counts._charged("newton-euler-hat", "full", 2)
