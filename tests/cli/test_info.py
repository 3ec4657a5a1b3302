"""``strobe info``: joints, links, frames, constraints and remarks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from strobe.cli import app

DOUBTFUL = """\
<robot name="doubtful">
  <link name="base"/>
  <link name="arm">
    <inertial>
      <mass value="1"/>
      <inertia ixx="1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="hinge" type="continuous">
    <parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""


def info(*arguments: str) -> Any:
    done = CliRunner().invoke(app, ["info", *arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_info_tells_joints_limits_and_masses() -> None:
    data = info("stanford")
    boom = data["joints"][2]
    assert (boom["kind"], boom["parent"], boom["limits"]["lower"]) == ("prismatic", "link2", 0.3048)
    assert data["serial"] is True
    assert abs(data["total_mass"] - 20.77) < 1e-9


def test_info_shows_motors_where_there_are_some() -> None:
    shown = CliRunner().invoke(app, ["info", "puma560"]).stdout
    assert "rotor inertia" in shown
    assert "0.78403" in shown
    assert "rotor inertia" not in CliRunner().invoke(app, ["info", "stanford"]).stdout


def test_every_table_has_units() -> None:
    shown = CliRunner().invoke(app, ["info", "stanford"]).stdout
    assert "lower rad or m" in shown
    assert "com x m" in shown
    assert "I 1 kg m²" in shown
    assert "lower rad  " in CliRunner().invoke(app, ["info", "puma560"]).stdout


def test_inertias_are_shown_about_the_centre_of_mass_and_about_the_origin() -> None:
    link = info("planar2")["links"][1]
    m, (x, y, z), central = link["mass"], link["com"], link["inertia"]
    about_origin = [central[0] + m * (y * y + z * z), central[1] + m * (x * x + z * z)]
    assert link["parameters"][4:6] == pytest.approx(about_origin)
    assert link["principal_moments"] == pytest.approx(sorted(central[:3]))
    shown = CliRunner().invoke(app, ["info", "planar2", "--inertias"]).stdout
    assert "m cx kg m" in shown
    assert "Ixy kg m²" in shown
    assert "Ixy" not in CliRunner().invoke(app, ["info", "planar2"]).stdout


def test_couplings_and_loops_are_shown_and_not_hidden() -> None:
    shown = CliRunner().invoke(app, ["info", "parallelogram"]).stdout
    assert "coupling: a2 = b1 − a1" in shown
    assert (
        "loop: pin (point) keeps pin_on_link2 and pin_on_link4 together, as the couplings do already"
        in shown
    )


def test_what_closed_chains_leave_free_is_told() -> None:
    shown = CliRunner().invoke(app, ["info", "fourbar"]).stdout.splitlines()
    assert any(
        line.startswith("3 degrees of freedom (3R), a tree with closed loops, of which loops leave 1")
        for line in shown
    )
    assert "loop: pin (point) keeps pin_on_coupler and pin_on_rocker together" in shown
    assert "closed: 1 freedom left of 3, by 2 independent conditions of 3" in shown
    assert "redundant: place y of pin, which the others imply" in shown
    assert "actuated: crank" in shown


def test_rods_are_told_with_their_length_and_what_could_drive_a_chain_without_drives(
    tmp_path: Path,
) -> None:
    data = info("delta")
    assert data["loops"][0] == {
        "name": "rod1_left", "frames": ["elbow1_left", "wrist1_left"], "kind": "distance", "held": False,
        "length": 0.8,
    }  # fmt: skip
    assert data["closed"]["freedoms"] == 3
    assert data["closed"]["redundant"] == []
    path = tmp_path / "passive.toml"
    CliRunner().invoke(app, ["convert", "fourbar", "-o", str(path)])
    path.write_text(path.read_text().replace('actuated = ["crank"]\n', ""))
    shown = CliRunner().invoke(app, ["info", str(path)]).stdout
    assert "actuated: none named; coupler or crank or rocker could drive it" in shown


def test_a_locked_joint_is_gone_and_its_mass_stays() -> None:
    data = info("stanford", "--lock", "joint3=0.5")
    assert [joint["name"] for joint in data["joints"]] == ["joint1", "joint2", "joint4", "joint5", "joint6"]
    assert abs(data["total_mass"] - 20.77) < 1e-9


def test_a_floating_base_adds_six_degrees_of_freedom() -> None:
    data = info("planar2", "--base", "floating")
    assert (data["degrees_of_freedom"], data["position_numbers"]) == (8, 9)
    assert data["serial"] is False


def test_a_warning_is_shown_once_and_refused_when_strict(tmp_path: Path) -> None:
    path = tmp_path / "doubtful.urdf"
    path.write_text(DOUBTFUL)
    done = CliRunner().invoke(app, ["info", str(path)])
    assert done.exit_code == 0
    assert done.output.count("warning: ") == 1
    assert 'link "arm"' in done.output
    strict = CliRunner().invoke(app, ["info", str(path), "--strict"])
    assert strict.exit_code == 2
    assert 'link "arm"' in strict.stderr
