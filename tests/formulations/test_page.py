"""The page of formulations says what each one runs on, and the counts it gives beside the table of costs."""

import re
from pathlib import Path

from strobe.analysis.counts import general_arm
from strobe.formulations import CHAIN, FORMULATIONS, ONE_DEGREE, TREE, composite_body
from strobe.papers.arm_patterns import customised_general
from strobe.papers.counted_code import ON_LINE, measured
from strobe.scalars import DenseCount

PAGE = (Path(__file__).parents[2] / "docs" / "formulations.md").read_text(encoding="utf-8")
SCOPES = {
    CHAIN: "chains of revolute and prismatic joints",
    ONE_DEGREE: "trees of revolute and prismatic joints",
    TREE: "trees of any joints",
}


def test_formulations_run_on_what_the_page_says():
    said = dict(re.findall(r"^## ([\w-]+)$.*?^Runs on ([^.]+)\.", PAGE, re.MULTILINE | re.DOTALL))
    assert said == {name: SCOPES[each.scope] for name, each in FORMULATIONS.items()}


def test_the_mass_matrix_alone_costs_what_the_page_says():
    system = DenseCount()
    model = general_arm(6).lift(system)
    composite_body.mass_matrix(model, model.variables()[0])
    assert f"M alone costs {system.multiplications} × and {system.additions} +" in PAGE


def test_the_customised_recursion_costs_what_the_page_says():
    m, a = customised_general()[6]
    assert f"{m} × and {a} + are\nleft" in PAGE


def test_the_quadratic_form_costs_what_the_page_says():
    growth = measured(ON_LINE).m
    assert growth is not None
    assert f"the quadratic form alone costs {growth.polynomial} multiplications" in PAGE.replace("\n", " ")
