"""Conditions of certificates with divisions: derived, and tried on and beside."""

from __future__ import annotations

import pytest

from records.program import certificate
from records.recursion import Choices
from strobe.papers.arm_patterns import Pattern, arm, full
from strobe.papers.certificates import check, parameters, read
from strobe.papers.conditions import conditions, digits_lost, margins, stops_on

HARMLESS = """one length taken out and put back in
constants
k1 = a2 * a2
k2 = k1 - a2
k3 = 1.0 / k2
k4 = k3 / 2.0
k5 = a2 / g
program
x1 = k4 * qdd1
torques
tau1 = x1
"""


def test_divisors_are_factored_and_numbers_are_none():
    found = conditions(read(HARMLESS), ("g", "a2"))
    assert [condition.text for condition in found] == ["a2", "g", "a2 − 1"]
    assert str(found[-1]) == "a2 − 1 ≠ 0"


def test_a_condition_is_solved_for_a_parameter_that_it_is_linear_in():
    last = conditions(read(HARMLESS), ("g", "a2"))[-1]
    assert (last.solved_for, last.root({"a2": 0.3})) == ("a2", 1)


MODEL = arm(Pattern((0, 40, 60), a=(2, 3), d=(2, 3)), full)


def test_masses_shared_by_a_quotient_lose_a_digit_for_every_decade():
    found = read(certificate("t", MODEL, Choices(kept={3: "m"}), rounds=None))
    assert check(found, MODEL, trials=1).holds
    (margin,) = margins(found, MODEL)
    assert margin.condition.text == "a3"
    assert margin.stops
    near, nearer, nearest = margin.lost
    assert nearer - near == pytest.approx(3, abs=1)
    assert nearest - nearer == pytest.approx(3, abs=1)


def test_units_by_a_quotient_stop_on_zero_and_lose_nothing_beside_it():
    found = read(certificate("t", MODEL, Choices(), rounds=20))
    asked = conditions(found, tuple(parameters(MODEL)))
    assert asked
    assert all(stops_on(found, MODEL, condition) for condition in asked)
    assert all(digits_lost(found, MODEL, condition, 1e-9) < 1.5 for condition in asked)


def test_without_divisions_there_are_no_conditions():
    assert margins(read(certificate("t", MODEL, Choices(), rounds=None)), MODEL) == ()
