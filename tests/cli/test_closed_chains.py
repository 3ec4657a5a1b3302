"""Closed chains on the command line: states that are put together, torques, explanations, runs, figures."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import strobe
from tests.cli.verb import Verb

GOLDEN = ["fourbar", "--q", "0.6", "--qd", "0.9", "--qdd", "1.5"]


run = Verb()
told = run.told


def refused(*arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    return re.search(r"strobe: (.*)", done.stderr)[1]  # pyright: ignore[reportOptionalSubscript]


# -- states -------------------------------------------------------------------------------------------


def test_numbers_of_the_actuated_joints_are_enough_for_a_state() -> None:
    """The reference state of the four-bar is given by its crank."""
    data, kept = told("torque", *GOLDEN), strobe.load("fourbar").model.golden[0]
    for name in ("q", "qd", "qdd", "tau"):
        assert np.allclose(data[name], kept[name], atol=1e-10), name
    assert data["actuated"] == ["crank"]
    assert data["assumed"]["q"].endswith("with crank = 0.6, the other joints follow")


def test_parts_of_a_torque_add_up_and_passive_joints_have_none() -> None:
    data = told("torque", *GOLDEN)
    parts = sum(
        np.array(data[name]) for name in ("gravity", "velocity", "inertial", "friction", "external")
    )
    assert np.allclose(parts, data["tau"])
    assert data["tau"][1:] == [0, 0]
    assert data["gravity"][1:] == [0, 0]


def test_a_guess_is_put_together_and_said() -> None:
    done = run("torque", "fourbar", "--q", "1,1,1")
    assert done.exit_code == 0
    assert re.search(
        r"note: assumed q = \(0\.03\d+, .*\): put together, --q being open by 0\.532", done.stderr
    )


def test_without_a_state_a_pose_of_the_model_is_taken() -> None:
    data = told("torque", "delta")
    assert data["q"] == [0, 0, 0, 0, 0, -0.64, 1, 0, 0, 0]
    assert data["assumed"]["q"].endswith('the pose "home"')
    assert told("torque", "delta", "--pose", "home")["tau"] == data["tau"]


def test_rates_that_were_rounded_are_taken_and_others_refused() -> None:
    data = told("torque", "fourbar", "--q", "0.6", "--qd", "0.9,-1.198,0.004")
    assert data["qd"][1] == pytest.approx(-1.1976, abs=1e-3)
    sentence = refused("torque", "fourbar", "--qd", "1,2,3")
    assert sentence.startswith(
        "--qd would open loops of fourbar: the nearest that they allow is (3.25908, "
    )
    assert sentence.endswith("Give that of the joints that drive it alone (crank).")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["torque", "fourbar", "--qd", "1 2"],
         "--qd has 2 numbers, expected 3 (crank, coupler, rocker) or those of the actuated joints alone (crank)."),
        (["torque", "fourbar", "--actuated", "crank,rocker"],
         "the closed chains of fourbar leave 1 freedom; the actuated joints (crank, rocker) are too many. Name as "
         "many as there are freedoms: --actuated NAMES (coupler or crank or rocker could)."),
        (["torque", "fourbar", "--actuated", "crnk"], 'no joint "crnk" in fourbar.'),
        (["torque", "planar2", "--actuated", "joint1"], "--actuated is for closed chains; planar2 has none."),
        (["torque", "planar2", "--loops"], "--loops shows the forces in closed chains; planar2 has none."),
        (["torque", "fourbar", "--pose", "home", "--q", "1"], "the robot stands at --pose or at --q, not at both."),
        (["simulate", "fourbar", "--duration", "1", "--torque", "1 2"],
         "--torque has 2 numbers, expected 3 (crank, coupler, rocker) or those of the actuated joints alone"),
        (["simulate", "fourbar", "--duration", "1", "--integrator", "radau"],
         "fourbar has closed chains, which radau would let drift open"),
        (["equations", "fourbar"], 'a closed form of closed chains is not solved, and fourbar has "pin".'),
        (["draw", "fourbar", "--kind", "time", "--qd", "1"],
         "fourbar has closed chains, through which no swing is drawn."),
        (["explain", "fourbar", "--qd", "1", "--plot", "x.svg"],
         "fourbar has closed chains; give the motion: --trajectory LOG."),
    ],
)  # fmt: skip
def test_what_does_not_go_is_said_in_a_sentence(arguments: list[str], sentence: str) -> None:
    assert refused(*arguments).startswith(sentence)


# -- what comes out -----------------------------------------------------------------------------------


def test_the_forces_in_loops_are_shown_on_request() -> None:
    done = run("torque", *GOLDEN, "--loops")
    assert "pin pin_on_coupler pin_on_rocker -3.18962 0 -6.17433" in " ".join(done.stdout.split())
    assert (
        "not determined by the motion, of redundant conditions: pin (place y); the least are given"
        in done.stdout
    )


PARALLELOGRAM = ["parallelogram", "--q", ".6,-.35", "--qd", ".9,-1.3", "--qdd", "1.5,-.7"]


def test_loops_that_couplings_keep_closed_have_forces_too() -> None:
    """Those of the paper, and of a balance of the closed chain: pins that are free carry no moment."""
    done = run("torque", *PARALLELOGRAM, "--loops")
    assert "pin pin_on_link2 pin_on_link4 -51.9377 0 -24.4312" in " ".join(done.stdout.split())
    transmitted = {row["joint"]: row for row in told("explain", *PARALLELOGRAM)["transmitted"]}
    sizes = {name: np.linalg.norm(row["force"]) for name, row in transmitted.items()}
    assert sizes == pytest.approx({"a1": 73.4102, "a2": 56.1877, "b1": 77.5475, "b2": 67.1989}, abs=1e-4)
    moments = {name: row["moment"][1] for name, row in transmitted.items()}
    assert moments == pytest.approx({"a1": -25.8367, "a2": 0, "b1": -13.0327, "b2": 0}, abs=1e-4)


@pytest.mark.parametrize("verb", [["explain"], ["torque", "--loops"]])
def test_forces_at_a_dead_point_are_not_shown(verb: list[str]) -> None:
    done = run(verb[0], "parallelogram", *verb[1:])
    assert "the loops stand at a dead point, where no force of theirs could hold the links" in done.stdout
    assert "nan" not in done.stdout
    assert "28.449" in done.stdout  # the torques are known all the same


@pytest.mark.slow
def test_another_joint_can_drive() -> None:
    """The same motion costs the same power."""
    crank = told("torque", *GOLDEN)
    state = [f"--{name}={','.join(map(repr, crank[name]))}" for name in ("q", "qd", "qdd")]
    coupler = told("torque", "fourbar", "--actuated", "coupler", *state)
    assert coupler["tau"][0] == coupler["tau"][2] == 0
    assert np.dot(coupler["tau"], coupler["qd"]) == pytest.approx(
        np.dot(crank["tau"], crank["qd"]), rel=1e-9
    )


def test_a_log_of_the_actuated_joints_is_followed_by_the_others(tmp_path: Path) -> None:
    log = tmp_path / "crank.csv"
    log.write_text("t,q_crank,qd_crank,qdd_crank\n0,0.6,0.9,1.5\n0.1,0.7,1.0,1.5\n")
    done = run("torque", "fourbar", str(log))
    assert (
        'no column for the position of "coupler", "rocker": they follow the actuated joints.' in done.stderr
    )
    assert float(done.stdout.splitlines()[1].split(",")[1]) == pytest.approx(1.12370152265, abs=1e-10)
    rates = ",".join(
        f"{kind}_{joint}" for kind in ("qd", "qdd") for joint in ("crank", "coupler", "rocker")
    )
    log.write_text(f"crank,coupler,rocker,{rates}\n" + ",".join("0" * 9) + "\n")
    sentence = refused("torque", "fourbar", str(log))
    assert sentence.startswith('fourbar: loop "pin" is open by 0.15 (place x) in state (0,)')
    assert sentence.endswith("Give the actuated joints alone: the others follow.")


@pytest.mark.slow
def test_an_explanation_is_of_the_actuated_joints() -> None:
    data = told("explain", *GOLDEN)
    (crank,) = data["joints"]
    assert crank["name"] == "crank"
    assert sum(term["value"] for term in crank["terms"]) == pytest.approx(crank["tau"], rel=1e-12)
    assert [row["joint"] for row in data["transmitted"]] == ["crank", "coupler", "rocker"]


def test_a_run_tells_how_far_loops_came_open() -> None:
    data = told("simulate", "fourbar", "--q", "0.6", "--duration", "0.5", "--torque", "0.4")
    assert data["loops_open_by"] < 1e-12
    assert data["energy"]["largest_drift"] < 1e-5
    assert data["energy"]["work"]["drive"] != 0
    assert "loops are open by at most" in run("simulate", "fourbar", "--duration", "0.1").stdout


def test_check_and_count_say_that_they_look_at_the_tree() -> None:
    done = run("count", "fourbar", "--formulation", "spatial-newton-euler")
    assert (
        "note: formulations are counted on the tree, its loops cut; the last row closes them" in done.stderr
    )
    checked = run("check", "fourbar", "--formulation", "spatial-newton-euler", "--trials", "1")
    assert checked.exit_code == 0
    assert "note: fourbar has closed chains: its tree is checked, the loops cut" in checked.stderr


def test_the_robots_of_this_page_are_drawn_with_their_loops() -> None:
    figure = run("draw", "delta").stdout
    assert figure.startswith("<svg")
    assert figure.count("<circle") > run("draw", "puma560").stdout.count("<circle")
