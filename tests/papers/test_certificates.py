"""Certificates of operation counts: what is counted, what is refused, what the check finds."""

from __future__ import annotations

import pytest

from strobe.algebra import Inertia, Sym3, Vec3
from strobe.errors import CertificateError
from strobe.formulations import formulation
from strobe.models.inertial import Inertial
from strobe.models.model import Model
from strobe.papers.arm_patterns import Pattern, arm
from strobe.papers.certificates import check, given, parameters, read
from strobe.scalars import FLOAT, FieldSystem

PENDULUM = """a pendulum in a vertical plane
constants
k1 = g * hx2
program
q12 = q1 + q2
x1 = k1 * s2
x2 = Izz2 * qdd2
x3 = x2 + x1
torques
tau1 = x3
"""


def links(k: int) -> Inertial:
    """One inertia about z each."""
    return Inertial.of(Inertia(0.0, Vec3.zero(), Sym3(0.0, 0.0, 0.3 + k, 0.0, 0.0, 0.0)))


def planar() -> Model:
    """Two parallel axes through one point: tau1 = (I1 + I2) qdd1 + I2 qdd2."""
    return arm(Pattern((0.0, 0.0)), links)


RIGHT = """two discs on one axis
constants
k1 = Izz1 + Izz2
program
x1 = k1 * qdd1
x2 = Izz2 * qdd2
x3 = x1 + x2
x4 = qdd1 + qdd2
x5 = Izz2 * x4
torques
tau1 = x3
tau2 = x5
"""


def test_multiplications_and_additions_of_the_program_are_counted_and_constants_are_not():
    found = read(PENDULUM)
    assert (found.title, len(found.constants)) == ("a pendulum in a vertical plane", 1)
    assert (found.multiplications, found.additions) == (2, 2)


def test_a_right_program_is_equal_to_the_reference_and_says_how_sure_that_is():
    verdict = check(read(RIGHT), planar(), trials=2)
    assert verdict.holds
    assert len(set(verdict.primes)) == 2
    assert 0 < verdict.degree < 20
    assert str(verdict).startswith("equal in 2 trials, each wrong with probability below ")


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("x1 = k1 * qdd1", "x1 = Izz1 * qdd1"),
        ("x3 = x1 + x2", "x3 = x1 - x2"),
        ("tau2 = x5", "tau2 = - x5"),
        ("k1 = Izz1 + Izz2", "k1 = Izz1 * Izz2"),
    ],
)
def test_a_changed_line_is_found(line, wrong):
    assert line in RIGHT
    verdict = check(read(RIGHT.replace(line, wrong)), planar())
    assert not verdict.holds
    assert str(verdict) == "NOT EQUAL in 3 trials"


def test_torques_on_floats_are_those_of_the_reference():
    model = planar()
    state = [0.3, -0.4], [0.5, 0.6], [0.7, -0.8]
    expected = formulation("newton-euler").inverse_dynamics(model, *state)
    assert read(RIGHT).evaluated(given(model, state)) == pytest.approx(expected, rel=1e-14)


def test_a_sum_of_angles_costs_an_addition_and_has_a_cosine_a_sine_and_a_tangent():
    text = """t
constants
program
q12 = q1 + q2
x1 = c12 * t12
x2 = x1 + t12
torques
tau1 = x2
tau2 = s12
"""
    system = FieldSystem(3)
    lifted = planar().lift(system)
    found = read(text)
    half, whole = found.evaluated(given(lifted, lifted.variables()))
    assert found.additions == 2
    assert system.lower(half) == system.lower(whole)  # (1 + cos) tan(½) is the sine


@pytest.mark.parametrize("system", [FLOAT, FieldSystem(0)])
def test_parameters_have_the_names_of_their_links(system):
    drawn = arm(Pattern((0, 30, 90), a=(2,), d=(3,)), links).lift(system)
    assert list(parameters(drawn)) == ["g", "Izz1", "ca2", "sa2", "a2", "Izz2", "d3", "Izz3"]


@pytest.mark.parametrize(
    ("line", "wrong", "sentence"),
    [
        ("k1 = g * hx2", "k1 = g * s2", "line 3: s2 moves; a constant is computed from constants only."),
        ("x1 = k1 * s2", "x1 = k1 / s2", "line 6: a line of the program is a multiplication or an addition."),
        ("x1 = k1 * s2", "x1 = - s2", "line 6: a line of the program is a multiplication or an addition."),
        ("x3 = x2 + x1", "x1 = x2 + x1", "line 8: x1 has a value already."),
        ("x3 = x2 + x1", "s2 = x2 + x1", "line 8: s2 has a value already."),
        ("x3 = x2 + x1", "x3 = x2 + x1 + x1", 'line 8: "x3 = x2 + x1 + x1" is no line of the section program.'),
        ("tau1 = x3", "tau1 = x3 + x1", 'line 10: "tau1 = x3 + x1" is no line of the section torques.'),
        ("constants", "x0 = g * g", 'line 2: "x0 = g * g" is no line of the section before the first.'),
    ],
)  # fmt: skip
def test_what_would_be_counted_wrong_is_refused(line, wrong, sentence):
    with pytest.raises(CertificateError) as refused:
        read(PENDULUM.replace(line, wrong))
    assert str(refused.value) == f"certificate, {sentence}"


def test_a_constant_may_not_use_a_value_of_the_program():
    text = RIGHT.replace("torques\n", "constants\nk2 = x1 * x1\ntorques\n")
    with pytest.raises(CertificateError, match="line 11: x1 moves"):
        read(text)


def test_a_name_without_a_value_is_told_with_its_line():
    with pytest.raises(CertificateError) as refused:
        check(read(RIGHT.replace("x3 = x1 + x2", "x3 = x1 + x9")), planar())
    assert str(refused.value) == "certificate, line 7: x9 has no value."
