"""``strobe doctor``: what is shown, what is written, and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import strobe
from tests.cli.verb import Verb

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><mass value="2"/><inertia ixx="{ixx}" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper"/><origin rpy="1.5708 0 0"/><axis xyz="0 0 1"/>
  </joint>
</robot>
"""


run = Verb("doctor")


def arm(tmp_path: Path, ixx: float) -> str:
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.format(ixx=ixx))
    return str(path)


def test_a_serious_finding_exits_with_1_and_is_gone_from_the_repaired_file(tmp_path: Path) -> None:
    path, out = arm(tmp_path, 0.03), tmp_path / "repaired.urdf"
    done = run(path, "-o", str(out))
    assert done.exit_code == 1
    assert (
        'serious   link "upper" (line 3) has principal moments of inertia that no body has' in done.stdout
    )
    assert 'rpy "1.5708 0 0" is now "1.5707963267948966 0 0"' in done.stdout
    again = run(str(out))
    assert again.exit_code == 0
    assert "nothing to complain of" in again.stdout


def test_an_angle_with_few_digits_is_a_note_and_no_failure(tmp_path: Path) -> None:
    done = run(arm(tmp_path, 0.01), "--json")
    assert done.exit_code == 0
    data = json.loads(done.stdout)
    assert data["count"] == {"serious": 0, "doubtful": 0, "note": 1}
    assert data["findings"][0]["topic"] == "angles"


def test_a_repaired_urdf_can_become_toml(tmp_path: Path) -> None:
    out = tmp_path / "arm.toml"
    run(arm(tmp_path, 0.03), "-o", str(out))
    place = strobe.load(out).forward_kinematics([0.0], "upper")
    assert np.array_equal(place[:3, :3], [[1, 0, 0], [0, 0, -1], [0, 1, 0]])


def test_a_file_that_cannot_be_read_is_told_and_not_repaired(tmp_path: Path) -> None:
    path, out = tmp_path / "arm.urdf", tmp_path / "out.urdf"
    path.write_text(ARM.format(ixx=1).replace('<child link="upper"/>', '<child link="uper"/>'))
    done = run(str(path), "-o", str(out))
    assert done.exit_code == 1
    assert "Did you mean 'upper'" in done.stdout
    assert "is not written" in done.stdout
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.urdf"], "no such file"),
        (["pandda"], "Did you mean 'panda'"),
        (["panda", "-o", "x.xml"], "urdf or toml"),
    ],
)
def test_a_mistake_is_a_sentence(arguments: list[str], sentence: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr
