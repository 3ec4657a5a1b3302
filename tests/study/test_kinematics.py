"""The section on hand and joints: branches, workspace and manipulability, with the commands that give them again."""

from __future__ import annotations

import json
import shlex
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.cli import app
from strobe.kinematics.figure_branches import branches_figure
from strobe.models.load import load_model
from strobe.robot import Robot
from strobe.show.plots import map_plot
from strobe.study import study
from strobe.study.inverse_solutions import answer_table
from strobe.study.pages import whole_page


@pytest.fixture(scope="module")
def stanford() -> Any:
    return study(strobe.load("stanford"), sections=["kinematics"], quick=True)


def test_the_branches_of_the_state_are_all_there(stanford: Any) -> None:
    data = stanford.sections["kinematics"]
    assert data["inverse"]["count"] == 8
    assert any(np.allclose(x["q"], stanford.case.q, atol=1e-9) for x in data["inverse"]["solutions"])
    assert data["workspace"]["farthest"] > 1.8
    assert stanford.headlines[0].figure == "4 of 8"


def test_the_manipulability_here_lies_on_the_lines(stanford: Any) -> None:
    along = stanford.sections["kinematics"]["manipulability"]
    assert np.shape(along["values"]) == (6, 41)
    assert np.allclose(along["values"][0], along["here"])  # turning the whole arm changes nothing
    assert np.allclose(along["values"][5], along["here"])  # nor does turning the hand about its own axis


def test_the_page_draws_all_of_it_and_has_the_command(stanford: Any) -> None:
    page = whole_page(stanford)
    assert page.count("<svg") == 3
    assert "tool of stanford in one place, 8 ways" in page
    assert "Where tool of stanford can be" in page
    assert "$ strobe ik stanford --at 0.3,0.9,0.6,-0.4,0.7,1.1 --frame tool --all" in page
    assert "$ strobe study stanford --sections kinematics --text" in page


@pytest.mark.parametrize("name", ["planar2", "spherical3"])
def test_the_command_gives_the_same_solutions(name: str) -> None:
    found = study(strobe.load(name), sections=["kinematics"], quick=True)
    page = whole_page(found)
    line = page.split("$ strobe ik ")[1].split("<")[0]
    done = CliRunner().invoke(app, ["ik", *shlex.split(line), "--json"])
    assert done.exit_code == 0
    solutions = json.loads(done.stdout)["solutions"]
    expected = found.sections["kinematics"]["inverse"]["solutions"]
    assert np.allclose([x["q"] for x in solutions], [x["q"] for x in expected])
    assert len(solutions) > 1


def test_a_pose_that_is_met_exactly_is_off_by_0(stanford: Any) -> None:
    data = stanford.sections["kinematics"]["inverse"]
    shown = answer_table({**data, "solutions": [{**data["solutions"][0], "residual": 0.0}]})
    column = next(x for x in shown.columns if x.header == "residual")
    assert [str(cell) for cell in column.cells] == ["0"]


def test_an_arm_with_few_joints_is_asked_for_its_position() -> None:
    found = study(strobe.load("planar2"), sections=["kinematics"], quick=True).sections["kinematics"]
    assert found["inverse"]["what"] == "position"
    assert found["inverse"]["count"] == 2


def test_a_robot_that_floats_has_a_sentence_instead() -> None:
    found = study(strobe.load("planar2", base="floating"), sections=["kinematics"], quick=True)
    assert "floats" in found.sections["kinematics"]["skipped"]


@pytest.mark.parametrize("name", ["biped10", "parallelogram", "rx90"])
def test_other_robots_have_a_section_too(name: str) -> None:
    found = study(strobe.load(name), sections=["kinematics"], quick=True)
    data = found.sections["kinematics"]
    assert data["inverse"]["status"] == "solved"
    assert "<svg" in whole_page(found)
    assert json.dumps(np.asarray(data["workspace"]["x"]).tolist())


# -- figures ----------------------------------------------------------------------------------------------


def test_drawings_to_be_compared_have_one_scale() -> None:
    robot = Robot(load_model("planar2"), compiled=False)
    figure = branches_figure(
        robot,
        [np.array([0.0, 0.0]), np.array([0.0, 2.5])],
        [["straight"], ["bent", "", "far"]],
        frame="tool",
    )
    ElementTree.fromstring(figure)
    assert "tool of planar2 in one place, 2 ways" in figure
    assert figure.index("straight") < figure.index("bent") < figure.index("far")


def test_a_map_leaves_cells_without_a_value_empty() -> None:
    values = np.array([[1.0, np.nan], [2.0, 4.0]])
    figure = map_plot("Map", np.array([0.0, 1, 2]), np.array([0.0, 1, 2]), values, "w")
    cells = [
        element.get("d")
        for element in ElementTree.fromstring(figure).iter("{http://www.w3.org/2000/svg}path")
    ]
    boxes = [d.count("z") for d in cells if d and d.endswith("z")]
    assert sum(boxes) == 3
    assert "w over x (m) and y (m): from 0 (pale) to 4 (dark)." in figure
