"""``strobe draw``: a file, its numbers, and a sentence for everything that cannot be drawn."""

from __future__ import annotations

import json
import re
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from strobe.study.figures import KINDS
from tests.cli.verb import Verb

strobe = Verb("draw")


def test_the_help_names_every_kind():
    shown = strobe("--help").stdout.partition("--kind KIND")[2].partition("[default")[0]
    assert all(re.search(rf"\b{kind}\b", shown) for kind in KINDS)


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_kind_of_figure_is_written_as_a_whole_file(kind: str, tmp_path) -> None:
    target = tmp_path / "figure.svg"
    done = strobe("planar2", "--kind", kind, "-o", str(target))
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    assert f"note: planar2 is drawn in {target}." in done.stderr
    assert "note: drawn at the reference state; give --q, --qd and --qdd for another." in done.stderr
    assert ElementTree.fromstring(target.read_text()).tag.endswith("svg")
    assert [path.name for path in tmp_path.iterdir()] == ["figure.svg"]


def test_without_a_file_the_figure_is_printed() -> None:
    done = strobe("planar2", "--q", "0.7", "-1.1")
    assert done.exit_code == 0
    assert done.stdout.startswith("<svg ")
    assert "q = (0.7, −1.1)" in done.stdout


def test_a_view_may_begin_with_a_minus() -> None:
    done = strobe("planar2", "--view", "-60,25")
    assert "seen from azimuth -60 and elevation 25 degrees." in done.stdout


def test_json_gives_the_numbers_of_a_free_body() -> None:
    done = strobe("planar2", "--kind", "free-body", "--link", "link2", "--inertial", "--json")
    data = json.loads(done.stdout)
    assert data["link"] == "link2"
    assert data["q"] == [0.7, -1.1]
    assert data["svg"].startswith("<svg ")
    forces = [load["vector"] for load in data["loads"] if load["unit"] == "N"]
    assert np.allclose(np.sum(forces, axis=0), 0.0, atol=1e-12)


def test_json_gives_the_moments_of_effects(tmp_path) -> None:
    target = tmp_path / "effects.svg"
    data = json.loads(strobe("planar2", "--kind", "effects", "--json", "-o", str(target)).stdout)
    assert data["output"] == str(target)
    assert [e["kind"] for e in data["effects"]] == ["centrifugal", "centrifugal", "Coriolis"]
    assert data["effects"][2]["joints"] == ["joint1", "joint2"]
    assert np.allclose(data["effects"][0]["moments"], [0.0, 0.135552639465])


def test_a_robot_without_a_reference_state_is_drawn_at_rest(tmp_path) -> None:
    done = strobe("rx90", "-o", str(tmp_path / "a.svg"))
    assert done.exit_code == 0
    assert "note: assumed q = " in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["planar2", "--kind", "robott"], '"robott" is not a kind of figure: robot, free-body, effects,'),
        (["planar2", "--view", "frnt"], '"frnt" is not a view; expected front, side, top, iso, or azimuth'),
        (["planar2", "--q", "1"], "--q has 1 number, expected 2. The order of planar2: joint1, joint2."),
        (["planar2", "--kind", "free-body", "--link", "arm"], 'no moving link "arm" in planar2.'),
        (["planar2", "--link", "link1"], "--link belongs to --kind free-body, not to robot."),
        (["planar2", "--kind", "time", "--view", "top"], "--view belongs to --kind robot or free-body, not to time."),
        (["planar2", "-o", "arm.png"], 'figures are written as SVG; "arm.png" does not end in .svg.'),
        (["planar2", "--lock", "*=0"], "planar2 has no joints that move: there is nothing to draw."),
        (["panda", "--kind", "effects"], "panda is not a planar arm of 2 to 4 turning joints"),
        (["planar2", "--kind", "effects", "--q", "0,1"], "nothing moves: centrifugal and Coriolis forces need"),
        (["planar2", "--kind", "torques", "--q", "0,1"], "nothing moves: give qd or qdd."),
        (["parallelogram", "--kind", "free-body", "--q", "0,0"], "parallelogram stands at a dead point of its loops"),
        (["planar2", "-o", "nowhere/arm.svg"], "cannot write nowhere/arm.svg: the folder "),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_said_in_a_sentence(arguments: list[str], sentence: str) -> None:
    done = strobe(*arguments)
    assert done.exit_code == 2
    assert f"strobe: {sentence}" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_an_existing_file_is_kept_unless_forced(tmp_path) -> None:
    target = tmp_path / "arm.svg"
    target.write_text("mine")
    done = strobe("planar2", "-o", str(target))
    assert done.exit_code == 2
    assert (
        f"strobe: will not replace {target}: it exists. Choose another name, or add --force." in done.stderr
    )
    assert target.read_text() == "mine"
    assert strobe("planar2", "-o", str(target), "--force").exit_code == 0
    assert target.read_text().startswith("<svg ")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_a_folder_that_takes_no_files_is_named() -> None:
    """An administrator may write there, and is refused by the system; anybody else may not."""
    done = strobe("planar2", "-o", "/proc/arm.svg")
    assert done.exit_code == 2
    refusals = "No such file or directory.", "the folder /proc may not be written to. Choose another."
    assert any(f"strobe: cannot write /proc/arm.svg: {why}" in done.stderr for why in refusals)
