"""LaTeX: what is written, and that it compiles with amsmath alone."""

import shutil
import subprocess
from fractions import Fraction

import pytest

import strobe
from strobe.equations.closed_form import equations_of
from strobe.equations.document import document
from strobe.equations.expression import Call, Number, Power, Product, Sum, Symbol, Trig
from strobe.equations.latex import escaped, latex, latex_source
from strobe.equations.notation import Notation
from strobe.equations.readable_document import readable_document
from strobe.models.load import load_model

wave = Trig("cos", (("q1", 1), ("q2", 2)))


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (Symbol("lc2"), r"\ell_{c2}"),
        (Symbol("qd1"), r"\dot{q}_{1}"),
        (Symbol("qdd3"), r"\ddot{q}_{3}"),
        (Symbol("alpha1"), r"\alpha_{1}"),
        (Symbol("height"), r"\mathit{height}"),
        (Symbol("d_tool"), r"d_{\mathit{tool}}"),
        (Number(Fraction(-3, 4)), r"-\tfrac{3}{4}"),
        (Number(Fraction(1, 10**9)), r"1 \cdot 10^{-9}"),
        (Power(wave, 2), r"\cos^{2}(q_{1} + 2 q_{2})"),
        (Product((Symbol("m2"), Sum((Symbol("a"), Symbol("b"))))), r"m_{2} \, (a + b)"),
        (Product((Trig("sin", (("q1", 1),)), Symbol("qd2"))), r"\sin q_{1} \cdot \dot{q}_{2}"),
        (Call("sat", Symbol("a")), r"\operatorname{sat}(a)"),
    ],
)
def test_expressions(x, expected):
    assert latex(x) == expected


def test_short_waves():
    assert latex(Trig("cos", (("q1", 1), ("q2", 1))), Notation(short=True)) == "c_{12}"


def test_text_is_escaped():
    assert escaped("50 % of {x}_1 & \\y − 2") == r"50 \% of \{x\}\_1 \& \textbackslash{}y $-$ 2"


def test_a_notebook_shows_small_arms():
    shown = strobe.load("planar2").equations()._repr_latex_()
    assert shown is not None
    assert shown.startswith("$$\\begin{aligned}\nH_{11} &= m_{1} \\, \\ell_{c1}^{2} + I_{1}")
    assert (
        r"\tau_{2} &= H_{12} \, \ddot{q}_{1} + H_{22} \, \ddot{q}_{2} + h \, \dot{q}_{1}^{2} + G_{2} + I_{r2}"
        in shown
    )
    assert strobe.load("panda").equations()._repr_latex_() is None


def test_a_document_is_balanced_and_lists_its_parameters():
    source = latex_source(document(equations_of(load_model("pendulum3"))))
    assert source.count(r"\begin{align*}") == source.count(r"\end{align*}") == 11
    assert source.count("{") == source.count("}")
    assert r"$I_{z1}$ & 0.01 & kg m$^2$ & inertia, link ``link1'' \\" in source
    assert source.isascii()


def source(robot, numbers):
    """The document of a robot, in its closed form or over named intermediate results (numbers: None)."""
    if numbers is None:
        return latex_source(readable_document(strobe.load(robot)))
    notation = Notation(decimals=numbers, short=numbers)
    return latex_source(document(equations_of(load_model(robot), numbers)), notation)


SMALL = [(robot, numbers) for robot in ("planar2", "spherical3", "pendulum3") for numbers in (False, True)]


@pytest.mark.slow
@pytest.mark.parametrize(("robot", "numbers"), [*SMALL, ("stanford", None)])
def test_it_compiles_and_fits_the_page(robot, numbers, tmp_path):
    compiler = shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("pdflatex (Debian: texlive-latex-base) is not installed")
    (tmp_path / "equations.tex").write_text(source(robot, numbers), encoding="utf-8")
    done = subprocess.run(
        [compiler, "-interaction=nonstopmode", "-halt-on-error", "equations.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "equations.pdf").stat().st_size > 10_000
    assert "Overfull" not in done.stdout
