"""Derivations end in the closed form, or say that they do not; robots that are too large are refused."""

from __future__ import annotations

import pytest

import strobe
from strobe.equations import derivation
from strobe.equations.derivation import WAYS, derive
from strobe.equations.derivation_lines import Letter
from strobe.equations.derivation_printing import derivation_text
from strobe.equations.notation import Notation
from strobe.errors import EquationSizeError, UnknownNameError, UnsupportedModelError
from strobe.models.toml_reader import read_toml

ARMS = ("planar2", "planar3", "spherical3", "pendulum3", "parallelogram")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ARMS)
def test_every_way_ends_in_the_closed_form(name: str, way: str) -> None:
    found = derive(strobe.load(name), way)
    assert found.agrees
    assert found.verdict.startswith(
        "The torques derived here and the closed form of M, C and G have the same"
    )
    assert found.steps[-1].title == "The equations of motion"
    assert all(step.words.endswith(".") and "  " not in step.words for step in found.steps)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("base", ["translating", "fixed"])
def test_with_the_numbers_of_the_robot_there_are_no_parameters(way: str, base: str) -> None:
    found = derive(strobe.load("planar2", base=base), way, numbers=True)
    assert found.agrees
    assert found.parameters == ()


@pytest.mark.parametrize("way", WAYS)
def test_robots_of_oblique_axes_are_derived_with_their_numbers(way: str) -> None:
    assert derive(strobe.random(2, seed=3, tree=True), way, numbers=True).agrees


@pytest.mark.parametrize("way", WAYS)
def test_a_first_link_at_rest_is_left_out(way: str) -> None:
    found = derive(strobe.load("pendulum3", lock={"joint1": 0.0}), way)
    assert found.agrees
    assert "m1" not in {p.name for p in found.parameters}


def test_parameters_are_those_that_occur() -> None:
    names = [p.name for p in derive(strobe.load("planar2"), "lagrange").parameters]
    assert names == ["m1", "I1", "l1", "lc1", "m2", "I2", "Ir2", "lc2", "g"]


def test_a_length_is_not_printed_like_the_lagrangian() -> None:
    text = """format = 1
    [parameters]
    L = 0.3
    [axes]
    [[axes.link]]
    joint = "+Ry"
    mass = 2
    com = ["L", 0, 0]
    """
    found = derive(read_toml("rod.toml", text=text), "lagrange")
    shown = "\n".join(derivation_text(found, Notation()))
    assert "    L = T − V\n" in shown
    assert "    M11 = m1 L_p²\n" in shown
    assert 'length, link "link1" (L in the model file)' in shown


def test_the_order_of_the_textbook() -> None:
    titles = [step.title for step in derive(strobe.load("planar2"), "newton-euler").steps]
    assert titles == [
        "The links cut free",
        "The coupling forces",
        "The coupling moments",
        "Kinematic relations",
        "Accelerations",
        "Substitution",
        "Projection on the joints",
        "The equations of motion",
    ]
    titles = [step.title for step in derive(strobe.load("planar2"), "lagrange").steps]
    assert titles == [
        "Positions of the centres of mass",
        "Velocities",
        "Kinetic energy, link by link",
        "Kinetic energy in the rates",
        "Potential energy",
        "Momenta",
        "Their derivatives with respect to time",
        "Derivatives with respect to the coordinates",
        "Lagrange's equations",
        "The equations of motion",
    ]


def test_a_derivation_that_ends_elsewhere_says_so(monkeypatch) -> None:
    class Wrong(WAYS["lagrange"]):  # pyright: ignore[reportUntypedBaseClass]
        def torques(self):
            return super().torques()[::-1]

    monkeypatch.setitem(derivation.WAYS, "lagrange", Wrong)
    found = derive(strobe.load("planar2"), "lagrange")
    assert not found.agrees
    assert found.verdict == (
        "The torques derived here differ from the closed form of M, C and G: do not use either."
    )


def test_a_large_robot_is_refused_with_its_size() -> None:
    with pytest.raises(EquationSizeError) as error:
        derive(strobe.load("stanford"), "newton-euler")
    assert str(error.value) == (
        "the newton-euler derivation of stanford would have about 226,000 terms, fully expanded; at most 12,500 are "
        "worked out. Ask for the model's own numbers (numbers=True, --numbers), lock joints until about three are "
        "left, or read the equations without their derivation."
    )
    with pytest.raises(EquationSizeError, match=r"worked out. Lock joints until about three are left"):
        derive(strobe.load("panda"), "lagrange", numbers=True)


def test_a_way_that_is_not_known() -> None:
    with pytest.raises(
        UnknownNameError, match='no derivation "gauss" in the equations. Known: newton-euler, l'
    ):
        derive(strobe.load("planar2"), "gauss")


def test_a_robot_without_dynamics() -> None:
    with pytest.raises(UnsupportedModelError, match="rx90 has no dynamics: only its geometry is known"):
        derive(strobe.load("rx90"), "lagrange")


def test_letters_on_the_left_are_defined_once_per_step() -> None:
    for way in WAYS:
        for step in derive(strobe.load("spherical3"), way).steps:
            letters = [x for line in step.lines for x in line.left if isinstance(x, Letter)]
            written = [x for x in letters if x.letter not in "τT"]
            assert len(written) == len(set(written)), step.title
