"""The mass matrix on the page, in the units that its entries have."""

from __future__ import annotations

from pathlib import Path

import pytest

import strobe
from strobe.study import study
from strobe.study.pages import whole_page

SLIDE = """<robot name="slide"><link name="base"/><link name="cart"><inertial><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="run" type="prismatic">
<parent link="base"/><child link="cart"/><axis xyz="1 0 0"/><limit lower="0" upper="1" effort="9" velocity="1"/>
</joint></robot>"""


def told(robot: strobe.Robot, section: str) -> str:
    return whole_page(study(robot, quick=True, sections=[section]))


def test_units_are_those_of_the_joints_there_are(tmp_path: Path) -> None:
    path = tmp_path / "slide.urdf"
    path.write_text(SLIDE, encoding="utf-8")
    assert "; in kg m² and N m; five digits" in told(strobe.load("puma560"), "matrices")
    assert "; in kg and N; five digits" in told(strobe.load(path), "matrices")
    mixed = told(strobe.load("stanford"), "matrices")
    assert "in kg m² and N m where joints turn, kg and N where they slide, kg m between" in mixed


@pytest.mark.parametrize(("name", "unit"), [("ur5", "rad"), ("stanford", "rad or m")])
def test_ranges_of_joints_that_turn_are_in_radians(name: str, unit: str) -> None:
    assert f">from ({unit})<" in told(strobe.load(name), "kinematics")
