"""Plain text: names, signs, brackets, lines."""

from fractions import Fraction

import pytest

from strobe.equations.closed_form import equations_of
from strobe.equations.document import document
from strobe.equations.expression import Call, Number, Power, Product, Sum, Symbol, Trig
from strobe.equations.latex import LatexWriter
from strobe.equations.mathml import MathWriter
from strobe.equations.notation import Name, Notation
from strobe.equations.rendering import BREAK, WEAK, lines
from strobe.equations.text import TextWriter, text, text_lines
from strobe.models.load import load_model

a, b = Symbol("a"), Symbol("b")
cosine, sine = Trig("cos", (("q1", 1), ("q2", 1))), Trig("sin", (("q2", 2),))


def number(x):
    return Number(Fraction(x))


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (number("-1/2"), "−½"),
        (number("5/48"), "(5/48)"),
        (number("1/1000"), "0.001"),
        (Product((number(-1), a, b)), "−a b"),
        (Product((number(-2), a, Sum((a, b)))), "−2 a (a + b)"),
        (Sum((a, Product((number(-1), b)))), "a − b"),
        (Power(Sum((a, b)), 2), "(a + b)²"),
        (Power(cosine, 2), "cos²(q1 + q2)"),
        (Product((sine, cosine)), "sin 2q2 cos(q1 + q2)"),
        (Product((sine, a)), "sin 2q2 · a"),
        (Product((cosine, a)), "cos(q1 + q2) a"),
        (Trig("sin", (("q1", 1), ("q3", -2))), "sin(q1 − 2q3)"),
        (Symbol("qdd12"), "q̈12"),
        (Symbol("alpha3"), "α3"),
        (Symbol("tau1"), "τ1"),
        (Symbol("I3xx"), "I3xx"),
        (Call("sat", a), "sat(a)"),
    ],
)
def test_expressions_read_as_they_are_written_by_hand(x, expected):
    assert text(x) == expected


def test_short_waves_have_an_index_where_the_angle_is_a_sum():
    short = Notation(short=True)
    assert text(Product((cosine, Symbol("qd1"))), short) == "c12 q̇1"
    assert text(Power(Trig("sin", (("q2", 1),)), 2), short) == "s2²"
    assert text(sine, short) == "sin 2q2"
    assert text(Trig("cos", (("q1", 1), ("q10", 1))), short) == "c1,10"


def test_letters_of_a_reader():
    notation = Notation(mass="H", positions={"1": "θ"})
    written = [text(Symbol(name), notation) for name in ("M11", "q1", "qd1", "q2", "m1", "M", "Ṁ", "M_p")]
    assert written == ["H11", "θ1", "θ̇1", "q2", "m1", "H", "Ḣ", "M_p"]


def test_names_of_coordinates_stand_in_the_place_of_q_and_forces_are_q():
    notation = Notation(labels=("phi1", "elbow", "x_2"), short=True)
    written = [text(Symbol(name), notation) for name in ("q1", "qd1", "qdd2", "qd3", "tau2")]
    assert written == ["φ1", "φ̇1", "ëlbow", "ẋ2", "Q2"]
    assert text(Trig("cos", (("q1", 1),)), notation) == "c1"
    assert text(Trig("cos", (("q1", 1), ("q2", 1))), notation) == "cos(φ1 + elbow)"
    assert text(Trig("cos", (("q1", 1), ("q3", 1))), notation) == "cos(φ1 + x2)"


def test_a_sentence_may_hold_expressions():
    notation, remark = Notation(mass="H"), ("Entries of ", Symbol("M"), " < ", Symbol("M12"), ".")
    assert TextWriter(notation).remark(remark) == "Entries of H < H12."
    assert LatexWriter(notation).remark(("50 % of ", Symbol("M12"))) == r"50 \% of $H_{12}$"
    assert MathWriter(notation).remark((" < ", Symbol("M"))) == " &lt; <math><mi>H</mi></math>"
    assert TextWriter().remark("plain") == "plain"


def test_measured_numbers_are_decimals_of_six_digits():
    decimals = Notation(decimals=True)
    assert text(number("1/2"), decimals) == "0.5"
    assert text(number("1/3"), decimals) == "0.333333"
    assert text(number(1234567), decimals) == "1.23457e+06"


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("lc2", Name("l", 0, "c2")),
        ("I3xx", Name("I", 0, "3xx")),
        ("qd10", Name("q", 1, "10")),
        ("a2_2", Name("a", 0, "2,2")),
        ("d_tool", Name("d", 0, "tool")),
        ("theta4", Name("θ", 0, "4")),
        ("height", Name("height")),
        ("g", Name("g")),
    ],
)
def test_names_are_taken_apart(name, parts):
    assert Notation().read(name) == parts


def test_lines_end_before_signs_and_within_brackets_only_where_they_must():
    written = f"aaaa{BREAK} + bbbb{BREAK} + (cc{WEAK} + dd)"
    assert list(lines(written, 12)) == ["aaaa + bbbb", " + (cc + dd)"]
    assert list(lines(f"x{BREAK} + (cccc{WEAK} + dddd)", 10)) == ["x + (cccc", " + dddd)"]


def test_a_document_has_titles_and_indented_lines():
    shown = list(text_lines(document(equations_of(load_model("planar2")), only=("G",))))
    assert shown[0] == "Parameters"
    assert shown[1] == '  m1      2 kg    mass, link "link1"'
    assert shown[-4:-2] == ["Gravity", "  G1 = m1 g lc1 cos q1 + m2 g (l1 cos q1 + lc2 cos(q1 + q2))"]
    assert all(len(line) <= 100 for line in text_lines(document(equations_of(load_model("planar3")))))
