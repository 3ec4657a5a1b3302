"""Numbers from outside: what is taken, and the sentence for what is not."""

import math

import numpy as np
import pytest

from strobe.errors import ArgumentError
from strobe.models.arguments import require_above, require_whole


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers_are_taken_from_numpy_too(value):
    found = require_whole("seed", value, 3)
    assert found == 3
    assert type(found) is int


@pytest.mark.parametrize("value", [2, 3.0, True, "3", None, math.nan, np.float64(3)])
def test_what_is_no_whole_number_or_too_small_is_refused(value):
    with pytest.raises(ArgumentError) as caught:
        require_whole("seeds", value, 3)
    assert str(caught.value) == f"seeds is {value!r}; expected a whole number, 3 or more."


@pytest.mark.parametrize("value", [0.5, 1, np.float32(0.5), np.int64(2)])
def test_numbers_above_zero_come_back_as_floats(value):
    assert type(require_above("step", value, "a time above zero")) is float


@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan, True, "1", None, 1j, [1.0], np.array(1.0)])
def test_what_is_not_one_finite_number_above_zero_is_refused(value):
    with pytest.raises(ArgumentError) as caught:
        require_above("step", value, "a time above zero")
    assert str(caught.value) == f"step is {value!r}; expected a time above zero."


def test_zero_is_taken_where_it_will_do():
    assert require_above("delay", 0, "seconds, zero or more", or_zero=True) == 0.0
    with pytest.raises(ArgumentError, match="delay is -1; expected seconds, zero or more."):
        require_above("delay", -1, "seconds, zero or more", or_zero=True)
