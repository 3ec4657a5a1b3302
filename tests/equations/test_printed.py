"""Closed forms as text and as LaTeX, entry by entry."""

import pytest

import strobe


@pytest.fixture(scope="module")
def forms():
    return strobe.Robot(strobe.load("planar2").model, compiled=False).equations()


def test_an_entry_is_asked_for_as_of_an_array(forms):
    M = forms.mass_matrix
    assert M.shape == (2, 2)
    assert M[0, 1] is M[0][1]
    assert str(M[0, 1]) == "m2 (lc2² + l1 lc2 cos q2) + I2"


def test_values_vectors_and_matrices_have_their_latex(forms):
    entry = forms.mass_matrix[0, 1].latex()
    assert entry == r"m_{2} \, (\ell_{c2}^{2} + \ell_{1} \, \ell_{c2} \, \cos q_{2}) + I_{2}"
    matrix = forms.mass_matrix.latex()
    assert matrix.startswith("\\begin{bmatrix}\n")
    assert matrix.count(entry) == 2
    assert matrix.count("&") == 2
    assert forms.gravity.latex().count("\\\\\n") == 1


def test_latex_leaves_nothing_out_however_long():
    long = strobe.Robot(strobe.load("stanford").model, compiled=False).equations().mass_matrix[0][0]
    assert r"\dots" in long._repr_latex_()
    assert r"\dots" not in long.latex()
    assert long.latex().count(" + ") + long.latex().count(" - ") >= len(long) - 1
