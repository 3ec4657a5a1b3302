"""``strobe zmp``: a motion in, what the ground must do and whether the foot holds out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.mechanisms import ground_reaction
from strobe.trajectory.files import write
from tests.cli.verb import Verb

# the centre of mass above one foot
LEANING = np.array([-0.12, -0.3, 0.6, -0.3, 0.12, 0, -0.3, 0.6, -0.3, 0])
SOLE = "-0.07,-0.05;0.13,-0.05;0.13,0.05;-0.07,0.05"


run = Verb("zmp")
refusal = run.refusal


@pytest.fixture(scope="module")
def biped() -> strobe.Robot:
    return strobe.load("biped10")


@pytest.fixture(scope="module")
def swing(biped: strobe.Robot, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The free leg lifted and put down while the other foot stands."""
    lifted = LEANING + np.array([0, 0, 0, 0, 0, 0, -0.2, 0.3, -0.1, 0])
    motion = biped.plan([LEANING, lifted, LEANING], "quintic", times=[0.0, 1.0, 2.0])
    path = tmp_path_factory.mktemp("motions") / "swing.json"
    write(motion, path)
    return path


def test_it_tells_what_python_computes(biped: strobe.Robot, swing: Path) -> None:
    done = run("biped10", swing, "--foot", "stance_foot", "--friction", 0.6, "--step", 0.1, "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    from strobe.trajectory.files import read

    t = np.array(data["instants"]["t"])
    assert np.allclose(t, np.arange(21) * 0.1)
    found = ground_reaction(biped, *read(swing).motion(t), foot="stance_foot", friction=0.6)
    for name in ("force", "moment", "zmp", "margin", "friction", "twist"):
        assert np.allclose(data["instants"][name], getattr(found, name), rtol=1e-12, atol=1e-13)
    assert data["held"] is True
    assert data["status"] == "held"
    assert set(data["instants"]["status"]) == {"held"}
    assert data["least margin"]["value"] == pytest.approx(found.margin.min())
    assert data["least margin"]["t"] == pytest.approx(t[found.margin.argmin()])
    assert data["most friction"]["value"] == pytest.approx(found.friction.max())
    assert data["least normal force"]["value"] == pytest.approx(found.force[:, 2].min())


def test_a_person_reads_margins_friction_and_that_the_foot_holds(swing: Path) -> None:
    done = run("biped10", swing, "--foot", "stance_foot")
    assert done.exit_code == 0
    for words in ("biped10 on stance_foot, 2 s", "least margin", "most friction", "the feet hold"):
        assert words in done.stdout
    assert done.stderr == ""


def test_the_wrong_foot_tips_and_the_exit_code_says_so(swing: Path) -> None:
    done = run("biped10", swing, "--foot", "swing_foot")
    assert done.exit_code == 1
    assert (
        "warning: at 201 of 201 instants the robot would tip: no foot at rest presses outside its sole"
        in done.stderr
    )
    assert "least margin" in done.stdout
    assert "the feet hold" not in done.stdout


@pytest.mark.slow
def test_too_little_friction_is_a_check_that_failed(swing: Path) -> None:
    done = run("biped10", swing, "--foot", "stance_foot", "--friction", 0.001)
    assert done.exit_code == 1
    assert "the feet would slip: the force is outside the friction cone." in done.stderr
    done = run("biped10", swing, "--foot", "stance_foot", "--torsion", 0)
    assert done.exit_code == 1
    assert "the feet would turn on the spot" in done.stderr


def test_a_sole_of_ones_own_takes_the_place_of_the_models(swing: Path) -> None:
    assert run("biped10", swing, "--foot", "stance_foot", "--sole", SOLE).exit_code == 0
    small = run("biped10", swing, "--foot", "stance_foot", "--sole", "-.01,-.01; .01,-.01; 0,.01", "--json")
    assert small.exit_code == 1
    assert json.loads(small.stdout)["status"] == "tipping"


def test_a_floating_robot_is_rooted_on_the_foot(tmp_path: Path, biped: strobe.Robot, swing: Path) -> None:
    from strobe.models.toml_writer import write_toml

    path = tmp_path / "floating.toml"
    path.write_text(write_toml(biped.with_base("floating").model), encoding="utf-8")
    here, there = (
        json.loads(run(robot, swing, "--foot", "stance_foot", "--json").stdout)
        for robot in ("biped10", path)
    )
    assert np.allclose(here["instants"]["zmp"], there["instants"]["zmp"], atol=1e-12)


def test_it_draws_the_sole_and_the_paths(swing: Path, tmp_path: Path) -> None:
    plot = tmp_path / "zmp.svg"
    done = run("biped10", swing, "--foot", "stance_foot", "--plot", plot, "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["plot"] == str(plot)
    drawn = plot.read_text(encoding="utf-8")
    for words in ("biped10 on stance_foot", "zero moment point", "centre of mass", "soles"):
        assert words in drawn
    assert "will not replace" in refusal("biped10", swing, "--foot", "stance_foot", "--plot", plot)
    assert run("biped10", swing, "--foot", "stance_foot", "--plot", plot, "--force").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--foot", "stance_fot"], "no frame \"stance_fot\" in biped10. Did you mean 'stance_foot'"),
        (
            ["--foot", "torso"],
            'biped10 does not say what the sole of "torso" is; give its corners by --sole.',
        ),
        (
            ["--foot", "torso", "--sole", "0,0;1,0"],
            'the sole of foot "torso" has 2 corners; a sole needs three or more.',
        ),
        (
            ["--foot", "torso", "--sole", "0,0;1,0;2,0"],
            'the corners of the sole of foot "torso" lie on a line; a sole needs an area to stand on.',
        ),
        (["--foot", "torso", "--sole", "0;1;2"], '--sole: "0;1;2" are no corners; expected X,Y;X,Y;X,Y'),
        (["--foot", "torso", "--sole", "a,b;1,0;2,0"], '--sole: "a" is not a number'),
        (
            ["--foot", "stance_foot", "--friction", "-1"],
            "--friction is -1.0; expected a number that is not negative.",
        ),
        (
            ["--foot", "stance_foot", "--torsion", "-1"],
            "--torsion is -1.0; expected a number that is not negative.",
        ),
        (["--foot", "stance_foot", "--step", "0"], "--step is 0; expected a time above zero."),
        (
            ["--foot", "stance_foot", "--gravity", "0,0,0"],
            "nothing says which way the ground lies. Give it some by --gravity.",
        ),
        (["--foot", "stance_foot", "--plot", "x.png"], "--plot x.png: a drawing is an .svg file."),
        ([], "missing option '--foot'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(swing: Path, arguments: list[str], sentence: str) -> None:
    assert sentence in refusal("biped10", swing, *arguments)


def test_a_motion_of_another_robot_is_refused(swing: Path, tmp_path: Path) -> None:
    said = refusal("panda", swing, "--foot", "hand", "--sole", SOLE)
    assert f"{swing}: the motion has no joint" in said
    assert "which panda has." in said
    missing = tmp_path / "none.json"
    assert f"{missing}: cannot be read" in refusal("biped10", missing, "--foot", "stance_foot")
