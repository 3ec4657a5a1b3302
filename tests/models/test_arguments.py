"""Numbers from outside: what is taken, and the sentence for what is not."""

import math

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, StrobeError
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


class Lying:
    """What gives something else than an array."""

    def __array__(self, *_, **__):
        return "no array"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"delay": {"a": 1.0}}, "delay is {'a': 1.0}; expected seconds, zero or more"),
        ({"tolerance": Lying()}, "tolerance holds a Lying that gives no array"),
        ({"tolerance": np.ones((1, 1, 2))}, "tolerance is array.*; expected numbers above zero"),
        ({"stops": np.zeros(6)}, "stops is array.*; expected True, or Stops"),
        ({"friction": np.array([1e308, -1e308])}, "friction is array.*; expected True or False"),
        ({"method": ["rk4"]}, r"method is \['rk4'\]; expected one of rk4"),
        ({"check": "yes"}, "check is 'yes'; expected True or False"),
        ({"gains": {"kp": Lying()}}, "kp holds a Lying that gives no array"),
    ],
)
def test_a_closed_loop_says_what_it_was_given(given, sentence):
    robot = strobe.load("planar2")
    motion = robot.plan([[0.0, 0.0], [0.1, 0.1]], "cubic", velocity=1.0, acceleration=1.0)
    with pytest.raises(StrobeError, match=f"^{sentence}"):
        robot.control(motion, "joint-pd", **given)


@pytest.mark.parametrize("which", [[0], 1j, True, "0", 1, -1])
def test_the_number_of_a_run_to_draw_is_one(which):
    robot = strobe.load("planar2")
    run = robot.simulate([0.1, 0.2], [0.0, 0.0], None, 0.01, step=0.005)
    with pytest.raises(ArgumentError, match="^which is .*; expected the number of a run, 0 to 0"):
        run.plot(which=which)
