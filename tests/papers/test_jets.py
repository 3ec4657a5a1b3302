"""Square-zero symbols: exact first, second and third derivatives in any number system."""

from __future__ import annotations

import math

import pytest

from strobe.papers.jets import Jets
from strobe.scalars import FLOAT, FieldSystem, cos, sin


def test_coefficients_are_the_derivatives_along_the_symbols():
    jets = Jets(FLOAT, 2)
    x, y = jets.make([0.3, 1.0, 0.0, 0.0]), jets.make([0.7, 0.0, 1.0, 0.0])
    f = sin(x * y)
    assert jets.coefficient(f, 0) == math.sin(0.21)
    assert jets.coefficient(f, 1) == pytest.approx(0.7 * math.cos(0.21))
    assert jets.coefficient(f, 2) == pytest.approx(0.3 * math.cos(0.21))
    assert jets.coefficient(f, 3) == pytest.approx(math.cos(0.21) - 0.21 * math.sin(0.21))


def test_three_symbols_on_one_variable_give_a_third_derivative():
    jets = Jets(FLOAT, 3)
    x = jets.make([0.4, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    assert jets.coefficient(sin(x), 7) == pytest.approx(-math.cos(0.4))
    assert jets.coefficient(x * x * x, 7) == pytest.approx(6.0)


def test_derivatives_of_an_angle_are_exact_modulo_a_prime():
    field = FieldSystem(seed=4)
    angle = field.variable("q", angle=True)
    jets = Jets(field, 2)
    x = jets.make([angle, 1.0, 1.0, 0.0])
    assert field.lower(jets.coefficient(cos(x), 1)) == field.lower(-sin(angle))
    assert field.lower(jets.coefficient(cos(x), 3)) == field.lower(-cos(angle))


def test_constants_do_not_move_and_python_numbers_stay_what_they_are():
    field = FieldSystem(seed=5)
    jets, drawn = Jets(field, 2), field.draw()
    constant = jets.constant(drawn)
    assert jets.coefficient(constant, 0) is drawn
    assert [jets.coefficient(constant, mask) for mask in (1, 2, 3)] == [0.0, 0.0, 0.0]
    assert jets.constant(2.0) == 2.0
    assert jets.coefficient(2.0, 0) == 2.0
    assert jets.coefficient(2.0, 3) == 0.0


def test_splitting_off_the_last_symbol_leaves_a_jet_of_the_others():
    jets = Jets(FLOAT, 2)
    still, moving = jets.split(jets.make([1.0, 2.0, 3.0, 4.0]))
    once = jets.lower()
    assert [once.coefficient(still, mask) for mask in (0, 1)] == [1.0, 2.0]
    assert [once.coefficient(moving, mask) for mask in (0, 1)] == [3.0, 4.0]
    assert jets.split(5.0) == (5.0, 0.0)
