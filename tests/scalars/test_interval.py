"""Intervals: what is computed of them encloses what is computed of every value in them."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import strobe
from strobe.errors import UnsupportedOperationError
from strobe.quantities import Request
from strobe.scalars import (
    INTERVALS,
    DualSystem,
    Interval,
    absolute,
    atan2,
    cos,
    floor,
    less,
    maximum,
    minimum,
    sin,
    sqrt,
    tanh,
    where,
)

ends = st.tuples(st.floats(-20, 20), st.floats(0, 9)).map(lambda pair: (pair[0], pair[0] + pair[1]))
inside = st.floats(0, 1)


def expressions(x, y):
    """Every operation that intervals have."""
    return [
        x + y, x - y, x * y, x / (y * y + 1.0), -x, sin(x), cos(x), sqrt(absolute(x)), absolute(y), minimum(x, y),
        maximum(x, y), where(less(x, y), x * 2.0, y), tanh(x), floor(y), x * x - y * 0.3,
    ]  # fmt: skip


@given(ends, ends, inside, inside)
def test_every_value_of_the_arguments_is_enclosed(a, b, s, t):
    x, y = (low + u * (high - low) for (low, high), u in ((a, s), (b, t)))
    x, y = min(max(x, a[0]), a[1]), min(max(y, b[0]), b[1])
    found = expressions(INTERVALS.between(*a), INTERVALS.between(*b))
    for enclosure, value in zip(found, expressions(x, y), strict=True):
        low, high = INTERVALS.lower(enclosure)
        assert low <= value <= high


def test_extremes_of_a_wave_between_the_ends_are_found():
    low, high = INTERVALS.lower(
        cos(INTERVALS.between(np.array([-0.1, 3.0, 0.2]), np.array([0.2, 3.3, 0.3])))
    )
    assert high[0] == 1.0
    assert low[1] == -1.0
    assert low[2] == pytest.approx(math.cos(0.3))
    assert high[2] == pytest.approx(math.cos(0.2))
    assert INTERVALS.lower(sin(INTERVALS.between(1.5, 1.6)))[1] == 1.0


def test_a_quotient_by_an_interval_with_zero_is_anything():
    low, high = INTERVALS.lower(1.0 / INTERVALS.between(-1.0, 2.0))
    assert (low, high) == (-np.inf, np.inf)


def test_an_arc_tangent_is_refused():
    with pytest.raises(UnsupportedOperationError, match="Interval"):
        atan2(INTERVALS.between(0.0, 1.0), Interval(1.0, 2.0))


@pytest.mark.parametrize("name", ["panda", "stanford", "planar2"])
def test_torques_of_a_range_of_states_enclose_those_of_every_state_in_it(name):
    robot = strobe.load(name)
    rng = np.random.default_rng(3)
    middle = np.stack(robot.random_state(seed=1, batch=20))  # (3, 20, n)
    width = 0.05
    numbers = {
        key: [INTERVALS.between(x[:, j] - width, x[:, j] + width) for j in range(robot.n)]
        for key, x in zip(("q", "qd", "qdd"), middle, strict=True)
    }
    found = Request("inverse_dynamics").evaluate(robot.model.lift(INTERVALS), **numbers)
    for _ in range(20):
        tau = robot.inverse_dynamics(*(middle + rng.uniform(-width, width, middle.shape)))
        for j, enclosure in enumerate(found):
            low, high = INTERVALS.lower(enclosure)
            assert (low <= tau[:, j]).all()
            assert (tau[:, j] <= high).all()


def test_a_dual_of_intervals_encloses_slopes():
    system = DualSystem(INTERVALS)
    x = system.seed(INTERVALS.between(0.2, 0.4), INTERVALS.between(1.0, 1.0))
    low, high = INTERVALS.lower(system.lower(sin(x) * x).tangent)
    for value in np.linspace(0.2, 0.4, 9):
        assert low <= math.cos(value) * value + math.sin(value) <= high
