"""``strobe balance``: weights by hand, what they do, the robot written with them, and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.cli import app
from tests.cli.verb import Verb

run = Verb("balance")


def test_the_weights_of_a_planar_arm_are_those_by_hand() -> None:
    done = run("planar2", "--json")
    assert done.exit_code == 0
    data = json.loads(done.stdout)
    outer = 1.5 * 0.15 / 0.1  # m2 lc2 / arm
    inner = (2.0 * 0.18 + (1.5 + outer) * 0.4) / 0.1  # m1 lc1, and all beyond at the elbow
    assert [weight["mass"] for weight in data["weights"]] == pytest.approx([inner, outer])
    assert data["gravity_vanishes"]
    assert data["mass_matrix_is_constant"]


def test_the_balanced_robot_is_written_and_bears_no_weight(tmp_path: Path) -> None:
    out = tmp_path / "balanced.urdf"
    assert run("planar2", "--arm", "0.2", "--arm", "joint1=0.5", "-o", str(out)).exit_code == 0
    balanced = strobe.load(out, gravity=[0, -9.81, 0])
    q = balanced.random_state(0, 20)[0]
    assert np.abs(balanced.gravity(q)).max() < 1e-12


def test_what_masses_cannot_balance_is_told_and_exits_with_1() -> None:
    done = run("stanford")
    assert done.exit_code == 1
    assert "Gravity still acts on joint2, joint3." in done.stdout
    assert "holding torque before" in done.stdout
    assert "N m, kg m²" in done.stdout
    assert run("stanford", "--purpose", "inertia").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["planar2", "--arm", "0.1", "--arm", "0.2"], "give one distance for all"),
        (["planar2", "--arm", "jont1=1"], "Did you mean 'joint1'"),
        (["planar2", "--arm", "-1"], "expected a distance above zero"),
        (["planar2", "--purpose", "beauty"], "expected one of gravity, inertia"),
        (["planar2", "-o", "x.stl"], "urdf or toml"),
        (["fourbar"], "closed chains"),
    ],
)
def test_a_mistake_is_a_sentence(arguments: list[str], sentence: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_a_base_that_floats_is_pushed_in_newtons_and_turned_in_newton_metres() -> None:
    done = CliRunner().invoke(app, ["balance", "planar2", "--base", "floating"])
    units = {
        line.split()[0]: line.rstrip() for line in done.stdout.splitlines() if line.startswith("base_")
    }
    assert units["base_vx"].endswith("N, kg")
    assert units["base_wz"].endswith("N m, kg m²")


def test_a_slide_that_stays_level_needs_nothing(tmp_path: Path) -> None:
    inertia = '<inertia ixx="0.03" iyy="0.03" izz="0.003" ixy="0" ixz="0" iyz="0"/>'
    path = tmp_path / "jaw.urdf"
    path.write_text(
        '<robot name="jaw"><link name="base"/>'
        f'<link name="arm"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>{inertia}</inertial></link>'
        f'<link name="jaw"><inertial><mass value="0.1"/>{inertia}</inertial></link>'
        '<joint name="lift" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>'
        '<joint name="slide" type="prismatic"><parent link="arm"/><child link="jaw"/><origin xyz="0 0 0.4"/>'
        '<axis xyz="0 1 0"/><limit lower="0" upper="0.04" effort="20" velocity="1"/></joint></robot>',
        encoding="utf-8",
    )
    done = CliRunner().invoke(app, ["balance", str(path), "--json"])
    assert done.exit_code == 0, done.output
    # it slides along a level axis, whatever the joint before does
    assert json.loads(done.stdout)["obstacles"] == []
