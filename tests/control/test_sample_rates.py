"""Rates divide one another, or are refused with the nearest that do."""

import pytest

from strobe.control.sample_rates import rates, whole_steps
from strobe.errors import ArgumentError


def test_rates_that_divide():
    assert rates(1000.0) == (1e-3, None, 1)  # steps as the arm needs them
    assert rates(500.0, plant=2000.0, trajectory=100.0) == (2e-3, 4, 5)
    assert rates(1000, plant=1000, trajectory=1000, steps=None) == (1e-3, 1, 1)
    assert rates(3.0, plant=9.0, trajectory=0.75).hold == 4
    assert rates(1000.0, steps=3).steps == 3
    assert whole_steps("delay", 0.003, 0.001) == 3
    assert whole_steps("delay", 0.0, 0.001) == 0


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (
            {"plant": 1500.0},
            "plant_rate is 1500 Hz, not a whole multiple of the controller's 1000 Hz; the nearest: 1000 or 2000 Hz.",
        ),
        (
            {"plant": 400.0},
            "plant_rate is 400 Hz, not a whole multiple of the controller's 1000 Hz; the nearest: 1000 Hz.",
        ),
        (
            {"trajectory": 300.0},
            "trajectory_rate is 300 Hz, not a whole part of the controller's 1000 Hz; "
            "the nearest: 333.333 or 250 Hz.",
        ),
        (
            {"trajectory": 1700.0},
            "trajectory_rate is 1700 Hz, not a whole part of the controller's 1000 Hz; the nearest: 1000 Hz.",
        ),
        (
            {"plant": 2000.0, "steps": 2},
            "steps= and plant_rate= both say how the arm is integrated; give one.",
        ),
        ({"steps": 0}, "steps is 0; expected a whole number, 1 or more."),
        ({"plant": 0.0}, "plant_rate is 0.0; expected a number of Hz above zero."),
        ({"trajectory": float("nan")}, "trajectory_rate is nan; expected a number of Hz above zero."),
    ],
)
def test_rates_that_do_not_divide_are_refused_with_the_nearest_that_do(given, sentence):
    with pytest.raises(ArgumentError) as caught:
        rates(1000.0, **given)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("rate", [0.0, -1.0, float("inf"), float("nan"), "fast", True])
def test_a_rate_is_a_number_above_zero(rate):
    with pytest.raises(ArgumentError, match=r"rate is .*; expected a number of Hz above zero\."):
        rates(rate)


def test_a_delay_is_a_whole_number_of_steps():
    with pytest.raises(
        ArgumentError, match=r"delay is 0\.0025 s, no whole number of steps of 0\.001 s; the nearest"
    ):
        whole_steps("delay", 0.0025, 0.001)
    with pytest.raises(ArgumentError, match=r"the nearest are 0\.002 or 0\.003 s\."):
        whole_steps("delay", 0.0025, 0.001)
    for wrong in (-0.001, float("nan"), float("inf")):
        with pytest.raises(ArgumentError, match="expected seconds, zero or more"):
            whole_steps("delay", wrong, 0.001)
