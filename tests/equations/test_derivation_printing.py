"""Derivations as a student reads them: text with aligned columns, LaTeX that compiles, MathML and JSON."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

import strobe
from strobe.equations.derivation import WAYS, derive
from strobe.equations.derivation_lines import Letter, Rate, Slope, Times, Transposed, Written, plus
from strobe.equations.derivation_printing import (
    LatexPrinter,
    TextPrinter,
    derivation_data,
    derivation_latex,
    derivation_text,
    seen,
)
from strobe.equations.expression import Sum, Symbol
from strobe.equations.latex import LatexWriter
from strobe.equations.notation import Notation
from strobe.equations.readable_forms import Forms, Order
from strobe.equations.text import TextWriter


def text(name: str, way: str, **notation) -> str:
    return "\n".join(derivation_text(derive(strobe.load(name), way), Notation(**notation)))


# -- text ---------------------------------------------------------------------------------------------


def test_newton_euler_of_the_textbook_arm() -> None:
    shown = text("planar2", "newton-euler")
    for line in (
        "    f01 − f12 + m1 g − m1 v̇c1 = 0\n    N01 − N12 − r0,c1 × f01 + r1,c1 × f12 − I1 ω̇1 = 0\n",
        "    f12 + m2 g − m2 v̇c2 = 0\n    N12 − r1,c2 × f12 − I2 ω̇2 = 0\n",
        "    N12 = m2 r1,c2 × (v̇c2 − g) + I2 ω̇2\n"
        "    N01 = N12 + m1 r0,c1 × (v̇c1 − g) + m2 r01 × (v̇c2 − g) + I1 ω̇1\n",
        "    ω2 = q̇1 + q̇2\n",
        "    vc2 = ⎡ −(l1 sin q1 + lc2 sin(q1 + q2)) q̇1 − lc2 sin(q1 + q2) q̇2 ⎤\n"
        "          ⎣ (l1 cos q1 + lc2 cos(q1 + q2)) q̇1 + lc2 cos(q1 + q2) q̇2  ⎦\n",
        "    τ1 = N01\n    τ2 = N12 + Ir2 q̈2\n",
        "    τ1 = M11 q̈1 + M12 q̈2 − h q̇2² − 2 h q̇1 q̇2 + G1\n",
    ):
        assert line in shown


def test_lagrange_of_the_textbook_arm_in_its_letters() -> None:
    shown = text("planar2", "lagrange", mass="H", positions={"1": "θ", "2": "θ"})
    for line in (
        "    vc1 · vc1 = lc1² θ̇1²\n",
        "    Ti = ½ mi vci · vci + ½ Ii ωi · ωi\n",
        "    T = ½ H11 θ̇1² + H12 θ̇1 θ̇2 + ½ H22 θ̇2²\n",
        "    V2 = m2 g (l1 sin θ1 + lc2 sin(θ1 + θ2))\n",
        "    L = T − V\n",
        "    ∂L/∂θ̇1 = H11 θ̇1 + H12 θ̇2\n",
        "    d/dt ∂L/∂θ̇1 = H11 θ̈1 + H12 θ̈2 − m2 l1 lc2 sin θ2 · (θ̇2² + 2 θ̇1 θ̇2)\n",
        "    ∂L/∂θ1 = −m1 g lc1 cos θ1 − m2 g (l1 cos θ1 + lc2 cos(θ1 + θ2))\n",
        "    τ1 = d/dt ∂L/∂θ̇1 − ∂L/∂θ1\n",
    ):
        assert line in shown


def test_the_decomposition_of_the_spherical_arm() -> None:
    shown = text("spherical3", "decomposition")
    for line in (
        "    Cωi = Jωiᵀ (Ii J̇ωi + ωi × (Ii Jωi))\n",
        "    Jω1 = ⎢ 0  0  0 ⎥\n          ⎣ 1  0  0 ⎦\n",
        "    J̇ω1 = 0\n    Cω1 = 0\n",
        "    D22 = m2 l2² + Iy2 + m3 q3² + Iy3\n",
        "    D12 = D13 = D21 = D23 = D31 = D32 = 0\n",
        "    C13 = m3 q3 cos² q2 · q̇1\n",
        "    C32 = −m3 q3 q̇2\n",
        "    G = ⎢ (m2 l2 + m3 q3) g cos q2 ⎥\n        ⎣ m3 g sin q2              ⎦\n",
    ):
        assert line in shown


def test_the_pendulum_has_the_specification_s_mass_matrix_and_gravity() -> None:
    shown = text("pendulum3", "lagrange")
    for line in (
        "    M33 = m3 b² + Iy3\n",
        "    V3 = m3 g (h − l cos q2 − b cos(q2 + q3))\n",
        "    ∂L/∂q̇1 = M11 q̇1\n",
        "    ∂L/∂q1 = 0\n",
    ):
        assert line in shown


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_no_line_of_text_is_too_wide_and_columns_are_closed(way: str) -> None:
    lines = text("pendulum3", way).splitlines()
    assert max(map(seen, lines)) <= 100
    assert sum("⎡" in line for line in lines) == sum("⎤" in line for line in lines)
    tops = [line for line in lines if "⎡" in line]
    ends = [line for line in lines if "⎦" in line]
    assert [seen(line) for line in tops] == [seen(line) for line in ends]


def test_what_is_too_wide_is_listed_by_components_with_equal_ones_together() -> None:
    found = derive(strobe.load("spherical3"), "decomposition")
    assert "    J̇v2,13 = J̇v2,23 = J̇v2,31 = J̇v2,33 = 0" in derivation_text(found)
    narrow = list(derivation_text(found, width=40))
    assert "    R2,12 = −sin q1" in narrow
    assert "    vc2,z = l2 cos q2 · q̇2" in narrow


# -- marks --------------------------------------------------------------------------------------------

V, W = Letter("v", "c1", 1, bold=True), Letter("ω", "ω1", bold=True)
M = Written(Sum((Symbol("m1"), Symbol("m2"))))
FORMS = Forms(Order())


@pytest.mark.parametrize(
    ("formula", "shown", "latex"),
    [
        (V, "v̇c1", r"\dot{\boldsymbol{v}}_{c1}"),
        (Times(M, V), "(m1 + m2) v̇c1", r"(m_{1} + m_{2}) \, \dot{\boldsymbol{v}}_{c1}"),
        (
            Times(V, Times(M, W), "×"),
            "v̇c1 × ((m1 + m2) ωω1)",
            r"\dot{\boldsymbol{v}}_{c1} \times ((m_{1} + m_{2}) \, \boldsymbol{\omega}_{\omega 1})",
        ),
        (
            plus([(-1, W), (-1, M)]),
            "−ωω1 − (m1 + m2)",
            r"-\boldsymbol{\omega}_{\omega 1} - (m_{1} + m_{2})",
        ),
        (plus([(1, Written(Symbol("a"))), (-1, M)]), "a − m1 − m2", "a - m_{1} - m_{2}"),
        (Times(Transposed(W), V, "·"), "ωω1ᵀ · v̇c1", None),
        (
            Rate(Slope(Letter("L"), Written(Symbol("qd1")))),
            "d/dt ∂L/∂q̇1",
            r"\frac{d}{dt} \frac{\partial L}{\partial \dot{q}_{1}}",
        ),
    ],
)
def test_marks_of_text_and_latex(formula, shown: str, latex: str | None) -> None:
    assert TextPrinter(TextWriter(), FORMS).line(formula) == shown
    if latex is not None:
        assert LatexPrinter(LatexWriter(), FORMS).line(formula) == latex


# -- LaTeX and JSON -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "way"), [("planar2", "newton-euler"), ("spherical3", "decomposition")])
def test_latex_compiles_and_fits_the_page(name: str, way: str, tmp_path) -> None:
    compiler = shutil.which("pdflatex")
    if compiler is None:
        pytest.skip("pdflatex (Debian: texlive-latex-base) is not installed")
    source = derivation_latex(derive(strobe.load(name), way))
    (tmp_path / "derivation.tex").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [compiler, "-interaction=nonstopmode", "-halt-on-error", "derivation.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout


def test_latex_is_a_whole_document_with_bold_vectors() -> None:
    source = derivation_latex(derive(strobe.load("planar2"), "newton-euler"))
    assert source.startswith(r"\documentclass")
    assert source.endswith("\\end{document}\n")
    assert source.count(r"\end{document}") == 1
    assert r"\boldsymbol{f}_{01} - \boldsymbol{f}_{12} + m_{1} \, \boldsymbol{g}" in source
    assert r"\begin{pmatrix} \ell_{c1} \, \cos q_{1} \\ \ell_{c1} \, \sin q_{1} \end{pmatrix}" in source
    assert source.isascii()


def test_json_has_the_steps_with_vectors_by_rows() -> None:
    data = json.loads(json.dumps(derivation_data(derive(strobe.load("planar2"), "newton-euler"))))
    assert data["agrees"] is True
    assert data["way"] == "newton-euler"
    assert data["parameters"][0]["name"] == "m1"
    balance = data["steps"][0]["equations"][0]
    assert balance["about"] == "Link 1"
    assert balance["names"] == ["f01 − f12 + m1 g − m1 v̇c1"]
    assert balance["value"] == "0"
    arm = data["steps"][3]["equations"][1]
    assert arm["names"] == ["r0,c1"]
    assert arm["value"] == [["lc1 cos q1"], ["lc1 sin q1"]]
    assert arm["latex"].startswith(r"\boldsymbol{r}_{0,c1} = \begin{pmatrix} \ell_{c1} \, \cos q_{1} \\")
