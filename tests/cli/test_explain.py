"""``strobe explain``: the terms of a state and of a motion, the figure, and every mistake."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import strobe
from strobe.cli import explain
from strobe.equations import meaning
from tests.cli.verb import Verb

STATE = ["--q", "0.7,-1.1", "--qd", "1.3,-0.6", "--qdd", "-0.8,2.1"]
NUMBERS = ([0.7, -1.1], [1.3, -0.6], [-0.8, 2.1])


run = Verb("explain")
told = run.told


def log(path: Path, rows: int = 5, times: list[str] | None = None) -> Path:
    q, qd, qdd = strobe.load("planar2").random_state(seed=3, batch=rows)
    head = "t," if times else ""
    lines = [head + "q1,q2,qd1,qd2,qdd1,qdd2"]
    for r, row in enumerate(np.concatenate([q, qd, qdd], axis=1).tolist()):
        lines.append((f"{times[r]}," if times else "") + ",".join(map(repr, row)))
    path.write_text("\n".join(lines))
    return path


# -- one state ----------------------------------------------------------------------------------------


def test_the_terms_of_a_state_are_told_with_value_share_and_meaning() -> None:
    data = told("planar2", *STATE)
    found = meaning.explain(strobe.load("planar2"), *NUMBERS)
    for joint, tau in zip(data["joints"], found.tau, strict=True):
        assert joint["tau"] == pytest.approx(tau, rel=1e-13)
        assert sum(term["value"] for term in joint["terms"]) == pytest.approx(tau, rel=1e-13)
        assert sum(term["share"] for term in joint["terms"]) == pytest.approx(1.0)
    assert data["joints"][0]["terms"][1] == {
        "kind": "interaction",
        "by": ["joint2"],
        "formula": "M12 qdd2",
        "value": pytest.approx(0.0865736509283 * 2.1),
        "share": pytest.approx(0.01828, rel=1e-3),
        "meaning": "holds joint1 against the reaction to the acceleration of joint2",
    }
    assert "in these coordinates" in data["coordinates"]
    first = data["transmitted"][0]
    assert first["joint"] == "joint1"
    assert first["force"] == first["force_across"] == pytest.approx([-0.733762890315, 33.0147661374, 0])
    assert first["moment"] == pytest.approx([0, 0, 8.95178609256])
    assert first["moment_across"] == pytest.approx([0, 0, 0], abs=1e-14)


def test_a_table_shows_each_term_with_its_bar_and_what_the_joints_hold() -> None:
    shown = run("planar2", *STATE).stdout
    assert "joint1: 8.95179 N m" in shown
    (gravity,) = [line for line in shown.splitlines() if line.startswith("gravity") and "g1" in line]
    assert gravity.split()[:5] == ["gravity", "g1", "9.23599", "93%", "█████████▎"]
    assert gravity.rstrip().endswith("carries the weight beyond joint1")
    assert "centrifugal" in shown
    assert "in others the same torque has other terms." in shown
    (held,) = [line.split() for line in shown.splitlines() if line.startswith("joint1 ")]
    assert held == ["joint1", "-0.733763", "33.0148", "0", "33.0229", "0", "0", "8.95179", "0"]


def test_small_terms_stand_together_unless_all_are_asked_for() -> None:
    state = ["panda", "--qd", "1,1,1,1,1,1,1"]
    few, every = run(*state).stdout, run(*state, "--all").stdout
    assert "12 small terms" in few
    assert "small terms" not in every
    assert len(every.splitlines()) > len(few.splitlines()) + 50


def test_the_loads_of_the_options_act() -> None:
    how = ["--wrench", "3,-2,0,0,0,0", "--frame", "tool", "--gravity", "0,0,0", "--no-friction"]
    data = told("planar2", *STATE, *how)
    terms = {term["kind"]: term["value"] for term in data["joints"][0]["terms"]}
    assert terms["external"] == pytest.approx(1.62078841089)
    assert terms["gravity"] == 0.0
    assert all(term["value"] == 0 for term in data["joints"][1]["terms"] if term["kind"] == "friction")


def test_a_joint_without_torque_says_so() -> None:
    shown = run("planar2", "--gravity", "0,0,0").stdout
    assert shown.count("no torque") == 2


def test_what_is_not_given_is_assumed_and_said() -> None:
    done = run("planar2")
    assert "note: assumed q = 0; qd = 0; qdd = 0" in done.stderr


@pytest.mark.parametrize(("share", "bar"), [(0, ""), (1, "█" * 10), (0.55, "█" * 5 + "▌"), (0.004, "")])
def test_a_bar_is_as_long_as_its_share(share: float, bar: str) -> None:
    assert explain._bar(share) == bar.ljust(10)


# -- figures ------------------------------------------------------------------------------------------


def test_a_figure_is_drawn_of_a_swing_through_the_state(tmp_path: Path) -> None:
    target = tmp_path / "out.svg"
    done = run("planar2", *STATE, "--plot", str(target))
    assert done.exit_code == 0
    assert f"note: the terms over time are drawn in {target}." in done.stderr
    root = ElementTree.parse(target).getroot()
    assert (root[0].text, root.tag) == (
        "Where the torques of planar2 come from", "{http://www.w3.org/2000/svg}svg",
    )  # fmt: skip


def test_the_swing_has_the_state_at_time_zero_and_is_a_motion() -> None:
    arm = strobe.load("planar2")
    state = [np.array(x) for x in NUMBERS]
    t, q, qd, qdd = explain._swing(arm, *state)
    middle = len(t) // 2
    assert t[middle] == 0.0
    for got, expected in zip((q, qd, qdd), state, strict=True):
        assert got[middle] == pytest.approx(expected)
    assert np.gradient(q, t, axis=0)[1:-1] == pytest.approx(qd[1:-1], abs=1e-4)
    assert np.gradient(qd, t, axis=0)[1:-1] == pytest.approx(qdd[1:-1], abs=1e-3)
    assert q[0] == pytest.approx(q[-1])


def test_a_figure_is_drawn_of_a_log(tmp_path: Path) -> None:
    source, target = log(tmp_path / "motion.csv", 5, ["0", "0.5", "1", "1.5", "2"]), tmp_path / "out.svg"
    data = told("planar2", "--trajectory", str(source), "--plot", str(target))
    state = strobe.load("planar2").random_state(seed=3, batch=5)
    found = meaning.explain(strobe.load("planar2"), *state)
    assert data["rows"] == 5
    assert data["plot"] == str(target)
    for kind, torques in found.parts.items():
        assert data["mean_magnitude"][kind] == pytest.approx(abs(torques).mean(axis=0).tolist())
    assert "time (s)" in target.read_text(encoding="utf-8")


def test_the_summary_of_a_log_shows_the_kinds_that_are_felt(tmp_path: Path) -> None:
    source = log(tmp_path / "motion.csv")
    shown = run("planar2", "--trajectory", str(source), "--plot", str(tmp_path / "out.svg")).stdout
    header = next(line for line in shown.splitlines() if line.startswith("joint"))
    assert "gravity" in header
    assert "tau" in header
    assert "external" not in header


def test_rows_are_counted_where_a_log_has_no_times(tmp_path: Path) -> None:
    source, target = log(tmp_path / "motion.csv"), tmp_path / "out.svg"
    assert run("planar2", "--trajectory", str(source), "--plot", str(target)).exit_code == 0
    assert ">row</text>" in target.read_text(encoding="utf-8")


def test_the_time_of_a_clock_is_told_from_its_start(tmp_path: Path) -> None:
    times = [f"{1700000000.25 + k}" for k in range(5)]
    source, target = log(tmp_path / "motion.csv", 5, times), tmp_path / "out.svg"
    assert run("planar2", "--trajectory", str(source), "--plot", str(target)).exit_code == 0
    assert "time (s) since 1700000000.25" in target.read_text(encoding="utf-8")


def test_a_long_log_is_thinned_and_that_is_said(tmp_path: Path) -> None:
    source = log(tmp_path / "motion.csv", 2000)
    done = run("planar2", "--trajectory", str(source), "--plot", str(tmp_path / "out.svg"))
    assert "note: 601 of the 2,000 rows were taken, evenly." in done.stderr


def test_an_existing_figure_is_kept_unless_forced(tmp_path: Path) -> None:
    target = tmp_path / "out.svg"
    target.write_text("mine")
    done = run("planar2", *STATE, "--plot", str(target))
    assert done.exit_code == 2
    assert f"will not replace {target}: it exists." in done.stderr
    assert target.read_text() == "mine"
    assert run("planar2", *STATE, "--plot", str(target), "--force").exit_code == 0
    assert target.read_text(encoding="utf-8").startswith("<svg")
    assert list(tmp_path.iterdir()) == [target]


# -- mistakes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--q", "1,2,3"], "--q has 3 numbers, expected 2. The order of planar2: joint1, joint2."),
        (["--frame", "tool"], "--frame says where a wrench acts"),
        (["--plot", "out.png"], '--plot writes SVG; "out.png" does not end in .svg.'),
        (["--plot", "no/such/folder/out.svg", "--qd", "1,1"], "does not exist. Make it first."),
        (["--plot", "out.svg"], "nothing moves: give --qd or --qdd, or a motion to draw: --trajectory LOG."),
        (["--trajectory", "m.csv"], "--trajectory is the motion that --plot draws; give --plot FILE.svg too."),
        (["--trajectory", "m.csv", "--plot", "o.svg"], "m.csv: cannot be read: No such file or directory."),
        (["--trajectory", "m.csv", "--plot", "o.svg", "--q", "0,0"], "not from both"),
        (
            ["--base", "floating", "--plot", "o.svg"],
            "planar2 has joints with quaternions; give the motion: --trajectory LOG.",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_explained(arguments: list[str], sentence: str) -> None:
    done = run("planar2", *arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr


@pytest.mark.parametrize(
    ("times", "sentence"),
    [
        (["0", "1", "1", "2", "3"], 'column "t": 1 comes after 1; to be drawn, times must increase.'),
        (
            ["0", "1", "2026-01-01 12:00", "2", "3"],
            'column "t": "2026-01-01 12:00" is not a time in seconds.',
        ),
    ],
)
def test_times_that_cannot_be_drawn_are_named(tmp_path: Path, times: list[str], sentence: str) -> None:
    source = log(tmp_path / "motion.csv", 5, times)
    done = run("planar2", "--trajectory", str(source), "--plot", str(tmp_path / "o.svg"))
    assert done.exit_code == 2
    assert f"{source}: {sentence}" in done.stderr


def test_a_figure_never_replaces_what_it_was_drawn_from(tmp_path: Path) -> None:
    source = log(tmp_path / "motion.svg")
    done = run("planar2", "--trajectory", str(source), "--plot", str(source), "--force")
    assert done.exit_code == 2
    assert "it is the input" in done.stderr


def test_terms_are_written_in_closed_form() -> None:
    shown = run("planar2", "--symbolic").stdout
    assert "\njoint1\n" in shown
    assert "  Coriolis: 2 c112 qd1 qd2 = −2 m2 l1 lc2 sin q2 · q̇1 q̇2\n" in shown
    assert "  friction: friction(qd2) = v2 q̇2 + f2 sat(1000 q̇2)\n" in shown
    assert "friction" not in run("planar2", "--symbolic", "--no-friction").stdout
    terms = told("planar2", "--symbolic", "--gravity", "0,0,0")["terms"]
    assert [term["formula"] for term in terms if term["kind"] == "centrifugal"] == [
        "c122 qd2²",
        "c211 qd1²",
    ]
    assert not any(term["kind"] == "gravity" for term in terms)
    assert terms[1]["closed_form"] == "(m2 (lc2² + l1 lc2 cos q2) + I2) q̈2"
    assert terms[1]["latex"].endswith(r"\ddot{q}_{2}")


@pytest.mark.parametrize("more", [["--q", "1,1"], ["--plot", "o.svg"], ["--wrench", "1,0,0,0,0,0"]])
def test_closed_forms_are_those_of_no_state(more: list[str]) -> None:
    done = run("planar2", "--symbolic", *more)
    assert done.exit_code == 2
    assert "--symbolic writes the terms for all states; leave out --q, --qd, --qdd, --plot" in done.stderr


def test_help_has_an_example_and_json() -> None:
    shown = run("--help").stdout
    assert "strobe explain planar2 --q 0.7,-1.1" in shown
    assert "--json" in shown
