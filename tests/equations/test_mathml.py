"""MathML: well-formed, and saying the same as the text."""

from fractions import Fraction
from xml.etree import ElementTree

import pytest

from strobe.equations.closed_form import equations_of
from strobe.equations.document import Entry, document
from strobe.equations.expression import Number, Power, Product, Sum, Symbol, Trig
from strobe.equations.mathml import MathWriter, equation, mathml
from strobe.equations.readable_document import readable_document
from strobe.models.load import load_model

a = Symbol("a")


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (Symbol("lc2"), "<math><msub><mi>ℓ</mi><mi>c2</mi></msub></math>"),
        (Number(Fraction(-1, 2)),
         '<math><mo form="prefix">−</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math>'),
        (Symbol("qd1"),
         '<math><msub><mover accent="true"><mi>q</mi><mo>˙</mo></mover><mi>1</mi></msub></math>'),
        (Power(a, 2), "<math><msup><mrow><mi>a</mi></mrow><mn>2</mn></msup></math>"),
        (Power(Trig("sin", (("q2", 2),)), 2),
         '<math><msup><mi>sin</mi><mn>2</mn></msup><mo>&#x2061;</mo><mspace width="0.17em"/>'
         "<mrow><mn>2</mn><mo>&#x2062;</mo><msub><mi>q</mi><mi>2</mi></msub></mrow></math>"),
        (Product((a, Sum((a, Number(Fraction(1)))))),
         "<math><mi>a</mi><mo>&#x2062;</mo><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mn>1</mn><mo>)</mo></mrow></math>"),
    ],
)  # fmt: skip
def test_expressions(x, expected):
    assert mathml(x) == expected


@pytest.mark.parametrize("robot", ["planar2", "pendulum3", "spherical3"])
def test_every_equation_is_well_formed(robot):
    for section in document(equations_of(load_model(robot))).sections:
        for entry in section.entries:
            assert ElementTree.fromstring(equation(entry)).tag == "math"


def test_equal_entries_share_one_line():
    shown = equation(Entry(("J31", "J32"), Number(Fraction(0))))
    assert shown.count("<mo>=</mo>") == 2
    assert 'display="block"' in shown


def test_every_line_of_the_readable_grade_is_well_formed():
    for section in readable_document(load_model("puma560")).sections:
        for entry in section.entries:
            assert ElementTree.fromstring(equation(entry)).tag == "math"
        for remark in section.remarks:
            assert ElementTree.fromstring(f"<p>{MathWriter().remark(remark)}</p>").tag == "p"
